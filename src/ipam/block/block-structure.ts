// The bookkeeping of a block (allocations, attribute records, free list): what is wrong in it, and the block rebuilt.
// Rules: docs/reference/ipam.md#block-bookkeeping. Nothing here frees an address or gives it to another holder.
import type { BlockAttribute, IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { addressCount, attributesOf, cidrOf, freeListOf, isAllocated, withSpec } from './block.ts';

/** One broken rule of the bookkeeping, named by its invariant (docs/reference/invariants.md). */
export interface StructureProblem {
  readonly id: 'INV-03' | 'INV-04' | 'INV-05' | 'INV-06' | 'INV-07' | 'INV-08' | 'INV-09' | 'INV-10';
  /**
   * Where, ascending and without duplicates: ordinals; for INV-05 the invalid entries of the free list; for INV-09 and
   * INV-10 indexes of attribute records; for INV-03 the stored and the right length.
   */
  readonly at: readonly number[];
}

/** Equal for equal attribute records; the order of keys and explicit nulls do not count. */
function attributeKey(value: unknown): string {
  if (value === null || typeof value !== 'object')
    return typeof value === 'bigint' ? `${value}n` : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(attributeKey).join()}]`;
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return `{${fields
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${attributeKey(field)}`)
    .join()}}`;
}

/** Index of the record that equals this one, or -1. */
export function findAttribute(attributes: readonly BlockAttribute[], attribute: BlockAttribute): number {
  const handle = attribute.handle_id ?? undefined;
  let at = 0;
  for (const candidate of attributes) {
    if ((candidate.handle_id ?? undefined) === handle && attributeKey(candidate) === attributeKey(attribute)) return at;
    at++;
  }
  return -1;
}

function isIndexOf(list: readonly unknown[], index: number): boolean {
  return Number.isInteger(index) && index >= 0 && index < list.length;
}

/** True when there is an entry for every address, and every allocation has an attribute record (INV-03 and INV-04). */
export function hasReadableAllocations(block: IPAMBlock): boolean {
  const attributes = attributesOf(block);
  // A copy, because V8 iterates a frozen array many times more slowly.
  const allocations = [...block.spec.allocations];
  return (
    allocations.length === addressCount(cidrOf(block)) &&
    allocations.every((index) => index === null || index === undefined || isIndexOf(attributes, index))
  );
}

/** The free list sorted out: the valid entries, and each kind of invalid ones. */
function freeListParts(block: IPAMBlock, size: number) {
  const listed = new Uint8Array(size);
  const outOfRange: number[] = [];
  const duplicates: number[] = [];
  const allocatedToo: number[] = [];
  const good: number[] = [];
  for (const ordinal of freeListOf(block)) {
    if (!(Number.isInteger(ordinal) && ordinal >= 0 && ordinal < size)) outOfRange.push(ordinal);
    else if (listed[ordinal] !== 0) duplicates.push(ordinal);
    else {
      listed[ordinal] = 1;
      if (isAllocated(block, ordinal)) allocatedToo.push(ordinal);
      else good.push(ordinal);
    }
  }
  return { listed, outOfRange, duplicates, allocatedToo, good };
}

const ascending = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b);

/** What is wrong in the bookkeeping, in order of invariants; empty when it is in order. */
export function structureProblems(block: IPAMBlock): StructureProblem[] {
  const { allocations } = block.spec;
  const attributes = attributesOf(block);
  const size = addressCount(cidrOf(block));
  const free = freeListParts(block, size);
  const missing: number[] = [];
  const lost: number[] = [];
  const referenced = new Uint8Array(attributes.length);
  for (let ordinal = 0; ordinal < allocations.length; ordinal++) {
    const index = allocations[ordinal];
    if (index === null || index === undefined) {
      if (ordinal < size && free.listed[ordinal] === 0) lost.push(ordinal);
    } else if (isIndexOf(attributes, index)) referenced[index] = 1;
    else missing.push(ordinal);
  }
  const unreferenced: number[] = [];
  const equal: number[] = [];
  const seen = new Set<string>();
  for (let index = 0; index < attributes.length; index++) {
    if (referenced[index] === 0) unreferenced.push(index);
    const key = attributeKey(attributes[index]);
    if (seen.has(key)) equal.push(index);
    seen.add(key);
  }
  const problems: StructureProblem[] = [
    { id: 'INV-03', at: allocations.length === size ? [] : [allocations.length, size] },
    { id: 'INV-04', at: missing },
    { id: 'INV-05', at: ascending(free.outOfRange) },
    { id: 'INV-06', at: ascending(free.duplicates) },
    { id: 'INV-07', at: ascending(free.allocatedToo) },
    { id: 'INV-08', at: lost },
    { id: 'INV-09', at: unreferenced },
    { id: 'INV-10', at: equal },
  ];
  return problems.filter((problem) => problem.at.length > 0);
}

