// Pools: which are enabled, which one contains an address, and which of its blocks. Rules: docs/reference/ipam.md#pools.

import { type Cidr, cidrContains, formatCidr, networkOf, parseCidr, parseCidrOrIp } from '../../net/cidr.ts';
import { IntervalSet } from '../../net/interval-set.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPReservation } from '../../resources/kinds/ip-reservation.ts';
import { isObject } from '../../text/plain-values.ts';
import { isNumber } from '../../text/scalars.ts';
import { CalictlError } from '../../world/errors.ts';

/** True for a pool that is neither disabled nor being deleted. */
export function isEnabled(pool: IPPool): boolean {
  return pool.spec.disabled !== true && !pool.metadata.deletionTimestamp;
}

/**
 * True when addresses may be assigned from the pool: it is enabled, and Calico's controller does not say otherwise. In
 * projectcalico.org/v3 that does so with the condition Allocatable, for example for the second of two overlapping pools.
 */
export function isAllocatable(pool: IPPool): boolean {
  return isEnabled(pool) && notAllocatable(pool) === undefined;
}

/** Why the controller keeps addresses from being assigned from the pool: its message; undefined when it does not. */
function notAllocatable({ status }: IPPool): string | undefined {
  const conditions: unknown = status?.conditions;
  if (!Array.isArray(conditions)) return undefined;
  const found = conditions.find((one) => isObject(one) && one['type'] === 'Allocatable' && one['status'] === 'False');
  return found === undefined ? undefined : String(found['message'] || found['reason'] || 'not allocatable');
}

/** True when addresses are assigned from the pool without it being requested. */
export function assignsAutomatically(pool: IPPool): boolean {
  return (pool.spec.assignmentMode || 'Automatic') === 'Automatic';
}

/** Prefix length of the pool's blocks: Calico's default where none is set, or where what is set is not a number. */
export function blockSizeOf(pool: IPPool): number {
  const stored: unknown = pool.spec.blockSize;
  const size = isNumber(stored) ? Number(stored) : 0;
  return size !== 0 ? size : pool.spec.cidr.includes(':') ? 122 : 26;
}

/** What addresses of the pool are for: Calico's default where nothing is set. Entries that are not text are left out. */
export function usesOf(pool: IPPool): readonly string[] {
  const stored: unknown = pool.spec.allowedUses;
  const uses = Array.isArray(stored) ? stored.filter((use) => typeof use === 'string') : [];
  return uses.length > 0 ? uses : ['Workload', 'Tunnel'];
}

/** The prefix lengths that blocks can have, shortest first. */
export function blockSizeLimits(version: 4 | 6): readonly [shortest: number, longest: number] {
  return version === 4 ? [20, 32] : [116, 128];
}

/** True when blocks of this size are ones that Calico can use: a prefix length within the limits. */
export function isBlockSize(version: 4 | 6, size: number): boolean {
  const [shortest, longest] = blockSizeLimits(version);
  return Number.isInteger(size) && size >= shortest && size <= longest;
}

/** Why no block of the pool can be created; undefined when its block size is supported. */
export function blockSizeProblem(version: 4 | 6, size: number): string | undefined {
  if (isBlockSize(version, size)) return undefined;
  const [shortest, longest] = blockSizeLimits(version);
  return `block size ${size} is not supported: blocks of IPv${version} pools are /${shortest} to /${longest}`;
}

/** Errors: CalictlError for a pool whose block size Calico does not support, before anything of its blocks is computed. */
export function requireBlockSize(pool: IPPool): void {
  const problem = blockSizeProblem(pool.spec.cidr.includes(':') ? 6 : 4, blockSizeOf(pool));
  if (problem === undefined) return;
  throw new CalictlError(`cannot create blocks in pool ${pool.metadata.name}: ${problem}`, {
    code: 'BLOCK_SIZE_UNSUPPORTED',
    hint: 'the block size of a pool cannot be changed: create another pool, and disable this one',
  });
}

/** The pool that a person names: by name, or by CIDR in any spelling. */
export function poolNamed(pools: readonly IPPool[], text: string): IPPool | undefined {
  const named = pools.find(({ metadata }) => metadata.name === text);
  const cidr = parseCidr(text);
  if (named !== undefined || cidr === undefined) return named;
  return pools.find(({ spec }) => {
    const own = parseCidr(spec.cidr);
    return own !== undefined && formatCidr(own) === formatCidr(cidr);
  });
}

/** The error for a named pool that does not exist. */
export function unknownPool(text: string): CalictlError {
  return new CalictlError(`pool ${text} does not exist`, {
    code: 'NO_POOL',
    hint: 'calictl get ippools lists the pools; use a name or a CIDR',
  });
}

/** The first of the pools that contains the address. */
export function poolOf(pools: readonly IPPool[], ip: IpAddress): IPPool | undefined {
  return pools.find((pool) => {
    const cidr = parseCidr(pool.spec.cidr);
    return cidr !== undefined && cidrContains(cidr, ip);
  });
}

/** The block of the pool that contains an address, whether the block exists or not. */
export function blockCidrIn(pool: IPPool, ip: IpAddress): Cidr {
  return networkOf(ip, blockSizeOf(pool));
}

/** The reserved CIDRs; invalid entries are left out. */
export function reservationCidrs(reservations: readonly IPReservation[]): Cidr[] {
  return reservations
    .flatMap((reservation) => reservation.spec.reservedCIDRs ?? [])
    .map((text) => parseCidrOrIp(text.trim()))
    .filter((cidr) => cidr !== undefined);
}

/** All addresses that are kept from automatic assignment. */
export function reservedAddresses(reservations: readonly IPReservation[]): IntervalSet {
  return IntervalSet.of(reservationCidrs(reservations));
}
