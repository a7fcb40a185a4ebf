// Judges the allocations that name a pod: whether the pod exists and still uses the address (INV-53, 57 to 62).
// The rules are those of Calico's garbage collector, docs/reference/ipam.md#addresses-in-use, except that an address of a
// live container is never released.
import { parseIp } from '../../net/ip.ts';
import { qualifiedName } from '../../resources/object.ts';
import type { FoundObject, Judgement } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import type { PodRecord } from '../snapshot.ts';
import { type AddressUser, type AddressUsers, isPodUser } from '../view/address-users.ts';
import type { Allocation } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import {
  type AllocationFault,
  containerOf,
  hasLiveContainer,
  isMachine,
  judgeAllocation,
  machineOf,
  siblingsOf,
} from './allocation-fault.ts';

/** The pod that an allocation names. */
export interface NamedPod {
  readonly namespace: string;
  readonly name: string;
}

/** Namespace and name from the attributes; undefined unless both are there. */
export function namedPod({ attributes }: Allocation): NamedPod | undefined {
  const { pod, namespace } = attributes;
  return pod && namespace ? { namespace, name: pod } : undefined;
}

const endedPhases: readonly (string | undefined)[] = ['Succeeded', 'Failed', 'Completed'];

/** The finding about an allocation that names this pod, or undefined when there is none. */
export function judgePodAllocation(
  view: CheckView,
  addressUsers: AddressUsers,
  allocation: Allocation,
  named: NamedPod,
): Judgement | undefined {
  if (isPlainlyRight(view, allocation, named, addressUsers.singleUserOf(allocation))) return undefined;
  const pod = view.podNamed(named);
  if (isMachine(allocation)) return judgeStoppedMachine(view, addressUsers, allocation, pod);
  const fault = podFault(view, addressUsers, allocation, named, pod);
  return fault && judgeAllocation(view, { ...fault, owner: { kind: 'Pod', ...named } satisfies FoundObject });
}

/** The usual case, which nearly every allocation of a cluster is: decided without creating a string or a list. */
function isPlainlyRight(
  view: CheckView,
  { attributes, handleId }: Allocation,
  named: NamedPod,
  user: AddressUser | undefined,
): boolean {
  if (user?.kind !== 'Pod' || !isPodUser(user, named)) return false;
  const { node, containerId } = user.pod;
  return (
    node !== undefined &&
    attributes['node'] === node &&
    view.nodesByName.has(node) &&
    containerId !== undefined &&
    handleId?.endsWith(containerId) === true &&
    handleId.charAt(handleId.length - containerId.length - 1) === '.'
  );
}

/**
 * A virtual machine keeps its address while it has no pod; a stopped one has no attributes at all. Whether the machine
 * still exists is not known here, so a missing pod never makes its address a leak. `pod`: the one that it names, if any.
 */
export function judgeStoppedMachine(
  view: CheckView,
  addressUsers: AddressUsers,
  allocation: Allocation,
  pod: PodRecord | undefined,
): Judgement | undefined {
  const machine = machineOf(allocation);
  if (addressUsers.has(allocation.ip)) return ownerNotSwapped(view, addressUsers, allocation, pod, machine);
  if (pod !== undefined && !pod.finished) return undefined;
  return judgeAllocation(view, {
    allocation,
    broken: ['INV-53'],
    owner: machine,
    severity: 'info',
    evidence: [
      'no running pod has the address',
      `it belongs to ${machine ? `${machine.kind} ${qualifiedName(machine)}` : 'a virtual machine'}, which keeps its address while it is stopped`,
    ],
    release: { byHand: 'release it only if the virtual machine was deleted', force: true },
  });
}

/**
 * INV-58 for a virtual machine: its migration ended, and the address is still recorded for the pod that it left. Routes
 * follow the recorded owner. While the source pod exists, the migration is in progress.
 */
function ownerNotSwapped(
  view: CheckView,
  addressUsers: AddressUsers,
  allocation: Allocation,
  source: PodRecord | undefined,
  machine: FoundObject | undefined,
): Judgement | undefined {
  const { pod: recorded, namespace, node } = allocation.attributes;
  if (!recorded || !node || !view.wasRead('Pod') || (source !== undefined && !source.finished)) return undefined;
  const users = addressUsers.of(allocation.ip);
  const current = users.flatMap((user) => (user.kind === 'Pod' ? [user.pod] : []));
  const [target] = current;
  if (target?.node === undefined || current.length > 1 || target.node === node) return undefined;
  if (allocation.alternateAttributes?.['pod'] !== target.name) return undefined;
  return judgeAllocation(view, {
    allocation,
    broken: ['INV-58'],
    owner: machine,
    evidence: [
      `the address is recorded for pod ${namespace}/${recorded} on ${node}, which does not exist any more`,
      `pod ${qualifiedName(target)} on ${target.node} has the address`,
      'its migration has ended, but Felix did not swap the owners of the address: routes lead to the old node',
    ],
    advice: `restart calico-node on ${target.node}, and if that does not help migrate the virtual machine once more; do not release the address`,
  });
}

