// The interface by which the allocator and the repairs use a datastore: single objects, compare-and-swap, four outcomes.
// Objects are raw as stored, so that unknown fields survive every write.
import type { BlockAffinity } from '../resources/kinds/block-affinity.ts';
import type { IPPool } from '../resources/kinds/ip-pool.ts';
import type { IPReservation } from '../resources/kinds/ip-reservation.ts';
import type { IPAMBlock } from '../resources/kinds/ipam-block.ts';
import type { IPAMConfig } from '../resources/kinds/ipam-config.ts';
import type { IPAMHandle } from '../resources/kinds/ipam-handle.ts';
import type { Owner } from './block/block.ts';

/** `conflict`: the revision (or uid) is no longer the given one. All other errors are thrown. */
export type StoreFailure = 'not-found' | 'already-exists' | 'conflict';

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: StoreFailure };

/** Reads and writes of one kind. A write names the revision it is based on: `metadata.resourceVersion` of its argument. */
export interface IpamObjects<T> {
  get(name: string): Promise<Outcome<T>>;
  list(): Promise<readonly T[]>;
  create(object: T): Promise<Outcome<T>>;
  update(object: T): Promise<Outcome<T>>;
  /** Removes exactly this object at this revision (uid and resourceVersion of the argument are preconditions). */
  remove(object: T): Promise<Outcome<undefined>>;
}

export interface IpamStore {
  readonly blocks: IpamObjects<IPAMBlock>;
  readonly affinities: IpamObjects<BlockAffinity>;
  readonly handles: IpamObjects<IPAMHandle>;
  /**
   * The affinities of one owner for blocks of one family, in name order, whatever their state, without tombstones. They are
   * found by their labels, as Calico finds them: affinities with missing or wrong labels are left out.
   */
  affinitiesOf(owner: Owner, version: 4 | 6): Promise<readonly BlockAffinity[]>;
  config(): Promise<IPAMConfig | undefined>;
  pools(): Promise<readonly IPPool[]>;
  reservations(): Promise<readonly IPReservation[]>;
  /** The labels of the Calico node; undefined when the node does not exist. */
  nodeLabels(name: string): Promise<Readonly<Record<string, string>> | undefined>;
}
