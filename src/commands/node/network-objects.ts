// What node routes and node verify read from the datastore: everything that routes, tunnels and wiring follow from.
import type { NetworkObjects } from '../../datapath/expected/read-network.ts';
import { type Datastore, listAll } from '../../datastore/datastore.ts';

/** Errors: those of the store; CalictlError for a block whose fields cannot be read. */
export async function networkObjects(store: Datastore, signal: AbortSignal): Promise<NetworkObjects> {
  const [nodeKind, poolKind, blockKind, affinityKind, podKind, felixKind, bgpKind, { refuseMalformedBlocks }] =
    await Promise.all([
      import('../../resources/kinds/node.ts'),
      import('../../resources/kinds/ip-pool.ts'),
      import('../../resources/kinds/ipam-block.ts'),
      import('../../resources/kinds/block-affinity.ts'),
      import('../../resources/kinds/pod.ts'),
      import('../../resources/kinds/felix-configuration.ts'),
      import('../../resources/kinds/bgp-configuration.ts'),
      import('../../datastore/malformed.ts'),
    ]);
  const options = { signal, mode: 'scan' } as const;
  const [nodes, pools, blocks, affinities, pods, felixConfigurations, bgpConfigurations] = await Promise.all([
    listAll(store, nodeKind.calicoNode, options),
    listAll(store, poolKind.ipPool, options),
    listAll(store, blockKind.ipamBlock, options),
    listAll(store, affinityKind.blockAffinity, options),
    listAll(store, podKind.pod, options),
    listAll(store, felixKind.felixConfiguration, options),
    listAll(store, bgpKind.bgpConfiguration, options),
  ]);
  refuseMalformedBlocks(blocks);
  return { nodes, pools, blocks, affinities, pods, felixConfigurations, bgpConfigurations };
}
