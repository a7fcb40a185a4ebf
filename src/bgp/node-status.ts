// The status of nodes in one list: BIRD, Felix, peers, what is wrong, which nodes were not reached.
import { formatIp } from '../net/ip.ts';
import type { BirdStatus } from '../node-state/bird/bird.ts';
import type { NodeState } from '../node-state/node-state.ts';
import { partUnseen, type UnreachedNode, type UnreadKind } from '../node-state/unreached.ts';
import { groupBy } from '../text/group-by.ts';
import type { BgpPlan } from './desired-sessions.ts';
import { diagnoseBgp, isFaulty } from './diagnosis.ts';
import { unseenBird } from './diagnosis-input.ts';
import type { BgpFinding } from './finding.ts';
import { isBirdAbsent, type ObservedSession } from './observed-sessions.ts';
import { type BgpNode, peerOfProtocol } from './session.ts';

const families = [4, 6] as const;

export interface BirdOfNode {
  readonly version: 4 | 6;
  /** `not used`: BIRD runs nowhere, and no pool needs it. */
  readonly state: 'running' | 'not running' | 'not used' | 'unknown';
  /** Why it is unknown. */
  readonly why: string | undefined;
  readonly status: BirdStatus | undefined;
}

export interface PeerStatus extends ObservedSession {
  /** The finding that explains why it is not up. */
  readonly finding: BgpFinding | undefined;
}

export interface NodeStatus {
  readonly name: string;
  readonly node: BgpNode | undefined;
  /** False when it could not be reached: nothing is known of it then. */
  readonly reached: boolean;
  /** The families that it speaks: those of its addresses. */
  readonly bird: readonly BirdOfNode[];
  readonly felix: string | undefined;
  readonly peers: readonly PeerStatus[];
  /** How many peers the resources ask for, per family; shown where BIRD was not seen. */
  readonly wanted: Readonly<Record<4 | 6, number>>;
  /** All findings that concern it. */
  readonly findings: readonly BgpFinding[];
}

/** A node that gave no answer, or whose BIRD of one family gave none. */
export interface Unreached extends UnreachedNode {
  readonly version: 4 | 6 | undefined;
}

export interface NodeStatusList {
  readonly items: readonly NodeStatus[];
  readonly findings: readonly BgpFinding[];
  readonly unreached: readonly Unreached[];
  /** Kinds of objects that were not read: what rests on them was not judged. */
  readonly unread: readonly UnreadKind[];
  /** Something is broken, rather than merely not as good as it could be. */
  readonly faulty: boolean;
}

/** The families that a node speaks; IPv4 when it has no address. */
export function familiesOf(node: BgpNode | undefined): readonly (4 | 6)[] {
  const spoken = families.filter((version) => node?.address[version] !== undefined);
  return spoken.length === 0 ? [4] : spoken;
}

function birdOf(state: NodeState, version: 4 | 6, isUsed: boolean): BirdOfNode {
  const { status, protocols } = state.bird[version];
  const seen = status.seen ? status.value : undefined;
  if (protocols.seen) return { version, state: 'running', why: undefined, status: seen };
  if (isBirdAbsent(state.bird[version])) {
    return { version, state: isUsed ? 'not running' : 'not used', why: undefined, status: undefined };
  }
  return { version, state: 'unknown', why: protocols.why, status: seen };
}

function unreachedOf(state: NodeState, node: BgpNode | undefined): Unreached[] {
  const { node: name, unreachable } = state;
  if (unreachable !== undefined) return [{ node: name, version: undefined, ...unreachable }];
  return familiesOf(node).flatMap((version) => {
    const why = unseenBird(state, version);
    return why === undefined
      ? []
      : [{ node: name, version, code: partUnseen, message: `BIRD for IPv${version}: ${why}`, hint: undefined }];
  });
}

