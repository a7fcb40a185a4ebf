// What node status and node bgp read from the datastore: who should peer with whom, and whether any pool needs BGP.

import { isBgpNeeded } from '../../bgp/bgp-need.ts';
import { type BgpPlan, desiredSessions } from '../../bgp/desired-sessions.ts';
import { type Datastore, listAll } from '../../datastore/datastore.ts';
import { bgpConfiguration } from '../../resources/kinds/bgp-configuration.ts';
import { bgpPeer } from '../../resources/kinds/bgp-peer.ts';
import { ipPool } from '../../resources/kinds/ip-pool.ts';
import { calicoNode } from '../../resources/kinds/node.ts';
import type { CoreNode } from '../../resources/kinds/node-fields.ts';

export interface PlannedBgp {
  readonly nodes: readonly CoreNode[];
  readonly plan: BgpPlan;
  /** True when BGP carries the routes of some pool; also when there are no pools. */
  readonly bgpNeeded: boolean;
}

/** Errors: those of the store. */
export async function plannedBgp(store: Datastore, signal: AbortSignal): Promise<PlannedBgp> {
  const [nodes, bgpPeers, bgpConfigurations, pools] = await Promise.all([
    listAll(store, calicoNode, { signal, mode: 'scan' }),
    listAll(store, bgpPeer, { signal, mode: 'scan' }),
    listAll(store, bgpConfiguration, { signal, mode: 'scan' }),
    listAll(store, ipPool, { signal, mode: 'scan' }),
  ]);
  const plan = desiredSessions({ nodes, bgpPeers, bgpConfigurations });
  return { nodes, plan, bgpNeeded: isBgpNeeded(pools) };
}
