// Whether a cluster needs BGP at all, by its pools.
import { isEnabled } from '../ipam/pool/pools.ts';
import { withDefaults } from '../resources/defaults.ts';
import { type IPPool, ipPool } from '../resources/kinds/ip-pool.ts';

/** Felix alone programs the routes of VXLAN pools; those of all others go by BGP. */
function needsBgp(pool: IPPool): boolean {
  return isEnabled(pool) && withDefaults(ipPool, pool).spec.vxlanMode === 'Never';
}

/** True when BGP carries the routes of some enabled pool, and when there are no pools yet. */
export function isBgpNeeded(pools: readonly IPPool[]): boolean {
  return pools.length === 0 || pools.some(needsBgp);
}
