// Releases addresses in the datastore: first the block, then the counts of handles, then the affinity of the block.
// Rules: docs/reference/ipam.md#releasing-addresses. The caller must know that the addresses are not in use.
import { formatCidr } from '../../net/cidr.ts';
import { formatIp, parseIp } from '../../net/ip.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import type { IPAMHandle } from '../../resources/kinds/ipam-handle.ts';
import { blockName, handleName, sanitiseHandle } from '../../resources/names.ts';
import { CalictlError, UsageError } from '../../world/errors.ts';
import { ensureConsistentAffinity } from '../affinity/affinity-release.ts';
import { addressOf, cidrOf, isEmpty, isOwnerless, ordinalInBlock, touched } from '../block/block.ts';
import { countOfHandle, mismatchText, type ReleasedBlock, released, releasedByHandle } from '../block/block-release.ts';
import { deleteInTwoPhases, getLive } from '../deletion.ts';
import { decrementHandle } from '../handles.ts';
import type { IpamStore } from '../ipam-store.ts';
import { blockCidrIn, poolOf } from '../pool/pools.ts';
import { conflict, type RepairOutcome, skipped } from '../repair/repair-outcome.ts';
import { maxRetries, retriesExhausted } from '../retries.ts';

/** An address to release, with what must still be true of it. */
export interface ReleaseRequest {
  readonly address: string;
  /** The handle that the allocation must have; absent if any will do. */
  readonly handle?: string | undefined;
  readonly sequenceNumber?: bigint | undefined;
}

export interface ReleaseResult {
  /** Canonical addresses, in the order of blocks and addresses. */
  readonly released: readonly string[];
  /** Addresses that were not allocated. */
  readonly unallocated: readonly string[];
  /** Addresses of blocks for which the release failed as a whole. */
  readonly failed: readonly { readonly addresses: readonly string[]; readonly error: Error }[];
}

/** A guard of an address does not match. */
export class ReleaseMismatch extends CalictlError {
  constructor(message: string) {
    super(message, {
      code: 'IPAM_RELEASE_MISMATCH',
      hint: 'the address was assigned again since; see it with: calictl ipam show --ip',
    });
  }
}

/**
 * Releases addresses by their guards, with one write per block. One mismatch fails all addresses of its block.
 * Errors: UsageError for an invalid address; an error with one block is part of the result.
 */
export async function releaseIps(store: IpamStore, requests: readonly ReleaseRequest[]): Promise<ReleaseResult> {
  const result = {
    released: [] as string[],
    unallocated: [] as string[],
    failed: [] as ReleaseResult['failed'][number][],
  };
  const handles = requests.length > 2 ? await listedHandles(store) : undefined;
  for (const [name, batch] of await byBlock(store, requests)) {
    try {
      const done = name === undefined ? undefined : await releaseBatch(store, name, batch, handles);
      result.released.push(...(done?.released ?? []));
      result.unallocated.push(...(done?.unallocated ?? batch.map((request) => request.address)));
    } catch (error) {
      const addresses = batch.map((request) => request.address);
      result.failed.push({ addresses, error: error instanceof Error ? error : new Error(String(error)) });
    }
  }
  return result;
}

async function listedHandles(store: IpamStore): Promise<ReadonlyMap<string, IPAMHandle>> {
  const handles = await store.handles.list();
  return new Map(handles.filter(({ spec }) => spec.deleted !== true).map((handle) => [handle.metadata.name, handle]));
}

