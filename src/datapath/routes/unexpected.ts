// Routes in a pool that the datastore does not explain: left over, added by other programs, services.
import { faults } from '../../faults/faults.ts';
import { type Cidr, cidrCovers, formatCidr } from '../../net/cidr.ts';
import type { KernelRoute } from '../../node-state/iproute/iproute.ts';
import { isHostRoute } from '../../node-state/lookups.ts';
import { protocolName } from '../expected/felix-settings.ts';
import { type Network, poolAround } from '../expected/network.ts';
import { nothing, type RouteComparison, type RouteFinding, routeCommand, routeFinding } from './comparison.ts';
import { isForeign, isWorkloadDevice } from './foreign.ts';
import { routeText } from './match.ts';

interface Unexpected {
  readonly why: string;
  readonly finding: RouteFinding;
}

function foreign(network: Network, route: KernelRoute, destination: string): Unexpected {
  const block = network.blockAt(route.destination.base);
  const inBlock = block !== undefined && cidrCovers(block.cidr, route.destination);
  const protocol = protocolName(route.protocol);
  const message = inBlock
    ? `a route with protocol ${protocol} to ${destination} masks part of block ${formatCidr(block.cidr)}`
    : `a route with protocol ${protocol} to ${destination} lies in a pool and is not one of Calico's`;
  return {
    why: inBlock ? `more specific than block ${formatCidr(block.cidr)}` : "not one of Calico's",
    finding: routeFinding(
      faults.foreignRoute,
      message,
      'find out what adds it, and delete it',
      inBlock ? 'error' : 'warning',
    ),
  };
}

function leftOver(route: KernelRoute, destination: string, prefixes: readonly string[]): Unexpected {
  const device = route.nextHops[0]?.device;
  const isWorkload = isHostRoute(route.destination) && isWorkloadDevice(device, prefixes);
  const why = isWorkload ? 'no pod of this node has the address' : 'it leads to no block or borrowed address';
  const hint = isWorkload
    ? 'restart calico-node on this node, then delete the route'
    : 'run calictl ipam check; restart calico-node on the node that announces it';
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
  const protocol = protocolName(route.protocol);
  // The kernel writes routes for the address of an interface and its subnet.
  if (protocol === 'kernel' || poolAround(network.pools, route.destination) === undefined) return undefined;
  if (isForeign(route, felix)) return foreign(network, route, destination);
  if (isAggregate(network, route)) return undefined;
  return leftOver(route, destination, felix.interfacePrefixes);
}

function asService(cidrs: readonly Cidr[], route: KernelRoute): Unexpected | undefined {
  if (protocolName(route.protocol) !== 'bird') return undefined;
  const cidr = cidrs.find((service) => cidrCovers(service, route.destination));
  if (cidr === undefined) return undefined;
  const services = `service addresses ${formatCidr(cidr)}`;
  return {
    why: services,
    finding: routeFinding(
      faults.serviceRoute,
      `BIRD routes ${formatCidr(route.destination)}, part of the ${services}: packets to services can loop`,
      'check that this node advertises the service addresses itself: BGPConfiguration serviceClusterIPs, node labels',
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
    const found = asService(network.serviceCidrs, route) ?? inPool(network, node, route);
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
