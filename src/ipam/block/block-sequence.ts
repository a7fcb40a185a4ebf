// In which order the blocks of a pool are tried for a node: from a start that the node's name decides, once around.
// Rules: docs/reference/ipam.md#block-sequence.
import { addressAt, bitsOf, type Cidr, networkOf } from '../../net/cidr.ts';
import type { IntervalSet } from '../../net/interval-set.ts';
import type { IpAddress } from '../../net/ip.ts';
import { GoRandom } from '../assign/go-random.ts';

/** A pool cut into blocks of one size, and where in it a node begins. */
export interface BlockSequence {
  readonly pool: Cidr;
  /** Prefix length of the blocks. */
  readonly blockSize: number;
  /** Index of the first block. */
  readonly start: bigint;
  /** How many blocks there are. */
  readonly count: bigint;
}

/** FNV-1 (not FNV-1a) of the UTF-8 name, 32 bits. */
export function nameSeed(name: string): number {
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(name)) hash = (Math.imul(hash, 16777619) ^ byte) >>> 0;
  return hash;
}

/**
 * The sequence of a pool for a node. Blocks of a single address begin anywhere: at what `nowNs`, the time, decides.
 * Undefined when the pool is smaller than a block.
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

/** All blocks of the sequence in order, without those that `left` covers: whole ranges of them are skipped at once. */
export function* blocksOf(sequence: BlockSequence, left: IntervalSet): Generator<Cidr> {
  for (const [from, to] of [
    [sequence.start, sequence.count],
    [0n, sequence.start],
  ] as const) {
    let index = from;
    while (index < to) {
      const block = blockAt(sequence, index);
      if (left.covers(block)) {
        index = afterCovered(sequence, index, block.base, left);
      } else {
        yield block;
        index += 1n;
      }
    }
  }
}

/** The first index behind the widest network around this block that is covered as a whole. */
function afterCovered({ pool, blockSize }: BlockSequence, index: bigint, base: IpAddress, left: IntervalSet): bigint {
  let prefix = blockSize;
  while (prefix > pool.prefix && left.covers(networkOf(base, prefix - 1))) prefix -= 1;
  const shift = BigInt(blockSize - prefix);
  return ((index >> shift) + 1n) << shift;
}

/** How far down the sequence a block stands; undefined when it is none of its blocks. */
export function positionIn(sequence: BlockSequence, block: Cidr): bigint | undefined {
  const { pool, blockSize, start, count } = sequence;
  if (block.prefix !== blockSize || block.version !== pool.version) return undefined;
  const value = (ip: IpAddress): bigint => BigInt(ip.value);
  const index = (value(block.base) - value(pool.base)) >> BigInt(bitsOf(pool.version) - blockSize);
  return index < 0n || index >= count ? undefined : (index - start + count) % count;
}
