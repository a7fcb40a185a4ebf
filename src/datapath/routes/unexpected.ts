// Routes that lie in a pool and that nothing in the datastore gives reason for: left over, added by others, services.
import { type Cidr, cidrCovers, formatCidr } from '../../net/cidr.ts';
import type { KernelRoute } from '../../node-state/iproute/iproute.ts';
import { isHostRoute } from '../../node-state/lookups.ts';
import { protocolName } from '../expected/felix-settings.ts';
import { type Network, poolAround } from '../expected/network.ts';
import { nothing, type RouteComparison, type RouteFinding, routeCommand } from './comparison.ts';
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
  return {
    why: inBlock ? `more specific than block ${formatCidr(block.cidr)}` : 'not of Calico',
    finding: {
      id: 'F47',
      severity: inBlock ? 'error' : 'warning',
      message: inBlock
        ? `a route of protocol ${protocol} to ${destination} masks a part of block ${formatCidr(block.cidr)}`
        : `a route of protocol ${protocol} to ${destination} lies in a pool and is not of Calico`,
      hint: 'find out who adds it, and delete it',
    },
  };
}

function leftOver(route: KernelRoute, destination: string, prefixes: readonly string[]): Unexpected {
  const device = route.nextHops[0]?.device;
  const isWorkload = isHostRoute(route.destination) && isWorkloadDevice(device, prefixes);
  const why = isWorkload ? 'no pod of this node has the address' : 'no block or borrowed address is there';
  return {
    why,
    finding: {
      id: 'F48',
      severity: 'warning',
      message: `the route to ${destination} is left over: ${why}`,
      hint: isWorkload
        ? 'restart calico-node on this node, then delete the route'
        : 'run calictl ipam check; restart calico-node on the node that announces it',
    },
  };
}

/** A route of BIRD's that is wider than blocks are: an aggregate of the fabric, less specific than all of Calico's. */
function isAggregate(network: Network, { destination, protocol, type }: KernelRoute): boolean {
  const covers = network.blocks.some(({ cidr }) => cidr.prefix > destination.prefix && cidrCovers(destination, cidr));
  return protocolName(protocol) === 'bird' && type === 'unicast' && covers;
}

function inPool(network: Network, node: string, route: KernelRoute): Unexpected | undefined {
  const felix = network.felix(node);
  const destination = formatCidr(route.destination);
  const protocol = protocolName(route.protocol);
  // The kernel's own: the address of a device, and its subnet.
  if (protocol === 'kernel' || poolAround(network.pools, route.destination) === undefined) return undefined;
  if (isForeign(route, felix)) return foreign(network, route, destination);
  if (isAggregate(network, route)) return undefined;
  return leftOver(route, destination, felix.interfacePrefixes);
}

function asService(cidrs: readonly Cidr[], route: KernelRoute): Unexpected | undefined {
  if (protocolName(route.protocol) !== 'bird') return undefined;
  const cidr = cidrs.find((service) => cidrCovers(service, route.destination));
  if (cidr === undefined) return undefined;
  return {
    why: `service addresses ${formatCidr(cidr)}`,
    finding: {
      id: 'F98',
      severity: 'warning',
      message: `service addresses ${formatCidr(cidr)} are routed by BIRD to ${formatCidr(route.destination)}: packets to services can loop`,
      hint: 'see that this node advertises the service addresses itself: BGPConfiguration serviceClusterIPs, node labels',
    },
  };
}

/** Routes to destinations beside the known ones that should not be there. */
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
        ...{ node, version, destination, expected: nothing, seen: routeText(route), verdict: 'unexpected' },
        ...{ why: found.why, peer: undefined, subject: undefined, finding: found.finding },
        command: routeCommand(version, destination),
      },
    ];
  });
}
