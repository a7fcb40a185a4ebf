// Assigning addresses to a node: from its own blocks, then new ones, then borrowed from those of others.
// Rules: docs/reference/ipam.md#assigning-addresses.
import { type Cidr, cidrContains, formatCidr, parseCidr } from '../net/cidr.ts';
import type { IntervalSet } from '../net/interval-set.ts';
import type { BlockAffinity } from '../resources/block-affinity.ts';
import type { IPPool } from '../resources/ip-pool.ts';
import type { IPAMBlock } from '../resources/ipam-block.ts';
import { CalictlError } from '../world/errors.ts';
import { releaseUnselected } from './affinity-release.ts';
import { addressOf, isOwnedBy, maxPrefixLength, type Owner, windowsReservation } from './block.ts';
import { assigned, type Holder } from './block-assign.ts';
import { BlockFinder } from './block-finder.ts';
import { type BlockSequence, blockSequence, positionIn } from './block-sequence.ts';
import type { Claimant } from './claim.ts';
import { type IpamSettings, settingsOf } from './config.ts';
import { isTombstone } from './deletion.ts';
import type { IpamStore } from './ipam-store.ts';
import { type ChosenPool, choosePools, type IntendedUse } from './pool-choice.ts';
import { poolOf, reservedAddresses } from './pools.ts';
import { maxRetries, pauseAfter, retriesExhausted, type Surroundings } from './retries.ts';
import { isUnsound, take } from './take.ts';

export interface AssignRequest {
  readonly node: string;
  readonly version: 4 | 6;
  readonly count: number;
  readonly use: IntendedUse;
  readonly holder: Holder;
  /** Pools to take from, by their CIDR, whatever they select; none: those that select the node. */
  readonly pools?: readonly Cidr[];
  /** Most blocks that the node may own; the smaller of this and the configured one counts. */
  readonly maxBlocks?: number;
}

export interface AssignedAddress {
  readonly address: string;
  /** CIDR of its block. */
  readonly block: string;
  /** Name of its pool. */
  readonly pool: string | undefined;
  /** True when the block is not the node's. */
  readonly borrowed: boolean;
}

export interface Assignment {
  readonly version: 4 | 6;
  readonly requested: number;
  readonly addresses: readonly AssignedAddress[];
  /** Why there are fewer than requested. */
  readonly messages: readonly string[];
  /** What ended it early; the addresses stay assigned. */
  readonly error?: Error | undefined;
}

const defaultMaxBlocks = 20;

/** What has been done of a request so far. */
interface Progress {
  readonly addresses: AssignedAddress[];
  readonly messages: Set<string>;
  error?: Error;
}

/**
 * Assigns addresses; fewer than requested is no error. Whatever another writer comes between is done again with fresh
 * reads, and what was obtained is kept.
 * Errors: CalictlError for an unknown node or no pool to take from. What fails after an address was assigned stands
 * in the result.
 */
export async function autoAssign(
  store: IpamStore,
  request: AssignRequest,
  surroundings: Surroundings,
): Promise<Assignment> {
  const progress: Progress = { addresses: [], messages: new Set() };
  try {
    for (let attempt = 0; !(await assignOnce(store, request, progress, surroundings)); attempt++) {
      if (attempt + 1 === maxRetries) throw retriesExhausted();
      await pauseAfter(attempt, surroundings);
    }
  } catch (error) {
    if (progress.addresses.length === 0) throw error;
    progress.error = error instanceof Error ? error : new Error(String(error));
  }
  const { version, count } = request;
  return { ...progress, version, requested: count, messages: [...progress.messages] };
}

/** What was assigned of what was asked for, and why no more: the sentence that Calico says. */
export function partialText({ version, requested, addresses, messages }: Omit<Assignment, 'error'>): string {
  const sentence = `Assigned ${addresses.length} out of ${requested} requested IPv${version} addresses`;
  return [sentence, ...messages].join('; ');
}

export function noSuchNode(node: string): CalictlError {
  return new CalictlError(`node ${node} does not exist`, {
    code: 'NODE_NOT_FOUND',
    hint: 'calictl get nodes shows the nodes that Calico knows',
  });
}

/** What new blocks of the node keep back. */
export function reservationOf(labels: Readonly<Record<string, string>>): Claimant['reservation'] {
  return labels['kubernetes.io/os'] === 'windows' ? windowsReservation : undefined;
}

interface Prepared {
  readonly claimant: Claimant;
  readonly pools: readonly ChosenPool[];
  readonly sequences: readonly BlockSequence[];
  readonly affinities: readonly BlockAffinity[];
  readonly reserved: IntervalSet;
  readonly settings: IpamSettings;
  readonly allPools: readonly IPPool[];
}

async function prepare(store: IpamStore, request: AssignRequest, { clock }: Surroundings): Promise<Prepared> {
  const { node, version, use, pools: requested = [] } = request;
  const labels = await store.nodeLabels(node);
  if (labels === undefined) throw noSuchNode(node);
  const owner: Owner = { type: 'host', name: node };
  const [allPools, reservations, own, config] = await Promise.all([
    store.pools(),
    store.reservations(),
    store.affinitiesOf(owner, version),
    store.config(),
  ]);
  const settings = settingsOf(config);
  const reservation = reservationOf(labels);
  const kept = reservation && reservation.startOfBlock + reservation.endOfBlock;
  if (reservation !== undefined && !settings.strictAffinity) {
    throw new CalictlError('global strict affinity should not be false for Windows node', {
      code: 'IPAM_WINDOWS_AFFINITY',
      hint: 'a Windows node cannot use addresses of the blocks of others: set strictAffinity in the IPAMConfig',
    });
  }
  const maxPrefix = kept === undefined ? undefined : maxPrefixLength(version, kept);
  const { usable, selected } = choosePools(allPools, { version, node, labels, use, requested, maxPrefix });
  const unselected = own.filter((affinity) => !isIn(affinity, selected));
  await releaseUnselected(store, unselected, allPools, labels);
  return {
    claimant: { owner, reservation },
    pools: usable,
    sequences: usable.flatMap(({ cidr, blockSize }) => blockSequence(cidr, blockSize, node, clock.nowNs()) ?? []),
    affinities: own.filter((affinity) => isIn(affinity, usable)),
    reserved: reservedAddresses(reservations),
    settings,
    allPools,
  };
}

