// The routes of several nodes in one result: each with what is expected, what is wrong, which nodes were not reached.

import type { NodeFinding } from '../../faults/finding.ts';
import { type NodeState, routesOf } from '../../node-state/node-state.ts';
import {
  partUnseen,
  type UnreachedNode,
  type UnreadKind,
  unreachedOf,
  withoutNode,
} from '../../node-state/unreached.ts';
import { listed } from '../../text/wording.ts';
import { type Network, routedPools } from '../expected/network.ts';
import { withObservedSettings } from '../expected/observed-settings.ts';
import { commonCauses } from './common-causes.ts';
import { compareRoutes } from './compare.ts';
import { becauseOfObjects, type RouteComparison } from './comparison.ts';
import { crossNodeFindings } from './cross-node.ts';

export interface NodeRoutes {
  readonly node: string;
  /** False when it could not be reached: nothing is known of it then. */
  readonly reached: boolean;
  /** How many are as expected, including those that are not in `routes`. */
  readonly asExpected: number;
  readonly routes: readonly RouteComparison[];
}

export interface NodeRoutesList {
  readonly items: readonly NodeRoutes[];
  readonly findings: readonly NodeFinding[];
  readonly unreached: readonly UnreachedNode[];
  /** Kinds of objects that were not read: what rests on them was not judged. */
  readonly unread: readonly UnreadKind[];
}

/**
 * One finding for all routes that are wrong in the same way for the same reason, such as one session that is down. Those
 * of the objects alone are left out: objectFindings reports them once.
 */
export function routeFindings(comparisons: readonly RouteComparison[]): NodeFinding[] {
  const groups = new Map<string, { readonly finding: NodeFinding; destinations: string[] }>();
  for (const { node, peer, finding, destination } of comparisons) {
    if (finding === undefined || finding.because === becauseOfObjects) continue;
    const { because, ...shown } = finding;
    // Routes that lead to no other node have reasons of their own.
    const reason =
      because !== undefined
        ? `${finding.id} ${because}`
        : peer === undefined
          ? destination
          : `${finding.id} ${peer} ${finding.hint}`;
    const key = `${node} ${reason}`;
    const known = groups.get(key);
    if (known !== undefined) known.destinations.push(destination);
    else groups.set(key, { finding: { ...shown, node, peer }, destinations: [destination] });
  }
  return [...groups.values()].map(({ finding, destinations: [, ...more] }) =>
    more.length === 0 ? finding : { ...finding, message: `${finding.message}; the same for ${listed(more, 10)}` },
  );
}

/** The findings that concern one of the nodes. */
export function concerning(findings: readonly NodeFinding[], nodes: ReadonlySet<string>): NodeFinding[] {
  return findings.filter(({ node, peer }) => nodes.has(node) || (peer !== undefined && nodes.has(peer)));
}

/** The node when it was not reached, or when routes of a family could not be read, with the reason. */
function unseenRoutes(state: NodeState, families: readonly (4 | 6)[]): UnreachedNode[] {
  const parts = families.map((version) => [`IPv${version} routes`, routesOf(state, version)] as const);
  const unreached = unreachedOf(state, parts);
  if (unreached === undefined) return [];
  if (unreached.code !== partUnseen) return [unreached];
  const reasons = new Set(parts.flatMap(([, part]) => (part.seen ? [] : [withoutNode(part.why, state.node)])));
  return [{ ...unreached, message: `${unreached.message}: ${[...reasons].join('; ')}` }];
}

/**
 * Compares the routes of all nodes that were read, and the nodes with each other. Without `all`, routes that are as
 * expected are only counted: large clusters have millions of them.
 */
export function nodeRoutesList(objects: Network, states: readonly NodeState[], all: boolean): NodeRoutesList {
  const network = withObservedSettings(objects, states);
  const items = states.map((state): NodeRoutes => {
    const { node } = state;
    if (state.unreachable !== undefined) return { node, reached: false, asExpected: 0, routes: [] };
    const { comparisons, asExpected } = compareRoutes(network, state, all ? 'all' : 'differing');
    const routes = all ? comparisons : comparisons.filter(({ verdict }) => verdict !== 'ok');
    return { node, reached: true, asExpected, routes };
  });
  const read = new Set(states.map(({ node }) => node));
  const common = commonCauses(
    network,
    states,
    items.flatMap(({ routes }) => routes),
  );
  const families = ([4, 6] as const).filter((version) =>
    routedPools(network).some(({ cidr }) => cidr.version === version),
  );
  return {
    items,
    findings: [
      ...concerning(crossNodeFindings(network, states), read),
      ...common.findings,
      ...items.flatMap(({ routes }) => routeFindings(routes.filter((route) => !common.explained.has(route)))),
    ],
    unreached: states.flatMap((state) => unseenRoutes(state, families)),
    unread: network.unread,
  };
}
