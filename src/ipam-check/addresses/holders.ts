// Who has an allocated address, or is about to have it: everything for which a release by hand or by a report leaves it alone.
import type { FoundObject } from '../finding.ts';
import type { PodRecord } from '../snapshot.ts';
import { type AddressUsers, objectOf } from '../view/address-users.ts';
import type { Allocation } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import { containerOf, machineOf } from './allocation-fault.ts';
import { awaitsAddress, namedPod } from './pod-allocations.ts';

export interface Holder {
  readonly object: FoundObject;
  /** The allocation names it, and whether it exists was not read. */
  readonly isUnknown?: true;
}

/**
 * Everything that uses the address, or is about to. The address of a live container counts even when its pod does not
 * list it, and that of a virtual machine, which keeps it while it is stopped. Empty when nothing uses it.
 */
export function holdersOf(view: CheckView, users: AddressUsers, allocation: Allocation): Holder[] {
  const objects = users.of(allocation.ip).map(objectOf);
  if (objects.length === 0) {
    const unknown = unknownOwner(view, allocation);
    if (unknown !== undefined) return [{ object: unknown, isUnknown: true }];
  }
  const pods = [view.podsByContainer.get(containerOf(allocation) ?? ''), startingPod(view, allocation)];
  for (const pod of pods) {
    if (pod !== undefined) objects.push({ kind: 'Pod', namespace: pod.namespace, name: pod.name });
  }
  const machine = machineOf(allocation);
  if (objects.length === 0 && machine !== undefined) objects.push(machine);
  return objects.map((object) => ({ object }));
}

/** The owner that the allocation names, where the folder does not say whether it exists: it may well use the address. */
function unknownOwner(view: CheckView, allocation: Allocation): FoundObject | undefined {
  const named = namedOwnerOf(allocation.attributes);
  if (named === undefined || named.kind === 'Node') return undefined;
  const isMissing = view.snapshot.unread.some(
    ({ kind, namespaces }) => kind === named.kind && (namespaces?.has(named.namespace ?? '') ?? true),
  );
  return isMissing ? named : undefined;
}

/** The pod that the allocation names, if it exists and has no address yet: it may be getting this one. */
function startingPod(view: CheckView, allocation: Allocation): PodRecord | undefined {
  const named = namedPod(allocation);
  const pod = named && view.podNamed(named);
  return pod !== undefined && awaitsAddress(pod) ? pod : undefined;
}

/** The object that the attributes name, whatever else they say. */
export function namedOwnerOf({
  pod,
  namespace,
  node,
  type,
  service,
}: Allocation['attributes']): { kind: 'Pod' | 'Service' | 'Node'; name: string; namespace?: string } | undefined {
  if (pod && namespace) return { kind: 'Pod', name: pod, namespace };
  if (service && namespace) return { kind: 'Service', name: service, namespace };
  return node && type ? { kind: 'Node', name: node } : undefined;
}
