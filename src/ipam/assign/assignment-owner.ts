// For whom addresses are assigned: a node, or the virtual owner of LoadBalancer addresses.
// Rules: docs/reference/ipam.md#assigning-addresses.
import { nodeNotFound } from '../../resources/kinds/node.ts';
import type { Labels } from '../../resources/selector.ts';
import { CalictlError } from '../../world/errors.ts';
import type { BlockOwner } from '../affinity/claim-block.ts';
import type { Owner } from '../block/block.ts';
import { reservationOf } from '../block/windows-reserve.ts';
import type { IpamSettings } from '../config.ts';
import type { IpamStore } from '../ipam-store.ts';
import type { IntendedUse } from '../pool/pool-choice.ts';

/** The name of the virtual owner of all blocks with LoadBalancer addresses. */
export const loadBalancerName = 'load-balancer';

export interface AssignmentOwner extends BlockOwner {
  /** The labels that pool selectors see; a virtual owner has none. */
  readonly labels: Labels;
}

/** The owner of the blocks: virtual for LoadBalancer addresses, otherwise a node. */
export function ownerFor(use: IntendedUse, name: string): Owner {
  return { type: use === 'LoadBalancer' ? 'virtual' : 'host', name };
}

/** The owner with its labels, and what its new blocks reserve. Errors: CalictlError when the node does not exist. */
export async function assignmentOwnerOf(store: IpamStore, owner: Owner): Promise<AssignmentOwner> {
  if (owner.type === 'virtual') return { ...owner, labels: {} };
  const labels = await store.nodeLabels(owner.name);
  if (labels === undefined) throw nodeNotFound(owner.name);
  return { ...owner, labels, reservation: reservationOf(labels) };
}

/** Errors: CalictlError for a Windows node in a cluster where nodes borrow addresses, which Windows nodes cannot. */
export function checkBorrowing({ reservation }: AssignmentOwner, { strictAffinity }: IpamSettings): void {
  if (strictAffinity || reservation === undefined) return;
  throw new CalictlError('global strict affinity should not be false for Windows node', {
    code: 'IPAM_WINDOWS_AFFINITY',
    hint: 'a Windows node cannot use addresses from blocks of other nodes: set strictAffinity in the IPAMConfig',
  });
}
