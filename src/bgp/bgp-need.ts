// Whether a cluster needs BGP at all, by its pools.
import { isEnabled } from '../ipam/pool/pools.ts';
import { withDefaults } from '../resources/defaults.ts';
import { type IPPool, ipPool } from '../resources/kinds/ip-pool.ts';

/** Felix alone programs the routes of VXLAN pools; those of all others go by BGP. */
function needsBgp(pool: IPPool): boolean {
  const { vxlanMode, allowedUses = [] } = withDefaults(ipPool, pool).spec;
  return isEnabled(pool) && vxlanMode === 'Never' && allowedUses.some((use) => use !== 'LoadBalancer');
}

/**
 * True when BGP carries the routes of some enabled pool. Without any pool it may still announce pod CIDRs, where nodes
 * have addresses for it: `hasSessions`.
 */
export function isBgpNeeded(pools: readonly IPPool[], hasSessions: boolean): boolean {
  return pools.length === 0 ? hasSessions : pools.some(needsBgp);
}
