// Judges tunnel addresses from both sides: what is allocated for a node's tunnel, and what the node records (INV-62, 63).
// calico-node corrects its own tunnel addresses; only a proven duplicate, or what a deleted node left, is released here.
import { parseIp } from '../../net/ip.ts';
import type { FoundObject, Judgement } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { judge, nodeObject } from '../judgement.ts';
import type { NodeRecord, TunnelType } from '../snapshot.ts';
import { type AddressUsers, dependenciesOf, describeUser, objectOf, tunnelTypes } from '../view/address-users.ts';
import type { Allocation } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PoolView } from '../view/pool-view.ts';
import { type AllocationFault, judgeAllocation, siblingsOf } from './allocation-fault.ts';
import { namedPod } from './pod-allocations.ts';

const handlePrefixes: Readonly<Record<TunnelType, string>> = {
  ipipTunnelAddress: 'ipip-tunnel-addr-',
  vxlanTunnelAddress: 'vxlan-tunnel-addr-',
  vxlanV6TunnelAddress: 'vxlan-v6-tunnel-addr-',
  wireguardTunnelAddress: 'wireguard-tunnel-addr-',
  wireguardV6TunnelAddress: 'wireguard-v6-tunnel-addr-',
};

/** A tunnel of a node, as the attributes of an allocation name it. */
export interface NamedTunnel {
  readonly node: string;
  readonly type: TunnelType;
}

function isTunnelType(type: string | undefined): type is TunnelType {
  return type !== undefined && Object.hasOwn(handlePrefixes, type);
}

/** Node and type from the attributes; undefined unless both are there. */
export function namedTunnel({ attributes }: Allocation): NamedTunnel | undefined {
  const { node, type } = attributes;
  return node && isTunnelType(type) ? { node, type } : undefined;
}

/** The finding about an allocation that names this tunnel, or undefined when there is none. */
export function judgeTunnelAllocation(
  view: CheckView,
  addressUsers: AddressUsers,
  allocation: Allocation,
  named: NamedTunnel,
  /** True when an allocation of a pod on that node stays. */
  nodeHoldsPods: (node: string) => boolean,
): Judgement | undefined {
  const node = view.nodesByName.get(named.node) ?? view.nodeAliases.get(named.node)?.node;
  const fault = node
    ? faultOnNode(view, addressUsers, allocation, named, node)
    : faultWithoutNode(addressUsers, allocation, named, nodeHoldsPods);
  return fault && judgeAllocation(view, { ...fault, owner: { kind: 'Node', name: named.node } satisfies FoundObject });
}

function faultWithoutNode(
  addressUsers: AddressUsers,
  allocation: Allocation,
  { node, type }: NamedTunnel,
  nodeHoldsPods: (node: string) => boolean,
): AllocationFault {
  const others = addressUsers.of(allocation.ip);
  const evidence = [`it is the ${type} of node ${node}`, `node ${node} does not exist`];
  if (others.length > 0) return { allocation, broken: ['INV-62', 'INV-63'], evidence, others };
  const held = nodeHoldsPods(node);
  if (held) evidence.push(`addresses of pods on ${node} are still allocated`);
  return {
    allocation,
    broken: ['INV-62', 'INV-53'],
    evidence,
    release: held ? { byHand: `released once no pod of ${node} has an address` } : 'automatic',
  };
}

function faultOnNode(
  view: CheckView,
  addressUsers: AddressUsers,
  allocation: Allocation,
  { type, node: recordedNode }: NamedTunnel,
  node: NodeRecord,
): AllocationFault | undefined {
  const { address, handleId } = allocation;
  const recorded = node.tunnels[type];
  const users = addressUsers.of(allocation.ip);
  const others = users.filter((user) => !(user.kind === 'Node' && user.node.name === node.name));
  const shared: readonly InvariantId[] = others.length > 0 && others.length < users.length ? ['INV-56'] : [];
  const evidence = [
    `it is the ${type} of node ${node.name}`,
    recorded === undefined ? `the node records no ${type}` : `the node records ${recorded}`,
  ];
  if (recorded === address) {
    const expected = `${handlePrefixes[type]}${recordedNode}`;
    if (handleId !== undefined && handleId.toLowerCase() !== expected.toLowerCase()) {
      evidence.push(`its handle should be ${expected}`);
    }
    const pool = view.poolOf(allocation.ip);
    const problem = poolProblem(pool, type);
    if (problem !== undefined) evidence.push(problem);
    if (evidence.length === 2 && others.length === 0) return undefined;
    const wrongUse: readonly InvariantId[] = pool && !pool.uses.includes('Tunnel') ? ['INV-67'] : [];
    return { allocation, broken: ['INV-63', ...shared, ...wrongUse], evidence, others };
  }
  if (users.length > 0) {
    const own = users.find((user) => !others.includes(user));
    if (own) evidence.push(`the node uses the address as its ${describeUser(own)}`);
    return { allocation, broken: ['INV-63', ...shared], evidence, others };
  }
  const duplicate = recorded !== undefined && isAllocatedTo(view, recorded, { node: node.name, type });
  const twice: readonly InvariantId[] = siblingsOf(view, allocation).length > 0 ? ['INV-50'] : [];
  if (duplicate) evidence.push(`${recorded} is allocated for the tunnel, so ${address} is a duplicate`);
  return {
    allocation,
    broken: ['INV-63', ...twice, 'INV-53'],
    evidence,
    release: duplicate ? 'automatic' : { byHand: `calico-node on ${node.name} corrects it when it restarts` },
  };
}

