// One cause that routes of many nodes are missing or wrong for: a node that is off, nodes that are separated, a tunnel
// address that nodes share. It is reported once, not on every node.

import { faults } from '../../faults/faults.ts';
import { type NodeFinding, nodeFinding } from '../../faults/finding.ts';
import { groupsText, separatedGroups } from '../../faults/separated-nodes.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import { groupBy } from '../../text/group-by.ts';
import { counted, listed } from '../../text/wording.ts';
import type { Network } from '../expected/network.ts';
import { becauseOfSession, type RouteComparison } from './comparison.ts';
import { sharedTunnelNodes } from './object-faults.ts';

/** Findings with the comparisons that they explain, which are not reported in addition. */
export interface CommonCauses {
  readonly findings: readonly NodeFinding[];
  readonly explained: ReadonlySet<RouteComparison>;
}

/** Fewer pairs of nodes than this are reported pair by pair. */
const fewestPairs = 5;

const waitsForSession = ({ finding, peer }: RouteComparison): boolean =>
  peer !== undefined && finding?.because === becauseOfSession(peer);

/** F108: the other node is off. */
function nodeOff(network: Network, name: string, missing: readonly RouteComparison[]): NodeFinding {
  const blocks = new Set(missing.map(({ destination }) => destination));
  const nodes = new Set(missing.map(({ node }) => node));
  return nodeFinding(faults.nodeNotReady, {
    node: name,
    message: `${name} is not ready (Ready is ${network.nodes.get(name)?.ready}) and could not be asked: ${counted(nodes.size, 'node has', 'nodes have')} no route to ${listed([...blocks], 3)}`,
    object: { kind: 'Node', name },
    hint: `bring the machine back: kubectl describe node ${name} shows since when it has been gone`,
  });
}

/** F44: nodes that are separated from each other have no routes to each other's pods. */
function separated(missing: readonly RouteComparison[]): NodeFinding | undefined {
  const pairs = new Map(
    missing.flatMap(({ node, peer }) => {
      if (peer === undefined) return [];
      const pair = node < peer ? ([node, peer] as const) : ([peer, node] as const);
      return [[pair.join(' '), pair] as const];
    }),
  );
  if (pairs.size < fewestPairs) return undefined;
  const groups = separatedGroups([...pairs.values()]);
  const [largest] = groups;
  const smallest = groups.at(-1);
  if (largest === undefined || smallest?.[0] === undefined) return undefined;
  const routes = counted(missing.length, 'route');
  const count = counted(pairs.size, 'pair of nodes', 'pairs of nodes');
  return nodeFinding(faults.remoteRouteMissing, {
    node: smallest[0],
    message:
      groups.length === 1
        ? `${routes} to blocks of other nodes are missing: BGP between ${count} is not established, such as ${listed(
            [...pairs.values()].map(([one, other]) => `${one} and ${other}`),
            3,
          )}`
        : `${groupsText(groups)} are separated: no BGP session between them is established, and ${routes} to each other's blocks are missing`,
    hint: `find out why the sessions are down: calictl node status ${smallest[0]}`,
  });
}

/** One object that routes of several nodes are wrong because of: the first finding stands for all. */
function byObjects(wrong: readonly RouteComparison[]): { finding: NodeFinding; members: readonly RouteComparison[] }[] {
  const grouped = groupBy(
    wrong.filter(({ finding }) => finding?.because?.startsWith('object ') === true),
    ({ finding }) => `${finding?.id} ${finding?.because}`,
  );
  return [...grouped.values()].flatMap((members) => {
    const [first] = members;
    const others = new Set(members.map(({ node }) => node)).size - 1;
    if (first?.finding === undefined || others === 0) return [];
    const { because: _, ...finding } = first.finding;
    const message = `${finding.message}; the same for ${counted(members.length - 1, 'more route')}, on ${counted(others, 'more node')} too`;
    return [{ finding: { ...finding, node: first.node, peer: first.peer, message }, members }];
  });
}

/** The causes that the wrong routes of all nodes have in common. `states`: the nodes that were asked. */
export function commonCauses(
  network: Network,
  states: readonly NodeState[],
  wrong: readonly RouteComparison[],
): CommonCauses {
  const reached = new Set(states.filter(({ unreachable }) => unreachable === undefined).map(({ node }) => node));
  const isOff = (name: string | undefined): boolean => {
    const ready = network.nodes.get(name ?? '')?.ready;
    return name !== undefined && ready !== undefined && ready !== 'True' && !reached.has(name);
  };
  const shared = sharedTunnelNodes(network);
  const byTunnelAddress = wrong.filter(
    ({ peer, finding }) => finding?.id === faults.remoteRouteWrong.id && shared.has(peer ?? ''),
  );
  const waiting = wrong.filter(waitsForSession);
  const off = groupBy(
    waiting.filter(({ peer }) => isOff(peer)),
    ({ peer }) => peer ?? '',
  );
  const cut = waiting.filter(({ peer }) => !isOff(peer));
  const split = separated(cut);
  const objects = byObjects(wrong);
  return {
    findings: [
      ...[...off].map(([name, missing]) => nodeOff(network, name, missing)),
      ...(split ? [split] : []),
      ...objects.map(({ finding }) => finding),
    ],
    explained: new Set([
      ...byTunnelAddress,
      ...[...off.values()].flat(),
      ...(split ? cut : []),
      ...objects.flatMap(({ members }) => members),
    ]),
  };
}