/**
 * True when the length of `allocations` can be corrected without guessing: the surplus entries are free, and every missing
 * ordinal is in the free list. Otherwise a person must say what the missing entries are.
 */
export function isLengthProvable(block: IPAMBlock): boolean {
  const { allocations } = block.spec;
  const size = addressCount(cidrOf(block));
  if (allocations.slice(size).some((index) => index !== null && index !== undefined)) return false;
  const listed = new Set(freeListOf(block));
  for (let ordinal = allocations.length; ordinal < size; ordinal++) if (!listed.has(ordinal)) return false;
  return true;
}

/** Only the records that are used, equal ones once, in their order; and the allocations with the new indexes. */
function compacted(
  attributes: readonly BlockAttribute[],
  allocations: readonly (number | null)[],
): { attributes: BlockAttribute[]; allocations: (number | null)[] } {
  const referenced = new Set(allocations);
  const kept: BlockAttribute[] = [];
  const indexOfKey = new Map<string, number>();
  const renumbered = new Map<number, number>();
  attributes.forEach((attribute, index) => {
    if (!referenced.has(index)) return;
    const key = attributeKey(attribute);
    const known = indexOfKey.get(key);
    renumbered.set(index, known ?? kept.length);
    if (known !== undefined) return;
    indexOfKey.set(key, kept.length);
    kept.push(attribute);
  });
  let unknown: number | undefined;
  const withoutRecord = (): number => {
    // Its index would sooner or later be that of another holder's record; an empty record says just as little, safely.
    unknown ??= indexOfKey.get('{}') ?? kept.push({}) - 1;
    return unknown;
  };
  return {
    allocations: allocations.map((index) => (index === null ? null : (renumbered.get(index) ?? withoutRecord()))),
    attributes: kept,
  };
}

/**
 * The block with its bookkeeping rebuilt: the free list keeps its valid entries in their order, and lost ordinals are
 * appended in ascending order; attribute records are compacted; an allocation whose record is missing gets an empty one;
 * sequence entries of free ordinals are removed. What is allocated stays allocated to the same holder, except ordinals in
 * `unused` whose record is missing: the caller has proved that nothing uses them. The length of `allocations` is corrected
 * only when isLengthProvable.
 */
export function rebuilt(block: IPAMBlock, unused: ReadonlySet<number> = new Set()): IPAMBlock {
  const size = addressCount(cidrOf(block));
  const { allocations } = block.spec;
  const attributes = attributesOf(block);
  let slots = allocations.map((index, ordinal) => {
    if (index === null || index === undefined) return null;
    return unused.has(ordinal) && !isIndexOf(attributes, index) ? null : index;
  });
  if (slots.length !== size && isLengthProvable(block)) {
    slots = slots.slice(0, size);
    while (slots.length < size) slots.push(null);
  }
  const records = compacted(attributes, slots);
  const { good } = freeListParts(block, size);
  // An ordinal that was allocated and listed as free is not among them: when it becomes free, it is appended.
  const listed = new Set(good);
  const lost: number[] = [];
  const sequences: Record<string, bigint> = {};
  slots.forEach((index, ordinal) => {
    const key = String(ordinal);
    const sequence = block.spec.sequenceNumberForAllocation?.[key];
    if (index !== null && sequence !== undefined) sequences[key] = sequence;
    if (index === null && ordinal < size && !listed.has(ordinal)) lost.push(ordinal);
  });
  return withSpec(block, {
    ...records,
    unallocated: [...good, ...lost],
    ...(block.spec.sequenceNumberForAllocation ? { sequenceNumberForAllocation: sequences } : {}),
  });
}
