// The range in which block affinities are claimed or released, as a person gives it, and the errors for invalid ones.
import { type Cidr, formatCidr, parseCidr } from '../../net/cidr.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import { UsageError } from '../../world/errors.ts';
import type { Owner } from '../block/block.ts';
import { blockSizeOf, poolOf } from '../pool/pools.ts';

/** A block, by the canonical text of its CIDR, that could not be claimed or released. */
export interface NotDone {
  readonly cidr: string;
  readonly why: string;
}

/** The canonical text of a CIDR; an invalid one stays as it is. */
export function canonicalCidr(text: string): string {
  const cidr = parseCidr(text);
  return cidr === undefined ? text : formatCidr(cidr);
}

/** Parses a range; host bits are masked off. Errors: UsageError for an invalid CIDR. */
export function readRange(text: string): Cidr {
  const range = parseCidr(text);
  if (range !== undefined) return range;
  throw new UsageError(
    `invalid CIDR ${JSON.stringify(text)}`,
    'a valid range is, for example, 10.60.0.0/26',
    'INVALID_CIDR',
  );
}

export function outsidePools(range: Cidr, wanted: 'pool' | 'enabled pool'): UsageError {
  return new UsageError(
    `${formatCidr(range)} is not within any ${wanted}`,
    'calictl get ippools -o wide shows the pools, and which are disabled',
    'NO_POOL',
  );
}

export function belowBlockSize(range: Cidr): UsageError {
  return new UsageError(
    `${formatCidr(range)} is smaller than one block`,
    'specify a range of at least one block; the blockSize of the pool is the prefix length of a block',
    'BELOW_BLOCK_SIZE',
  );
}

/** Errors: UsageError for an owner without a name. */
export function requireName(owner: Owner): void {
  if (owner.name === '') throw new UsageError('missing owner', 'specify the node that owns the blocks');
}

/** Errors: UsageError for a range that is in no pool, or smaller than a block. */
export function requireBlocksIn(range: Cidr, pools: readonly IPPool[]): void {
  const pool = poolOf(pools, range.base);
  if (pool === undefined) throw outsidePools(range, 'pool');
  if (range.prefix > blockSizeOf(pool)) throw belowBlockSize(range);
}
