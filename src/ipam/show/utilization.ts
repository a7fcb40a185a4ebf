// How much of each pool and block is in use: the numbers of `ipam show`. Pure.
import { type Cidr, cidrSize, cidrsOverlap, formatCidr, parseCidr } from '../../net/cidr.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPReservation } from '../../resources/kinds/ip-reservation.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { reservedAddresses } from '../pool/pools.ts';

export interface BlockUsage {
  readonly cidr: string;
  /** As stored, `host:<node>` or `virtual:<name>`; absent when the block has no owner. */
  readonly affinity?: string;
  readonly total: number;
  /** The size of the block minus the length of its free list, as calicoctl counts. */
  readonly inUse: number;
  readonly free: number;
  /** Allocations whose node is not the owner of the block. */
  readonly borrowed: number;
}

export interface PoolUsage {
  readonly name: string;
  readonly cidr: string;
  readonly total: bigint;
  readonly inUse: number;
  readonly free: bigint;
  /** Addresses of the pool that IPReservations exclude from automatic assignment. */
  readonly reserved: bigint;
  readonly blocks: readonly BlockUsage[];
}

export interface Utilization {
  readonly pools: readonly PoolUsage[];
  /** Blocks that no pool overlaps, of both families. */
  readonly orphanBlocks: readonly BlockUsage[];
}

/** An address held by a node other than the owner of the block. */
export interface BorrowedAddress {
  readonly ordinal: number;
  readonly node: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The owner's name as `--show-borrowed` reads it: the text after a single colon, else the whole text; empty if absent. */
export function affinityHost(affinity: string | null | undefined): string {
  const parts = (affinity ?? '').split(':');
  return (parts.length === 2 ? parts[1] : parts[0]) ?? '';
}

/** The attributes of each allocated ordinal of a block, in order; ordinals without a record are left out. */
export function* allocationsOf(block: IPAMBlock): Generator<{ ordinal: number; attributes: Record<string, string> }> {
  for (const [ordinal, index] of block.spec.allocations.entries()) {
    const record = index === null || index === undefined ? undefined : block.spec.attributes?.[index];
    if (record !== undefined && record !== null) yield { ordinal, attributes: record.secondary ?? {} };
  }
}

/** The borrowed addresses of a block, and the number of allocations that name no node. */
export function borrowedFrom(block: IPAMBlock): { borrowed: BorrowedAddress[]; withoutNode: number } {
  const owner = affinityHost(block.spec.affinity);
  const borrowed: BorrowedAddress[] = [];
  let withoutNode = 0;
  for (const { ordinal, attributes } of allocationsOf(block)) {
    const node = attributes['node'];
    if (node === undefined) withoutNode += 1;
    else if (node !== owner) borrowed.push({ ordinal, node, attributes });
  }
  return { borrowed, withoutNode };
}

/** The numbers of one block. */
function blockUsage(block: IPAMBlock): BlockUsage {
  const { cidr, affinity, allocations, unallocated } = block.spec;
  const total = allocations.length;
  return {
    cidr,
    ...(affinity ? { affinity } : {}),
    total,
    inUse: total - unallocated.length,
    free: unallocated.length,
    borrowed: borrowedFrom(block).borrowed.length,
  };
}

/**
 * Usage of all pools (enabled or not, in the given order) and of the blocks outside them.
 * A block counts for the first pool that it overlaps.
 */
export function utilization(
  pools: readonly IPPool[],
  blocks: readonly IPAMBlock[],
  reservations: readonly IPReservation[],
): Utilization {
  const reserved = reservedAddresses(reservations);
  const rows = pools.map((pool) => ({ pool, cidr: parseCidr(pool.spec.cidr), blocks: [] as BlockUsage[] }));
  const orphanBlocks: BlockUsage[] = [];
  for (const block of blocks) {
    const cidr = parseCidr(block.spec.cidr);
    const row = cidr && rows.find((candidate) => candidate.cidr !== undefined && cidrsOverlap(candidate.cidr, cidr));
    (row?.blocks ?? orphanBlocks).push(blockUsage(block));
  }
  return {
    pools: rows
      .filter((row): row is typeof row & { cidr: Cidr } => row.cidr !== undefined)
      .map((row) => {
        const total = cidrSize(row.cidr);
        const inUse = row.blocks.reduce((sum, block) => sum + block.inUse, 0);
        return {
          name: row.pool.metadata.name,
          cidr: formatCidr(row.cidr),
          total,
          inUse,
          free: total - BigInt(inUse),
          reserved: reserved.overlapCount(row.cidr),
          blocks: row.blocks,
        };
      }),
    orphanBlocks,
  };
}