function isAllocatedTo(view: CheckView, address: string, tunnel: NamedTunnel): boolean {
  const allocations = view.allocationsAt(parseIp(address));
  return allocations.some((allocation) => {
    const named = namedTunnel(allocation);
    return named?.node === tunnel.node && named.type === tunnel.type;
  });
}

/** Why the pool should not provide this tunnel address; a block without a pool has INV-19. */
function poolProblem(pool: PoolView | undefined, type: TunnelType): string | undefined {
  if (pool === undefined) return undefined;
  if (!pool.enabled) return `pool ${pool.name} is disabled`;
  if (!pool.uses.includes('Tunnel')) return `pool ${pool.name} does not allow tunnel addresses`;
  const { vxlanMode, ipipMode, ipip } = pool.pool.spec;
  const off = (mode: string | undefined) => mode === undefined || mode === '' || mode === 'Never';
  if (type.startsWith('vxlan') && off(vxlanMode)) return `pool ${pool.name} does not use VXLAN`;
  if (type.startsWith('ipip') && off(ipipMode) && ipip?.enabled !== true) return `pool ${pool.name} does not use IPIP`;
  return undefined;
}

/** Tunnel addresses that nodes record and that are not allocated to any tunnel. */
export function judgeRecordedTunnels(view: CheckView, addressUsers: AddressUsers): Judgement[] {
  const judgements: Judgement[] = [];
  for (const node of view.snapshot.nodes) {
    for (const type of tunnelTypes) {
      const address = node.tunnels[type];
      if (address === undefined) continue;
      const [allocation, ...overlapping] = view.allocationsAt(parseIp(address));
      // Without an allocation it is an address in use like any other, which address-use.ts judges.
      if (allocation === undefined || overlapping.length > 0 || !contradicts(allocation)) continue;
      if (isWindowsGateway(allocation, node, type)) continue;
      judgements.push(recordedElsewhere(view, addressUsers, node, type, allocation));
    }
  }
  return judgements;
}

/** True when the allocation says that the address is not a tunnel's; those of old releases say nothing at all. */
function contradicts(allocation: Allocation): boolean {
  if (allocation.attributeMissing || namedTunnel(allocation) !== undefined) return false;
  return allocation.handleId !== undefined || Object.keys(allocation.attributes).length > 0;
}

/**
 * The VXLAN tunnel address of a Windows node: the CNI plugin records the gateway of its HNS network, which is the second
 * address of a block of the node and part of the Windows reserve. It has no handle of its own.
 */
function isWindowsGateway(
  { windowsReserved, block, ordinal }: Allocation,
  node: NodeRecord,
  type: TunnelType,
): boolean {
  return windowsReserved && ordinal === 1 && block.node === node.name && type.startsWith('vxlan');
}

function recordedElsewhere(
  view: CheckView,
  addressUsers: AddressUsers,
  node: NodeRecord,
  type: TunnelType,
  allocation: Allocation,
): Judgement {
  const { address, handle, sequence, block } = allocation;
  const others = addressUsers.of(allocation.ip).filter((user) => !(user.kind === 'Node' && user.node === node));
  const pod = namedPod(allocation);
  const holder = pod ? `pod ${pod.namespace}/${pod.name}` : handle === undefined ? 'no handle' : `handle ${handle}`;
  return judge({
    id: 'INV-63',
    also: others.length > 0 ? ['INV-56'] : [],
    severity: others.length > 0 ? 'error' : 'warning',
    candidate: view.isYoungAllocation(allocation),
    object: { kind: 'IPAMBlock', name: block.name },
    related: [{ kind: 'Node', name: node.name }, ...others.map(objectOf)],
    dependencies: [nodeObject(node.name), ...dependenciesOf(others)],
    cidr: block.cidr,
    address,
    handle,
    node: node.name,
    owner: { kind: 'Node', name: node.name },
    ageSeconds: view.ageSeconds(allocation.allocatedAtMs),
    part: `${address} ${type} ${node.name}`,
    evidence: [
      `node ${node.name} records the address as its ${type}`,
      `it is allocated to ${holder}`,
      ...others.map((user) => `${describeUser(user)} has the address`),
    ],
    fingerprint: `${handle ?? ''} ${sequence}`,
  });
}
