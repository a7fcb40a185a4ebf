// Whether a cluster needs BGP at all, by its pools.
import { isEnabled } from '../ipam/pool/pools.ts';
import { withDefaults } from '../resources/defaults.ts';
import { type IPPool, ipPool } from '../resources/kinds/ip-pool.ts';

/** Felix alone programs the routes of VXLAN pools; those of all others go by BGP. */
function needsBgp(pool: IPPool): boolean {
  const { vxlanMode, allowedUses = [] } = withDefaults(ipPool, pool).spec;
  return isEnabled(pool) && vxlanMode === 'Never' && allowedUses.some((use) => use !== 'LoadBalancer');
}

/** What nodes and BGPPeers say of it. */
export interface Speakers {
  /** Some node has an address for BGP. */
  readonly any: boolean;
  /** Some BGPPeer makes a session. */
  readonly byPeer: boolean;
}

/**
 * True when BGP carries the routes of some enabled pool. Without any pool only BGPPeers show that it is wanted, and nodes
 * without an address for it, as where Calico does policy only, never take part.
 */
export function isBgpNeeded(pools: readonly IPPool[], { any, byPeer }: Speakers): boolean {
  return any && (pools.length === 0 ? byPeer : pools.some(needsBgp));
}
