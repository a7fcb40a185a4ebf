// What is still free in a pool, and where: in blocks that do not exist yet, or in existing ones. Pure; counts only.
// Rules: docs/reference/ipam.md#capacity. Which nodes can use it is computed in capacity-fit.ts.
import { addressAt, type Cidr, cidrContains, cidrSize, cidrsOverlap, networkOf, parseCidr } from '../../net/cidr.ts';
import { CidrIndex, IntervalSet } from '../../net/interval-set.ts';
import { formatIp } from '../../net/ip.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { isUnsound } from '../block/assign-in-block.ts';
import { allocatedOrdinals, cidrOf, freeListOf, isEmpty, parseOwner } from '../block/block.ts';
import { isTombstone } from '../deletion.ts';
import {
  assignsAutomatically,
  blockSizeOf,
  isAllocatable,
  isBlockSize,
  poolOf,
  reservationCidrs,
  usesOf,
} from '../pool/pools.ts';
import { affinityHost, borrowedFrom } from '../show/utilization.ts';
import type { IpamLists } from './ipam-lists.ts';

/** What capacity counts of a block. */
export interface BlockRoom {
  readonly cidr: Cidr;
  /** The first pool that contains it. */
  readonly pool: string | undefined;
  /** The node that owns it. */
  readonly host: string | undefined;
  readonly held: number;
  /** Addresses that can be assigned automatically. */
  readonly free: number;
  /** The owner as borrowing counts it, and how many addresses each other node holds. */
  readonly lender: string;
  readonly borrowers: ReadonlyMap<string, number>;
}

export type PoolMode = 'automatic' | 'manual' | 'disabled';

export interface PoolCapacity {
  readonly name: string;
  readonly cidr: string;
  readonly ipVersion: 4 | 6;
  readonly blockSize: number;
  readonly mode: PoolMode;
  readonly allowedUses: readonly string[];
  readonly nodeSelector: string;
  /** How many nodes get pod addresses from it without requesting the pool. */
  readonly nodes: number;
  readonly total: bigint;
  readonly reserved: bigint;
  readonly inUse: number;
  /** What can still be assigned automatically: the sum of the next three. */
  readonly free: bigint;
  /** In blocks that do not exist yet. */
  readonly freeInNewBlocks: bigint;
  /** In blocks of nodes that get addresses from the pool. */
  readonly freeInOwnBlocks: number;
  /** In all other blocks: available by borrowing only. */
  readonly freeElsewhere: number;
  readonly blocks: bigint;
  readonly blocksMade: number;
  /** Blocks that can be created: they do not exist and are not reserved as a whole. */
  readonly blocksFree: bigint;
  readonly blocksPartlyUsed: number;
  readonly borrowed: number;
}

/** The same, with what is free in blocks of the present block size of the pool, which borrowing is limited to. */
export interface PoolRoom {
  readonly capacity: PoolCapacity;
  readonly borrowable: number;
  /** Free in blocks of another size, whose owner gets addresses from the pool. */
  readonly oddOwn: number;
}

/** The ordinals of a block that the allocator would assign: in the free list, not allocated, not reserved, each once. */
function freeIn(block: IPAMBlock, reserved: IntervalSet): ReadonlySet<number> {
  if (isTombstone(block) || isUnsound(block)) return new Set();
  const cidr = cidrOf(block);
  const isReserved = reserved.overlaps(cidr);
  const free = new Set<number>();
  for (const ordinal of freeListOf(block)) {
    if (block.spec.allocations[ordinal] !== null) continue;
    if (!isReserved || !reserved.contains(addressAt(cidr, ordinal))) free.add(ordinal);
  }
  return free;
}

/** Says of addresses in several blocks whether they were counted already; an allocated one counts as free in none. */
class SharedAddresses {
  readonly #blocks: ReadonlySet<IPAMBlock>;
  readonly #held = new Set<string>();
  readonly #counted = new Set<string>();

  constructor(blocks: readonly IPAMBlock[]) {
    const entries = blocks.flatMap((block) => {
      const cidr = parseCidr(block.spec.cidr);
      return cidr === undefined ? [] : [{ cidr, value: block }];
    });
    this.#blocks = new Set(new CidrIndex(entries).overlapping().flatMap((pair) => pair.map(({ value }) => value)));
    for (const block of this.#blocks) {
      for (const ordinal of allocatedOrdinals(block)) this.#held.add(formatIp(addressAt(cidrOf(block), ordinal)));
    }
  }

