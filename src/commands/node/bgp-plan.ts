// What node status and node bgp read from the datastore: who should peer with whom, and whether any pool needs BGP.

import { isBgpNeeded } from '../../bgp/bgp-need.ts';
import { type BgpPlan, desiredSessions } from '../../bgp/desired-sessions.ts';
import type { StatusCircumstances } from '../../bgp/node-status.ts';
import { type Datastore, listAll } from '../../datastore/datastore.ts';
import type { UnreadKind } from '../../node-state/unreached.ts';
import { type BGPConfiguration, bgpConfiguration } from '../../resources/kinds/bgp-configuration.ts';
import { bgpPeer } from '../../resources/kinds/bgp-peer.ts';
import { type IPPool, ipPool } from '../../resources/kinds/ip-pool.ts';
import { calicoNode } from '../../resources/kinds/node.ts';
import type { CoreNode } from '../../resources/kinds/node-fields.ts';
import { listUnlessRefused } from './network-objects.ts';

export interface PlannedBgp extends StatusCircumstances {
  readonly nodes: readonly CoreNode[];
  readonly pools: readonly IPPool[];
  readonly bgpConfigurations: readonly BGPConfiguration[];
  readonly plan: BgpPlan;
}

/** Kinds other than Node that may not be read are `refused`. Errors: those of the store. */
export async function plannedBgp(store: Datastore, signal: AbortSignal): Promise<PlannedBgp> {
  const options = { signal, mode: 'scan' } as const;
  const refused: UnreadKind[] = [];
  const [nodes, bgpPeers, bgpConfigurations, pools] = await Promise.all([
    listAll(store, calicoNode, options),
    listUnlessRefused(store, bgpPeer, options, refused),
    listUnlessRefused(store, bgpConfiguration, options, refused),
    listUnlessRefused(store, ipPool, options, refused),
  ]);
  const plan = desiredSessions({ nodes, bgpPeers, bgpConfigurations });
  const missing = [
    ...(bgpPeers.length === 0 ? [bgpPeer.kind] : []),
    ...(bgpConfigurations.length === 0 ? [bgpConfiguration.kind] : []),
  ];
  const speakers = {
    any: plan.nodes.some(({ address }) => address[4] !== undefined || address[6] !== undefined),
    byPeer: plan.sessions.some(({ type }) => type !== 'mesh'),
  };
  // Whether pools need BGP is not known without them: then no node is reported as lacking it.
  const bgpNeeded = !refused.some(({ kind }) => kind === ipPool.kind) && isBgpNeeded(pools, speakers);
  return { nodes, pools, bgpConfigurations, plan, bgpNeeded, refused, missing: store.type === 'folder' ? missing : [] };
}