/** The requests by the name of the block that contains the address; under undefined those in no block. */
async function byBlock(
  store: IpamStore,
  requests: readonly ReleaseRequest[],
): Promise<Map<string | undefined, ReleaseRequest[]>> {
  const pools = await store.pools();
  let blocks: Promise<readonly IPAMBlock[]> | undefined;
  const batches = new Map<string | undefined, ReleaseRequest[]>();
  for (const request of requests) {
    if (request.address === '') throw new UsageError('No IP address specified in options');
    const ip = parseIp(request.address);
    if (ip === undefined) throw new UsageError(`invalid IP address ${request.address}`);
    const address = formatIp(ip);
    let name = nameInPool(pools, address);
    if (name === undefined || !(await store.blocks.get(name)).ok) {
      // No pool says which block it is in, or says it wrongly: then the blocks themselves do.
      blocks ??= store.blocks.list();
      name = (await blocks).find((block) => hasAddress(block, address))?.metadata.name;
    }
    const batch = batches.get(name) ?? [];
    batches.set(name, [...batch.filter((earlier) => earlier.address !== address), { ...request, address }]);
  }
  return batches;
}

function nameInPool(pools: readonly IPPool[], address: string): string | undefined {
  const ip = parseIp(address);
  const pool = ip && poolOf(pools, ip);
  return ip && pool && blockName(formatCidr(blockCidrIn(pool, ip)));
}

function hasAddress(block: IPAMBlock, address: string): boolean {
  try {
    return ordinalInBlock(block, address) !== undefined;
  } catch {
    return false;
  }
}

async function releaseBatch(
  store: IpamStore,
  name: string,
  batch: readonly ReleaseRequest[],
  handles: ReadonlyMap<string, IPAMHandle> | undefined,
): Promise<{ released: string[]; unallocated: string[] }> {
  const none = { released: [], unallocated: batch.map((request) => request.address) };
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    const found = await getLive(store.blocks, name);
    if (!found.ok) return none;
    const block = found.value;
    const requests = batch.map((request) => ({ ...request, ordinal: ordinalInBlock(block, request.address) ?? -1 }));
    const outcome = released(block, requests);
    const mismatch = outcome.mismatches[0];
    if (mismatch !== undefined) throw new ReleaseMismatch(mismatchText(mismatch));
    const addresses = (ordinals: readonly number[]) => ordinals.map((ordinal) => addressOf(block, ordinal));
    const done = { released: addresses(outcome.released), unallocated: addresses(outcome.unallocated) };
    if (outcome.released.length === 0) return done;
    const written = await writeRelease(store, outcome, attempt === 0 ? handles : undefined);
    if (written === 'written') return done;
    if (written === 'gone') return none;
  }
  throw retriesExhausted();
}

/**
 * Writes a block from which addresses were released (deletes it when it is empty and has no owner), then lowers the counts
 * of their handles, then checks its affinity. `conflict`: nothing was written. `gone`: the block was deleted.
 */
async function writeRelease(
  store: IpamStore,
  { block, byHandle }: Pick<ReleasedBlock, 'block' | 'byHandle'>,
  handles?: ReadonlyMap<string, IPAMHandle>,
): Promise<'written' | 'conflict' | 'gone'> {
  const written =
    isOwnerless(block) && isEmpty(block)
      ? await deleteInTwoPhases(store.blocks, block)
      : await store.blocks.update(touched(block));
  if (!written.ok) return written.why === 'not-found' ? 'gone' : 'conflict';
  for (const [handle, count] of byHandle) {
    const name = handleName(handle);
    const remaining = countOfHandle(block, name);
    await decrementHandle(store, handle, block.spec.cidr, count, { remaining, listed: handles?.get(name) });
  }
  await ensureConsistentAffinity(store, block);
  return 'written';
}

/** One address of R1: released only while exactly this allocation holds it. */
export interface GuardedRelease {
  /** Name of the block. */
  readonly block: string;
  readonly address: string;
  /** The handle as stored; undefined when the allocation has none. */
  readonly handle: string | undefined;
  readonly sequenceNumber: bigint;
}

/**
 * R1: releases addresses of one block in one write, each guarded by handle and sequence number. An address whose guard does
 * not match or whose precondition fails is left out; the others are released. Outcomes are in the order of the requests.
 * `checkPrecondition` is called for all addresses at once.
 */
