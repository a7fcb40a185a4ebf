// The allocator's port on any datastore: single objects, compare-and-swap, failures as values.
// Tombstones are returned like other objects; ipam/deletion.ts finishes their deletion.
import type { Owner } from '../ipam/block/block.ts';
import type { IpamObjects, IpamStore, Outcome, StoreFailure } from '../ipam/ipam-store.ts';
import { parseCidr } from '../net/cidr.ts';
import { nodeLabels } from '../resources/convert/node-v3.ts';
import type { Kind } from '../resources/kind.ts';
import {
  affinityType,
  type BlockAffinity,
  blockAffinity,
  isDeletedAffinity,
} from '../resources/kinds/block-affinity.ts';
import { ipPool } from '../resources/kinds/ip-pool.ts';
import { ipReservation } from '../resources/kinds/ip-reservation.ts';
import { ipamBlock } from '../resources/kinds/ipam-block.ts';
import { ipamConfig } from '../resources/kinds/ipam-config.ts';
import { ipamHandle } from '../resources/kinds/ipam-handle.ts';
import { calicoNode } from '../resources/kinds/node.ts';
import { affinityLabels } from '../resources/names.ts';
import type { KubeObject } from '../resources/object.ts';
import { type CallOptions, type Datastore, DatastoreError, listAll } from './datastore.ts';

const FAILURES: ReadonlySet<string> = new Set<StoreFailure>(['not-found', 'already-exists', 'conflict']);

/** `options` are passed with every call, so that one signal ends them all. */
export function ipamStoreOf(datastore: Datastore, options: CallOptions = {}): IpamStore {
  const selectors = new Map<string, string>();
  return {
    blocks: objectsOf(datastore, ipamBlock, options),
    affinities: objectsOf(datastore, blockAffinity, options),
    handles: objectsOf(datastore, ipamHandle, options),
    affinitiesOf: async (owner, version) => {
      const key = `${version} ${owner.type} ${owner.name}`;
      const labelSelector = selectors.get(key) ?? claimSelector(owner, version);
      selectors.set(key, labelSelector);
      const found = await listAll(datastore, blockAffinity, { ...options, labelSelector });
      return found.filter((affinity) => isClaimOf(affinity, owner, version));
    },
    config: async () => valueOrNothing(await outcome(datastore.get(ipamConfig, { name: 'default' }, options))),
    pools: () => listAll(datastore, ipPool, options),
    reservations: async () => {
      // Clusters older than reservations do not have the kind.
      const found = await outcome(listAll(datastore, ipReservation, options));
      return valueOrNothing(found) ?? [];
    },
    nodeLabels: async (name) => {
      const node = valueOrNothing(await outcome(datastore.get(calicoNode, { name }, options)));
      return node === undefined ? undefined : nodeLabels(node);
    },
  };
}

/** Selects the affinities of an owner by their labels. */
function claimSelector({ name, type }: Owner, version: 4 | 6): string {
  const labels = affinityLabels(name, type, version === 6 ? '::/0' : '0.0.0.0/0');
  return Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
}

/** Labels may lie: what counts is the claim itself. */
function isClaimOf(affinity: BlockAffinity, owner: Owner, version: 4 | 6): boolean {
  const { node, cidr } = affinity.spec;
  const own = node === owner.name && affinityType(affinity) === owner.type && !isDeletedAffinity(affinity);
  return own && parseCidr(cidr)?.version === version;
}

function objectsOf<T extends KubeObject>(datastore: Datastore, kind: Kind<T>, options: CallOptions): IpamObjects<T> {
  return {
    get: (name) => outcome(datastore.get(kind, { name }, options)),
    list: () => listAll(datastore, kind, options),
    create: (object) => outcome(datastore.create(kind, object, options)),
    update: (object) => outcome(datastore.update(kind, object, options)),
    remove: ({ metadata: { name, uid, resourceVersion } }) =>
      outcome(datastore.delete(kind, { name }, { uid, resourceVersion }, options).then(() => undefined)),
  };
}

function outcome<T>(call: Promise<T>): Promise<Outcome<T>> {
  return call.then((value) => ({ ok: true, value }), failed);
}

function failed(error: unknown): Outcome<never> {
  if (error instanceof DatastoreError && FAILURES.has(error.reason)) {
    return { ok: false, why: error.reason as StoreFailure };
  }
  throw error;
}

function valueOrNothing<T>(found: Outcome<T>): T | undefined {
  return found.ok ? found.value : undefined;
}