/** True when the node has the fault, or one of its sessions is affected. */
function concerns({ nodes, peer, sessions }: BgpFinding, name: string): boolean {
  return nodes.includes(name) || peer === name || sessions.some((session) => session.node === name);
}

/** What is known of the call besides plan and states. */
export interface StatusCircumstances {
  /** As in DiagnosisInput. */
  readonly bgpNeeded: boolean;
  /** Kinds that the store did not list. */
  readonly refused?: readonly UnreadKind[];
  /** Kinds of which a folder has nothing: it may just not hold them. */
  readonly missing?: readonly string[];
}

/** Kinds that a folder does not hold, although BIRD of some node was configured from them. */
function unreadKinds(
  plan: BgpPlan,
  states: readonly NodeState[],
  { refused = [], missing = [] }: StatusCircumstances,
): UnreadKind[] {
  const types = states.flatMap((state) =>
    families.flatMap((version) => {
      const { protocols } = state.bird[version];
      return protocols.seen ? protocols.value.flatMap(({ name }) => peerOfProtocol(name, version)?.type ?? []) : [];
    }),
  );
  const hasPeers = types.includes('global') || types.includes('node');
  const found: UnreadKind[] = [...refused];
  if (missing.includes('BGPPeer') && hasPeers) {
    found.push({ kind: 'BGPPeer', reason: 'there is none, although BIRD has sessions that only BGPPeers make' });
  }
  if (missing.includes('BGPConfiguration') && plan.mesh && hasPeers && !types.includes('mesh')) {
    found.push({ kind: 'BGPConfiguration', reason: 'there is none, although no BIRD has the mesh' });
  }
  return found;
}

/** Joins the states of the queried nodes with what the resources ask for. */
export function nodeStatusList(
  plan: BgpPlan,
  states: readonly NodeState[],
  circumstances: StatusCircumstances,
): NodeStatusList {
  const { bgpNeeded } = circumstances;
  const reached = states.filter(({ unreachable }) => unreachable === undefined);
  const notQueried = new Map(
    states.flatMap(({ node, unreachable }) => (unreachable ? [[node, unreachable.message]] : [])),
  );
  const unread = unreadKinds(plan, reached, circumstances);
  const planIsKnown = !unread.some(({ kind }) => kind === 'BGPPeer' || kind === 'BGPConfiguration');
  const { sessions, findings, findingOf } = diagnoseBgp(plan, reached, { notQueried, bgpNeeded, planIsKnown });
  const isUsed = bgpNeeded || reached.some(({ bird }) => families.some((version) => bird[version].protocols.seen));
  const byNode = groupBy(sessions, ({ node }) => node);
  const items = states.map((state): NodeStatus => {
    const node = plan.index.node(state.node);
    const isReached = state.unreachable === undefined;
    const count = (version: 4 | 6): number => plan.index.sessions(state.node, version).length;
    return {
      name: state.node,
      node,
      reached: isReached,
      wanted: { 4: count(4), 6: count(6) },
      bird: isReached ? familiesOf(node).map((version) => birdOf(state, version, isUsed)) : [],
      felix: state.felix.seen ? state.felix.value : undefined,
      peers: (byNode.get(state.node) ?? []).map((session) => ({ ...session, finding: findingOf(session) })),
      findings: findings.filter((finding) => concerns(finding, state.node)),
    };
  });
  const unreached = states.flatMap((state) => unreachedOf(state, plan.index.node(state.node)));
  return { items, findings, unreached, unread, faulty: isFaulty(findings) };
}

/** `10.90.0.2`, `10.90.0.254:1790`, `[fd00::1]:1790`; the protocol's name when the address is unknown. */
export function addressText({
  address,
  port,
  protocol,
}: Pick<ObservedSession, 'address' | 'port' | 'protocol'>): string {
  if (address === undefined) return protocol;
  const ip = formatIp(address);
  if (port === undefined) return ip;
  return address.version === 4 ? `${ip}:${port}` : `[${ip}]:${port}`;
}
