// The routes of a node against those that it should have: missing, wrong, masked, left over. Faults between nodes are in
// cross-node.ts. Rules: docs/reference/datapath.md#routes.

import { faults } from '../../faults/faults.ts';
import { formatCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import type { BirdRoute } from '../../node-state/bird/bird.ts';
import type { KernelRoute, NextHop } from '../../node-state/iproute/iproute.ts';
import { deviceOf, nextHopsTowards, routesByDestination } from '../../node-state/lookups.ts';
import { type NodeState, routesOf } from '../../node-state/node-state.ts';
import type { Observed } from '../../node-state/probes.ts';
import { counted } from '../../text/wording.ts';
import { type FelixSettings, protocolName } from '../expected/felix-settings.ts';
import { type Network, poolAround } from '../expected/network.ts';
import { formText } from '../expected/route-forms.ts';
import { type ExpectedRoute, expectedRoutes } from '../expected/routes.ts';
import { missingInKernel, nextHopUnreachable, whyMissing } from './bird-explanation.ts';
import { nothing, type RouteComparison, type RouteFinding, routeCommand, routeFinding } from './comparison.ts';
import { isForeign } from './foreign.ts';
import { bestMatch, type LocalView, type Match, routeText } from './match.ts';
import { unexpectedRoutes } from './unexpected.ts';

function bestBirdRoutes(routes: Observed<readonly BirdRoute[]>): ReadonlyMap<string, BirdRoute> | undefined {
  if (!routes.seen) return undefined;
  return new Map(routes.value.filter(({ primary }) => primary).map((route) => [formatCidr(route.destination), route]));
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
    bird: bestBirdRoutes(state.bird[version].routes),
  };
}

/** What a comparison says apart from its place. */
interface Judged extends Pick<RouteComparison, 'verdict'> {
  /** Made on demand: most routes are right and are not shown. */
  readonly seen: () => string;
  readonly finding?: RouteFinding;
}

const seenNothing = (): string => nothing;

const restartHint = 'restart calico-node on this node';
const foreignHint = 'find out what adds it, and delete it';

/** `pod shop/cart-0 (10.0.0.1)`. */
const podText = ({ why, destination }: ExpectedRoute): string => `${why} (${formatIp(destination.base)})`;

function missingFinding(route: ExpectedRoute, network: Network, state: NodeState, view: LocalView): RouteFinding {
  switch (route.subject) {
    case 'workload':
      return routeFinding(
        faults.podRouteMissing,
        `the route to ${podText(route)} is missing`,
        'check whether Felix runs; delete the pod to have it wired again',
      );
    case 'own block':
      return routeFinding(
        faults.blackholeMissing,
        `the blackhole for the node's own block ${route.text} is missing: packets to free addresses leave the node`,
        restartHint,
      );
    default:
      return whyMissing(route, network, state, view.bird?.get(route.text));
  }
}

/** A route that leads the right way, but is not as Calico writes it. */
function minorFinding(match: Match, route: KernelRoute, destination: string, felix: FelixSettings): RouteFinding {
  const [aspect] = match.minor;
  if (aspect === 'mtu') {
    const message = `the route to ${destination} has MTU ${route.mtu}, not that of its device`;
    return routeFinding(faults.mtuWrong, message, 'restart calico-node after a change of MTU settings');
  }
  if (aspect === 'onlink') {
    const message = `the route to ${destination} is not marked onlink`;
    return routeFinding(faults.remoteRouteWrong, message, restartHint, 'warning');
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

/** A route that sends packets elsewhere. */
function majorFinding(route: ExpectedRoute, match: Match, winner: KernelRoute, isMasking: boolean): RouteFinding {
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
      'look for a second pod with this address or a leftover interface, and delete the wrong one',
    );
  }
  if (route.subject === 'own block') {
    const message = `the node's own block ${destination} is not a blackhole: packets to free addresses go elsewhere`;
    return routeFinding(faults.blackholeMissing, message, restartHint);
  }
  // BIRD writes this to the kernel when nothing leads to the next hop.
  if (winner.type === 'unreachable') return nextHopUnreachable(destination);
  return routeFinding(
    faults.remoteRouteWrong,
    `the route to ${destination} of ${route.peer} ${how}`,
    `check whether ${route.peer} changed its address, or the pool its encapsulation; ${restartHint}`,
  );
}

function judge(route: ExpectedRoute, group: readonly KernelRoute[], context: Context): Judged {
  const { network, state, view } = context;
  const felix = network.felix(state.node);
  const key = route.text;
  const matches = group.map((seen) => ({ seen, match: bestMatch(route.forms, seen, view, key) }));
  const [winner] = matches;
  if (winner === undefined) {
    if (!route.required) return { verdict: 'ok', seen: seenNothing };
    return { verdict: 'missing', seen: seenNothing, finding: missingFinding(route, network, state, view) };
  }
  const seen = (): string => group.map(routeText).join('; ');
  // The other node has no address, so it is unknown which route would be right.
  if (winner.match === undefined) return { verdict: 'ok', seen };
  if (winner.match.major.length === 0) {
    if (winner.match.minor.length === 0) return { verdict: 'ok', seen };
    return { verdict: 'wrong', seen, finding: minorFinding(winner.match, winner.seen, key, felix) };
  }
  const isMasking = isForeign(winner.seen, felix) || matches.slice(1).some(({ match }) => match?.major.length === 0);
  return { verdict: 'wrong', seen, finding: majorFinding(route, winner.match, winner.seen, isMasking) };
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
