// The block affinities of a node whose addresses are released: which there are, and their release when the node is gone.
import { allAffinities, isAffinityOf, releaseUntilSettled } from '../../ipam/affinity/release-by-hand.ts';
import type { IpamStore } from '../../ipam/ipam-store.ts';
import type { NodeAffinities, ReleaseOutcome } from '../../ipam/release/release-plan.ts';
import { appliedUnless, conflict } from '../../ipam/repair/repair-outcome.ts';
import type { CheckView } from '../../ipam-check/view/check-view.ts';
import { runInOrder } from '../sequential-steps.ts';

/** The affinities of the node; `released`: they are to be released too. */
export async function affinitiesOfNode(
  ipam: IpamStore,
  view: CheckView,
  node: string,
  released: boolean,
): Promise<NodeAffinities> {
  const affinities = (await allAffinities(ipam)).filter((affinity) =>
    isAffinityOf(affinity, { type: 'host', name: node }),
  );
  return { node, nodeExists: view.nodeExists(node), affinities, released };
}

/** Releases the affinities for blocks that are empty by now, one after the other, each only while the node does not exist. */
export async function releaseNodeAffinities(
  ipam: IpamStore,
  nodeAffinities: NodeAffinities | undefined,
  signal: AbortSignal,
): Promise<ReleaseOutcome[]> {
  if (!nodeAffinities?.released) return [];
  return runInOrder(
    nodeAffinities.affinities,
    ({ cidr }) => cidr,
    async (affinity) => {
      if ((await ipam.nodeLabels(nodeAffinities.node)) !== undefined) return conflict('the node exists again');
      return appliedUnless(await releaseUntilSettled(ipam, affinity, { mustBeEmpty: true }));
    },
    signal,
  );
}
