// Ranges that two blocks have, which an overlap (INV-18 of the check) leaves: either may call an address of them free.
// Rules: docs/reference/ipam.md#assigning-addresses.
import { type Cidr, parseCidr } from '../../net/cidr.ts';
import { IntervalSet } from '../../net/interval-set.ts';
import type { IPAMBlock } from '../../resources/ipam-block.ts';

/** Ranges of blocks that lie in a larger block. Blocks whose CIDR cannot be read are left out. */
export function sharedRanges(blocks: readonly IPAMBlock[]): Cidr[] {
  const ranges = blocks.flatMap(({ spec }) => {
    const { cidr }: Readonly<Record<string, unknown>> = spec ?? {};
    return (typeof cidr === 'string' ? parseCidr(cidr) : undefined) ?? [];
  });
  const sizes = [...new Set(ranges.map(({ prefix }) => prefix))].map((prefix) => ({
    prefix,
    union: IntervalSet.of(ranges.filter((range) => range.prefix === prefix)),
  }));
  return ranges.filter((range) => sizes.some(({ prefix, union }) => prefix < range.prefix && union.covers(range)));
}
