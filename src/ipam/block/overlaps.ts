// Blocks that have addresses in common (INV-18 of the check): which there are, and which a new one would make. Either of
// two may call an address of both free.
// Rules: docs/reference/ipam.md#assigning-addresses.
import { type Cidr, cidrsOverlap, parseCidr } from '../../net/cidr.ts';
import { IntervalSet } from '../../net/interval-set.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';

/** The ranges of blocks; those whose CIDR cannot be read are left out. */
function rangesOf(blocks: readonly IPAMBlock[]): Cidr[] {
  return blocks.flatMap(({ spec }) => {
    const { cidr }: Readonly<Record<string, unknown>> = spec ?? {};
    return (typeof cidr === 'string' ? parseCidr(cidr) : undefined) ?? [];
  });
}

/** Ranges of blocks that lie in a larger block. */
export function sharedRanges(blocks: readonly IPAMBlock[]): Cidr[] {
  const ranges = rangesOf(blocks);
  const sizes = [...new Set(ranges.map(({ prefix }) => prefix))].map((prefix) => ({
    prefix,
    union: IntervalSet.of(ranges.filter((range) => range.prefix === prefix)),
  }));
  return ranges.filter((range) => sizes.some(({ prefix, union }) => prefix < range.prefix && union.covers(range)));
}

/** The blocks that share addresses with a range and are of another size than those that it is, or is to be, made of. */
export function otherSizes(range: Cidr, blockSize: number, stored: readonly IPAMBlock[]): Cidr[] {
  return rangesOf(stored).filter((cidr) => cidr.prefix !== blockSize && cidrsOverlap(cidr, range));
}
