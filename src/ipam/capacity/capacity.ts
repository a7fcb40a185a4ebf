// How much capacity a cluster's IPAM has: per pool, per node, and how many more nodes and pods fit. Pure.
// Rules: docs/reference/ipam.md#capacity. simulation.ts tries it out with the allocator.
import { formatCidr } from '../../net/cidr.ts';
import type { Labels } from '../../resources/selector.ts';
import { type IpamSettings, settingsOf } from '../config.ts';
import { blockSizeProblem } from '../pool/pools.ts';
import { podsThatFit } from './capacity-fit.ts';
import {
  affinitiesByNode,
  choiceOf,
  type NodeCapacity,
  type NodeChoice,
  type Surveyed,
  surveyNode,
} from './capacity-nodes.ts';
import { type BlockRoom, blockRooms, type PoolCapacity, type PoolRoom, poolRoom } from './capacity-pools.ts';
import { commonLabels, type IpamLists } from './ipam-lists.ts';

/** All pools of one family that pods get addresses from automatically. */
export interface FamilyCapacity {
  readonly ipVersion: 4 | 6;
  readonly pools: readonly string[];
  readonly free: bigint;
  /** How many more nodes with the given labels can have one block each. */
  readonly moreNodes: bigint;
  /** How many more pods fit on the existing nodes with the present configuration. */
  readonly morePods: bigint;
  /** The same without borrowing addresses from blocks of other nodes. */
  readonly morePodsWithoutBorrowing: bigint;
  /** Free addresses that no existing node can use with the present configuration. */
  readonly stranded: bigint;
  readonly nodesAtLimit: number;
  readonly borrowed: number;
}

/** What prevents a pool or a node from providing any address. */
export interface CapacityProblem {
  readonly object: { readonly kind: 'IPPool' | 'Node' | 'Cluster'; readonly name: string };
  readonly ipVersion?: 4 | 6;
  readonly problem: string;
}

export interface Capacity {
  readonly settings: IpamSettings;
  readonly families: readonly FamilyCapacity[];
  readonly pools: readonly PoolCapacity[];
  readonly nodes: readonly NodeCapacity[];
  readonly problems: readonly CapacityProblem[];
}

/** True for a pool that pods get addresses from without requesting it. */
export function isForPods({ mode, allowedUses }: PoolCapacity): boolean {
  return mode === 'automatic' && allowedUses.includes('Workload');
}

/** The capacity of the cluster. `newNode`: labels of a node to be added; by default those that all nodes share. */
export function capacity(lists: IpamLists, newNode: Labels = commonLabels(lists.nodes)): Capacity {
  const settings = settingsOf(lists.config);
  const choices = ([4, 6] as const).flatMap((version) => lists.nodes.map((node) => choiceOf(node, version, lists)));
  const nodesOf = new Map<string, Set<string>>(lists.pools.map(({ metadata }) => [metadata.name, new Set()]));
  for (const { node, usable } of choices) {
    for (const { pool } of usable) nodesOf.get(pool.metadata.name)?.add(node.name);
  }
  const blocks = blockRooms(lists);
  const rooms = lists.pools.flatMap(
    (pool) => poolRoom(pool, nodesOf.get(pool.metadata.name) ?? new Set(), blocks, lists) ?? [],
  );
  const pods = rooms.filter((room) => isForPods(room.capacity));
  const versions = ([4, 6] as const).filter((version) => pods.some((room) => room.capacity.ipVersion === version));
  const survey = {
    affinities: affinitiesByNode(lists),
    roomByCidr: new Map(blocks.map((room) => [formatCidr(room.cidr), room])),
    roomsByHost: groupedByHost(blocks),
    borrowedBy: borrowedByNode(blocks),
    pools: new Map(rooms.map((room) => [room.capacity.name, room])),
    settings,
  };
  const served = new Set(choices.filter(({ usable }) => usable.length > 0).map(({ node }) => node.name));
  // A node that gets addresses of one family only has no problem with the other one.
  const surveyed = choices
    .filter(({ version, usable, node }) => versions.includes(version) && (usable.length > 0 || !served.has(node.name)))
    .map((choice) => ({ choice, ...surveyNode(choice, survey) }));
  return {
    settings,
    families: versions.map((version) => {
      const nodes = surveyed.filter(({ choice }) => choice.version === version);
      const fresh = choiceOf({ name: '', labels: newNode }, version, lists);
      const of = pods.filter((room) => room.capacity.ipVersion === version);
      return familyOf(version, of, nodes, fresh, settings);
    }),
    pools: rooms.map((room) => room.capacity),
    nodes: surveyed.map((node) => node.capacity),
    problems: problemsOf(pods, surveyed),
  };
}

