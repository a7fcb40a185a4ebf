// What of that which node verify found one change of the node puts right, and only where that is safe: nothing that may be
// alive, or that another program owns, is changed. Rules: docs/reference/node-repair.md.

import type { FaultId } from '../../faults/faults.ts';
import { faults } from '../../faults/faults.ts';
import { isAllocated as isAllocatedIn } from '../../ipam/block/block.ts';
import { cidrContains, formatCidr, ordinalOf, parseCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import type { KernelRoute } from '../../node-state/iproute/iproute.ts';
import { isHostRoute, isSameAddress } from '../../node-state/lookups.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { protocolName } from '../expected/felix-settings.ts';
import { isRead, type Network } from '../expected/network.ts';
import { isWorkloadDevice } from '../routes/foreign.ts';
import { type Fact, findingOf, none } from '../verify/fact.ts';
import {
  argvOf,
  type Effect,
  type NeighbourEffect,
  type NoRouteEffect,
  type RouteEffect,
  type SettingEffect,
} from '../wire/effect.ts';

/** One change that puts one finding right. */
export interface NodeRepair {
  readonly node: string;
  readonly id: FaultId;
  /** What is wrong, in a sentence. */
  readonly finding: string;
  readonly effect: Effect;
  readonly argv: readonly string[];
}

/** A finding for which there is a change that was not safe, and why. */
export interface Unrepaired {
  readonly node: string;
  readonly id: FaultId;
  readonly finding: string;
  readonly why: string;
}

export interface NodeRepairs {
  readonly repairs: readonly NodeRepair[];
  readonly unrepaired: readonly Unrepaired[];
}

/** What the repairs of a node rest on. */
export interface RepairView {
  readonly network: Network;
  readonly blocks: readonly IPAMBlock[];
  readonly state: NodeState;
  /** Only a live cluster shows that something is gone: a directory may just lack it. */
  readonly isLive: boolean;
}

/** The faults that are repaired, by the kind of change. F48 only for routes to interfaces of pods. */
export const repairedFaults = [
  faults.proxyArpOff,
  faults.podForwardingOff,
  faults.podRouteMissing,
  faults.podNeighbourWrong,
  faults.podIpv6Disabled,
  faults.podSettingChanged,
  faults.forwardingOff,
  faults.uplinkForwardingOff,
  faults.leftoverRoute,
  faults.forwardingEntryMissing,
  faults.vtepMacWrong,
] as const;

const repairedIds: readonly FaultId[] = repairedFaults.map(({ id }) => id);

/** The repairs of one node, from the facts that are wrong there. */
export function repairsOf(facts: readonly Fact[], view: RepairView): NodeRepairs {
  const repairs: NodeRepair[] = [];
  const unrepaired: Unrepaired[] = [];
  for (const fact of facts) {
    const { id } = fact;
    if (fact.verdict !== 'wrong' || id === undefined || !repairedIds.includes(id)) continue;
    const found = fact.comparison === undefined ? repairOf(fact, view) : routeRepair(fact, view);
    if (found === undefined) continue;
    const { node } = view.state;
    const finding = fact.comparison?.finding?.message ?? findingOf(node, fact)?.message ?? '';
    if ('why' in found) unrepaired.push({ node, id, finding, why: found.why });
    else repairs.push({ node, id, finding, effect: found, argv: argvOf(found) });
  }
  return { repairs, unrepaired };
}

/** The repairs that a second reading of nodes and objects plans too, without any change. */
export function confirmedRepairs(first: readonly NodeRepair[], second: readonly NodeRepair[]): readonly NodeRepair[] {
  const keys = new Set(first.map(keyOf));
  return second.filter((repair) => keys.has(keyOf(repair)));
}

/** The node and the command. */
export function keyOf({ node, argv }: Pick<NodeRepair, 'node' | 'argv'>): string {
  return [node, ...argv].join('\0');
}

type Unsafe = { readonly why: string };

function repairOf({ remedy, seen }: Fact, view: RepairView): Effect | Unsafe | undefined {
  if (remedy === undefined) return undefined;
  const why = whyNot(remedy, seen, view);
  return why === undefined ? remedy : { why };
}

function whyNot(remedy: Effect, seen: string, view: RepairView): string | undefined {
  switch (remedy.type) {
    case 'setting':
      return whyNotSet(remedy, view.state);
    case 'neighbour':
      return whyNotFixed(remedy, view);
    case 'forwarding':
      return seen === none ? undefined : 'there is another entry for the same MAC address';
    default:
      return undefined;
  }
}

/** Forwarding of IPv6 takes away the routes that routers announce, even when it is turned on for one interface only. */
function whyNotSet({ path }: SettingEffect, { routes6 }: NodeState): string | undefined {
  if (!path.startsWith('net/ipv6/') || !path.endsWith('/forwarding')) return undefined;
  if (!routes6.seen) return 'the IPv6 routes of the node were not read';
  const isAnnounced = routes6.value.some(({ protocol }) => protocol === 'ra' || protocol === '9');
  return isAnnounced ? 'the node has routes that a router announced, and would lose them' : undefined;
}

/** Two nodes or pods with one address: which of them the entry is for is not known. */
function whyNotFixed({ address, device }: NeighbourEffect, { network, state }: RepairView): string | undefined {
  const tunnels = [...network.nodes.values()].flatMap(({ vxlanAddresses }) => Object.values(vxlanAddresses));
  const owners = tunnels.filter((one) => isSameAddress(one, address)).length + network.liveAt(address).length;
  if (owners > 1) return `${formatIp(address)} is the address of more than one node or pod`;
  const isThere = state.interfaces.seen && state.interfaces.value.some(({ name }) => name === device);
  return isThere ? undefined : `the interface ${device} is missing`;
}

function routeRepair(fact: Fact, view: RepairView): Effect | Unsafe | undefined {
  if (fact.remedy?.type === 'route') {
    const why = whyNotAdded(fact.remedy, view);
    return why === undefined ? fact.remedy : { why };
  }
  return fact.id === faults.leftoverRoute.id ? leftoverRepair(fact, view) : undefined;
}

/** Only to an interface through which the pod can be reached, and for an address that no other pod has. */
function whyNotAdded({ destination, device }: RouteEffect, { network, state }: RepairView): string | undefined {
  const others = network.liveAt(destination.base).length;
  if (others !== 1) return `${formatIp(destination.base)} is the address of ${others} running pods`;
  const link = state.interfaces.seen ? state.interfaces.value.find(({ name }) => name === device) : undefined;
  if (link === undefined) return `the interface ${device} is missing`;
  return link.flags.includes('UP') ? undefined : `the interface ${device} is down`;
}

/**
 * A route to the interface of a pod, for an address that no pod has. It is removed only where everything says that the pod is
 * gone; routes of other programs, and those to blocks, are left alone.
 */
function leftoverRepair({ comparison }: Fact, view: RepairView): Effect | Unsafe | undefined {
  const { network, state } = view;
  const routes = comparison?.version === 6 ? state.routes6 : state.routes4;
  const found = routes.seen
    ? routes.value.filter(
        (route) => route.table === undefined && formatCidr(route.destination) === comparison?.destination,
      )
    : [];
  const [route] = found;
  const device = route?.nextHops[0]?.device;
  const felix = network.felix(state.node);
  if (route === undefined || device === undefined || !isWorkloadDevice(device, felix.interfacePrefixes))
    return undefined;
  if (found.length > 1) return { why: `there are ${found.length} routes to ${comparison?.destination}` };
  const protocols = ['boot', '80', felix.routeProtocol];
  if (!isPlain(route) || !protocols.includes(protocolName(route.protocol))) {
    return { why: 'it is not a route as Felix or the CNI plugin writes it' };
  }
  const why = whyMaybeAlive(route.destination.base, device, view);
  if (why !== undefined) return { why };
  const { destination, metric, protocol } = route;
  return { type: 'no-route', side: 'node', destination, device, protocol, metric } satisfies NoRouteEffect;
}

/** One address, one interface, no gateway. */
function isPlain({ destination, type, nextHops }: KernelRoute): boolean {
  return isHostRoute(destination) && type === 'unicast' && nextHops.length === 1 && nextHops[0]?.gateway === undefined;
}

/** Why a pod with the address, or at the interface, may still be there; undefined when all was read and nothing says so. */
function whyMaybeAlive(address: IpAddress, device: string, view: RepairView): string | undefined {
  const { network, blocks, state, isLive } = view;
  const text = formatIp(address);
  if (!isLive) return 'a directory may lack the pod: only a live cluster shows that it is gone';
  if (!isRead(network, 'Pod') || !isRead(network, 'IPAMBlock')) return 'pods or blocks were not read';
  if (network.addressSource !== 'calico-ipam') return 'without Calico IPAM nothing shows that the address is free';
  const workloads = [...network.workloads.values()].flat();
  const owner = workloads.find(({ addresses }) => addresses.some((one) => isSameAddress(one, address)));
  if (owner !== undefined) return `pod ${owner.namespace}/${owner.name} has the address`;
  const own = network.workloads.get(state.node) ?? [];
  const atDevice = own.find(({ interfaceName }) => interfaceName === device);
  if (atDevice !== undefined) return `${device} is the interface of pod ${atDevice.namespace}/${atDevice.name}`;
  const starting = own.find(({ addresses }) => addresses.length === 0);
  if (starting !== undefined) return `pod ${starting.namespace}/${starting.name} is starting on this node`;
  if (isAllocated(blocks, address)) return `${text} is allocated: calictl ipam show --ip ${text} shows to whom`;
  if (!state.neighbours.seen) return 'the neighbours of the node were not read';
  const answers = state.neighbours.value.some(
    (one) =>
      isSameAddress(one.address, address) && one.states.some((word) => ['REACHABLE', 'DELAY', 'PROBE'].includes(word)),
  );
  return answers ? `something still answers at ${text}` : undefined;
}

/** True also for an address that no block covers: nothing shows that it is free. */
function isAllocated(blocks: readonly IPAMBlock[], address: IpAddress): boolean {
  const around = blocks.flatMap((block) => {
    const cidr = parseCidr(block.spec.cidr);
    return cidr !== undefined && cidrContains(cidr, address) ? [{ block, cidr }] : [];
  });
  return around.length === 0 || around.some(({ block, cidr }) => isAllocatedIn(block, ordinalOf(cidr, address) ?? -1));
}