  /** How many of the ordinals of a block were not counted in an earlier block. */
  count(block: IPAMBlock, ordinals: Iterable<number>, state: 'held' | 'free'): number {
    let count = 0;
    for (const ordinal of ordinals) {
      if (this.#blocks.has(block)) {
        const address = formatIp(addressAt(cidrOf(block), ordinal));
        if (this.#counted.has(address) || (state === 'free' && this.#held.has(address))) continue;
        this.#counted.add(address);
      }
      count += 1;
    }
    return count;
  }
}

/** All blocks that prevent new ones; an empty block that is being deleted does not. Addresses in several count once. */
export function blockRooms({ blocks, pools, reservations }: IpamLists): BlockRoom[] {
  const reserved = IntervalSet.of(reservationCidrs(reservations));
  const counted = blocks.filter((block) => !(isTombstone(block) && isEmpty(block)));
  const shared = new SharedAddresses(counted);
  return counted.flatMap((block) => {
    const cidr = parseCidr(block.spec.cidr);
    if (cidr === undefined) return [];
    const owner = parseOwner(block.spec.affinity);
    const borrowers = new Map<string, number>();
    for (const { node } of borrowedFrom(block).borrowed) borrowers.set(node, (borrowers.get(node) ?? 0) + 1);
    return {
      cidr,
      pool: poolOf(pools, cidr.base)?.metadata.name,
      host: owner?.type === 'host' ? owner.name : undefined,
      held: shared.count(block, allocatedOrdinals(block), 'held'),
      free: shared.count(block, freeIn(block, reserved), 'free'),
      lender: affinityHost(block.spec.affinity),
      borrowers,
    };
  });
}

function modeOf(pool: IPPool): PoolMode {
  if (!isAllocatable(pool)) return 'disabled';
  return assignsAutomatically(pool) ? 'automatic' : 'manual';
}

/** The blocks of the pool that can still be created, and their addresses, computed without iterating over blocks. */
function newBlocks(pool: Cidr, size: number, rooms: readonly BlockRoom[], reserved: readonly Cidr[]) {
  if (size < pool.prefix || !isBlockSize(pool.version, size)) return { blocks: 0n, free: 0n, addresses: 0n };
  const taken = rooms.filter(({ cidr }) => cidrsOverlap(pool, cidr)).map(({ cidr }) => around(cidr, size));
  const away = IntervalSet.of([...taken, ...reserved]);
  const blocks = 1n << BigInt(size - pool.prefix);
  return {
    blocks,
    free: blocks - away.coveredNetworks(pool, size),
    addresses: cidrSize(pool) - away.overlapCount(pool),
  };
}

/** The block of this size that contains a smaller network; a wider network as it is. */
function around(cidr: Cidr, size: number): Cidr {
  return cidr.prefix > size ? networkOf(cidr.base, size) : cidr;
}

const sum = (rooms: readonly BlockRoom[], of: (room: BlockRoom) => number): number =>
  rooms.reduce((total, room) => total + of(room), 0);

/** The numbers of a pool; `nodes` are those that get addresses from it. Undefined when its CIDR is invalid. */
export function poolRoom(
  pool: IPPool,
  nodes: ReadonlySet<string>,
  allRooms: readonly BlockRoom[],
  { reservations }: IpamLists,
): PoolRoom | undefined {
  const cidr = parseCidr(pool.spec.cidr);
  if (cidr === undefined) return undefined;
  const { name } = pool.metadata;
  const blockSize = blockSizeOf(pool);
  const reserved = reservationCidrs(reservations);
  const made = newBlocks(cidr, blockSize, allRooms, reserved);
  const rooms = allRooms.filter((room) => room.pool === name && cidrContains(cidr, room.cidr.base));
  const own = rooms.filter(({ host }) => host !== undefined && nodes.has(host));
  const fits = (room: BlockRoom): boolean => room.cidr.prefix === blockSize;
  const all = sum(rooms, ({ free }) => free);
  const inOwn = sum(own, ({ free }) => free);
  return {
    capacity: {
      name,
      cidr: pool.spec.cidr,
      ipVersion: cidr.version,
      blockSize,
      mode: modeOf(pool),
      allowedUses: usesOf(pool),
      nodeSelector: pool.spec.nodeSelector || 'all()',
      nodes: nodes.size,
      total: cidrSize(cidr),
      reserved: IntervalSet.of(reserved).overlapCount(cidr),
      inUse: sum(rooms, ({ held }) => held),
      free: made.addresses + BigInt(all),
      freeInNewBlocks: made.addresses,
      freeInOwnBlocks: inOwn,
      freeElsewhere: all - inOwn,
      blocks: made.blocks,
      blocksMade: rooms.length,
      blocksFree: made.free,
      blocksPartlyUsed: rooms.filter(({ held, free }) => held > 0 && free > 0).length,
      borrowed: sum(rooms, ({ borrowers }) => [...borrowers.values()].reduce((total, count) => total + count, 0)),
    },
    borrowable: sum(rooms.filter(fits), ({ free }) => free),
    oddOwn: sum(
      own.filter((room) => !fits(room)),
      ({ free }) => free,
    ),
  };
}
