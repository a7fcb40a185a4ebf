// The routes of a node beside those that it should have: missing, wrong, masked, left over. Pure comparison of what was
// read; faults between nodes are in routes/cross-node.ts. Rules and ids: docs/reference/datapath.md#routes.

import type { FaultSeverity } from '../../faults/finding.ts';
import { formatCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import type { BirdRoute } from '../../node-state/bird/bird.ts';
import type { KernelRoute, NextHop } from '../../node-state/iproute/iproute.ts';
import { deviceOf, nextHopsTowards, routesByDestination } from '../../node-state/lookups.ts';
import { type NodeState, routesOf } from '../../node-state/node-state.ts';
import type { Observed } from '../../node-state/probes.ts';
import { type FelixSettings, protocolName } from '../expected/felix-settings.ts';
import { type Network, poolAround } from '../expected/network.ts';
import { formText } from '../expected/route-forms.ts';
import { type ExpectedRoute, expectedRoutes } from '../expected/routes.ts';
import { missingInKernel, unreachable, whyMissing } from './bird-explanation.ts';
import { nothing, type RouteComparison, type RouteFinding, routeCommand } from './comparison.ts';
import { isForeign } from './foreign.ts';
import { type Aspect, bestMatch, type LocalView, type Match, routeText } from './match.ts';
import { unexpectedRoutes } from './unexpected.ts';

function bestBirdRoutes(routes: Observed<readonly BirdRoute[]>): ReadonlyMap<string, BirdRoute> | undefined {
  if (!routes.seen) return undefined;
  return new Map(routes.value.filter(({ primary }) => primary).map((route) => [formatCidr(route.destination), route]));
}

/** What of a node's state routes of one family are judged by; undefined when its routes were not seen. */
function localView(network: Network, state: NodeState, version: 4 | 6): LocalView | undefined {
  const routes = routesOf(state, version);
  if (!routes.seen) return undefined;
  const own = network.nodes.get(state.node)?.addresses[version]?.address;
  const { interfaces, addresses } = state;
  // Nodes are not reached by way of pods: of thousands of routes these few are looked through for each gateway.
  const underlay = routes.value.filter(({ destination }) => poolAround(network.pools, destination) === undefined);
  const ways = new Map<string, readonly NextHop[]>();
  return {
    routes: routes.value,
    waysTo: (address) => {
      const key = formatIp(address);
      const known = ways.get(key) ?? nextHopsTowards(underlay, address);
      ways.set(key, known);
      return known;
    },
    parent: addresses.seen && own !== undefined ? deviceOf(addresses.value, own) : undefined,
    mtus: interfaces.seen
      ? new Map(interfaces.value.flatMap(({ name, mtu }) => (mtu === undefined ? [] : [[name, mtu] as const])))
      : undefined,
    bird: bestBirdRoutes(state.bird[version].routes),
  };
}

/** What a comparison says beside where it stands. */
interface Judged extends Pick<RouteComparison, 'verdict'> {
  /** Made when it is told: most routes are right, and not told. */
  readonly seen: () => string;
  readonly finding?: RouteFinding;
}

const seenNothing = (): string => nothing;

const restartHint = 'restart calico-node on this node';

function missing(route: ExpectedRoute, network: Network, state: NodeState, view: LocalView): Judged {
  if (!route.required) return { verdict: 'ok', seen: seenNothing };
  const destination = route.text;
  const finding = (id: string, severity: FaultSeverity, message: string, hint: string): Judged => ({
    verdict: 'missing',
    seen: seenNothing,
    finding: { id, severity, message, hint },
  });
  switch (route.subject) {
    case 'workload':
      return finding(
        'F06',
        'error',
        `the route to ${route.why} (${formatIp(route.destination.base)}) is missing`,
        'see whether Felix runs; delete the pod to have it wired again',
      );
    case 'own block':
      return finding(
        'F45',
        'warning',
        `the blackhole for the node's own block ${destination} is missing: packets to free addresses leave the node`,
        restartHint,
      );
    default: {
      const { id, message, hint } = whyMissing(route, network, state, view.bird?.get(destination));
      return finding(id, 'error', message, hint);
    }
  }
}

const besideFaults: Readonly<Record<'onlink' | 'mtu', readonly [id: string, hint: string]>> = {
  onlink: ['F46', restartHint],
  mtu: ['F74', 'restart calico-node after a change of MTU settings'],
};

/** A route that goes the right way, but is not as Calico writes it. */
function oddBeside(match: Match, route: KernelRoute, destination: string, felix: FelixSettings): RouteFinding {
  const [aspect] = match.differsBeside;
  if (aspect === 'onlink' || aspect === 'mtu') {
    const [id, hint] = besideFaults[aspect];
    const message =
      aspect === 'mtu'
        ? `the route to ${destination} has MTU ${route.mtu}, not that of its device`
        : `the route to ${destination} is not marked onlink`;
    return { id, severity: 'warning', message, hint };
  }
  const protocol = protocolName(route.protocol);
  const expected = match.form.protocols.join(' or ');
  return isForeign(route, felix)
    ? {
        id: 'F47',
        severity: 'warning',
        message: `the route to ${destination} is of protocol ${protocol}, not of Calico: it stays when Calico's changes`,
        hint: 'find out who adds it, and delete it',
      }
    : {
        id: 'F82',
        severity: 'warning',
        message: `the route to ${destination} is of protocol ${protocol}, expected is ${expected}`,
        hint: 'let either Felix or BIRD program these routes: FelixConfiguration programClusterRoutes',
      };
}

const aspectWords: Readonly<Record<Aspect, string>> = {
  type: 'is of another type',
  gateway: 'has another gateway',
  device: 'goes through another device',
  protocol: 'is of another protocol',
  onlink: 'is not marked onlink',
  mtu: 'has another MTU',
};

function wrong(route: ExpectedRoute, match: Match, winner: KernelRoute, isMasking: boolean): RouteFinding {
  const destination = route.text;
  const how = match.differs.map((aspect) => aspectWords[aspect]).join(' and ');
  if (isMasking) {
    return {
      id: 'F47',
      severity: 'error',
      message: `a route of protocol ${protocolName(winner.protocol)} to ${destination} takes the place of Calico's: it ${how}`,
      hint: 'find out who adds it, and delete it',
    };
  }
  if (route.subject === 'workload') {
    return {
      id: 'F07',
      severity: 'error',
      message: `the route to ${route.why} (${formatIp(route.destination.base)}) ${how}`,
      hint: 'look for a second pod with this address or an interface left over; delete the one that is wrong',
    };
  }
  if (route.subject === 'own block') {
    return {
      id: 'F45',
      severity: 'warning',
      message: `the node's own block ${destination} is not a blackhole: packets to free addresses go elsewhere`,
      hint: restartHint,
    };
  }
  // What BIRD writes to the kernel when nothing leads to the next hop.
  if (winner.type === 'unreachable') return { ...unreachable(destination), severity: 'error' };
  return {
    id: 'F46',
    severity: 'error',
    message: `the route to ${destination} of ${route.peer} ${how}`,
    hint: `see whether ${route.peer} changed its address or the pool its encapsulation; ${restartHint}`,
  };
}

function judge(route: ExpectedRoute, group: readonly KernelRoute[], context: Context): Judged {
  const { network, state, view } = context;
  const felix = network.felix(state.node);
  const key = route.text;
  const matches = group.map((seen) => ({ seen, match: bestMatch(route.forms, seen, view, key) }));
  const [winner] = matches;
  if (winner === undefined) return missing(route, network, state, view);
  const seen = (): string => group.map(routeText).join('; ');
  // Nobody can say what is right: the other node has no address.
  if (winner.match === undefined) return { verdict: 'ok', seen };
  if (winner.match.differs.length === 0) {
    const isOdd = winner.match.differsBeside.length > 0;
    return isOdd
      ? { verdict: 'wrong', seen, finding: oddBeside(winner.match, winner.seen, key, felix) }
      : { verdict: 'ok', seen };
  }
  const isMasking = isForeign(winner.seen, felix) || matches.slice(1).some(({ match }) => match?.differs.length === 0);
  return { verdict: 'wrong', seen, finding: wrong(route, winner.match, winner.seen, isMasking) };
}

interface Context {
  readonly network: Network;
  readonly state: NodeState;
  readonly view: LocalView;
}

/** The routes of one family that were not seen, as one line. */
function unseenFamily(state: NodeState, version: 4 | 6, expected: readonly ExpectedRoute[]): RouteComparison[] {
  const routes = routesOf(state, version);
  if (routes.seen || expected.length === 0) return [];
  return [
    {
      ...{ node: state.node, version, destination: `IPv${version} routes`, subject: undefined, peer: undefined },
      ...{ expected: `${expected.length} routes`, seen: nothing, verdict: 'not observed', why: routes.why },
      ...{ finding: undefined, command: routes.argv },
    },
  ];
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
    // Half an answer shows what is there, not what is missing.
    const isUnsure = verdict === 'missing' && skipped !== undefined;
    return [
      {
        ...{ node, version, destination, seen: seen(), subject: route.subject, peer: route.peer },
        ...(isUnsure
          ? { verdict: 'not observed', finding: undefined, why: `not understood: ${skipped.join('; ')}` }
          : { verdict, finding, why: route.why }),
        expected:
          route.forms.length === 0
            ? nothing
            : [...new Set(route.forms.map((form) => formText(form, version)))].join(' or '),
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
  /** IPv4 first, the expected ones in order; `keep` says which. */
  readonly comparisons: readonly RouteComparison[];
  /** How many are as expected, those that are not kept among them. */
  readonly asExpected: number;
}

/**
 * The routes of a node that are expected, or seen where only Calico should have any, each with a verdict. `differing`
 * keeps of those that are as expected only the ones to own pods.
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