export async function releaseInBlock<R extends GuardedRelease>(
  store: IpamStore,
  name: string,
  requests: readonly R[],
  checkPrecondition: (request: R) => Promise<string | undefined>,
): Promise<RepairOutcome[]> {
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    const found = await getLive(store.blocks, name);
    if (!found.ok) {
      const gone = found.why === 'not-found';
      return requests.map(() =>
        gone ? skipped('already free: its block is gone') : conflict('the deletion of the block was not completed'),
      );
    }
    const block = found.value;
    const outcomes = new Map<R, RepairOutcome>();
    const wanted = new Map<R, number>();
    for (const request of requests) {
      const ordinal = ordinalInBlock(block, request.address);
      const verdict = ordinal === undefined ? conflict(notInBlock(block, request)) : guarded(block, request, ordinal);
      if (verdict !== undefined) outcomes.set(request, verdict);
      else if (ordinal !== undefined) wanted.set(request, ordinal);
    }
    const refusals = await Promise.all(
      [...wanted.keys()].map(async (request) => [request, await checkPrecondition(request)] as const),
    );
    for (const [request, refusal] of refusals) {
      if (refusal === undefined) continue;
      outcomes.set(request, skipped(refusal));
      wanted.delete(request);
    }
    const ordinals = [...wanted.values()].map((ordinal) => ({ ordinal }));
    const written = ordinals.length === 0 ? 'written' : await writeRelease(store, released(block, ordinals));
    if (written === 'conflict') continue;
    const rest: RepairOutcome =
      written === 'gone' ? skipped('already free: its block is gone') : { outcome: 'applied' };
    return requests.map((request) => outcomes.get(request) ?? rest);
  }
  throw retriesExhausted();
}

function notInBlock(block: IPAMBlock, { address }: GuardedRelease): string {
  return `${address} is not an address of ${formatCidr(cidrOf(block))}`;
}

/** Why the address is not released; undefined when exactly the given allocation holds it. */
function guarded(block: IPAMBlock, request: GuardedRelease, ordinal: number): RepairOutcome | undefined {
  const { handle = '', sequenceNumber } = request;
  const trial = released(block, [{ ordinal, handle, sequenceNumber }], { freeFirst: true });
  const mismatch = trial.mismatches[0];
  if (mismatch !== undefined) return conflict(mismatchText(mismatch));
  return trial.unallocated.length > 0 ? skipped('the address is already free') : undefined;
}

export interface ReleaseByHandleResult {
  /** False when the handle has no object; blocks may have its addresses all the same. */
  readonly found: boolean;
  /** Canonical addresses, in the order of the blocks. */
  readonly released: readonly string[];
}

/** Releases all addresses of a handle in the blocks that its object lists. The first error ends it. */
export async function releaseByHandle(store: IpamStore, handleId: string): Promise<ReleaseByHandleResult> {
  const id = sanitiseHandle(handleId);
  const handle = await getLive(store.handles, handleName(id));
  if (!handle.ok) return { found: false, released: [] };
  const addresses: string[] = [];
  for (const cidr of Object.keys(handle.value.spec.block).sort()) {
    addresses.push(...(await releaseHandleInBlock(store, id, blockName(cidr))));
  }
  return { found: true, released: addresses };
}

async function releaseHandleInBlock(store: IpamStore, id: string, name: string): Promise<string[]> {
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    const found = await getLive(store.blocks, name);
    if (!found.ok) return [];
    const outcome = releasedByHandle(found.value, id);
    if (outcome.released.length === 0) return [];
    const byHandle = new Map([[id, outcome.released.length]]);
    const written = await writeRelease(store, { block: outcome.block, byHandle });
    if (written === 'written') return outcome.released.map((ordinal) => addressOf(found.value, ordinal));
    if (written === 'gone') return [];
  }
  throw retriesExhausted();
}
