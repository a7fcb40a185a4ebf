// The routes of a node against those that it should have: missing, wrong, masked, left over. Faults between nodes are in
// cross-node.ts. Rules: docs/reference/datapath.md#routes.

import { cidrCovers } from '../../net/cidr.ts';
import type { KernelRoute } from '../../node-state/iproute/iproute.ts';
import { routesByDestination } from '../../node-state/lookups.ts';
import { type NodeState, routesOf } from '../../node-state/node-state.ts';
import { counted } from '../../text/wording.ts';
import type { Network } from '../expected/network.ts';
import { formText } from '../expected/route-forms.ts';
import { type ExpectedRoute, expectedRoutes } from '../expected/routes.ts';
import { missingInKernel } from './bird-explanation.ts';
import { nothing, type RouteComparison, type RouteFinding, routeCommand } from './comparison.ts';
import { excuse } from './excuse.ts';
import { isForeign } from './foreign.ts';
import { type Context, localView } from './local-view.ts';
import { bestMatch, routeText } from './match.ts';
import { inServiceRange, majorFinding, minorFinding, missingFinding } from './route-findings.ts';
import { unexpectedRoutes } from './unexpected.ts';

/** What a comparison says apart from its place. */
interface Judged extends Pick<RouteComparison, 'verdict'> {
  /** Made on demand: most routes are right and are not shown. */
  readonly seen: () => string;
  readonly finding?: RouteFinding;
}

const seenNothing = (): string => nothing;

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
    const range = network.serviceRanges.find(({ cidr, isWhole }) => isWhole && cidrCovers(cidr, route.destination));
    const finding = range === undefined ? missingFinding(route, network, state, view) : inServiceRange(route, range);
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
