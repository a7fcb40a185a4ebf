// What node routes and node verify read from the datastore: everything that routes, tunnels and wiring follow from.
import type { NetworkObjects } from '../../datapath/expected/read-network.ts';
import { type Datastore, listAll } from '../../datastore/datastore.ts';
import { refuseMalformedBlocks } from '../../datastore/malformed.ts';
import { bgpConfiguration } from '../../resources/kinds/bgp-configuration.ts';
import { blockAffinity } from '../../resources/kinds/block-affinity.ts';
import { felixConfiguration } from '../../resources/kinds/felix-configuration.ts';
import { ipPool } from '../../resources/kinds/ip-pool.ts';
import { ipamBlock } from '../../resources/kinds/ipam-block.ts';
import { calicoNode } from '../../resources/kinds/node.ts';
import { pod } from '../../resources/kinds/pod.ts';

/** Errors: those of the store; CalictlError for a block whose fields cannot be read. */
export async function networkObjects(store: Datastore, signal: AbortSignal): Promise<NetworkObjects> {
  const options = { signal, mode: 'scan' } as const;
  const [nodes, pools, blocks, affinities, pods, felixConfigurations, bgpConfigurations] = await Promise.all([
    listAll(store, calicoNode, options),
    listAll(store, ipPool, options),
    listAll(store, ipamBlock, options),
    listAll(store, blockAffinity, options),
    listAll(store, pod, options),
    listAll(store, felixConfiguration, options),
    listAll(store, bgpConfiguration, options),
  ]);
  refuseMalformedBlocks(blocks);
  return { nodes, pools, blocks, affinities, pods, felixConfigurations, bgpConfigurations };
}