function familyOf(
  ipVersion: 4 | 6,
  rooms: readonly PoolRoom[],
  nodes: readonly Surveyed[],
  fresh: NodeChoice,
  settings: IpamSettings,
): FamilyCapacity {
  const { strictAffinity, autoAllocateBlocks } = settings;
  const pools = rooms.map((room) => room.capacity);
  const forNew = new Set(fresh.usable.map(({ pool }) => pool.metadata.name));
  const free = pools.reduce((all, pool) => all + pool.free, 0n);
  const fits = podsThatFit(
    nodes.map(({ room }) => room),
    rooms,
    autoAllocateBlocks && !strictAffinity,
  );
  return {
    ipVersion,
    pools: pools.map(({ name }) => name),
    free,
    moreNodes: autoAllocateBlocks
      ? pools.filter(({ name }) => forNew.has(name)).reduce((all, pool) => all + pool.blocksFree, 0n)
      : 0n,
    morePods: fits.withBorrowing,
    morePodsWithoutBorrowing: fits.withoutBorrowing,
    stranded: free - fits.withBorrowing,
    nodesAtLimit: nodes.filter((node) => node.capacity.atLimit).length,
    borrowed: pools.reduce((all, pool) => all + pool.borrowed, 0),
  };
}

function groupedByHost(rooms: readonly BlockRoom[]): ReadonlyMap<string, readonly BlockRoom[]> {
  const byHost = new Map<string, BlockRoom[]>();
  for (const room of rooms) {
    if (room.host === undefined) continue;
    const known = byHost.get(room.host);
    if (known === undefined) byHost.set(room.host, [room]);
    else known.push(room);
  }
  return byHost;
}

function borrowedByNode(rooms: readonly BlockRoom[]): ReadonlyMap<string, readonly [number, number]> {
  const counts = new Map<string, [number, number]>();
  for (const { cidr, borrowers } of rooms) {
    for (const [node, count] of borrowers) {
      const known = counts.get(node) ?? [0, 0];
      known[cidr.version === 4 ? 0 : 1] += count;
      counts.set(node, known);
    }
  }
  return counts;
}

function problemsOf(pods: readonly PoolRoom[], nodes: readonly Surveyed[]): CapacityProblem[] {
  if (pods.length === 0) {
    const problem = 'no enabled pool assigns pod addresses automatically';
    return [{ object: { kind: 'Cluster', name: 'default' }, problem }];
  }
  const full = pods.flatMap(({ capacity: { name, ipVersion, blockSize, free, blocks } }): CapacityProblem[] => {
    const unsupported = blockSizeProblem(ipVersion, blockSize);
    if (free > 0n && unsupported === undefined) return [];
    const problem = unsupported ?? (blocks === 0n ? 'it is smaller than a block' : 'it has no free address');
    return [{ object: { kind: 'IPPool', name }, ipVersion, problem }];
  });
  const stuck = nodes.flatMap(({ capacity: { name, ipVersion, problem } }): CapacityProblem[] =>
    problem === undefined ? [] : [{ object: { kind: 'Node', name }, ipVersion, problem }],
  );
  return [...full, ...stuck];
}
