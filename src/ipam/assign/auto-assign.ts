// Assigns addresses to a node: from its own blocks, then new ones, then borrowed from blocks of others.
// Rules: docs/reference/ipam.md#assigning-addresses. What is read first is assignment-context.ts.
import { formatCidr, parseCidr } from '../../net/cidr.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { CalictlError } from '../../world/errors.ts';
import { assignInBlock, isUnsound } from '../block/assign-in-block.ts';
import { addressOf, isOwnedBy, type Owner } from '../block/block.ts';
import { assigned, type Holder } from '../block/block-assign.ts';
import { positionIn } from '../block/block-sequence.ts';
import { blockLimit } from '../config.ts';
import { isTombstone } from '../deletion.ts';
import type { IpamStore } from '../ipam-store.ts';
import { poolOf } from '../pool/pools.ts';
import { type AllocatorWorld, untilSettled } from '../retries.ts';
import { type BlockRequest, type Prepared, prepare } from './assignment-context.ts';
import { BlockFinder } from './block-finder.ts';

export interface AssignRequest extends BlockRequest {
  readonly count: number;
  readonly holder: Holder;
  /** The block limit of the request; the smaller of this and the configured one counts. */
  readonly maxBlocks?: number;
}

export interface AssignedAddress {
  readonly address: string;
  /** CIDR of its block. */
  readonly block: string;
  /** Name of its pool. */
  readonly pool: string | undefined;
  /** True when the block does not belong to the node. */
  readonly borrowed: boolean;
}

export interface Assignment {
  readonly version: 4 | 6;
  readonly requested: number;
  readonly addresses: readonly AssignedAddress[];
  /** Why there are fewer than requested. */
  readonly messages: readonly string[];
  /** The handle of the addresses that each new block of the node reserves, if it does. */
  readonly hostReserved?: string | undefined;
  /** What ended the assignment early; the addresses stay assigned. */
  readonly error?: Error | undefined;
}

/** What has been done of a request so far. */
interface Progress {
  readonly addresses: AssignedAddress[];
  readonly messages: Set<string>;
  hostReserved?: string | undefined;
  error?: Error;
}

/**
 * Assigns addresses; fewer than requested are not an error. After a conflict with another client it starts over with fresh
 * reads, and keeps what was assigned.
 * Errors: CalictlError for an unknown node, or if there is no pool to assign from. What fails after an address was
 * assigned is part of the result.
 */
export async function autoAssign(store: IpamStore, request: AssignRequest, world: AllocatorWorld): Promise<Assignment> {
  const progress: Progress = { addresses: [], messages: new Set() };
  try {
    await untilSettled(world, () => assignOnce(store, request, progress, world));
  } catch (error) {
    if (progress.addresses.length === 0) throw error;
    progress.error = error instanceof Error ? error : new Error(String(error));
  }
  const { version, count } = request;
  const { addresses, messages, hostReserved, error } = progress;
  return { version, requested: count, addresses, messages: [...messages], hostReserved, error };
}

/** How many addresses of the request were assigned and why not more, in Calico's words. */
export function partialText(assignment: Omit<Assignment, 'error'>): string {
  const { version, requested, addresses, messages, hostReserved } = assignment;
  const sentence = `Assigned ${addresses.length} out of ${requested} requested IPv${version} addresses`;
  const kept = hostReserved === undefined ? [] : [`HostReservedAttr: ${hostReserved}`];
  return [sentence, ...messages, ...kept].join('; ');
}

/** The error when a new block is needed and the configuration does not allow claiming one. */
export function noNewBlocks(): CalictlError {
  return new CalictlError('failed to find or claim a block', {
    code: 'IPAM_NO_NEW_BLOCKS',
    hint: 'the blocks of the node are full, and autoAllocateBlocks is off in the IPAMConfig',
  });
}

