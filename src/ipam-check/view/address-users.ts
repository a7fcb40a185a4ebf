// Which addresses are in use, and by whom: pods, stored workload endpoints, nodes and their tunnels, LoadBalancer services.
// Finished and host-network pods use none. Whether the uses are right is judged in ipam-check/addresses/.
import { addressAt } from '../../net/cidr.ts';
import { type IpAddress, parseIp } from '../../net/ip.ts';
import type { KubeControllersConfiguration } from '../../resources/kinds/kube-controllers-configuration.ts';
import { qualifiedName } from '../../resources/object.ts';
import type { Dependency, FoundObject } from '../finding.ts';
import type { NodeRecord, PodRecord, ServiceRecord, TunnelType, WorkloadRecord } from '../snapshot.ts';
import type { Allocation } from './block-view.ts';
import type { CheckView } from './check-view.ts';
import { MultiMap } from './multi-map.ts';

export type AddressUser =
  | { readonly kind: 'Pod'; readonly pod: PodRecord }
  /** A stored endpoint with an address that its pod does not have. */
  | { readonly kind: 'WorkloadEndpoint'; readonly workload: WorkloadRecord }
  | { readonly kind: 'Node'; readonly node: NodeRecord; readonly tunnels: readonly TunnelType[] }
  /** A node that has the address itself, on one of its interfaces. */
  | { readonly kind: 'Host'; readonly node: NodeRecord }
  /** `managed`: Calico assigns its addresses. Those of other services are in use too, but not assigned by Calico. */
  | { readonly kind: 'Service'; readonly service: ServiceRecord; readonly managed: boolean };

/** The types of tunnel addresses, in the order in which they are listed. */
export const tunnelTypes: readonly TunnelType[] = [
  'vxlanTunnelAddress',
  'wireguardTunnelAddress',
  'ipipTunnelAddress',
  'vxlanV6TunnelAddress',
  'wireguardV6TunnelAddress',
];

/** Equal for equal addresses. */
type AddressKey = number | bigint;

function ipOf(key: AddressKey): IpAddress {
  return typeof key === 'number' ? { version: 4, value: key } : { version: 6, value: key };
}

/** Looks up the users of an address. */
export class AddressUsers {
  readonly #view: CheckView;
  /** Users of addresses that have only one, by slot: nearly all addresses. A map of so many is several times slower. */
  readonly #single: (AddressUser | undefined)[];
  /** Users of addresses that have several, or that are in no block. */
  readonly #others = new MultiMap<AddressKey, AddressUser>();
  /** Containers of stored workload endpoints. */
  readonly #workloadContainers = new Set<string>();

  constructor(view: CheckView) {
    this.#view = view;
    this.#single = new Array<AddressUser | undefined>(view.slots).fill(undefined);
  }

  /** All users of the address, each once. */
  of(ip: IpAddress): readonly AddressUser[] {
    const single = this.#singleAt(this.#view.slotOf(ip));
    return single === undefined ? this.#others.get(ip.value) : [single];
  }

  /** True when the address has a user. */
  has(ip: IpAddress): boolean {
    return this.#singleAt(this.#view.slotOf(ip)) !== undefined || this.#others.has(ip.value);
  }

  /** The user of the allocated address; undefined when it has none or several. */
  singleUserOf(allocation: Allocation): AddressUser | undefined {
    return this.#singleAt(this.#view.slotOfAllocation(allocation));
  }

  /** True when the allocated address has a user. */
  hasUserOf(allocation: Allocation): boolean {
    return this.singleUserOf(allocation) !== undefined || this.#others.has(allocation.ip.value);
  }

