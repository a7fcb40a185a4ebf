// Lookups in many networks at once by binary search: IntervalSet is their union, CidrIndex finds the entries that contain
// an address or a network.
import { bitsOf, type Cidr, cidrContains, cidrCovers, cidrSize, compareCidr, lastAddress } from './cidr.ts';
import type { IpAddress } from './ip.ts';

/** How many of the ascending values are at most `limit`. */
function countUpTo<N extends number | bigint>(values: readonly N[], limit: N): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as N) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Disjoint intervals of one version in ascending order, both ends included. */
interface Intervals<N extends number | bigint> {
  readonly starts: N[];
  readonly ends: N[];
}

function push<N extends number | bigint>(intervals: Intervals<N>, start: N, end: N): void {
  const last = intervals.ends.length - 1;
  const lastEnd = intervals.ends[last];
  // Bases come in ascending order and networks are nested or disjoint; one that touches the last interval extends it.
  if (lastEnd !== undefined && BigInt(start) <= BigInt(lastEnd) + 1n) {
    if (end > lastEnd) intervals.ends[last] = end;
    return;
  }
  intervals.starts.push(start);
  intervals.ends.push(end);
}

/** Index of the interval that contains the value, or -1. */
function indexIn<N extends number | bigint>(intervals: Intervals<N>, value: N): number {
  const index = countUpTo(intervals.starts, value) - 1;
  return index >= 0 && (intervals.ends[index] as N) >= value ? index : -1;
}

function overlapsRange<N extends number | bigint>(intervals: Intervals<N>, start: N, end: N): boolean {
  const index = countUpTo(intervals.starts, end) - 1;
  return index >= 0 && (intervals.ends[index] as N) >= start;
}

function coversRange<N extends number | bigint>(intervals: Intervals<N>, start: N, end: N): boolean {
  const index = indexIn(intervals, start);
  return index >= 0 && (intervals.ends[index] as N) >= end;
}

function countInRange<N extends number | bigint>(intervals: Intervals<N>, start: N, end: N): bigint {
  let count = 0n;
  for (let i = Math.max(0, countUpTo(intervals.starts, start) - 1); i < intervals.starts.length; i++) {
    const from = intervals.starts[i] as N;
    const to = intervals.ends[i] as N;
    if (from > end) break;
    if (to < start) continue;
    count += BigInt(to < end ? to : end) - BigInt(from > start ? from : start) + 1n;
  }
  return count;
}

/** Number of aligned networks of `size` addresses, between two addresses, that the intervals cover completely. */
function wholeInRange<N extends number | bigint>(intervals: Intervals<N>, start: N, end: N, size: bigint): bigint {
  let count = 0n;
  for (let i = Math.max(0, countUpTo(intervals.starts, start) - 1); i < intervals.starts.length; i++) {
    const from = intervals.starts[i] as N;
    const to = intervals.ends[i] as N;
    if (from > end) break;
    const first = (BigInt(from > start ? from : start) + size - 1n) / size;
    const after = (BigInt(to < end ? to : end) + 1n) / size;
    if (after > first) count += after - first;
  }
  return count;
}

/** The union of networks. */
export class IntervalSet {
  readonly #v4: Intervals<number> = { starts: [], ends: [] };
  readonly #v6: Intervals<bigint> = { starts: [], ends: [] };

