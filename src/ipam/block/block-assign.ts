// Assigns addresses of one block, in memory. Rules: docs/reference/ipam.md#assigning-in-a-block.
import { addressAt } from '../../net/cidr.ts';
import type { IntervalSet } from '../../net/interval-set.ts';
import type { BlockAttribute, IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { attributesOf, cidrOf, freeListOf, isAllocated, withSpec } from './block.ts';
import { findAttribute } from './block-structure.ts';

/** For whom addresses are assigned. */
export interface Holder {
  readonly handle?: string | undefined;
  /** Owner attributes: node, pod, namespace, … */
  readonly secondary?: Readonly<Record<string, string>> | undefined;
}

/** How many addresses of the block can still be assigned automatically. */
export function freeCount(block: IPAMBlock, reserved: IntervalSet): number {
  const cidr = cidrOf(block);
  const free = freeListOf(block);
  if (!reserved.overlaps(cidr)) return free.length;
  if (reserved.covers(cidr)) return 0;
  return free.filter((ordinal) => !reserved.contains(addressAt(cidr, ordinal))).length;
}

/**
 * The block with up to `want` addresses from the head of its free list assigned; reserved addresses are skipped and keep
 * their position. The sequence number is not raised yet; the ordinals are in the order of assignment.
 */
export function assigned(
  block: IPAMBlock,
  want: number,
  holder: Holder,
  reserved: IntervalSet,
): { block: IPAMBlock; ordinals: number[] } {
  const cidr = cidrOf(block);
  const check = reserved.overlaps(cidr);
  const unallocated = [...freeListOf(block)];
  const ordinals: number[] = [];
  const passed: number[] = [];
  for (const ordinal of unallocated) {
    if (ordinals.length >= want) break;
    // Calico relies on the free list alone; a broken one must not assign an address to two holders.
    const takeable = isFree(block, ordinal) && !ordinals.includes(ordinal);
    if (takeable && !(check && reserved.contains(addressAt(cidr, ordinal)))) ordinals.push(ordinal);
    else passed.push(ordinal);
  }
  if (ordinals.length === 0) return { block, ordinals };
  unallocated.splice(0, ordinals.length + passed.length, ...passed);
  return { block: withHolder(block, unallocated, ordinals, holder), ordinals };
}

/** The block with one given ordinal assigned; undefined when it is allocated already. Reservations do not count here. */
export function assignedAt(block: IPAMBlock, ordinal: number, holder: Holder): IPAMBlock | undefined {
  if (isAllocated(block, ordinal)) return undefined;
  const unallocated = freeListOf(block).filter((free) => free !== ordinal);
  return withHolder(block, unallocated, [ordinal], holder);
}

/** True for an ordinal of the block that is not allocated. */
function isFree(block: IPAMBlock, ordinal: number): boolean {
  return block.spec.allocations[ordinal] === null;
}

/** Records a holder for the ordinals: one record for all addresses of equal holders. `unallocated`: the new free list. */
function withHolder(
  block: IPAMBlock,
  unallocated: number[],
  ordinals: readonly number[],
  { handle, secondary }: Holder,
): IPAMBlock {
  const attribute: BlockAttribute = {};
  if (handle !== undefined) attribute.handle_id = handle;
  if (secondary !== undefined) attribute.secondary = { ...secondary };
  const attributes = [...attributesOf(block)];
  const known = findAttribute(attributes, attribute);
  const index = known >= 0 ? known : attributes.push(attribute) - 1;
  const allocations = [...block.spec.allocations];
  const sequences = copyOf(block.spec.sequenceNumberForAllocation ?? {});
  for (const ordinal of ordinals) {
    allocations[ordinal] = index;
    sequences[String(ordinal)] = block.spec.sequenceNumber ?? 0n;
  }
  return withSpec(block, { allocations, unallocated, attributes, sequenceNumberForAllocation: sequences });
}

/** The same as a spread, which takes V8 several times as long for a frozen object whose keys are numbers. */
function copyOf<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  const copy: Record<string, T> = {};
  const values = Object.values(members);
  let at = 0;
  for (const key of Object.keys(members)) copy[key] = values[at++] as T;
  return copy;
}
