// What BIRD says about a route that the kernel does not have: next hop unreachable, not installed, not learned and why.
// For VXLAN pools BIRD's routes prove nothing: its table holds them, and its kernel filter keeps them out.
import { faults } from '../../faults/faults.ts';
import { sharedHints } from '../../faults/shared-findings.ts';
import { type Cidr, cidrContains, formatCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress, parseIp } from '../../net/ip.ts';
import type { BirdProtocol, BirdRoute } from '../../node-state/bird/bird.ts';
import type { KernelRoute } from '../../node-state/iproute/iproute.ts';
import { isSameAddress, isUnresolved, routeTo } from '../../node-state/lookups.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import { type Network, poolAround } from '../expected/network.ts';
import type { ExpectedRoute } from '../expected/routes.ts';
import {
  becauseOfDevice,
  becauseOfObject,
  becauseOfSession,
  deviceDownHint,
  deviceMissingHint,
  nothing,
  type RouteComparison,
  type RouteFinding,
  routeCommand,
  routeFinding,
} from './comparison.ts';
import type { LocalView } from './local-view.ts';

/** The next hop that BGP gave a route. */
const nextHopOf = (route: BirdRoute | undefined): IpAddress | undefined =>
  route === undefined ? undefined : parseIp(route.attributes['BGP.next_hop']?.split(' ')[0] ?? '');

/** What to do about a next hop that is on no network of the node; undefined when it is on one, or is not known. */
function offLinkHint(
  network: Network,
  node: string,
  destination: Cidr,
  hop: IpAddress | undefined,
): string | undefined {
  const own = hop === undefined ? undefined : network.nodes.get(node)?.addresses[hop.version];
  if (hop === undefined || own === undefined || cidrContains(own.subnet, hop)) return undefined;
  const pool = poolAround(network.pools, destination);
  if (pool !== undefined && pool.encapsulation.kind !== 'none') return undefined;
  return sharedHints.nextHopElsewhere(formatIp(hop), pool === undefined ? ' of the pool' : ` of IPPool ${pool.name}`);
}

/** BIRD has the route, and its next hop cannot be reached. */
export function nextHopUnreachable(
  network: Network,
  node: string,
  destination: Cidr,
  route: BirdRoute | undefined,
): RouteFinding {
  const hop = nextHopOf(route);
  const message = `BIRD has the route to ${formatCidr(destination)}, but nothing leads to its next hop${hop === undefined ? '' : ` ${formatIp(hop)}`}`;
  const hint = offLinkHint(network, node, destination, hop) ?? sharedHints.nextHopUnreachable;
  return routeFinding(faults.nextHopUnreachable, message, hint);
}

function notInstalled(
  network: Network,
  node: string,
  destination: Cidr,
  route: BirdRoute | undefined,
  isRecovering: boolean,
): RouteFinding {
  const hop = nextHopOf(route);
  const message = `BIRD has the route to ${formatCidr(destination)}${hop === undefined ? '' : ` via ${formatIp(hop)}`}, but the kernel does not`;
  if (isRecovering) {
    return routeFinding(
      faults.routeNotInstalled,
      `${message}: BIRD still waits for its peers after a restart`,
      'wait until the graceful restart is over: 240 seconds at most',
    );
  }
  const hint = offLinkHint(network, node, destination, hop) ?? sharedHints.routeNotInstalled;
  return routeFinding(faults.routeNotInstalled, message, hint);
}

function sessionText(protocol: BirdProtocol): string {
  return `${protocol.state} ${protocol.info}`.trim();
}

/** How the session with the other node explains it. */
function bySession(
  peer: string,
  state: NodeState,
  network: Network,
  version: 4 | 6,
): { cause: string; hint: string; because?: string } {
  const { status, protocols } = state.bird[version];
  if (!protocols.seen) {
    return {
      cause: `BIRD could not be read (${status.seen ? protocols.why : status.why})`,
      hint: 'check whether BIRD runs: calictl node status',
    };
  }
  const address = network.nodes.get(peer)?.addresses[version]?.address;
  const session = protocols.value.find(
    ({ bgp }) => address !== undefined && isSameAddress(bgp?.neighborAddress, address),
  );
  if (session === undefined) {
    return {
      cause: `BIRD has no session with ${peer}${address === undefined ? '' : ` (${formatIp(address)})`}, and no other peer announces it`,
      hint: 'check the peers of both nodes: calictl node status, calictl node bgp',
    };
  }
  if (session.state !== 'up') {
    return {
      cause: `BGP with ${peer} is not established (${session.name}: ${sessionText(session)})`,
      hint: `bring the session up: calictl node status ${state.node} ${peer}`,
      because: becauseOfSession(peer),
    };
  }
  return {
    cause: `BGP with ${peer} is established, but the route is not learned`,
    hint: 'check whether a filter rejects it, and whether the block has an affinity to that node: calictl ipam check',
  };
}

/** Where packets go without the route that is missing. */
function insteadOf(route: ExpectedRoute, view: LocalView): string {
  const covering = routeTo(view.routes, route.destination.base);
  if (covering === undefined) return 'packets have nowhere to go';
  if (covering.type !== 'unicast') return 'packets are dropped';
  return covering.destination.prefix === 0
    ? 'packets take the default route'
    : `packets take the route to ${formatCidr(covering.destination)}`;
}