/** One pass over all blocks; `contended` when a conflict with another client requires starting over. */
async function assignOnce(
  store: IpamStore,
  request: AssignRequest,
  progress: Progress,
  world: AllocatorWorld,
): Promise<'done' | 'contended'> {
  const prepared = await prepare(store, request, world);
  const { settings, affinities } = prepared;
  progress.hostReserved = prepared.owner.reservation?.handle;
  const finder = new BlockFinder(store, prepared, world);
  const limit = blockLimit(settings, request.maxBlocks);
  let owned = affinities.length;
  while (progress.addresses.length < request.count) {
    const found = await finder.next(owned < limit);
    if (found === 'contended') return found;
    if (found === 'limit') {
      progress.messages.add(
        `Need to allocate an IPAM block but could not - limit of ${limit} blocks reached for this node`,
      );
      progress.error = new CalictlError('cannot allocate new block due to per host block limit', {
        code: 'IPAM_BLOCK_LIMIT',
        hint: 'release addresses of the node, or raise the limit with: calictl ipam configure --max-blocks-per-host N',
      });
      return 'done';
    }
    if (found === 'manual') throw noNewBlocks();
    if (found === 'none') break;
    if (found.claimed) owned += 1;
    await assignFrom(store, found.block, request, prepared, progress);
  }
  if (progress.addresses.length >= request.count) return 'done';
  if (settings.strictAffinity) progress.messages.add('No more free affine blocks and strict affinity enabled');
  else await borrow(store, finder.listed, request, prepared, progress);
  return 'done';
}

/** Assigns what is still missing from one block, as far as it has free addresses. */
async function assignFrom(
  store: IpamStore,
  known: IPAMBlock,
  { count, holder }: AssignRequest,
  { owner, reserved, settings, allPools }: Prepared,
  progress: Progress,
): Promise<void> {
  const want = count - progress.addresses.length;
  const taken = await assignInBlock(store, known, holder.handle, (block) => {
    if (isUnsound(block)) {
      progress.messages.add(`Block ${block.spec.cidr} is skipped until its allocation records are repaired`);
      return { block, ordinals: [] };
    }
    const lost = settings.strictAffinity && !isOwnedBy(block, owner);
    return lost ? { block, ordinals: [] } : assigned(block, want, holder, reserved);
  });
  if (taken === undefined) return;
  for (const ordinal of taken.ordinals) {
    progress.addresses.push(assignedAddress(taken.block, ordinal, owner, allPools));
  }
}

/** An address of the block that was assigned to this owner, with its block and pool. */
export function assignedAddress(
  block: IPAMBlock,
  ordinal: number,
  owner: Owner,
  pools: readonly IPPool[],
): AssignedAddress {
  const base = parseCidr(block.spec.cidr)?.base;
  return {
    address: addressOf(block, ordinal),
    block: block.spec.cidr,
    pool: base && poolOf(pools, base)?.metadata.name,
    borrowed: !isOwnedBy(block, owner),
  };
}

/** Assigns from blocks of others, in the order in which the node would have claimed them. No block is created or claimed. */
async function borrow(
  store: IpamStore,
  listed: readonly IPAMBlock[],
  request: AssignRequest,
  prepared: Prepared,
  progress: Progress,
): Promise<void> {
  const { sequences, reserved, pools } = prepared;
  for (const sequence of sequences()) {
    const lenders = listed.flatMap((block) => {
      const cidr = parseCidr(block.spec.cidr);
      const position = cidr && positionIn(sequence, cidr);
      const usable = cidr !== undefined && position !== undefined && !isTombstone(block) && !reserved.covers(cidr);
      return usable ? [{ block, position }] : [];
    });
    lenders.sort((a, b) => (a.position < b.position ? -1 : 1));
    for (const { block } of lenders) {
      await assignFrom(store, block, request, prepared, progress);
      if (progress.addresses.length >= request.count) return;
    }
  }
  progress.messages.add(`No IPs available in pools: [${pools.map(({ cidr }) => formatCidr(cidr)).join(' ')}]`);
}
