// For whom addresses are assigned: a node, or the virtual owner of the addresses of load balancers.
// Rules: docs/reference/ipam.md#assigning-addresses.

import type { Labels } from '../../resources/selector.ts';
import { CalictlError } from '../../world/errors.ts';
import type { BlockOwner } from '../affinity/claim-block.ts';
import type { Owner } from '../block/block.ts';
import { reservationOf } from '../block/windows-reserve.ts';
import type { IpamSettings } from '../config.ts';
import type { IpamStore } from '../ipam-store.ts';
import type { IntendedUse } from '../pool/pool-choice.ts';

/** The name of the virtual owner of all blocks that load balancers have addresses of. */
export const loadBalancerName = 'load-balancer';

export interface AssignmentOwner extends BlockOwner {
  /** What selectors of pools see; a virtual owner has none. */
  readonly labels: Labels;
}

/** The owner of the blocks: virtual for load balancers, a node for all else. */
export function ownerFor(use: IntendedUse, name: string): Owner {
  return { type: use === 'LoadBalancer' ? 'virtual' : 'host', name };
}

/** The owner with its labels, and what its new blocks keep back. Errors: CalictlError when there is no such node. */
export async function assignmentOwnerOf(store: IpamStore, owner: Owner): Promise<AssignmentOwner> {
  if (owner.type === 'virtual') return { ...owner, labels: {} };
  const labels = await store.nodeLabels(owner.name);
  if (labels === undefined) {
    throw new CalictlError(`node ${owner.name} does not exist`, {
      code: 'NODE_NOT_FOUND',
      hint: 'calictl get nodes shows the nodes that Calico knows',
    });
  }
  return { ...owner, labels, reservation: reservationOf(labels) };
}

/** Errors: CalictlError for a Windows node in a cluster where nodes borrow addresses, which it cannot. */
export function checkBorrowing({ reservation }: AssignmentOwner, { strictAffinity }: IpamSettings): void {
  if (strictAffinity || reservation === undefined) return;
  throw new CalictlError('global strict affinity should not be false for Windows node', {
    code: 'IPAM_WINDOWS_AFFINITY',
    hint: 'a Windows node cannot use addresses of the blocks of others: set strictAffinity in the IPAMConfig',
  });
}
