// The port through which the allocator and the repairs see a datastore: single objects, compare-and-swap, four outcomes.
// Objects are the raw stored ones, so that fields this program does not know survive every write.
import type { BlockAffinity } from '../resources/kinds/block-affinity.ts';
import type { IPPool } from '../resources/kinds/ip-pool.ts';
import type { IPReservation } from '../resources/kinds/ip-reservation.ts';
import type { IPAMBlock } from '../resources/kinds/ipam-block.ts';
import type { IPAMConfig } from '../resources/kinds/ipam-config.ts';
import type { IPAMHandle } from '../resources/kinds/ipam-handle.ts';
import type { Owner } from './block/block.ts';

/** `conflict`: the revision (or uid) is no longer the one given. Anything else that goes wrong is thrown. */
export type StoreFailure = 'not-found' | 'already-exists' | 'conflict';

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: StoreFailure };

/** Reads and writes of one kind. A write names the revision it decided on: `metadata.resourceVersion` of its argument. */
export interface IpamObjects<T> {
  get(name: string): Promise<Outcome<T>>;
  list(): Promise<readonly T[]>;
  create(object: T): Promise<Outcome<T>>;
  update(object: T): Promise<Outcome<T>>;
  /** Removes exactly this incarnation at this revision (uid and resourceVersion of the argument are preconditions). */
  remove(object: T): Promise<Outcome<undefined>>;
}

export interface IpamStore {
  readonly blocks: IpamObjects<IPAMBlock>;
  readonly affinities: IpamObjects<BlockAffinity>;
  readonly handles: IpamObjects<IPAMHandle>;
  /**
   * The claims of one owner on blocks of one family, in order of their names, whatever their state, without tombstones.
   * Found by their labels, as Calico finds them: what is not labelled as it should be is not in it.
   */
  affinitiesOf(owner: Owner, version: 4 | 6): Promise<readonly BlockAffinity[]>;
  config(): Promise<IPAMConfig | undefined>;
  pools(): Promise<readonly IPPool[]>;
  reservations(): Promise<readonly IPReservation[]>;
  /** Labels of the Calico node, or undefined when there is no such node. */
  nodeLabels(name: string): Promise<Readonly<Record<string, string>> | undefined>;
}
