// What each node has and can still get: its pools, its blocks against its limit, what it borrows and lends. Pure.
// Rules: docs/reference/ipam.md#capacity.
import { cidrContains, parseCidr } from '../../net/cidr.ts';
import { affinityType, isDeletedAffinity } from '../../resources/kinds/block-affinity.ts';
import { CalictlError } from '../../world/errors.ts';
import { maxPrefixLength } from '../block/block.ts';
import { reservationOf } from '../block/windows-reserve.ts';
import { blockLimit, type IpamSettings, settingsOf } from '../config.ts';
import { type ChosenPool, choosePools } from '../pool/pool-choice.ts';
import type { NodeRoom } from './capacity-fit.ts';
import type { BlockRoom, PoolRoom } from './capacity-pools.ts';
import type { IpamLists, LabelledNode } from './ipam-lists.ts';

export interface NodeCapacity {
  readonly name: string;
  readonly ipVersion: 4 | 6;
  /** The pools that pods of the node get addresses from, in the order of trying. */
  readonly pools: readonly string[];
  /** Its block affinities in these pools, as its limit counts them. */
  readonly blocks: number;
  readonly blockLimit: number;
  readonly atLimit: boolean;
  /** Free addresses in its own blocks. */
  readonly free: number;
  /** Addresses that it holds in blocks of others, and that others hold in its blocks. */
  readonly borrowed: number;
  readonly lent: number;
  /** Why it would get no more addresses now. */
  readonly problem?: string;
}

/** The pools of a node for pods of one family, or why it has none. */
export interface NodeChoice {
  readonly node: LabelledNode;
  readonly version: 4 | 6;
  readonly usable: readonly ChosenPool[];
  readonly refusal?: string;
}

/** The choice of the allocator itself. */
export function choiceOf(
  node: LabelledNode,
  version: 4 | 6,
  { pools, config, namespaceLabels = {} }: IpamLists,
): NodeChoice {
  const kept = keptBack(node);
  if (kept > 0 && !settingsOf(config).strictAffinity) {
    return { node, version, usable: [], refusal: 'strict affinity is off, which Windows nodes do not support' };
  }
  const maxPrefix = kept > 0 ? maxPrefixLength(version, kept) : undefined;
  const { name, labels } = node;
  const asked = {
    version,
    node: name,
    labels,
    namespaceLabels,
    use: 'Workload' as const,
    requested: [],
    maxPrefix,
  };
  try {
    return { node, version, usable: choosePools(pools, asked).usable };
  } catch (error) {
    if (!(error instanceof CalictlError)) throw error;
    return { node, version, usable: [], refusal: error.message };
  }
}

/** The number of addresses that the node reserves in each of its blocks. */
function keptBack({ labels }: LabelledNode): number {
  const reservation = reservationOf(labels);
  return reservation === undefined ? 0 : reservation.startOfBlock + reservation.endOfBlock;
}

/** The CIDRs of all affinities that are not tombstones, by node. */
export function affinitiesByNode({ affinities }: IpamLists): ReadonlyMap<string, readonly string[]> {
  const cidrs = new Map<string, string[]>();
  for (const affinity of affinities) {
    if (affinityType(affinity) !== 'host' || isDeletedAffinity(affinity)) continue;
    const { node, cidr } = affinity.spec;
    const known = cidrs.get(node);
    if (known === undefined) cidrs.set(node, [cidr]);
    else known.push(cidr);
  }
  return cidrs;
}

export interface Surveyed {
  readonly capacity: NodeCapacity;
  readonly room: NodeRoom;
}

export interface Survey {
  readonly affinities: ReadonlyMap<string, readonly string[]>;
  readonly roomByCidr: ReadonlyMap<string, BlockRoom>;
  readonly roomsByHost: ReadonlyMap<string, readonly BlockRoom[]>;
  readonly borrowedBy: ReadonlyMap<string, readonly [v4: number, v6: number]>;
  readonly pools: ReadonlyMap<string, PoolRoom>;
  readonly settings: IpamSettings;
}

/** The numbers of a node, and what it may use. */
export function surveyNode(choice: NodeChoice, survey: Survey): Surveyed {
  const { node, version, usable } = choice;
  const { settings } = survey;
  const names = usable.map(({ pool }) => pool.metadata.name);
  const unmade = new Map<string, number>();
  let blocks = 0;
  for (const text of survey.affinities.get(node.name) ?? []) {
    const base = parseCidr(text)?.base;
    const pool = base && usable.find(({ cidr }) => cidrContains(cidr, base))?.pool.metadata.name;
    if (pool === undefined) continue;
    blocks += 1;
    if (!survey.roomByCidr.has(text)) unmade.set(pool, (unmade.get(pool) ?? 0) + 1);
  }
  const own = (survey.roomsByHost.get(node.name) ?? []).filter(({ cidr }) => cidr.version === version);
  const free = own.filter(({ pool }) => pool !== undefined && names.includes(pool)).reduce((all, r) => all + r.free, 0);
  const lent = own.reduce((all, { borrowers }) => all + [...borrowers.values()].reduce((a, b) => a + b, 0), 0);
  const limit = blockLimit(settings);
  const borrowed = survey.borrowedBy.get(node.name)?.[version === 4 ? 0 : 1] ?? 0;
  const numbers = { blocks, blockLimit: limit, atLimit: blocks >= limit, free, borrowed, lent };
  const problem = free > 0 || unmade.size > 0 ? undefined : problemOf(choice, numbers, survey);
  return {
    capacity: { name: node.name, ipVersion: version, pools: names, ...numbers, ...(problem && { problem }) },
    room: {
      pools: names,
      claims: settings.autoAllocateBlocks ? limit - blocks : 0,
      unmade,
      keptBack: keptBack(node),
    },
  };
}

/** Why a node whose own blocks are full gets no more addresses; undefined when it does. */
function problemOf(
  { usable, refusal }: NodeChoice,
  { atLimit, blockLimit }: { atLimit: boolean; blockLimit: number },
  { pools, settings }: Survey,
): string | undefined {
  if (refusal !== undefined) return refusal;
  if (atLimit) return `at its limit of ${blockLimit} blocks, and they are full`;
  if (!settings.autoAllocateBlocks) return 'its blocks are full, and autoAllocateBlocks is off';
  const rooms = usable.flatMap(({ pool }) => pools.get(pool.metadata.name) ?? []);
  if (rooms.some(({ capacity }) => capacity.blocksFree > 0n)) return undefined;
  if (settings.strictAffinity) return 'its blocks are full, its pools have no free block, and strict affinity is on';
  return rooms.some(({ borrowable }) => borrowable > 0) ? undefined : 'its pools have no free address';
}