function isIn(affinity: BlockAffinity, pools: readonly ChosenPool[]): boolean {
  const block = parseCidr(affinity.spec.cidr);
  return block !== undefined && pools.some(({ cidr }) => cidrContains(cidr, block.base));
}

/** How many blocks of a family a node may own. */
export function limitOf(requested: number | undefined, { maxBlocksPerHost }: IpamSettings): number {
  const limits = [requested ?? 0, maxBlocksPerHost].filter((limit) => limit > 0);
  return limits.length === 0 ? defaultMaxBlocks : Math.min(...limits);
}

/** One pass over all there is; false when another writer made it start over. */
async function assignOnce(
  store: IpamStore,
  request: AssignRequest,
  progress: Progress,
  surroundings: Surroundings,
): Promise<boolean> {
  const prepared = await prepare(store, request, surroundings);
  const { settings, affinities } = prepared;
  const { strictAffinity, autoAllocateBlocks } = settings;
  const finder = new BlockFinder(store, { ...prepared, autoAllocateBlocks }, surroundings);
  const limit = limitOf(request.maxBlocks, settings);
  let owned = affinities.length;
  while (progress.addresses.length < request.count) {
    const found = await finder.next(owned < limit);
    if (found === 'contended') return false;
    if (found === 'limit') {
      progress.messages.add(
        `Need to allocate an IPAM block but could not - limit of ${limit} blocks reached for this node`,
      );
      progress.error = new CalictlError('cannot allocate new block due to per host block limit', {
        code: 'IPAM_BLOCK_LIMIT',
        hint: 'release addresses of the node, or raise maxBlocksPerHost in the IPAMConfig',
      });
      return true;
    }
    if (found === 'manual') {
      throw new CalictlError('failed to find or claim a block', {
        code: 'IPAM_NO_NEW_BLOCKS',
        hint: 'the blocks of the node are full and autoAllocateBlocks is off in the IPAMConfig',
      });
    }
    if (found === 'none') break;
    if (found.claimed) owned += 1;
    await takeFrom(store, found.block, request, prepared, progress);
  }
  if (progress.addresses.length >= request.count) return true;
  if (strictAffinity) progress.messages.add('No more free affine blocks and strict affinity enabled');
  else await borrow(store, finder.listed, request, prepared, progress);
  return true;
}

/** Takes what is missing from one block, as far as it has it. */
async function takeFrom(
  store: IpamStore,
  known: IPAMBlock,
  { node, count, holder }: AssignRequest,
  { claimant, reserved, settings, allPools }: Prepared,
  progress: Progress,
): Promise<void> {
  const want = count - progress.addresses.length;
  const taken = await take(store, known, holder.handle, (block) => {
    if (isUnsound(block)) {
      progress.messages.add(`Block ${block.spec.cidr} is left out until its books are repaired`);
      return { block, ordinals: [] };
    }
    const lost = settings.strictAffinity && !isOwnedBy(block, claimant.owner);
    return lost ? { block, ordinals: [] } : assigned(block, want, holder, reserved);
  });
  for (const ordinal of taken?.ordinals ?? []) {
    progress.addresses.push(addressIn((taken as { block: IPAMBlock }).block, ordinal, node, allPools));
  }
}

/** An assigned address as it is told. */
export function addressIn(block: IPAMBlock, ordinal: number, node: string, pools: readonly IPPool[]): AssignedAddress {
  const base = parseCidr(block.spec.cidr)?.base;
  return {
    address: addressOf(block, ordinal),
    block: block.spec.cidr,
    pool: base && poolOf(pools, base)?.metadata.name,
    borrowed: !isOwnedBy(block, { type: 'host', name: node }),
  };
}

/** Takes from blocks of others, in the order in which the node would have claimed them; none is made or claimed. */
async function borrow(
  store: IpamStore,
  listed: readonly IPAMBlock[],
  request: AssignRequest,
  prepared: Prepared,
  progress: Progress,
): Promise<void> {
  const { sequences, reserved, pools } = prepared;
  for (const sequence of sequences) {
    const lenders = listed.flatMap((block) => {
      const cidr = parseCidr(block.spec.cidr);
      const position = cidr && positionIn(sequence, cidr);
      const usable = cidr !== undefined && position !== undefined && !isTombstone(block) && !reserved.covers(cidr);
      return usable ? [{ block, position }] : [];
    });
    lenders.sort((a, b) => (a.position < b.position ? -1 : 1));
    for (const { block } of lenders) {
      await takeFrom(store, block, request, prepared, progress);
      if (progress.addresses.length >= request.count) return;
    }
  }
  progress.messages.add(`No IPs available in pools: [${pools.map(({ cidr }) => formatCidr(cidr)).join(' ')}]`);
}