function podFault(
  view: CheckView,
  addressUsers: AddressUsers,
  allocation: Allocation,
  named: NamedPod,
  pod: PodRecord | undefined,
): AllocationFault | undefined {
  const users = addressUsers.of(allocation.ip);
  const others = users.filter((user) => !isPodUser(user, named));
  const usesIt = others.length < users.length;
  const live =
    hasLiveContainer(view, addressUsers, allocation) || sharesHandleInUse(view, addressUsers, allocation, named);
  const broken: InvariantId[] = [];
  const evidence: string[] = [];
  if (pod === undefined) evidence.push('the pod does not exist');
  else {
    mismatches(view, allocation, pod, broken, evidence);
    const current = otherContainer(view, allocation, pod, usesIt);
    if (current !== undefined) {
      broken.push('INV-51');
      evidence.push(`the pod has ${current.address} from another container`);
    }
  }
  missingNode(view, allocation, broken, evidence);

  const surplus = usesIt ? undefined : surplusOf(view, addressUsers, allocation, named, pod);
  if (surplus !== undefined && others.length === 0) {
    return { ...surplus, broken: [...broken, 'INV-50'], evidence: [...evidence, ...surplus.evidence] };
  }
  if (usesIt || live) {
    if (broken.length === 0) return undefined;
    evidence.push(usesIt ? 'the pod has the address' : 'its container is alive');
    return { allocation, broken, evidence, ...(usesIt && inDanger(named, broken)) };
  }
  if (others.length > 0) return usedByOthers(allocation, broken, evidence, others);
  if (pod !== undefined && awaitsAddress(pod)) {
    if (broken.length === 0 || (broken.length === 1 && broken[0] === 'INV-59')) return undefined;
    evidence.push('the pod has no address yet');
    return { allocation, broken, evidence, candidate: true };
  }
  if (pod !== undefined && !pod.finished && !pod.hostNetwork) evidence.push(`the pod has ${pod.addresses.join(', ')}`);
  if (pod?.finished === true && !endedPhases.includes(pod.phase)) {
    evidence.push('the pod is being deleted and has released its address');
  }
  return { allocation, broken: [...broken, 'INV-53'], evidence, release: 'automatic' };
}

/** An address that its pod uses is at risk when Calico's garbage collector takes the pod for one that moved: INV-58. */
function inDanger(
  { namespace, name }: NamedPod,
  broken: readonly InvariantId[],
): Pick<AllocationFault, 'severity' | 'advice'> {
  if (!broken.includes('INV-58')) return {};
  const advice =
    `restart pod ${namespace}/${name} now: the garbage collector of Calico may release its address while it uses it; ` +
    'before that, check which node name the CNI plugin of its node uses';
  return { severity: 'error', advice };
}

/**
 * INV-50: the pod has another address of the same handle and family, as after an ADD that was made twice. Which of them
 * is surplus is known once the pod has one; until then the first of them is reported for all.
 */
function surplusOf(
  view: CheckView,
  addressUsers: AddressUsers,
  allocation: Allocation,
  named: NamedPod,
  pod: PodRecord | undefined,
): AllocationFault | undefined {
  const siblings = containerOf(allocation) === undefined ? [] : siblingsOf(view, allocation);
  if (pod === undefined || pod.finished || pod.hostNetwork || siblings.length === 0) return undefined;
  const inUse = siblings.find((sibling) => addressUsers.of(sibling.ip).some((user) => isPodUser(user, named)));
  if (inUse !== undefined) {
    const evidence = [`the pod has ${inUse.address} with the same handle`];
    if (!pod.moreAddresses) return { allocation, broken: [], evidence, release: 'automatic' };
    evidence.push('the pod may have more addresses than its status shows');
    return { allocation, broken: [], evidence, release: { byHand: 'release it if no network of the pod uses it' } };
  }
  if (!hasLiveContainer(view, addressUsers, allocation) || siblings.some((other) => comesBefore(other, allocation))) {
    return undefined;
  }
  const addresses = siblings.map(({ address }) => address).join(', ');
  return {
    allocation,
    broken: [],
    evidence: [`its handle has ${addresses} too`, 'the pod does not report which of them it uses'],
    candidate: awaitsAddress(pod),
    release: { byHand: 'find out which of them the pod uses, and release the others' },
  };
}

