// The order in which the blocks of a pool are tried for a node: from a start that depends on its name, once around.
// Rules: docs/reference/ipam.md#block-sequence.
import { addressAt, bitsOf, type Cidr, networkOf } from '../../net/cidr.ts';
import type { IntervalSet } from '../../net/interval-set.ts';
import type { IpAddress } from '../../net/ip.ts';
import { GoRandom } from '../assign/go-random.ts';

/** A pool divided into blocks of one size, and where a node begins in it. */
export interface BlockSequence {
  readonly pool: Cidr;
  /** Prefix length of the blocks. */
  readonly blockSize: number;
  /** Index of the first block. */
  readonly start: bigint;
  /** The number of blocks. */
  readonly count: bigint;
}

/** FNV-1 (not FNV-1a) of the UTF-8 name, 32 bits. */
export function nameSeed(name: string): number {
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(name)) hash = (Math.imul(hash, 16777619) ^ byte) >>> 0;
  return hash;
}

/**
 * The sequence of a pool for a node. For blocks of a single address the start depends on the time, `nowNs`. Undefined when
 * the pool is smaller than a block.
 */
export function blockSequence(pool: Cidr, blockSize: number, node: string, nowNs: bigint): BlockSequence | undefined {
  const bits = blockSize - pool.prefix;
  if (bits < 0) return undefined;
  const seed = blockSize === bitsOf(pool.version) ? nowNs : BigInt(nameSeed(node));
  return { pool, blockSize, start: new GoRandom(seed).belowPowerOfTwo(bits), count: 1n << BigInt(bits) };
}

function blockAt({ pool, blockSize }: BlockSequence, index: bigint): Cidr {
  const base = addressAt(pool, index << BigInt(bitsOf(pool.version) - blockSize));
  return { version: pool.version, base, prefix: blockSize };
}

/** All blocks of the sequence in order, except those that `excluded` covers: whole ranges of them are skipped at once. */
export function* blocksOf(sequence: BlockSequence, excluded: IntervalSet): Generator<Cidr> {
  for (const [from, to] of [
    [sequence.start, sequence.count],
    [0n, sequence.start],
  ] as const) {
    let index = from;
    while (index < to) {
      const block = blockAt(sequence, index);
      if (excluded.covers(block)) {
        index = afterCovered(sequence, index, block.base, excluded);
      } else {
        yield block;
        index += 1n;
      }
    }
  }
}

/** The first index after the widest network around this block that is covered as a whole. */
function afterCovered(
  { pool, blockSize }: BlockSequence,
  index: bigint,
  base: IpAddress,
  excluded: IntervalSet,
): bigint {
  let prefix = blockSize;
  while (prefix > pool.prefix && excluded.covers(networkOf(base, prefix - 1))) prefix -= 1;
  const shift = BigInt(blockSize - prefix);
  return ((index >> shift) + 1n) << shift;
}

/** The position of a block in the sequence; undefined when the sequence does not contain it. */
export function positionIn(sequence: BlockSequence, block: Cidr): bigint | undefined {
  const { pool, blockSize, start, count } = sequence;
  if (block.prefix !== blockSize || block.version !== pool.version) return undefined;
  const value = (ip: IpAddress): bigint => BigInt(ip.value);
  const index = (value(block.base) - value(pool.base)) >> BigInt(bitsOf(pool.version) - blockSize);
  return index < 0n || index >= count ? undefined : (index - start + count) % count;
}
