// Routes in a pool that the datastore does not explain: left over, added by other programs, services.
import { faults } from '../../faults/faults.ts';
import { cidrCovers, formatCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import type { KernelRoute } from '../../node-state/iproute/iproute.ts';
import { isHostRoute } from '../../node-state/lookups.ts';
import { type FelixSettings, protocolName } from '../expected/felix-settings.ts';
import { isRead, type Network, poolAround, type ServiceRange } from '../expected/network.ts';
import { nothing, type RouteComparison, type RouteFinding, routeCommand, routeFinding } from './comparison.ts';
import { isForeign, isWorkloadDevice } from './foreign.ts';
import { routeText } from './match.ts';

interface Unexpected {
  readonly why: string;
  readonly finding: RouteFinding;
}

/** Written by the host itself for its own network: a lease, a router's announcement, a redirect, an address. */
const hostProtocols: readonly string[] = ['kernel', 'dhcp', 'ra', 'redirect', '9', '16', '1'];

const lookFirst = 'find out what adds it and what for (ip -d route show, the log of that program)';

/** What else than Calico wrote into a pool; undefined where it takes nothing from Calico. */
function foreign(network: Network, route: KernelRoute, destination: string): Unexpected | undefined {
  const block = network.blockAt(route.destination.base);
  const inBlock = block !== undefined && cidrCovers(block.cidr, route.destination);
  const protocol = protocolName(route.protocol);
  if (!inBlock && hostProtocols.includes(protocol)) return undefined;
  const message = inBlock
    ? `a route with protocol ${protocol} to ${destination} masks part of block ${formatCidr(block.cidr)}`
    : `a route with protocol ${protocol} to ${destination} lies in a pool and is not one of Calico's`;
  return {
    why: inBlock ? `more specific than block ${formatCidr(block.cidr)}` : "not one of Calico's",
    finding: routeFinding(
      faults.foreignRoute,
      message,
      inBlock
        ? `${lookFirst}; packets to pods of ${block.owner ?? 'that block'} must not take it`
        : `${lookFirst}; Calico may cut a block out of that range`,
      inBlock ? 'error' : 'warning',
    ),
  };
}

/** Undefined where pods, blocks or the addresses of live pods explain the route, or what would explain it was not read. */
function leftOver(
  network: Network,
  route: KernelRoute,
  destination: string,
  felix: FelixSettings,
): Unexpected | undefined {
  const isHost = isHostRoute(route.destination);
  const isWorkload = isHost && isWorkloadDevice(route.nextHops[0]?.device, felix.interfacePrefixes);
  // Some nodes announce each pod by itself: host-local IPAM, live migration, filters of their own.
  if (isHost && !isWorkload && network.liveAt(route.destination.base).length > 0) return undefined;
  if (!isRead(network, isWorkload || isHost ? 'Pod' : 'IPAMBlock')) return undefined;
  const address = formatIp(route.destination.base);
  const why = isWorkload ? 'no pod of this node has the address' : 'it leads to no block or borrowed address';
  const hint = isWorkload
    ? `see whether anything still has the address: calictl ipam show --ip ${address}, and the pods that the container runtime of the node knows`
    : 'run calictl ipam check, and see which node announces it: calictl node status -o wide';
  return { why, finding: routeFinding(faults.leftoverRoute, `the route to ${destination} is left over: ${why}`, hint) };
}

/** A route of BIRD that is wider than blocks: an aggregate of the fabric, less specific than all of Calico's routes. */
function isAggregate(network: Network, { destination, protocol, type }: KernelRoute): boolean {
  const covers = network.blocks.some(({ cidr }) => cidr.prefix > destination.prefix && cidrCovers(destination, cidr));
  return protocolName(protocol) === 'bird' && type === 'unicast' && covers;
}

function inPool(network: Network, node: string, route: KernelRoute): Unexpected | undefined {
  const felix = network.felix(node);
  const destination = formatCidr(route.destination);
  // A pool without pods of this cluster says what is not translated, or is for services: others route it.
  const pool = poolAround(network.pools, route.destination);
  // With flannel the routes between nodes are its own, by their device or without one.
  if (network.carrier === 'flannel' && !isWorkloadDevice(route.nextHops[0]?.device, felix.interfacePrefixes)) {
    return undefined;
  }
  if (pool?.hasRoutes !== true || !isRead(network, 'IPAMBlock')) return undefined;
  // The kernel writes routes for the address of an interface and its subnet.
  if (protocolName(route.protocol) === 'kernel') return undefined;
  if (isForeign(route, felix)) return foreign(network, route, destination);
  if (isAggregate(network, route)) return undefined;
  return leftOver(network, route, destination, felix);
}

function asService(ranges: readonly ServiceRange[], route: KernelRoute): Unexpected | undefined {
  if (protocolName(route.protocol) !== 'bird') return undefined;
  const range = ranges.find(({ cidr, isWhole }) => isWhole && cidrCovers(cidr, route.destination));
  if (range === undefined) return undefined;
  const services = `service addresses ${formatCidr(range.cidr)}`;
  const destination = formatCidr(route.destination);
  if (route.type !== 'unicast') {
    return {
      why: services,
      finding: routeFinding(
        faults.serviceRoute,
        `${route.type} ${destination}, part of the ${services}, is in the kernel: it drops packets of this node to services that kube-proxy does not handle first`,
        'the kernel filter of BIRD must keep its own service range out: check bird_ipam.cfg and the log of confd on this node, and the ranges of services in BGPConfiguration',
      ),
    };
  }
  return {
    why: services,
    finding: routeFinding(
      faults.serviceRoute,
      `BIRD routes ${destination}, part of the ${services}: packets to services can loop`,
      'check that this node advertises the service addresses itself: the ranges of services in BGPConfiguration, node labels',
    ),
  };
}

/** Routes that should not be there, to destinations other than the known ones. */
export function unexpectedRoutes(
  network: Network,
  node: string,
  byDestination: ReadonlyMap<string, readonly KernelRoute[]>,
  known: ReadonlySet<string>,
): RouteComparison[] {
  return [...byDestination].flatMap(([destination, group]): RouteComparison[] => {
    const [route] = group;
    if (known.has(destination) || route === undefined) return [];
    const found = asService(network.serviceRanges, route) ?? inPool(network, node, route);
    if (found === undefined) return [];
    const { version } = route.destination;
    return [
      {
        node,
        version,
        subject: undefined,
        destination,
        expected: nothing,
        seen: routeText(route),
        verdict: 'unexpected',
        why: found.why,
        peer: undefined,
        finding: found.finding,
        command: routeCommand(version, destination),
      },
    ];
  });
}
