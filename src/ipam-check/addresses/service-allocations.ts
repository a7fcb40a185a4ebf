// Judges the allocations of LoadBalancer services (INV-44). kube-controllers maintains them while the service exists; only
// what a deleted service left behind is released.
import { loadBalancerHandle } from '../../resources/names.ts';
import type { Judgement } from '../finding.ts';
import { type AddressUser, type AddressUsers, managedServices } from '../view/address-users.ts';
import type { Allocation } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import { type AllocationFault, judgeAllocation } from './allocation-fault.ts';

/** The service that an allocation names. */
export interface NamedService {
  readonly namespace: string;
  readonly name: string;
}

/** Namespace and name from the attributes of a LoadBalancer allocation; undefined for any other. */
export function namedService({ attributes }: Allocation): NamedService | undefined {
  const { service, namespace, type } = attributes;
  return type === 'LoadBalancer' && service && namespace ? { namespace, name: service } : undefined;
}

/** The finding about an allocation that names this service, or undefined when there is none. */
export function judgeServiceAllocation(
  view: CheckView,
  addressUsers: AddressUsers,
  allocation: Allocation,
  named: NamedService,
): Judgement | undefined {
  const users = addressUsers.of(allocation.ip);
  const others = users.filter((user) => !isService(user, named));
  const fault = serviceFault(view, allocation, named, users.length > others.length, others);
  return fault && judgeAllocation(view, { ...fault, owner: { kind: 'Service', ...named } });
}

function isService(user: AddressUser, named: NamedService): boolean {
  return user.kind === 'Service' && user.service.namespace === named.namespace && user.service.name === named.name;
}

function serviceFault(
  view: CheckView,
  allocation: Allocation,
  named: NamedService,
  usesIt: boolean,
  others: readonly AddressUser[],
): AllocationFault | undefined {
  const service = view.serviceNamed(named);
  if (service === undefined) {
    const evidence = ['the service does not exist'];
    if (others.length > 0) return { allocation, broken: ['INV-44', 'INV-57'], evidence, others };
    return { allocation, broken: ['INV-44', 'INV-53'], evidence, release: 'automatic' };
  }
  const evidence: string[] = [];
  const managed = managedServices(view.snapshot.kubeControllers)(service);
  if (!service.loadBalancer) evidence.push('the service is not of type LoadBalancer');
  else if (!managed) evidence.push('Calico does not assign the addresses of this service');
  const { handleId } = allocation;
  if (service.uid !== undefined && handleId !== undefined) {
    const expected = loadBalancerHandle(named.name, named.namespace, service.uid);
    if (handleId.toLowerCase() !== expected.toLowerCase()) evidence.push(`its handle should be ${expected}`);
  }
  if (allocation.block.owner?.type === 'host') evidence.push(`the block belongs to ${allocation.block.affinity}`);
  if (!usesIt) evidence.push('the service does not have the address');
  if (evidence.length === 0 && others.length === 0) return undefined;
  if (others.length > 0) return { allocation, broken: ['INV-44', usesIt ? 'INV-56' : 'INV-57'], evidence, others };
  if (usesIt) return { allocation, broken: ['INV-44'], evidence };
  return {
    allocation,
    broken: ['INV-44', 'INV-53'],
    evidence,
    release: { byHand: 'kube-controllers releases it or assigns it to the service' },
  };
}