  static of(cidrs: Iterable<Cidr>): IntervalSet {
    const set = new IntervalSet();
    for (const cidr of [...cidrs].sort(compareCidr)) {
      const last = lastAddress(cidr);
      if (cidr.base.version === 4) push(set.#v4, cidr.base.value, last.value as number);
      else push(set.#v6, cidr.base.value, last.value as bigint);
    }
    return set;
  }

  /** True when the address is in one of the networks. */
  contains(ip: IpAddress): boolean {
    return ip.version === 4 ? indexIn(this.#v4, ip.value) >= 0 : indexIn(this.#v6, ip.value) >= 0;
  }

  /** True when some address of the network is in the union. */
  overlaps(cidr: Cidr): boolean {
    const last = lastAddress(cidr);
    return cidr.base.version === 4
      ? overlapsRange(this.#v4, cidr.base.value, last.value as number)
      : overlapsRange(this.#v6, cidr.base.value, last.value as bigint);
  }

  /** True when every address of the network is in the union. */
  covers(cidr: Cidr): boolean {
    const last = lastAddress(cidr);
    return cidr.base.version === 4
      ? coversRange(this.#v4, cidr.base.value, last.value as number)
      : coversRange(this.#v6, cidr.base.value, last.value as bigint);
  }

  /** Number of addresses of the network that are in the union. */
  overlapCount(cidr: Cidr): bigint {
    if (this.covers(cidr)) return cidrSize(cidr);
    const last = lastAddress(cidr);
    return cidr.base.version === 4
      ? countInRange(this.#v4, cidr.base.value, last.value as number)
      : countInRange(this.#v6, cidr.base.value, last.value as bigint);
  }

  /** Of the networks into which a prefix length (not shorter than its own) divides a network, the number that are covered. */
  coveredNetworks(cidr: Cidr, prefix: number): bigint {
    const size = 1n << BigInt(bitsOf(cidr.version) - prefix);
    const last = lastAddress(cidr);
    return cidr.base.version === 4
      ? wholeInRange(this.#v4, cidr.base.value, last.value as number, size)
      : wholeInRange(this.#v6, cidr.base.value, last.value as bigint, size);
  }
}

export interface CidrEntry<T> {
  readonly cidr: Cidr;
  readonly value: T;
}

/** An entry with the position of the narrowest entry before it that covers it, -1 for none. */
interface Placed<T> {
  readonly entry: CidrEntry<T>;
  readonly parent: number;
}

/**
 * Values by network. Networks are nested or disjoint: sorted by base and prefix length, the last one that begins at or
 * before an address either contains it, or has all networks that do among its parents.
 */
export class CidrIndex<T> {
  readonly #placed: readonly Placed<T>[];
  readonly #v4Bases: readonly number[];
  readonly #v6Bases: readonly bigint[];

  constructor(entries: Iterable<CidrEntry<T>>) {
    // Reversed before a stable sort, so that of equal networks the first one given is found first on the way up.
    const sorted = [...entries].reverse().sort((a, b) => compareCidr(a.cidr, b.cidr));
    const placed: Placed<T>[] = [];
    const v4Bases: number[] = [];
    const v6Bases: bigint[] = [];
    let parent = -1;
    for (const entry of sorted) {
      while (parent >= 0 && !cidrCovers((placed[parent] as Placed<T>).entry.cidr, entry.cidr)) {
        parent = (placed[parent] as Placed<T>).parent;
      }
      placed.push({ entry, parent });
      parent = placed.length - 1;
      if (entry.cidr.base.version === 4) v4Bases.push(entry.cidr.base.value);
      else v6Bases.push(entry.cidr.base.value);
    }
    this.#placed = placed;
    this.#v4Bases = v4Bases;
    this.#v6Bases = v6Bases;
  }

  get size(): number {
    return this.#placed.length;
  }

  /** Position of the last entry of the version whose base is at most the address, -1 for none. */
  #lastUpTo(ip: IpAddress): number {
    if (ip.version === 4) return countUpTo(this.#v4Bases, ip.value) - 1;
    const count = countUpTo(this.#v6Bases, ip.value);
    return count === 0 ? -1 : this.#v4Bases.length + count - 1;
  }

  /** The value of the narrowest network that the address is in; of equal networks, the one given first. */
  find(ip: IpAddress): T | undefined {
    let at = this.#lastUpTo(ip);
    while (at >= 0) {
      const { entry, parent } = this.#placed[at] as Placed<T>;
      if (cidrContains(entry.cidr, ip)) return entry.value;
      at = parent;
    }
    return undefined;
  }

  /** The values of all networks that the address is in, the narrowest first. */
  findAll(ip: IpAddress): T[] {
    return this.#upwards(this.#lastUpTo(ip), (cidr) => cidrContains(cidr, ip));
  }

  /** The values of all networks that cover the given one (itself among them), the narrowest first. */
  findCovering(cidr: Cidr): T[] {
    return this.#upwards(this.#lastUpTo(cidr.base), (outer) => cidrCovers(outer, cidr));
  }

  /** Pairs of entries whose networks overlap, the wider (of equals: the one given later) first. */
  overlapping(): (readonly [CidrEntry<T>, CidrEntry<T>])[] {
    const pairs: (readonly [CidrEntry<T>, CidrEntry<T>])[] = [];
    for (const { entry, parent } of this.#placed) {
      for (let at = parent; at >= 0; at = (this.#placed[at] as Placed<T>).parent) {
        pairs.push([(this.#placed[at] as Placed<T>).entry, entry]);
      }
    }
    return pairs;
  }

  #upwards(from: number, holds: (cidr: Cidr) => boolean): T[] {
    const found: T[] = [];
    for (let at = from; at >= 0; at = (this.#placed[at] as Placed<T>).parent) {
      const { entry } = this.#placed[at] as Placed<T>;
      if (holds(entry.cidr)) found.push(entry.value);
    }
    return found;
  }
}