function comesBefore(a: Allocation, b: Allocation): boolean {
  return a.block === b.block ? a.ordinal < b.ordinal : a.block.name < b.block.name;
}

/**
 * INV-51: an address that the pod uses and that was allocated to it, on the same node, for another container; so this
 * allocation belongs to an earlier one. Where the pod does not name its container and uses both addresses, the older
 * allocation is taken to be the earlier one.
 */
function otherContainer(
  view: CheckView,
  allocation: Allocation,
  pod: PodRecord,
  usesIt: boolean,
): Allocation | undefined {
  const container = containerOf(allocation);
  if (container === undefined || container === pod.containerId || pod.finished || pod.hostNetwork) return undefined;
  const isOther = (other: Allocation): boolean => {
    const { namespace, pod: name, node } = other.attributes;
    if (namespace !== pod.namespace || name !== pod.name || node !== allocation.attributes['node']) return false;
    const its = containerOf(other);
    return its !== undefined && its !== container;
  };
  for (const address of pod.addresses) {
    const other = view.allocationsAt(parseIp(address)).find(isOther);
    if (other !== undefined && (pod.containerId !== undefined || !usesIt || isOlder(allocation, other))) return other;
  }
  return undefined;
}

function isOlder(allocation: Allocation, other: Allocation): boolean {
  const [mine, its] = [allocation.allocatedAtMs ?? 0, other.allocatedAtMs ?? 0];
  return mine === its ? comesBefore(allocation, other) : mine < its;
}

/** A pod on the pod network that has not terminated and has no address yet: it may be getting one now. */
export function awaitsAddress(pod: PodRecord): boolean {
  return !pod.finished && !pod.hostNetwork && pod.addresses.length === 0;
}

/** Adds what the pod itself says against the allocation. */
function mismatches(
  view: CheckView,
  allocation: Allocation,
  pod: PodRecord,
  broken: InvariantId[],
  evidence: string[],
): void {
  const { node } = allocation.attributes;
  if (pod.hostNetwork) {
    broken.push('INV-61');
    evidence.push('the pod of that name uses the host network');
  } else if (pod.finished && endedPhases.includes(pod.phase)) {
    broken.push('INV-60');
    evidence.push(`the pod has terminated: phase ${pod.phase}${pod.reason ? `, reason ${pod.reason}` : ''}`);
  }
  const isMoved = pod.node !== undefined && pod.node !== node && view.nodesByName.has(pod.node);
  if (node && isMoved && view.nodeAliases.get(node)?.node.name !== pod.node) {
    broken.push('INV-58');
    evidence.push(`the pod runs on ${pod.node}, but the address was allocated on ${node}`);
  }
  const container = containerOf(allocation);
  if (!pod.finished && pod.containerId !== undefined && container !== undefined && container !== pod.containerId) {
    broken.push('INV-59');
    evidence.push(`the container of the pod is ${pod.containerId}, but the address was allocated for ${container}`);
  }
}

/** Adds INV-62. Where no node at all is known, as in a partial dump, none counts as missing. */
function missingNode(view: CheckView, allocation: Allocation, broken: InvariantId[], evidence: string[]): void {
  const { node } = allocation.attributes;
  if (!node || view.nodesByName.size === 0 || view.nodeExists(node)) return;
  broken.push('INV-62');
  evidence.push(`node ${node} does not exist`);
}

/**
 * The address is allocated to this pod but used by others. A tunnel address that a node records is judged with the
 * tunnel.
 */
function usedByOthers(
  allocation: Allocation,
  broken: InvariantId[],
  evidence: string[],
  others: readonly AddressUser[],
): AllocationFault | undefined {
  const rivals = others.filter((user) => user.kind !== 'Node' && !(user.kind === 'Service' && !user.managed));
  if (rivals.length > 0) {
    const mixed: InvariantId = rivals.some((user) => user.kind !== 'Service') ? 'INV-57' : 'INV-44';
    return { allocation, broken: [...broken, mixed], evidence, others };
  }
  if (others.some((user) => user.kind === 'Node')) return undefined;
  return { allocation, broken: [...broken, 'INV-53'], evidence, others };
}

/** True when the pod uses another address of the same handle, which proves that the container is alive. */
function sharesHandleInUse(
  view: CheckView,
  addressUsers: AddressUsers,
  allocation: Allocation,
  named: NamedPod,
): boolean {
  const { handleName } = allocation;
  if (handleName === undefined) return false;
  const siblings = view.allocationsByHandle.get(handleName);
  return siblings.some(
    (sibling) => sibling !== allocation && addressUsers.of(sibling.ip).some((user) => isPodUser(user, named)),
  );
}
