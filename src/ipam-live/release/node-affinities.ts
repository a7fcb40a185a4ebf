// The block affinities of a node whose addresses are released: which there are, and giving them up once it is gone.
import { allClaims, giveUpBlock, isClaimOf } from '../../ipam/affinity/release-by-hand.ts';
import type { IpamStore } from '../../ipam/ipam-store.ts';
import type { NodeClaims, ReleaseOutcome } from '../../ipam/release/release-plan.ts';
import { appliedUnless, conflict } from '../../ipam/repair/repair-outcome.ts';
import type { CheckView } from '../../ipam-check/view/check-view.ts';
import { oneByOne } from '../sequential-steps.ts';

/** What the node claims; `released`: it is to be given up. */
export async function claimsOfNode(
  ipam: IpamStore,
  view: CheckView,
  node: string,
  released: boolean,
): Promise<NodeClaims> {
  const claims = (await allClaims(ipam)).filter((claim) => isClaimOf(claim, { type: 'host', name: node }));
  return { node, nodeExists: view.nodesByName.has(node), claims, released };
}

/** Gives up claims on blocks that are empty now, one after the other, each only while the node does not exist. */
export async function giveUpClaims(
  ipam: IpamStore,
  nodeClaims: NodeClaims | undefined,
  signal: AbortSignal,
): Promise<ReleaseOutcome[]> {
  if (!nodeClaims?.released) return [];
  return oneByOne(
    nodeClaims.claims,
    ({ cidr }) => cidr,
    async (claim) => {
      if ((await ipam.nodeLabels(nodeClaims.node)) !== undefined) return conflict('the node exists by now');
      return appliedUnless(await giveUpBlock(ipam, claim, { mustBeEmpty: true }));
    },
    signal,
  );
}
