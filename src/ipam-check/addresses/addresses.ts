// Judges addresses: every allocation by the owner that it names, every address in use by its allocation.

import type { Judgement } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { type AddressUsers, describeUser } from '../view/address-users.ts';
import type { Allocation } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import { useJudgements } from './address-use.ts';
import { hasLiveContainer, isMachine, judgeAllocation } from './allocation-fault.ts';
import { judgePodAllocation, judgeStoppedMachine, namedPod } from './pod-allocations.ts';
import { judgeServiceAllocation, namedService } from './service-allocations.ts';
import { judgeRecordedTunnels, judgeTunnelAllocation, type NamedTunnel, namedTunnel } from './tunnel-allocations.ts';

/** INV-11, INV-44, INV-50, INV-51 and INV-53 to INV-63, one finding per fault. */
export function addressJudgements(view: CheckView, addressUsers: AddressUsers): Judgement[] {
  const judgements: Judgement[] = [];
  const tunnels: { readonly allocation: Allocation; readonly named: NamedTunnel }[] = [];
  /** Nodes with an allocation of a pod that stays. */
  const holding = new Set<string>();
  for (const allocation of view.allocations) {
    if (allocation.windowsReserved || allocation.attributeMissing || allocation.cooling) continue;
    const tunnel = namedTunnel(allocation);
    if (tunnel !== undefined) {
      tunnels.push({ allocation, named: tunnel });
      continue;
    }
    const { node } = allocation.attributes;
    if (view.isOfMissingNamespace(allocation)) {
      if (node) holding.add(node);
      continue;
    }
    const judgement = withoutHandle(view, addressUsers, allocation, judgeOwned(view, addressUsers, allocation));
    if (judgement !== undefined) judgements.push(judgement);
    if (node && !isReleased(judgement)) holding.add(node);
  }
  for (const { allocation, named } of tunnels) {
    const judged = judgeTunnelAllocation(view, addressUsers, allocation, named, (node) => holding.has(node));
    const judgement = withoutHandle(view, addressUsers, allocation, judged);
    if (judgement !== undefined) judgements.push(judgement);
  }
  judgements.push(...judgeRecordedTunnels(view, addressUsers));
  const shared = judgements.filter(({ finding }) => finding.also.includes('INV-56'));
  const alreadyShared = new Set(shared.map(({ finding }) => finding.address ?? ''));
  judgements.push(...useJudgements(view, addressUsers, alreadyShared));
  return judgements;
}

function judgeOwned(view: CheckView, addressUsers: AddressUsers, allocation: Allocation): Judgement | undefined {
  const pod = namedPod(allocation);
  if (pod !== undefined) return judgePodAllocation(view, addressUsers, allocation, pod);
  const service = namedService(allocation);
  if (service !== undefined) return judgeServiceAllocation(view, addressUsers, allocation, service);
  if (isMachine(allocation)) return judgeStoppedMachine(view, addressUsers, allocation, undefined);
  return judgeOwnerless(view, addressUsers, allocation);
}

/**
 * INV-11: added to what else is wrong with the allocation, otherwise a finding of its own. Tunnel addresses of old
 * releases have no handle, which is harmless.
 */
function withoutHandle(
  view: CheckView,
  addressUsers: AddressUsers,
  allocation: Allocation,
  judgement: Judgement | undefined,
): Judgement | undefined {
  if (allocation.handle !== undefined) return judgement;
  const fact = 'it has no handle, so only a release by address frees it';
  if (judgement !== undefined) {
    const { finding } = judgement;
    const also: InvariantId[] = [...finding.also, 'INV-11'];
    return { ...judgement, finding: { ...finding, also, evidence: [...finding.evidence, fact] } };
  }
  const users = addressUsers.of(allocation.ip);
  const legacyTunnel = namedTunnel(allocation) !== undefined || users.some((user) => user.kind === 'Node');
  return judgeAllocation(view, {
    allocation,
    broken: ['INV-11'],
    evidence: [fact, ...users.map((user) => `${describeUser(user)} has the address`)],
    ...(legacyTunnel && { severity: 'info' }),
  });
}

/** An allocation that names no owner. It may have been assigned by hand, so only a person releases it. */
function judgeOwnerless(view: CheckView, addressUsers: AddressUsers, allocation: Allocation): Judgement | undefined {
  if (addressUsers.hasUserOf(allocation) || hasLiveContainer(view, addressUsers, allocation)) return undefined;
  const broken: InvariantId[] = ['INV-53'];
  const evidence = ['its attributes name no pod, tunnel or service', 'nothing is known to use the address'];
  if (mayHaveCooledDown(view, allocation)) {
    evidence.push(
      'the cluster uses a cooldown for addresses: a component of an older release may have dropped the mark',
    );
  }
  const { node } = allocation.attributes;
  if (node && view.nodesByName.size > 0 && !view.nodeExists(node)) {
    broken.push('INV-62');
    evidence.push(`node ${node} does not exist`);
  }
  return judgeAllocation(view, {
    allocation,
    broken,
    evidence,
    release: { byHand: 'whether it is in use cannot be determined: release it if you know that it is not' },
  });
}

/** True when it may be the rest of a released address: a component that does not know the cooldown mark drops it. */
function mayHaveCooledDown(view: CheckView, { handle, attributes }: Allocation): boolean {
  const seconds: unknown = view.snapshot.config?.spec?.['ipCooldownSeconds'];
  return Boolean(seconds) && handle === undefined && Object.keys(attributes).length === 0;
}

function isReleased(judgement: Judgement | undefined): boolean {
  return judgement?.finding.stability === 'stable' && judgement.finding.repair?.automatic === true;
}
