// Claims the blocks of a range for an owner, as a person asks. The steps for one block are claim-block.ts.
// Rules: docs/reference/ipam.md#ownership-by-hand.
import { type Cidr, cidrCovers, cidrsOverlap, formatCidr, parseCidr } from '../../net/cidr.ts';
import { IntervalSet } from '../../net/interval-set.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { affinityName, blockName } from '../../resources/names.ts';
import { isOwnerless, type Owner } from '../block/block.ts';
import { blocksOf } from '../block/block-sequence.ts';
import { otherSizes } from '../block/overlaps.ts';
import { reservationOf } from '../block/windows-reserve.ts';
import { heldTombstone, isTombstone } from '../deletion.ts';
import type { IpamStore } from '../ipam-store.ts';
import { blockSizeOf, isAllocatable, poolOf, requireBlockSize } from '../pool/pools.ts';
import { type AllocatorWorld, maxRetries, pauseAfter, retriesExhausted } from '../retries.ts';
import { belowBlockSize, type NotDone, outsidePools, readRange, requireName } from './affinity-range.ts';
import { type BlockOwner, claimBlock } from './claim-block.ts';

export interface Claimed {
  /** Blocks that the owner has now, including those that it had before, in order of addresses. */
  readonly claimed: readonly string[];
  /** Blocks that have another owner or none, or that would overlap a block of another size. */
  readonly failed: readonly NotDone[];
}

export interface BlocksToClaim {
  readonly range: Cidr;
  readonly blockSize: number;
  readonly count: bigint;
  /** Can be iterated once. */
  readonly blocks: Iterable<Cidr>;
}

/**
 * The blocks of a range to claim, in order of addresses. They are generated, because there may be 2^74 of them.
 * Errors: UsageError for an invalid CIDR, and for a range outside one enabled pool or smaller than a block of it;
 * CalictlError for a pool whose block size is not supported.
 */
export function blocksToClaim(text: string, pools: readonly IPPool[]): BlocksToClaim {
  const range = readRange(text);
  const pool = poolOf(pools.filter(isAllocatable), range.base);
  const network = pool && parseCidr(pool.spec.cidr);
  if (pool === undefined || network === undefined || !cidrCovers(network, range))
    throw outsidePools(range, 'enabled pool');
  requireBlockSize(pool);
  const blockSize = blockSizeOf(pool);
  if (range.prefix > blockSize) throw belowBlockSize(range);
  const count = 1n << BigInt(blockSize - range.prefix);
  return {
    range,
    blockSize,
    count,
    blocks: blocksOf({ pool: range, blockSize, start: 0n, count }, IntervalSet.of([])),
  };
}

/** The owner with what its new blocks reserve: some addresses on a Windows node. */
async function blockOwnerOf(store: IpamStore, owner: Owner): Promise<BlockOwner> {
  const labels = owner.type === 'host' ? await store.nodeLabels(owner.name) : undefined;
  return { ...owner, reservation: labels && reservationOf(labels) };
}

/**
 * Claims every block of a range for an owner: those that do not exist, and those that the owner has. Limits do not count.
 * Errors: UsageError as for `blocksToClaim`; an error of the store ends it with some blocks claimed.
 */
export async function claimAffinity(
  store: IpamStore,
  text: string,
  owner: Owner,
  world: AllocatorWorld,
): Promise<Claimed> {
  requireName(owner);
  const wanted = blocksToClaim(text, await store.pools());
  const [blockOwner, stored] = await Promise.all([blockOwnerOf(store, owner), store.blocks.list()]);
  const others = otherSizes(wanted.range, wanted.blockSize, stored);
  const claimed: string[] = [];
  const failed: NotDone[] = [];
  for (const cidr of wanted.blocks) {
    const why = overlapOf(cidr, others) ?? (await claimUntilSettled(store, blockOwner, cidr, world));
    if (why === undefined) claimed.push(formatCidr(cidr));
    else failed.push({ cidr: formatCidr(cidr), why });
  }
  return { claimed, failed };
}

/** Claims one block, again after each contention. Returns why the owner cannot have it; undefined when it has it. */
export async function claimUntilSettled(
  store: IpamStore,
  owner: BlockOwner,
  cidr: Cidr,
  world: AllocatorWorld,
): Promise<string | undefined> {
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, world);
    const got = await claimBlock(store, owner, cidr, world);
    if (got === 'contended') continue;
    const why = got === 'taken' ? await whyTaken(store, owner, formatCidr(cidr)) : undefined;
    // The owner that had it has released it by now.
    if (got === 'taken' && why === undefined) continue;
    return why;
  }
  throw retriesExhausted();
}

async function whyTaken(store: IpamStore, owner: Owner, cidr: string): Promise<string | undefined> {
  const block = await store.blocks.get(blockName(cidr));
  if (!block.ok) {
    const affinity = await store.affinities.get(affinityName(owner.name, cidr));
    return affinity.ok ? 'an affinity of another owner has its name' : undefined;
  }
  return whyNotClaimable(block.value);
}

/** Why a block that exists cannot be claimed by an owner that does not have it. */
export function whyNotClaimable(block: IPAMBlock): string {
  if (isTombstone(block)) return `it ${heldTombstone}`;
  return isOwnerless(block) ? 'it exists and has no owner' : `it belongs to ${block.spec.affinity}`;
}

/** Why a block must not be created, given those of other sizes: its addresses would be in two blocks. */
export function overlapOf(cidr: Cidr, others: readonly Cidr[]): string | undefined {
  const other = others.find((there) => cidrsOverlap(there, cidr));
  return other && `it would overlap the block ${formatCidr(other)}`;
}
