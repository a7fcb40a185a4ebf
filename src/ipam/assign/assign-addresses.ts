// Assigns addresses of both families in one call, as for a dual-stack pod.
// Rules: docs/reference/ipam.md#both-families. One family is auto-assign.ts.
import type { Cidr } from '../../net/cidr.ts';
import type { IpamStore } from '../ipam-store.ts';
import type { AllocatorWorld } from '../retries.ts';
import { type Assignment, type AssignRequest, autoAssign } from './auto-assign.ts';

export interface FamilyRequest {
  readonly count: number;
  /** Pools to assign from, by CIDR; if none, those that select the node and the namespace. */
  readonly pools?: readonly Cidr[];
}

export interface AddressesRequest extends Omit<AssignRequest, 'version' | 'count' | 'pools'> {
  readonly ipv4?: FamilyRequest | undefined;
  readonly ipv6?: FamilyRequest | undefined;
}

export interface Addresses {
  /** One per family that was tried, IPv4 first. */
  readonly assignments: readonly Assignment[];
  /** What ended it early; the addresses in the assignments stay assigned. */
  readonly error?: Error | undefined;
}

/**
 * IPv4 first. An error there ends it; an error of IPv6 leaves the IPv4 addresses assigned, and the caller releases them if
 * it cannot use one family alone. Fewer addresses than requested are not an error.
 * Errors: those of autoAssign for the first family; those of the second are part of the result.
 */
export async function assignAddresses(
  store: IpamStore,
  request: AddressesRequest,
  world: AllocatorWorld,
): Promise<Addresses> {
  const { ipv4, ipv6, ...both } = request;
  const assignments: Assignment[] = [];
  for (const [version, family] of [[4, ipv4] as const, [6, ipv6] as const]) {
    if (family === undefined || family.count === 0) continue;
    try {
      const assignment = await autoAssign(store, { ...both, ...family, version }, world);
      assignments.push(assignment);
      if (assignment.error !== undefined) return { assignments, error: assignment.error };
    } catch (error) {
      if (assignments.length === 0) throw error;
      return { assignments, error: error instanceof Error ? error : new Error(String(error)) };
    }
  }
  return { assignments };
}
