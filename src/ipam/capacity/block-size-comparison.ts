// Compares what a simulation gives if its pools had blocks of another size. The block size of a pool cannot be changed, so
// each run begins with empty pools of the same CIDRs, filled with as many addresses as each node holds in them now.
// Rules: docs/reference/ipam.md#simulation.
import { type Cidr, cidrContains, parseCidr } from '../../net/cidr.ts';
import { windowsHandle } from '../../resources/names.ts';
import { CalictlError } from '../../world/errors.ts';
import { allocatedOrdinals, handleOf, parseOwner } from '../block/block.ts';
import { choosePools } from '../pool/pool-choice.ts';
import { blockSizeLimits, blockSizeOf } from '../pool/pools.ts';
import { allocationsOf } from '../show/utilization.ts';
import type { IpamLists } from './ipam-lists.ts';
import { simulatedStore } from './simulated-store.ts';
import {
  type Pause,
  type SimulationPlan,
  type SimulationRun,
  simulateOn,
  tryAssign,
  withNewNodes,
} from './simulation.ts';

export interface SizedRun extends SimulationRun {
  /** Prefix length of the blocks of each pool, by its name. */
  readonly blockSizes: Readonly<Record<string, number>>;
  /** True for the sizes that the pools have. */
  readonly current: boolean;
  /** Present addresses that could be assigned again, and those that could not. */
  readonly assignedAgain: number;
  readonly notAssignedAgain: number;
}

interface SizedPool {
  readonly name: string;
  readonly cidr: Cidr;
  readonly size: number;
}

/** The pools that the simulated pods use; empty when the allocator finds none. */
function poolsOf(
  { pools, namespaceLabels = {} }: IpamLists,
  { ipVersion, labels, pools: requested }: SimulationPlan,
): SizedPool[] {
  const pods = { version: ipVersion, node: '', use: 'Workload' as const, requested };
  const asked = { ...pods, labels, namespaceLabels };
  try {
    const { usable } = choosePools(pools, asked);
    return usable.map(({ pool, cidr }) => ({ name: pool.metadata.name, cidr, size: blockSizeOf(pool) }));
  } catch (error) {
    if (error instanceof CalictlError) return [];
    throw error;
  }
}

/** True for a block size that Calico accepts for a pool of this CIDR. */
function isAllowed({ cidr, size }: SizedPool): boolean {
  const [shortest, longest] = blockSizeLimits(cidr.version);
  return size >= Math.max(shortest, cidr.prefix) && size <= longest;
}

/**
 * The same simulation with the present block sizes and with others: all prefixes one shorter and one longer, or `size` for
 * all pools. Sizes that a pool cannot have are left out.
 */
export async function compareBlockSizes(
  lists: IpamLists,
  plan: SimulationPlan,
  size: number | undefined,
  pause: Pause,
): Promise<SizedRun[]> {
  const pools = poolsOf(lists, plan);
  const others =
    size === undefined
      ? [-1, 1].map((by) => pools.map((pool) => ({ ...pool, size: pool.size + by })))
      : [pools.map((pool) => ({ ...pool, size }))];
  const isOther = (sized: readonly SizedPool[]): boolean => sized.some((pool, at) => pool.size !== pools[at]?.size);
  const variants = [pools, ...others.filter((sized) => isOther(sized) && sized.every(isAllowed))];
  if (pools.length === 0) return [];
  const held = heldByNode(lists, pools);
  const runs: SizedRun[] = [];
  for (const sized of variants) {
    runs.push({ current: sized === pools, ...(await runWith(lists, plan, sized, held, pause)) });
  }
  return runs;
}

const isIn = (text: string, pools: readonly SizedPool[]): boolean => {
  const base = parseCidr(text)?.base;
  return base !== undefined && pools.some(({ cidr }) => cidrContains(cidr, base));
};

/** How many addresses each node holds in the pools; an address that names no node counts for the owner of its block. */
function heldByNode({ blocks }: IpamLists, pools: readonly SizedPool[]): Map<string, number> {
  const held = new Map<string, number>();
  for (const block of blocks) {
    if (!isIn(block.spec.cidr, pools)) continue;
    const owner = parseOwner(block.spec.affinity);
    const nodeAt = new Map([...allocationsOf(block)].map(({ ordinal, attributes }) => [ordinal, attributes['node']]));
    for (const ordinal of allocatedOrdinals(block)) {
      if (handleOf(block, ordinal)?.toLowerCase() === windowsHandle) continue;
      const node = nodeAt.get(ordinal) ?? (owner?.type === 'host' ? owner.name : undefined);
      if (node !== undefined) held.set(node, (held.get(node) ?? 0) + 1);
    }
  }
  return new Map([...held].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function runWith(
  lists: IpamLists,
  plan: SimulationPlan,
  pools: readonly SizedPool[],
  held: ReadonlyMap<string, number>,
  pause: Pause,
): Promise<Omit<SizedRun, 'current'>> {
  const blockSizes = Object.fromEntries(pools.map(({ name, size }) => [name, size]));
  const known = new Set(lists.nodes.map(({ name }) => name));
  const gone = [...held.keys()].filter((name) => !known.has(name)).map((name) => ({ name, labels: plan.labels }));
  const emptied: IpamLists = {
    ...lists,
    pools: lists.pools.map((pool) => {
      const blockSize = blockSizes[pool.metadata.name];
      return blockSize === undefined ? pool : { ...pool, spec: { ...pool.spec, blockSize } };
    }),
    blocks: lists.blocks.filter(({ spec }) => !isIn(spec.cidr, pools)),
    affinities: lists.affinities.filter(({ spec }) => !isIn(spec.cidr, pools)),
    nodes: [...lists.nodes, ...gone],
  };
  const store = simulatedStore(withNewNodes(emptied, plan));
  const cidrs = pools.map(({ cidr }) => cidr);
  let assignedAgain = 0;
  let notAssignedAgain = 0;
  for (const [node, count] of held) {
    const { namespaceLabels } = lists;
    const request = { node, version: plan.ipVersion, count, use: 'Workload' as const, pools: cidrs, namespaceLabels };
    const { addresses } = await tryAssign(store, request);
    assignedAgain += addresses.length;
    notAssignedAgain += count - addresses.length;
    await pause();
  }
  const run = await simulateOn(store, emptied, plan, pause);
  return { blockSizes, assignedAgain, notAssignedAgain, ...run };
}
