// What node routes and node verify read from the datastore: everything that routes, tunnels and wiring follow from.

import type { NetworkObjects } from '../../datapath/expected/read-network.ts';
import { type Datastore, DatastoreError, type ListOptions, listAll } from '../../datastore/datastore.ts';
import { refuseMalformedBlocks } from '../../datastore/malformed.ts';
import type { UnreadKind } from '../../node-state/unreached.ts';
import type { Kind } from '../../resources/kind.ts';
import { bgpConfiguration } from '../../resources/kinds/bgp-configuration.ts';
import { blockAffinity } from '../../resources/kinds/block-affinity.ts';
import { felixConfiguration } from '../../resources/kinds/felix-configuration.ts';
import { ipPool } from '../../resources/kinds/ip-pool.ts';
import { ipamBlock } from '../../resources/kinds/ipam-block.ts';
import { calicoNode } from '../../resources/kinds/node.ts';
import { pod } from '../../resources/kinds/pod.ts';
import type { KubeObject } from '../../resources/object.ts';

export interface ReadObjects {
  readonly objects: NetworkObjects;
  /** Kinds that may not be read, or that the server does not have. */
  readonly refused: readonly UnreadKind[];
}

/** The objects of a kind; none, and the kind among those `refused`, when it may not be read or does not exist. */
export async function listUnlessRefused<K extends KubeObject>(
  store: Datastore,
  kind: Kind<K>,
  options: ListOptions,
  refused: UnreadKind[],
): Promise<readonly K[]> {
  try {
    return await listAll(store, kind, options);
  } catch (error) {
    const isRefused = error instanceof DatastoreError && (error.reason === 'unauthorized' || error.missingKind);
    if (!isRefused) throw error;
    refused.push({ kind: kind.kind, reason: error.message });
    return [];
  }
}

/**
 * Objects may be a moment old, unless `current` is set. Kinds other than Node that may not be read are `refused`, and what rests on them is not judged.
 * Errors: those of the store; CalictlError for a block whose fields cannot be read.
 */
export async function networkObjects(
  store: Datastore,
  signal: AbortSignal,
  { current }: Pick<ListOptions, 'current'> = {},
): Promise<ReadObjects> {
  const options = { signal, mode: 'scan', ...(current === undefined ? {} : { current }) } as const;
  const refused: UnreadKind[] = [];
  const list = <K extends KubeObject>(kind: Kind<K>): Promise<readonly K[]> =>
    listUnlessRefused(store, kind, options, refused);
  const [nodes, pools, blocks, affinities, pods, felixConfigurations, bgpConfigurations] = await Promise.all([
    listAll(store, calicoNode, options),
    list(ipPool),
    list(ipamBlock),
    list(blockAffinity),
    list(pod),
    list(felixConfiguration),
    list(bgpConfiguration),
  ]);
  refuseMalformedBlocks(blocks);
  const objects = { nodes, pools, blocks, affinities, pods, felixConfigurations, bgpConfigurations };
  return { objects, refused: refused.sort((a, b) => (a.kind < b.kind ? -1 : 1)) };
}