/** Routes through a device go when the device does: the device is the fault, not each route. */
function byDevice(route: ExpectedRoute, view: LocalView): RouteFinding | undefined {
  const [device, ...more] = new Set(route.forms.map((form) => form.device));
  const state = device === undefined || more.length > 0 ? undefined : view.deadDevices.get(device);
  if (device === undefined || state === undefined) return undefined;
  return {
    ...routeFinding(
      faults.tunnelUnusable,
      `${device} is ${state}: no route to ${route.text} of ${route.peer}`,
      state === 'down' ? deviceDownHint(device) : deviceMissingHint(device),
    ),
    because: becauseOfDevice(device),
  };
}

/** The pattern of ignoredInterfaces that hides a device; undefined when none does. */
function hidingPattern(patterns: readonly string[], device: string): string | undefined {
  return patterns.find((pattern) => {
    const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`).test(device);
  });
}

/** F93 for the reason that BIRD ignores the uplink, and so does not know the network of its next hops. */
function byIgnoredUplink(
  route: ExpectedRoute,
  network: Network,
  node: string,
  { parent }: LocalView,
): RouteFinding | undefined {
  const { patterns, configuration } = network.ignoredInterfaces(node);
  const pattern = parent === undefined ? undefined : hidingPattern(patterns, parent);
  if (parent === undefined || pattern === undefined) return undefined;
  return {
    ...routeFinding(
      faults.nextHopUnreachable,
      `BIRD on ${node} ignores ${parent}, which leads to other nodes (ignoredInterfaces ${pattern}): it has no next hop for ${route.text} of ${route.peer}`,
      `take ${pattern} out of ignoredInterfaces of BGPConfiguration ${configuration}, or name only interfaces that lead to no node`,
    ),
    object: { kind: 'BGPConfiguration', name: configuration },
    because: becauseOfObject('BGPConfiguration', configuration),
  };
}

/** Why a route to another node is not in the kernel. */
export function whyMissing(
  route: ExpectedRoute,
  network: Network,
  state: NodeState,
  view: LocalView,
  inBird: BirdRoute | undefined,
): RouteFinding {
  const { destination, pool } = route;
  const { version } = destination;
  const peer = route.peer ?? '';
  const dead = byDevice(route, view);
  if (dead !== undefined) return dead;
  const message = `no route to ${route.text} of ${peer}: ${insteadOf(route, view)}`;
  const isOfBird = route.forms.some(({ protocols }) => protocols.includes('bird'));
  if (!isOfBird) {
    const hint = `check that Felix runs on this node, and read its log: calictl node status ${state.node}`;
    return routeFinding(faults.remoteRouteMissing, message, hint);
  }
  const isIgnored = inBird === undefined || isUnresolved(inBird);
  const ignored = isIgnored ? byIgnoredUplink(route, network, state.node, view) : undefined;
  if (ignored !== undefined) return ignored;
  if (inBird !== undefined) {
    if (isUnresolved(inBird)) return nextHopUnreachable(network, state.node, destination, inBird);
    const { status } = state.bird[version];
    const isRecovering = status.seen && status.value.gracefulRestart !== undefined;
    return notInstalled(network, state.node, destination, inBird, isRecovering);
  }
  if (pool !== undefined && !pool.exported) {
    return {
      ...routeFinding(
        faults.poolNotExported,
        `BIRD carries the routes of IPPool ${pool.name}, and its disableBGPExport keeps them from all nodes: no route to ${route.text} of ${peer}`,
        'set disableBGPExport of the pool to false, unless other routers know the way to its blocks',
      ),
      object: { kind: 'IPPool', name: pool.name },
      because: becauseOfObject('IPPool', pool.name),
    };
  }
  const { cause, hint, ...more } = bySession(peer, state, network, version);
  return { ...routeFinding(faults.remoteRouteMissing, `${message}; ${cause}`, hint), ...more };
}

/** Routes in pools that BIRD has for the kernel and the kernel does not have, in addition to the expected ones. */
export function missingInKernel(
  network: Network,
  node: string,
  version: 4 | 6,
  bird: LocalView['bird'],
  byDestination: ReadonlyMap<string, readonly KernelRoute[]>,
  known: ReadonlySet<string>,
): RouteComparison[] {
  const felix = network.felix(node);
  return [...(bird ?? [])].flatMap(([destination, [route]]): RouteComparison[] => {
    if (route?.primary !== true) return [];
    const kind = poolAround(network.pools, route.destination)?.encapsulation.kind;
    const owner = kind === 'ipip' ? felix.ipipOwner : kind === 'none' ? felix.plainOwner : 'felix';
    const forwards = route.target === 'via' || route.target === 'unreachable';
    if (owner !== 'bird' || !forwards || known.has(destination) || byDestination.has(destination)) return [];
    return [
      {
        node,
        version,
        subject: undefined,
        destination,
        expected: 'as BIRD has it',
        seen: nothing,
        verdict: 'missing',
        why: `BIRD learned it from ${route.protocol}`,
        peer: undefined,
        finding: isUnresolved(route)
          ? nextHopUnreachable(network, node, route.destination, route)
          : notInstalled(network, node, route.destination, route, false),
        command: routeCommand(version, destination),
      },
    ];
  });
}
