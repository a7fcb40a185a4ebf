// How many more pods fit on the existing nodes when they are filled one after the other. Pure arithmetic on block counts.
// Rules: docs/reference/ipam.md#capacity.
import type { PoolRoom } from './capacity-pools.ts';

/** What a node may use. */
export interface NodeRoom {
  /** Names of the pools that it assigns from, in the order of trying. */
  readonly pools: readonly string[];
  /** How many more blocks it may claim. */
  readonly claims: number;
  /** Per pool, its affinities whose block was never created, or is gone. */
  readonly unmade: ReadonlyMap<string, number>;
  /** Addresses that it reserves in each new block. */
  readonly keptBack: number;
}

export interface Fit {
  readonly withoutBorrowing: bigint;
  /** The same as without borrowing if nodes may not borrow. */
  readonly withBorrowing: bigint;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * Fills the nodes one after the other, each from its pools in their order, until the allocator would refuse. `mayBorrow` is
 * false with strict affinity, and when blocks are not claimed automatically. Exact except in one case: when limits leave
 * blocks unclaimed in a pool with partly reserved blocks, those are counted as if nothing in them were reserved.
 */
export function podsThatFit(nodes: readonly NodeRoom[], rooms: readonly PoolRoom[], mayBorrow: boolean): Fit {
  const pools = new Map(
    rooms.map((room) => [
      room.capacity.name,
      { room, left: room.capacity.blocksFree, claimed: 0n, keptBack: 0n, within: false },
    ]),
  );
  for (const node of nodes) {
    let claims = BigInt(Math.max(0, node.claims));
    for (const name of node.pools) {
      const pool = pools.get(name);
      if (pool === undefined) continue;
      const again = least(BigInt(node.unmade.get(name) ?? 0), pool.left);
      const more = least(claims, pool.left - again);
      claims -= more;
      pool.left -= again + more;
      pool.claimed += again + more;
      pool.keptBack += (again + more) * BigInt(node.keptBack);
    }
    // A node at its limit is refused before it tries blocks of others.
    if (claims > 0n && mayBorrow) for (const name of node.pools) (pools.get(name) ?? { within: false }).within = true;
  }
  let withoutBorrowing = 0n;
  let withBorrowing = 0n;
  for (const { room, left, claimed, keptBack, within } of pools.values()) {
    const { capacity, borrowable, oddOwn } = room;
    const size = 1n << BigInt((capacity.ipVersion === 4 ? 32 : 128) - capacity.blockSize);
    const claimable = left === 0n ? capacity.freeInNewBlocks : least(claimed * size, capacity.freeInNewBlocks);
    const fresh = claimable > keptBack ? claimable - keptBack : 0n;
    withoutBorrowing += fresh + BigInt(capacity.freeInOwnBlocks);
    withBorrowing += fresh + BigInt(within ? borrowable + oddOwn : capacity.freeInOwnBlocks);
  }
  return { withoutBorrowing, withBorrowing };
}
