// Handle objects: how many addresses of a handle each block holds. Rules: docs/reference/ipam.md#handles.
import type { IPAMBlock } from '../resources/kinds/ipam-block.ts';
import type { IPAMHandle } from '../resources/kinds/ipam-handle.ts';
import { EMPTY_METADATA, handleName, METADATA_ANNOTATION } from '../resources/names.ts';
import { isNumber } from '../text/scalars.ts';
import { countOfHandle } from './block/block-release.ts';
import { deleteInTwoPhases, getLive } from './deletion.ts';
import type { IpamStore, Outcome } from './ipam-store.ts';
import { maxRetries, retriesExhausted } from './retries.ts';

/** A new handle, not written yet. The counts, by CIDR of the block, become part of it. */
export function newHandle(handleId: string, counts: Record<string, number>): IPAMHandle {
  return {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPAMHandle',
    metadata: { name: handleName(handleId), annotations: { [METADATA_ANNOTATION]: EMPTY_METADATA } },
    spec: { handleID: handleId, block: counts, deleted: false },
  };
}

/** A stored count as a number; 0 for anything that is not an integer. */
export function countOf(stored: unknown): number {
  const count = isNumber(stored) ? Number(stored) : 0;
  return Number.isInteger(count) ? count : 0;
}

/** The handle with other counts, which become part of it; everything else stays. */
export function withCounts(handle: IPAMHandle, counts: Record<string, number>): IPAMHandle {
  return { ...handle, spec: { ...handle.spec, block: counts } };
}

/** How many addresses of a handle each of the blocks has, by CIDR text; blocks without any are left out. */
export function countsOfHandle(name: string, blocks: readonly IPAMBlock[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const block of blocks) {
    const count = countOfHandle(block, name);
    if (count > 0) counts[block.spec.cidr] = count;
  }
  return counts;
}

/**
 * Adds to the count of a block. This happens before the block is written, so that a crash leaves a count too high and never
 * an address that its handle does not count. Most handles are new, so the first attempt creates the object unread.
 */
export async function incrementHandle(store: IpamStore, handleId: string, cidr: string, count: number): Promise<void> {
  let found: Outcome<IPAMHandle> = { ok: false, why: 'not-found' };
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    const raised: Record<string, number> = found.ok ? { ...found.value.spec.block } : {};
    raised[cidr] = countOf(raised[cidr]) + count;
    const written = found.ok
      ? await store.handles.update(withCounts(found.value, raised))
      : await store.handles.create(newHandle(handleId, raised));
    if (written.ok) return;
    found = await getLive(store.handles, handleName(handleId));
  }
  throw retriesExhausted();
}

export interface Decrement {
  /** Addresses of the handle that the block still has: the count is not lowered below that. */
  readonly remaining?: number;
  /** The handle as listed a moment ago, which saves the first read. */
  readonly listed?: IPAMHandle | undefined;
}

/**
 * Lowers the count of a block after the block was written, and deletes the handle when no count is left. A handle or count
 * that is missing or lower than it should be is not an error: there is less to lower.
 */
export async function decrementHandle(
  store: IpamStore,
  handleId: string,
  cidr: string,
  count: number,
  { remaining = 0, listed }: Decrement = {},
): Promise<void> {
  let known = listed;
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    if (known === undefined) {
      const found = await getLive(store.handles, handleName(handleId));
      if (!found.ok) return;
      known = found.value;
    }
    const { [cidr]: stored, ...others } = known.spec.block;
    if (stored === undefined) return;
    const left = Math.max(countOf(stored) - count, Math.min(countOf(stored), remaining));
    const counts = left > 0 ? { ...known.spec.block, [cidr]: left } : others;
    const empty = Object.keys(counts).length === 0;
    const written = empty
      ? await deleteInTwoPhases(store.handles, known)
      : await store.handles.update(withCounts(known, counts));
    if (written.ok || written.why === 'not-found') return;
    known = undefined;
  }
  throw retriesExhausted();
}
