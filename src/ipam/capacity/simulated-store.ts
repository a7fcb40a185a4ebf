// A copy of a cluster's IPAM in memory that the allocator can be run on. It begins with plain lists and shares their
// objects, which no operation changes in place: whatever happens here, nothing gets back to where they came from.
import { parseCidr } from '../../net/cidr.ts';
import { affinityType, isDeletedAffinity } from '../../resources/kinds/block-affinity.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import type { IPAMHandle } from '../../resources/kinds/ipam-handle.ts';
import type { KubeObject } from '../../resources/object.ts';
import { isUnsound } from '../block/assign-in-block.ts';
import { withSpec } from '../block/block.ts';
import { isTombstone } from '../deletion.ts';
import type { IpamObjects, IpamStore, Outcome, StoreFailure } from '../ipam-store.ts';
import type { IpamLists } from './ipam-lists.ts';

/** One kind, with the compare-and-swap of a real store; revisions count up. */
function table<T extends KubeObject>(objects: readonly T[]): IpamObjects<T> {
  const stored = new Map(objects.map((object) => [object.metadata.name, object]));
  let revision = 0;
  const failed = (why: StoreFailure): { ok: false; why: StoreFailure } => ({ ok: false, why });
  const put = (object: T): Outcome<T> => {
    revision += 1;
    const value = { ...object, metadata: { ...object.metadata, resourceVersion: `simulated-${revision}` } };
    stored.set(object.metadata.name, value);
    return { ok: true, value };
  };
  const mismatch = ({ metadata }: T): StoreFailure | undefined => {
    const found = stored.get(metadata.name);
    if (found === undefined) return 'not-found';
    return found.metadata.resourceVersion === metadata.resourceVersion ? undefined : 'conflict';
  };
  return {
    async get(name) {
      const value = stored.get(name);
      return value === undefined ? failed('not-found') : { ok: true, value };
    },
    async list() {
      return [...stored.values()];
    },
    async create(object) {
      return stored.has(object.metadata.name) ? failed('already-exists') : put(object);
    },
    async update(object) {
      const why = mismatch(object);
      return why === undefined ? put(object) : failed(why);
    },
    async remove(object) {
      const why = mismatch(object);
      if (why !== undefined) return failed(why);
      stored.delete(object.metadata.name);
      return { ok: true, value: undefined };
    },
  };
}

/**
 * The block without who holds its addresses: the allocator looks through these records each time it looks at the block.
 * What it would refuse to touch stays as it is.
 */
function lean(block: IPAMBlock): IPAMBlock {
  if (isTombstone(block) || isUnsound(block)) return block;
  const held = block.spec.allocations.map((index) => (index === null || index === undefined ? null : 0));
  const attributes = held.includes(0) ? [{ secondary: {} }] : [];
  return withSpec(block, { allocations: held, attributes, sequenceNumberForAllocation: {} });
}

/** The allocator's port over such a copy. It has no handles: those of the cluster do not matter to room. */
export function simulatedStore({ pools, blocks, affinities, reservations, config, nodes }: IpamLists): IpamStore {
  const claims = table(affinities);
  const labels = new Map(nodes.map((node) => [node.name, node.labels]));
  return {
    blocks: table(blocks.map(lean)),
    affinities: claims,
    handles: table<IPAMHandle>([]),
    affinitiesOf: async (owner, version) => {
      const own = (await claims.list()).filter(
        (claim) =>
          claim.spec.node === owner.name &&
          affinityType(claim) === owner.type &&
          !isDeletedAffinity(claim) &&
          parseCidr(claim.spec.cidr)?.version === version,
      );
      return own.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    },
    config: async () => config,
    pools: async () => pools,
    reservations: async () => reservations,
    nodeLabels: async (name) => labels.get(name),
  };
}
