// How many more pods the nodes there are can get, when each is filled in turn. Pure arithmetic over counts of blocks.
// Rules: docs/reference/ipam.md#capacity.
import type { PoolRoom } from './capacity-pools.ts';

/** What a node may take. */
export interface NodeRoom {
  /** Names of the pools that it takes from, in the order of trying. */
  readonly pools: readonly string[];
  /** How many blocks more it may claim. */
  readonly claims: number;
  /** Per pool: claims of its own whose block was never made, or is gone. */
  readonly unmade: ReadonlyMap<string, number>;
  /** Addresses that it keeps back in each new block. */
  readonly keptBack: number;
}

export interface Fit {
  readonly withoutBorrowing: bigint;
  /** The same when strict affinity is on. */
  readonly withBorrowing: bigint;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * Fills the nodes one after the other, each from its pools in their order, until the allocator would refuse.
 * `mayBorrow`: false with strict affinity, and when nobody claims blocks automatically.
 * Exact but for one case: when limits leave blocks over in a pool that has blocks reserved in part, as if none were.
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
    // A node at its limit is refused before it looks at the blocks of others.
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
