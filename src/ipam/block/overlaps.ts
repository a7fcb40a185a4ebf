// Overlapping blocks (INV-18): those that exist, and those that a new block would cause. Each of two overlapping blocks may
// have the same address as free.
// Rules: docs/reference/ipam.md#assigning-addresses.
import { type Cidr, cidrsOverlap, parseCidr } from '../../net/cidr.ts';
import { IntervalSet } from '../../net/interval-set.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';

/** The ranges of blocks; invalid CIDRs are left out. */
function rangesOf(blocks: readonly IPAMBlock[]): Cidr[] {
  return blocks.flatMap(({ spec }) => {
    const { cidr }: Readonly<Record<string, unknown>> = spec ?? {};
    return (typeof cidr === 'string' ? parseCidr(cidr) : undefined) ?? [];
  });
}

/** Ranges of blocks that are inside a larger block. */
export function sharedRanges(blocks: readonly IPAMBlock[]): Cidr[] {
  const ranges = rangesOf(blocks);
  const sizes = [...new Set(ranges.map(({ prefix }) => prefix))].map((prefix) => ({
    prefix,
    union: IntervalSet.of(ranges.filter((range) => range.prefix === prefix)),
  }));
  return ranges.filter((range) => sizes.some(({ prefix, union }) => prefix < range.prefix && union.covers(range)));
}

/** The blocks that overlap a range and do not have the given size, which its own blocks have or will have. */
export function otherSizes(range: Cidr, blockSize: number, stored: readonly IPAMBlock[]): Cidr[] {
  return rangesOf(stored).filter((cidr) => cidr.prefix !== blockSize && cidrsOverlap(cidr, range));
}
