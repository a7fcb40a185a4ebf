// The routes of a node against those that it should have: missing, wrong, masked, left over. Faults between nodes are in
// cross-node.ts. Rules: docs/reference/datapath.md#routes.

import { endingAdvice } from '../../faults/ending-advice.ts';
import { faults } from '../../faults/faults.ts';
import { cidrContains, cidrCovers, formatCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import type { BirdRoute } from '../../node-state/bird/bird.ts';
import type { KernelRoute, NextHop } from '../../node-state/iproute/iproute.ts';
import {
  deviceOf,
  isHostRoute,
  isSameAddress,
  nextHopsTowards,
  routesByDestination,
  routeTo,
} from '../../node-state/lookups.ts';
import { type NodeState, routesOf } from '../../node-state/node-state.ts';
import type { Observed } from '../../node-state/probes.ts';
import { groupBy } from '../../text/group-by.ts';
import { counted, listed } from '../../text/wording.ts';
import { type FelixSettings, protocolName } from '../expected/felix-settings.ts';
import { isRead, isSameSubnet, type Network, poolAround } from '../expected/network.ts';
import { formText, ipipDevice, vxlanDevices } from '../expected/route-forms.ts';
import { type ExpectedRoute, expectedRoutes } from '../expected/routes.ts';
import { missingInKernel, nextHopUnreachable, whyMissing } from './bird-explanation.ts';
import {
  becauseOfObjects,
  nothing,
  type RouteComparison,
  type RouteFinding,
  rangesOverlapHint,
  routeCommand,
  routeFinding,
} from './comparison.ts';
import { isForeign } from './foreign.ts';
import { bestMatch, hopText, type LocalView, type Match, routeText } from './match.ts';
import { unexpectedRoutes } from './unexpected.ts';

/** By destination, the best first. */
function birdRoutes(routes: Observed<readonly BirdRoute[]>): LocalView['bird'] {
  if (!routes.seen) return undefined;
  const all = groupBy(routes.value, ({ destination }) => formatCidr(destination));
  for (const group of all.values()) group.sort((a, b) => Number(b.primary) - Number(a.primary));
  return all;
}

/** The tunnel devices of Calico that are missing or not UP; none when interfaces were not seen. */
function deadDevicesOf({ interfaces }: NodeState): ReadonlyMap<string, 'missing' | 'down'> {
  if (!interfaces.seen) return new Map();
  return new Map(
    [ipipDevice, ...Object.values(vxlanDevices)].flatMap((name) => {
      const found = interfaces.value.find((one) => one.name === name);
      if (found?.flags.includes('UP') === true) return [];
      return [[name, found === undefined ? ('missing' as const) : ('down' as const)] as const];
    }),
  );
}

/** The addresses of nodes of one family, without route reflectors. */
function plainNodeAddresses(network: Network, version: 4 | 6): ReadonlySet<string> {
  return new Set(
    [...network.nodes.values()].flatMap(({ addresses: { [version]: own }, isReflector }) =>
      own === undefined || isReflector ? [] : [formatIp(own.address)],
    ),
  );
}

/** What routes of one family are judged by; undefined when the node's routes could not be read. */
function localView(network: Network, state: NodeState, version: 4 | 6): LocalView | undefined {
  const routes = routesOf(state, version);
  if (!routes.seen) return undefined;
  const own = network.nodes.get(state.node)?.addresses[version]?.address;
  const { interfaces, addresses } = state;
  // Nodes are not reached through pods: of thousands of routes only these few are searched for each gateway.
  const underlay = routes.value.filter(({ destination }) => poolAround(network.pools, destination) === undefined);
  const hopsByAddress = new Map<string, readonly NextHop[]>();
  const others = plainNodeAddresses(network, version);
  let hostRoutes: ReadonlySet<string> | undefined;
  return {
    routes: routes.value,
    nextHopsTo: (address) => {
      const key = formatIp(address);
      const hops = hopsByAddress.get(key) ?? nextHopsTowards(underlay, address);
      hopsByAddress.set(key, hops);
      return hops;
    },
    parent: addresses.seen && own !== undefined ? deviceOf(addresses.value, own) : undefined,
    mtus: interfaces.seen
      ? new Map(interfaces.value.flatMap(({ name, mtu }) => (mtu === undefined ? [] : [[name, mtu] as const])))
      : undefined,
    bird: birdRoutes(state.bird[version].routes),
    isOtherNode: (address) => others.has(formatIp(address)),
    deadDevices: deadDevicesOf(state),
    hostRoutes: () => {
      hostRoutes ??= new Set(
        routes.value
          .filter(({ destination, type }) => isHostRoute(destination) && type === 'unicast')
          .map(({ destination }) => formatIp(destination.base)),
      );
      return hostRoutes;
    },
  };
}

/** What a comparison says apart from its place. */
interface Judged extends Pick<RouteComparison, 'verdict'> {
  /** Made on demand: most routes are right and are not shown. */
  readonly seen: () => string;
  readonly finding?: RouteFinding;
}

const seenNothing = (): string => nothing;

const foreignHint = 'find out what adds it and why: packets to pods must not take it';

/** `pod shop/cart-0 (10.0.0.1)`. */
const podText = ({ why, destination }: ExpectedRoute): string => `${why} (${formatIp(destination.base)})`;

/** A route that the kernel filter of BIRD keeps out because its range is advertised for services. */
function inServiceRange(route: ExpectedRoute): RouteFinding {
  return {
    ...routeFinding(
      faults.rangesOverlap,
      `the route to ${route.text} is kept out of the kernel: the range is advertised for services`,
      rangesOverlapHint,
    ),
    because: becauseOfObjects,
  };
}

function missingFinding(route: ExpectedRoute, network: Network, state: NodeState, view: LocalView): RouteFinding {
  switch (route.subject) {
    case 'workload':
      return routeFinding(
        faults.podRouteMissing,
        `the route to ${podText(route)} is missing`,
        `Felix writes it: check that it runs on this node, and read its log (calictl node status ${state.node})`,
      );
    case 'own block':
      if (network.addressSource === 'host-local') return podCidrFinding(route, state);
      return routeFinding(
        faults.blackholeMissing,
        `the blackhole for the node's own block ${route.text} is missing: packets to free addresses leave the node`,
        endingAdvice.restartForRoutes.hint,
      );
    default:
      return whyMissing(route, network, state, view, view.bird?.get(route.text)?.[0]);
  }
}

/** F103: what announces a pod CIDR also writes a blackhole for it. */
function podCidrFinding(route: ExpectedRoute, state: NodeState): RouteFinding {
  return routeFinding(
    faults.podCidrNotAnnounced,
    `${state.node} does not announce its pod CIDR ${route.text}: other nodes need one route per pod`,
    'set USE_POD_CIDR=true in the environment of calico-node',
  );
}

/** A route that leads the right way, but is not as Calico writes it. */
function minorFinding(match: Match, route: KernelRoute, destination: string, felix: FelixSettings): RouteFinding {
  const [aspect] = match.minor;
  if (aspect === 'mtu') {
    const message = `the route to ${destination} has MTU ${route.mtu}, not that of its device`;
    return routeFinding(faults.mtuWrong, message, endingAdvice.restartForRoutes.hint);
  }
  if (aspect === 'onlink') {
    const message = `the route to ${destination} is not marked onlink`;
    return routeFinding(faults.remoteRouteWrong, message, endingAdvice.restartForRoutes.hint, 'warning');
  }
  const protocol = protocolName(route.protocol);
  if (isForeign(route, felix)) {
    const message = `the route to ${destination} has protocol ${protocol}, not one of Calico's: it stays when Calico's routes change`;
    return routeFinding(faults.foreignRoute, message, foreignHint, 'warning');
  }
  return routeFinding(
    faults.routeOwnerWrong,
    `the route to ${destination} has protocol ${protocol}, expected ${match.form.protocols.join(' or ')}`,
    'let either Felix or BIRD program these routes: FelixConfiguration programClusterRoutes',
  );
}

/** The next hops that are wrong, each with the node that has its address. */
function wrongHopsText({ wrongHops }: Match, network: Network): string {
  const owner = (gateway: IpAddress): string => {
    const node = [...network.nodes.values()].find(({ addresses }) =>
      isSameAddress(addresses[gateway.version]?.address, gateway),
    );
    return node === undefined ? formatIp(gateway) : `${formatIp(gateway)} (${node.name})`;
  };
  const texts = wrongHops.map((hop) => (hop.gateway === undefined ? hopText(hop) : owner(hop.gateway)));
  return texts.length === 0 ? '' : `: ${listed(texts)}`;
}

/** A route to another node that sends packets elsewhere. */
function remoteFinding(route: ExpectedRoute, match: Match, winner: KernelRoute, context: Context): RouteFinding {
  const { network, state, view } = context;
  const { destination, peer = '' } = route;
  const { version } = destination;
  const local = network.nodes.get(state.node);
  const remote = network.nodes.get(peer);
  // BIRD writes this to the kernel when nothing leads to the next hop.
  if (winner.type === 'unreachable') {
    return nextHopUnreachable(network, state.node, destination, view.bird?.get(route.text)?.[0]);
  }
  const address = remote?.addresses[version]?.address;
  const to = `${peer}${address === undefined ? '' : ` (${formatIp(address)})`}`;
  const message = `the route to ${route.text} of ${to} has the wrong ${match.major.join(' and ')}${wrongHopsText(match, network)}`;
  const isOnLink = local !== undefined && remote !== undefined && isSameSubnet(local, remote, version);
  const hint =
    winner.nextHops.length > 1
      ? `packets are spread over all next hops: find out with calictl node status -o wide what announces it besides ${peer}`
      : isOnLink && match.major.includes('gateway') && match.form.device === undefined
        ? `${peer} is in the subnet of this node and must be the next hop itself: find out what leads to it through a router (ip route get ${address === undefined ? peer : formatIp(address)}, nextHopMode of the peers)`
        : `check whether ${peer} changed its address, or the pool its encapsulation; ${endingAdvice.restartForRoutes.hint}`;
  return routeFinding(faults.remoteRouteWrong, message, hint);
}

/** A route that sends packets elsewhere. */
function majorFinding(
  route: ExpectedRoute,
  match: Match,
  winner: KernelRoute,
  isMasking: boolean,
  context: Context,
): RouteFinding {
  const destination = route.text;
  const how = `has the wrong ${match.major.join(' and ')}`;
  if (isMasking) {
    const protocol = protocolName(winner.protocol);
    const message = `a route with protocol ${protocol} to ${destination} takes precedence over Calico's: it ${how}`;
    return routeFinding(faults.foreignRoute, message, foreignHint);
  }
  if (route.subject === 'workload') {
    return routeFinding(
      faults.podRouteWrong,
      `the route to ${podText(route)} ${how}`,
      `find out which pod has the address: calictl ipam show --ip ${formatIp(route.destination.base)}, calictl ipam check`,
    );
  }
  if (route.subject === 'own block') {
    const message = `the node's own block ${destination} is not a blackhole: packets to free addresses go elsewhere`;
    return routeFinding(faults.blackholeMissing, message, endingAdvice.restartForRoutes.hint);
  }
  return remoteFinding(route, match, winner, context);
}

/** True when the fabric knows the way: a wider route by BGP, where no session with that node would bring its own. */
function isCoveredByFabric(route: ExpectedRoute, { network, state, view }: Context): boolean {
  const { destination, forms, peer } = route;
  if (!forms.some(({ protocols, device }) => protocols.includes('bird') && device === undefined)) return false;
  const covering = routeTo(view.routes, destination.base);
  if (covering === undefined || covering.type !== 'unicast' || protocolName(covering.protocol) !== 'bird') return false;
  if (covering.destination.prefix >= destination.prefix) return false;
  const { protocols } = state.bird[destination.version];
  // Without BIRD's words a default route proves nothing: it may have been there before.
  if (!protocols.seen) return covering.destination.prefix > 0;
  const address = network.nodes.get(peer ?? '')?.addresses[destination.version]?.address;
  return !protocols.value.some(({ bgp }) => address !== undefined && isSameAddress(bgp?.neighborAddress, address));
}

/** True when each live pod there has a route of its own: host-local IPAM that calico-node does not know about. */
function areRoutedOneByOne(route: ExpectedRoute, { network, view }: Context): boolean {
  if (network.addressSource !== 'host-local' || route.subject !== 'remote block') return false;
  const addresses = (network.workloads.get(route.peer ?? '') ?? [])
    .filter(({ settled }) => settled)
    .flatMap((workload) => workload.addresses.filter((address) => cidrContains(route.destination, address)));
  const routed = view.hostRoutes();
  return addresses.every((address) => routed.has(formatIp(address)));
}

/** Why a route need not be there; undefined when it must. */
function excuse(route: ExpectedRoute, context: Context): string | undefined {
  if (!route.required) return '';
  if (!isRead(context.network, 'IPAMBlock')) return '';
  switch (route.subject) {
    case 'workload':
    case 'own block':
      return undefined;
    default:
      if (isCoveredByFabric(route, context)) return 'covered by a wider route of BIRD';
      return areRoutedOneByOne(route, context) ? 'one route per pod' : undefined;
  }
}

function judge(route: ExpectedRoute, group: readonly KernelRoute[], context: Context): Judged {
  const { network, state, view } = context;
  const felix = network.felix(state.node);
  const key = route.text;
  const matches = group.map((seen) => ({ seen, match: bestMatch(route.forms, seen, view, key) }));
  const [winner] = matches;
  if (winner === undefined) {
    const excused = excuse(route, context);
    if (excused !== undefined) return { verdict: 'ok', seen: excused === '' ? seenNothing : (): string => excused };
    // What is advertised as a service range is kept out of the kernel: the mistake is in the objects.
    const inServices = network.serviceCidrs.some((cidr) => cidrCovers(cidr, route.destination));
    const finding = inServices ? inServiceRange(route) : missingFinding(route, network, state, view);
    return { verdict: 'missing', seen: seenNothing, finding };
  }
  const seen = (): string => group.map(routeText).join('; ');
  // The other node has no address, so it is unknown which route would be right.
  if (winner.match === undefined) return { verdict: 'ok', seen };
  if (winner.match.major.length === 0) {
    if (winner.match.minor.length === 0) return { verdict: 'ok', seen };
    return { verdict: 'wrong', seen, finding: minorFinding(winner.match, winner.seen, key, felix) };
  }
  const isMasking = isForeign(winner.seen, felix) || matches.slice(1).some(({ match }) => match?.major.length === 0);
  return { verdict: 'wrong', seen, finding: majorFinding(route, winner.match, winner.seen, isMasking, context) };
}

interface Context {
  readonly network: Network;
  readonly state: NodeState;
  readonly view: LocalView;
}

/** The routes of a family that could not be read, as one line. */
function unseenFamily(state: NodeState, version: 4 | 6, expected: readonly ExpectedRoute[]): RouteComparison[] {
  const routes = routesOf(state, version);
  if (routes.seen || expected.length === 0) return [];
  return [
    {
      node: state.node,
      version,
      subject: undefined,
      destination: `IPv${version} routes`,
      expected: counted(expected.length, 'route'),
      seen: nothing,
      verdict: 'not observed',
      why: routes.why,
      peer: undefined,
      finding: undefined,
      command: routes.argv,
    },
  ];
}

/** The forms that are right, as `ip route` would print them. */
function expectedText({ forms, destination }: ExpectedRoute): string {
  if (forms.length === 0) return nothing;
  return [...new Set(forms.map((form) => formText(form, destination.version)))].join(' or ');
}

function compareFamily(
  network: Network,
  state: NodeState,
  version: 4 | 6,
  expected: readonly ExpectedRoute[],
  keepsAll: boolean,
): RouteComparison[] {
  const { node } = state;
  const view = localView(network, state, version);
  if (view === undefined) return unseenFamily(state, version, expected);
  const byDestination = routesByDestination(view.routes);
  const context: Context = { network, state, view };
  const skipped = state.skipped.get(version === 4 ? 'routes4' : 'routes6');
  const judged = expected.flatMap((route): RouteComparison[] => {
    const destination = route.text;
    const { verdict, seen, finding } = judge(route, byDestination.get(destination) ?? [], context);
    if (verdict === 'ok' && !keepsAll && route.subject !== 'workload') return [];
    // A part of the answer shows what is there, but not what is missing.
    const isUnsure = verdict === 'missing' && skipped !== undefined;
    return [
      {
        node,
        version,
        subject: route.subject,
        destination,
        expected: expectedText(route),
        seen: seen(),
        verdict: isUnsure ? 'not observed' : verdict,
        why: isUnsure ? `not understood: ${skipped.join('; ')}` : route.why,
        peer: route.peer,
        finding: isUnsure ? undefined : finding,
        command: routeCommand(version, destination),
      },
    ];
  });
  const known = new Set(expected.map(({ text }) => text));
  return [
    ...judged,
    ...unexpectedRoutes(network, node, byDestination, known),
    ...missingInKernel(network, node, version, view.bird, byDestination, known),
  ];
}

export interface RouteReport {
  /** IPv4 first, then in the order of expected destinations; `keep` decides which. */
  readonly comparisons: readonly RouteComparison[];
  /** How many routes are as expected, including those that are not kept. */
  readonly asExpected: number;
}

/**
 * The routes of a node that are expected, or that were seen where only Calico should have routes, each with a verdict.
 * `differing` drops those that are as expected, except the ones to the node's own pods.
 */
export function compareRoutes(network: Network, state: NodeState, keep: 'all' | 'differing' = 'all'): RouteReport {
  const expected = expectedRoutes(state.node, network);
  const comparisons = ([4, 6] as const).flatMap((version) => {
    const own = expected.filter(({ destination }) => destination.version === version);
    return compareFamily(network, state, version, own, keep === 'all');
  });
  const wrong = comparisons.filter(({ verdict, subject }) => subject !== undefined && verdict !== 'ok').length;
  const unseen = ([4, 6] as const)
    .filter((version) => !routesOf(state, version).seen)
    .reduce((sum, version) => sum + expected.filter(({ destination }) => destination.version === version).length, 0);
  return { comparisons, asExpected: expected.length - wrong - unseen };
}
