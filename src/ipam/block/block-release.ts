// Releases addresses of one block, in memory. Rules: docs/reference/ipam.md#releasing-in-a-block.
import type { BlockAttribute, IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { sanitiseHandle } from '../../resources/names.ts';
import {
  allocatedOrdinals,
  attributesOf,
  effectiveHandle,
  freeListOf,
  isAllocated,
  sequenceOf,
  withSpec,
} from './block.ts';

/** An address to release, with what must still be true of it. */
export interface OrdinalRelease {
  readonly ordinal: number;
  /** The handle that the allocation must have; empty if it must have none; absent if any will do. */
  readonly handle?: string | undefined;
  /** The sequence number that the allocation must have; absent if any will do. */
  readonly sequenceNumber?: bigint | undefined;
}

/** A guard that does not match. */
export interface Mismatch {
  readonly ordinal: number;
  readonly guard: 'handle' | 'sequence number';
  readonly given: string;
  readonly stored: string;
}

/** What a release makes of a block. Nothing is written; an ordinal whose guard does not match is not changed. */
export interface ReleasedBlock {
  /** The block without the released allocations; its sequence number is not raised yet. */
  readonly block: IPAMBlock;
  /** Ordinals that became free, ascending. */
  readonly released: readonly number[];
  /** Ordinals that were free already. */
  readonly unallocated: readonly number[];
  readonly mismatches: readonly Mismatch[];
  /** How many addresses each handle (sanitised) lost; addresses without a handle are left out. */
  readonly byHandle: ReadonlyMap<string, number>;
}

/** The message of calicoctl for a handle that does not match, and ours for a sequence number. */
export function mismatchText({ guard, given, stored }: Mismatch): string {
  return guard === 'handle'
    ? `the given handle (${given}) does not match (${stored}) when attempting to release IP`
    : `the given sequence number (${given}) does not match (${stored}) when attempting to release IP`;
}

/** The guard that does not match, if any; the sequence number is compared first, as in Calico. */
function mismatchOf(block: IPAMBlock, request: OrdinalRelease): Mismatch | undefined {
  const { ordinal } = request;
  const sequence = sequenceOf(block, ordinal);
  if (request.sequenceNumber !== undefined && request.sequenceNumber !== sequence) {
    return { ordinal, guard: 'sequence number', given: String(request.sequenceNumber), stored: String(sequence) };
  }
  const handle = effectiveHandle(block, ordinal);
  if (request.handle !== undefined && sanitiseHandle(request.handle) !== handle && isAllocated(block, ordinal)) {
    return { ordinal, guard: 'handle', given: sanitiseHandle(request.handle), stored: handle };
  }
  return undefined;
}

/**
 * Releases ordinals of a block by their guards. Of two requests for one ordinal the last one counts. With `freeFirst`, an
 * ordinal that is free is `unallocated` whatever its guards say, as when a repair runs twice; without it, a wrong sequence
 * number is a mismatch even then, as in Calico.
 */
export function released(
  block: IPAMBlock,
  requests: readonly OrdinalRelease[],
  { freeFirst = false }: { readonly freeFirst?: boolean } = {},
): ReleasedBlock {
  const mismatches: Mismatch[] = [];
  const unallocated: number[] = [];
  const going: number[] = [];
  const latest = new Map(requests.map((request) => [request.ordinal, request]));
  for (const request of [...latest.values()].sort((a, b) => a.ordinal - b.ordinal)) {
    const free = !isAllocated(block, request.ordinal);
    const mismatch = free && freeFirst ? undefined : mismatchOf(block, request);
    if (mismatch !== undefined) mismatches.push(mismatch);
    else (free ? unallocated : going).push(request.ordinal);
  }
  const byHandle = new Map<string, number>();
  for (const ordinal of going) {
    const handle = effectiveHandle(block, ordinal);
    if (handle !== '') byHandle.set(handle, (byHandle.get(handle) ?? 0) + 1);
  }
  const freed = going.length === 0 ? block : withoutOrdinals(block, going, true);
  return { block: freed, released: going, unallocated, mismatches, byHandle };
}

/**
 * Releases all addresses of a handle in the block. The sequence entries are left behind, as in Calico. The ordinals that
 * became free are in ascending order; none when the handle has no address here.
 */
export function releasedByHandle(block: IPAMBlock, handle: string): { block: IPAMBlock; released: number[] } {
  const id = sanitiseHandle(handle);
  const going = id === '' ? [] : allocatedOrdinals(block).filter((ordinal) => effectiveHandle(block, ordinal) === id);
  return { block: going.length === 0 ? block : withoutOrdinals(block, going, false), released: going };
}

/** The number of addresses in the block whose handle, in lower case, is this name. */
export function countOfHandle(block: IPAMBlock, handleName: string): number {
  return allocatedOrdinals(block).filter((ordinal) => effectiveHandle(block, ordinal).toLowerCase() === handleName)
    .length;
}

/** Frees ordinals (ascending, all allocated): they go to the tail of the free list, and unused records are removed. */
function withoutOrdinals(block: IPAMBlock, going: readonly number[], dropSequences: boolean): IPAMBlock {
  const { sequenceNumberForAllocation } = block.spec;
  const attributes = attributesOf(block);
  const unallocated = freeListOf(block);
  const leaving = new Set(going);
  const before = block.spec.allocations.map((index) => index ?? null);
  const after = before.map((index, ordinal) => (leaving.has(ordinal) ? null : index));
  const alreadyListed = new Set(unallocated);
  const spec: Partial<IPAMBlock['spec']> = {
    ...pruned(attributes, before, after),
    unallocated: [...unallocated, ...going.filter((ordinal) => !alreadyListed.has(ordinal))],
  };
  if (dropSequences && sequenceNumberForAllocation) {
    const kept = Object.entries(sequenceNumberForAllocation).filter(([ordinal]) => !leaving.has(Number(ordinal)));
    spec.sequenceNumberForAllocation = Object.fromEntries(kept);
  }
  return withSpec(block, spec);
}

/** The records without those that are no longer used; an index that named no record before names none afterwards. */
function pruned(
  attributes: readonly BlockAttribute[],
  before: readonly (number | null)[],
  after: readonly (number | null)[],
): { attributes: BlockAttribute[]; allocations: (number | null)[] } {
  const usedBefore = new Set(before);
  const usedAfter = new Set(after);
  const kept: BlockAttribute[] = [];
  const renumbered = attributes.map((attribute, index) => {
    if (usedBefore.has(index) && !usedAfter.has(index)) return null;
    return kept.push(attribute) - 1;
  });
  return {
    attributes: kept,
    allocations: after.map((index) => (index === null ? null : (renumbered[index] ?? index))),
  };
}
