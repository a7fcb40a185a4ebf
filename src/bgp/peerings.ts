// Who peers with whom over all nodes: each session as the resources ask for it and as it was seen; and as a graph.
import { formatIp, type IpAddress } from '../net/ip.ts';
import type { UnreadKind } from '../node-state/unreached.ts';
import type { BgpPlan } from './desired-sessions.ts';
import { diagnoseBgp, isFaulty } from './diagnosis.ts';
import type { BgpFinding } from './finding.ts';
import type { BirdOfNode, NodeStatusList, Unreached } from './node-status.ts';
import type { ObservedSession, SessionState } from './observed-sessions.ts';
import { type BgpNode, type DesiredSession, desiredEnd } from './session.ts';

/** One end of a session. */
export interface Peering {
  readonly node: string;
  readonly version: 4 | 6;
  readonly protocol: string;
  readonly type: ObservedSession['type'];
  readonly address: IpAddress | undefined;
  readonly port: number | undefined;
  readonly peerNode: string | undefined;
  readonly as: number | undefined;
  /** What the resources ask for; undefined for what only BIRD has. */
  readonly desired: DesiredSession | undefined;
  /** Undefined when the node was not queried, or its BIRD gave no answer. */
  readonly state: SessionState | undefined;
  /** BIRD of the node, as node status has it; undefined when the node was not reached or not queried. */
  readonly bird: BirdOfNode['state'] | undefined;
  readonly finding: BgpFinding | undefined;
}

export interface Peerings {
  readonly nodes: readonly BgpNode[];
  readonly items: readonly Peering[];
  /** BGPPeers that make no session, and why. */
  readonly ignored: BgpPlan['ignored'];
  readonly findings: readonly BgpFinding[];
  readonly unreached: readonly Unreached[];
  /** Kinds of objects that were not read: what rests on them was not judged. */
  readonly unread: readonly UnreadKind[];
  readonly faulty: boolean;
  /** False when only the resources were read. */
  readonly asked: boolean;
  /** False when no queried node gave an answer. */
  readonly reached: boolean;
}

const wantedOnly = (desired: DesiredSession, bird: Peering['bird']): Peering => ({
  ...desiredEnd(desired),
  state: undefined,
  bird,
  finding: undefined,
});

/** The sessions of these nodes. Without a status no node was queried, and only the plan itself is judged. */
export function peeringsOf(
  plan: BgpPlan,
  names: readonly string[],
  status: NodeStatusList | undefined,
  refused: readonly UnreadKind[] = [],
): Peerings {
  const isWanted = (node: string): boolean => names.includes(node);
  const birds = new Map(
    (status?.items ?? []).flatMap(({ name, bird }) =>
      bird.map(({ version, state }) => [`${name} ${version}`, state] as const),
    ),
  );
  const birdAt = ({ node, version }: Pick<Peering, 'node' | 'version'>): Peering['bird'] =>
    birds.get(`${node} ${version}`);
  const seen = (status?.items ?? []).flatMap(({ peers }) => peers.map((peer) => ({ ...peer, bird: birdAt(peer) })));
  const silent = plan.sessions.filter((session) => isWanted(session.node) && birdAt(session) !== 'running');
  const items = [...seen, ...silent.map((session) => wantedOnly(session, birdAt(session)))].filter(({ node }) =>
    isWanted(node),
  );
  const findings = status?.findings ?? diagnoseBgp(plan, [], { planIsKnown: refused.length === 0 }).findings;
  return {
    nodes: plan.nodes,
    items: items.sort((a, b) => (a.node === b.node ? 0 : a.node < b.node ? -1 : 1)),
    ignored: plan.ignored,
    findings,
    unreached: status?.unreached ?? [],
    unread: status?.unread ?? refused,
    faulty: isFaulty(findings),
    asked: status !== undefined,
    reached: status === undefined || status.items.length === 0 || status.items.some(({ reached }) => reached),
  };
}

/** `unknown` when no end was seen; `one way` when only one end has the session at all. */
export type EdgeState = 'up' | 'down' | 'partly up' | 'one way' | 'unknown';

export interface Vertex {
  readonly name: string;
  readonly kind: 'node' | 'reflector' | 'outside';
  readonly as: number | undefined;
}

/** All sessions between two speakers, of both families. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly state: EdgeState;
  readonly sessions: readonly Peering[];
}

export interface BgpGraph {
  readonly vertices: readonly Vertex[];
  readonly edges: readonly Edge[];
}

const peerOf = ({ peerNode, address, protocol }: Peering): string =>
  peerNode ?? (address === undefined ? protocol : formatIp(address));

function stateOf(sessions: readonly Peering[], isBetweenNodes: boolean): EdgeState {
  const isOneWay = isBetweenNodes && new Set(sessions.map(({ node }) => node)).size === 1;
  const states = sessions.flatMap(({ state, bird }) => state ?? (bird === 'not running' ? ('Down' as const) : []));
  const up = states.filter((state) => state === 'Established').length;
  if (states.length > 0 && up === states.length) return 'up';
  if (up > 0) return 'partly up';
  if (isOneWay) return 'one way';
  return states.length === 0 ? 'unknown' : 'down';
}

/** The graph of the sessions. `complete`: all nodes were read, so that a missing reverse peering means something. */
export function bgpGraph({ nodes, items }: Peerings, complete: boolean): BgpGraph {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const groups = new Map<string, Peering[]>();
  for (const item of items) {
    const key = JSON.stringify([item.node, peerOf(item)].sort());
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  const edges = [...groups.values()].map((sessions): Edge => {
    const [first] = sessions as [Peering, ...Peering[]];
    const [from = '', to = ''] = [first.node, peerOf(first)].sort();
    return { from, to, state: stateOf(sessions, complete && byName.has(from) && byName.has(to)), sessions };
  });
  const names = new Set([...items.map(({ node }) => node), ...edges.flatMap(({ from, to }) => [from, to])]);
  const shown = complete ? [...new Set([...byName.keys(), ...names])] : [...names];
  const vertices = shown.map((name): Vertex => {
    const node = byName.get(name);
    const as = node?.as.value ?? items.find((item) => peerOf(item) === name)?.as;
    return { name, kind: node === undefined ? 'outside' : node.clusterId === undefined ? 'node' : 'reflector', as };
  });
  return { vertices, edges };
}
