// What claiming a range, or releasing affinities, would do: plain data from one reading; each step is decided again when it
// is done, by claim-by-hand.ts and release-by-hand.ts.
import { type Cidr, formatCidr, parseCidr } from '../../net/cidr.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { UsageError } from '../../world/errors.ts';
import { assignmentOwnerOf } from '../assign/assignment-owner.ts';
import { allocatedOrdinals, isEmpty, isOwnedBy, type Owner } from '../block/block.ts';
import { otherSizes } from '../block/overlaps.ts';
import { blockLimit, settingsOf } from '../config.ts';
import { isTombstone } from '../deletion.ts';
import type { IpamStore } from '../ipam-store.ts';
import type { ReleaseOutcome } from '../release/release-plan.ts';
import { canonicalCidr, readRange, requireBlocksIn } from './affinity-range.ts';
import type { BlockOwner } from './claim-block.ts';
import { blocksToClaim, overlapOf, whyNotClaimable } from './claim-by-hand.ts';
import { type AffinityRef, allAffinities, isAffinityOf, isInside } from './release-by-hand.ts';

/** A range with more blocks than this is more likely a mistake than intended. */
const mostBlocksAtOnce = 4096;

/** `claim`: does not exist. `own`: the owner has it already; its affinity is confirmed if needed. `fail`: it cannot be claimed. */
export type PlannedClaim =
  | { readonly cidr: Cidr; readonly does: 'claim' | 'own' }
  | { readonly cidr: Cidr; readonly does: 'fail'; readonly why: string };

export interface ClaimPlan {
  readonly owner: BlockOwner;
  readonly blocks: readonly PlannedClaim[];
  /** How many blocks of the family the owner has before. */
  readonly owned: number;
  /** How many it may have before it no longer claims blocks by itself. */
  readonly limit: number;
}

/**
 * Looks up which blocks of a range an owner would get.
 * Errors: UsageError for a range that cannot be claimed, or has more than 4096 blocks; CalictlError for an unknown node.
 */
export async function planClaim(store: IpamStore, text: string, owner: Owner): Promise<ClaimPlan> {
  const [pools, blockOwner] = await Promise.all([store.pools(), assignmentOwnerOf(store, owner)]);
  const wanted = blocksToClaim(text, pools);
  const { count, range } = wanted;
  if (count > mostBlocksAtOnce) {
    throw new UsageError(
      `the range ${text} has ${count} blocks, more than ${mostBlocksAtOnce}`,
      'claim a smaller range',
      'TOO_MANY_BLOCKS',
    );
  }
  const [stored, config] = await Promise.all([store.blocks.list(), store.config()]);
  const byCidr = new Map(stored.map((block) => [canonicalCidr(block.spec.cidr), block]));
  const others = otherSizes(wanted.range, wanted.blockSize, stored);
  return {
    owner: blockOwner,
    blocks: [...wanted.blocks].map((cidr) => plannedClaim(cidr, owner, byCidr.get(formatCidr(cidr)), others)),
    owned: stored.filter((block) => isOwnedBy(block, owner) && parseCidr(block.spec.cidr)?.version === range.version)
      .length,
    limit: blockLimit(settingsOf(config)),
  };
}

function plannedClaim(cidr: Cidr, owner: Owner, block: IPAMBlock | undefined, others: readonly Cidr[]): PlannedClaim {
  const overlap = overlapOf(cidr, others);
  if (overlap !== undefined) return { cidr, does: 'fail', why: overlap };
  // The deletion of an empty tombstone is completed along the way.
  if (block === undefined || (isTombstone(block) && isEmpty(block))) return { cidr, does: 'claim' };
  if (!isTombstone(block) && isOwnedBy(block, owner)) return { cidr, does: 'own' };
  return { cidr, does: 'fail', why: whyNotClaimable(block) };
}

export interface AffinityClaimResult {
  readonly node: string;
  readonly plan: ClaimPlan;
  readonly dryRun: boolean;
  /** For the blocks that were tried, by CIDR. */
  readonly outcomes: readonly ReleaseOutcome[];
}

/**
 * `delete`: the affinity and its empty block are deleted. `orphan`: the block keeps its addresses and loses its owner.
 * `drop`: only the affinity is deleted, because no block names its owner. `keep`: the block is not empty, and must be.
 */
export type ReleaseEffect = 'delete' | 'orphan' | 'drop' | 'keep';

export interface PlannedAffinityRelease {
  readonly affinity: AffinityRef;
  readonly does: ReleaseEffect;
  /** Addresses that are allocated in the block, the Windows reserve included. */
  readonly used: number;
}

export interface AffinityReleaseTarget {
  /** Only affinities for blocks in this range. */
  readonly range?: string | undefined;
  /** Only affinities of this node. */
  readonly node?: string | undefined;
  readonly keepAddresses: boolean;
}

/**
 * Looks up which affinities would be released.
 * Errors: UsageError for an invalid CIDR, and for a range without affinities that is not made of blocks of a pool.
 */
export async function planAffinityRelease(
  store: IpamStore,
  target: AffinityReleaseTarget,
): Promise<PlannedAffinityRelease[]> {
  const range = target.range === undefined ? undefined : readRange(target.range);
  const { node } = target;
  const [affinities, blocks] = await Promise.all([allAffinities(store), store.blocks.list()]);
  const owner: Owner | undefined = node === undefined ? undefined : { type: 'host', name: node };
  const wanted = affinities.filter(
    (affinity) =>
      (range === undefined || isInside(affinity, range)) && (owner === undefined || isAffinityOf(affinity, owner)),
  );
  if (wanted.length === 0 && range !== undefined) requireBlocksIn(range, await store.pools());
  const byCidr = new Map(blocks.map((block) => [canonicalCidr(block.spec.cidr), block]));
  return wanted.map((affinity) => plannedRelease(affinity, byCidr.get(canonicalCidr(affinity.cidr)), target));
}

function plannedRelease(
  affinity: AffinityRef,
  block: IPAMBlock | undefined,
  target: AffinityReleaseTarget,
): PlannedAffinityRelease {
  if (block === undefined || !isOwnedBy(block, affinity.owner)) return { affinity, does: 'drop', used: 0 };
  const used = allocatedOrdinals(block).length;
  if (isEmpty(block)) return { affinity, does: 'delete', used };
  return { affinity, does: target.keepAddresses ? 'orphan' : 'keep', used };
}

export interface AffinityReleaseResult {
  readonly plan: readonly PlannedAffinityRelease[];
  readonly dryRun: boolean;
  /** For the affinities that were tried, by the CIDR of their block. */
  readonly outcomes: readonly ReleaseOutcome[];
}
