// A copy of a cluster's IPAM in memory for the allocator to run on. It starts from plain lists and shares their objects,
// which no operation changes in place, so that the originals are never affected.
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

/** The objects of one kind, with the compare-and-swap of a real store; revisions count up. */
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
 * The block without the holders of its addresses, because the allocator goes through the attribute records at every use.
 * Blocks that it would refuse to use stay as they are.
 */
function lean(block: IPAMBlock): IPAMBlock {
  if (isTombstone(block) || isUnsound(block)) return block;
  const held = block.spec.allocations.map((index) => (index === null || index === undefined ? null : 0));
  const attributes = held.includes(0) ? [{ secondary: {} }] : [];
  return withSpec(block, { allocations: held, attributes, sequenceNumberForAllocation: {} });
}

/** The store of such a copy. It has no handles, because they do not affect capacity. */
export function simulatedStore({ pools, blocks, affinities, reservations, config, nodes }: IpamLists): IpamStore {
  const stored = table(affinities);
  const labels = new Map(nodes.map((node) => [node.name, node.labels]));
  return {
    blocks: table(blocks.map(lean)),
    affinities: stored,
    handles: table<IPAMHandle>([]),
    affinitiesOf: async (owner, version) => {
      const own = (await stored.list()).filter(
        (affinity) =>
          affinity.spec.node === owner.name &&
          affinityType(affinity) === owner.type &&
          !isDeletedAffinity(affinity) &&
          parseCidr(affinity.spec.cidr)?.version === version,
      );
      return own.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    },
    config: async () => config,
    pools: async () => pools,
    reservations: async () => reservations,
    nodeLabels: async (name) => labels.get(name),
  };
}