  /** All addresses in use with their users. */
  *entries(): Generator<readonly [IpAddress, readonly AddressUser[]]> {
    for (const { range, firstSlot, size } of this.#view.liveBlocks) {
      for (let ordinal = 0; ordinal < size; ordinal++) {
        const single = this.#single[firstSlot + ordinal];
        if (single !== undefined && range !== undefined) yield [addressAt(range, ordinal), [single]];
      }
    }
    for (const [key, users] of this.#others.entries()) yield [ipOf(key), users];
  }

  /** True when a stored workload endpoint belongs to the container. */
  hasWorkloadOf(containerId: string): boolean {
    return this.#workloadContainers.has(containerId);
  }

  /** Adds a user of an address, given as text, unless that user was added already. */
  add(address: string, user: AddressUser): void {
    const ip = parseIp(address);
    if (ip === undefined) return;
    const slot = this.#view.slotOf(ip);
    const single = this.#singleAt(slot);
    if (single === user || this.#others.get(ip.value).includes(user)) return;
    if (slot >= 0 && single === undefined && !this.#others.has(ip.value)) {
      this.#single[slot] = user;
      return;
    }
    if (single !== undefined) {
      this.#single[slot] = undefined;
      this.#others.add(ip.value, single);
    }
    this.#others.add(ip.value, user);
  }

  addContainer(containerId: string): void {
    this.#workloadContainers.add(containerId);
  }

  #singleAt(slot: number): AddressUser | undefined {
    return slot < 0 ? undefined : this.#single[slot];
  }
}

/** Collects the users of every address in the snapshot. */
export function addressUsersOf(view: CheckView): AddressUsers {
  const addressUsers = new AddressUsers(view);
  const { pods, workloads, nodes, services, kubeControllers } = view.snapshot;
  for (const pod of pods) {
    if (pod.finished || pod.hostNetwork || pod.addresses.length === 0) continue;
    const user: AddressUser = { kind: 'Pod', pod };
    for (const address of pod.addresses) addressUsers.add(address, user);
    for (const address of pod.otherAddresses) if (isAllocatedTo(view, address, pod)) addressUsers.add(address, user);
  }
  for (const workload of workloads) addWorkload(addressUsers, workload);
  for (const node of nodes) {
    addTunnels(addressUsers, node);
    for (const address of node.addresses) addHost(view, addressUsers, address, node);
  }
  const isManaged = managedServices(kubeControllers);
  for (const service of services) {
    if (service.ingress.length === 0) continue;
    const user: AddressUser = { kind: 'Service', service, managed: isManaged(service) };
    for (const address of service.ingress) addressUsers.add(address, user);
  }
  return addressUsers;
}

/**
 * True when the address is allocated to the pod. Its other networks can use the same range as Calico, or that of other
 * pods, without being connected to them: only an allocation shows that the address is Calico's.
 */
function isAllocatedTo(view: CheckView, address: string, { namespace, name }: PodRecord): boolean {
  const allocations = view.allocationsAt(parseIp(address));
  return allocations.some(({ attributes }) => attributes['pod'] === name && attributes['namespace'] === namespace);
}

/** A node's own address matters where Calico could assign it, or has. */
function addHost(view: CheckView, addressUsers: AddressUsers, address: string, node: NodeRecord): void {
  const ip = parseIp(address);
  if (ip === undefined || (view.poolOf(ip) === undefined && !view.isAllocated(ip))) return;
  if (!addressUsers.of(ip).some((user) => user.kind === 'Node' && user.node === node))
    addressUsers.add(address, { kind: 'Host', node });
}

function addWorkload(addressUsers: AddressUsers, workload: WorkloadRecord): void {
  if (workload.containerId !== undefined) addressUsers.addContainer(workload.containerId);
  const user: AddressUser = { kind: 'WorkloadEndpoint', workload };
  for (const address of workload.addresses) {
    const ip = parseIp(address);
    const known = ip && addressUsers.of(ip).some((other) => other.kind === 'Pod' && isPodUser(user, other.pod));
    if (!known) addressUsers.add(address, user);
  }
}

/** One user per node and address, however many of its tunnels share it. */
function addTunnels(addressUsers: AddressUsers, node: NodeRecord): void {
  const byAddress = new Map<string, TunnelType[]>();
  for (const type of tunnelTypes) {
    const address = node.tunnels[type];
    if (address === undefined) continue;
    const tunnels = byAddress.get(address);
    if (tunnels) tunnels.push(type);
    else byAddress.set(address, [type]);
  }
  for (const [address, tunnels] of byAddress) addressUsers.add(address, { kind: 'Node', node, tunnels });
}

const requestAnnotations: readonly string[] = [
  'projectcalico.org/ipv4pools',
  'projectcalico.org/ipv6pools',
  'projectcalico.org/loadBalancerIPs',
];

/** Whether Calico's load balancer controller assigns the addresses of a service; never when it is not configured. */
export function managedServices(
  configuration: KubeControllersConfiguration | undefined,
): (service: ServiceRecord) => boolean {
  const controller = configuration?.spec?.controllers?.loadBalancer;
  if (controller === undefined || controller === null) return () => false;
  if (controller.assignIPs === 'RequestedServicesOnly') {
    return ({ loadBalancer, loadBalancerClass, annotations }) =>
      loadBalancer &&
      (loadBalancerClass === 'calico' || requestAnnotations.some((annotation) => annotation in annotations));
  }
  return ({ loadBalancer, loadBalancerClass }) =>
    loadBalancer && (!loadBalancerClass || loadBalancerClass === 'calico');
}

/** True when the user is the pod of that name: the pod itself, or a stored endpoint of it. */
export function isPodUser(user: AddressUser, pod: { readonly namespace: string; readonly name: string }): boolean {
  if (user.kind === 'Pod') return user.pod.namespace === pod.namespace && user.pod.name === pod.name;
  return (
    user.kind === 'WorkloadEndpoint' && user.workload.namespace === pod.namespace && user.workload.pod === pod.name
  );
}

/** The user as findings name it. */
export function objectOf(user: AddressUser): FoundObject {
  switch (user.kind) {
    case 'Pod':
      return { kind: 'Pod', namespace: user.pod.namespace, name: user.pod.name };
    case 'WorkloadEndpoint':
      return { kind: 'WorkloadEndpoint', namespace: user.workload.namespace, name: user.workload.name };
    case 'Node':
    case 'Host':
      return { kind: 'Node', name: user.node.name };
    case 'Service':
      return { kind: 'Service', namespace: user.service.namespace, name: user.service.name };
  }
}

/** The objects to read again to know whether the users still use the address. */
export function dependenciesOf(users: readonly AddressUser[]): Dependency[] {
  const dependencies: Dependency[] = [];
  for (const user of users) {
    const { namespace, name } = objectOf(user);
    if (user.kind === 'Node' || user.kind === 'Host') dependencies.push({ kind: 'Node', name });
    else if (user.kind !== 'WorkloadEndpoint' && namespace !== undefined) {
      dependencies.push({ kind: user.kind, namespace, name });
    }
  }
  return dependencies;
}

/** For messages: `pod shop/cart-0`, `vxlanTunnelAddress of node worker-1`. */
export function describeUser(user: AddressUser): string {
  const name = qualifiedName(objectOf(user));
  switch (user.kind) {
    case 'Pod':
      return `pod ${name}`;
    case 'WorkloadEndpoint':
      return `workload endpoint ${name}`;
    case 'Node':
      return `${user.tunnels.join(' and ')} of node ${name}`;
    case 'Host':
      return `node ${name} itself`;
    case 'Service':
      return `service ${name}`;
  }
}
