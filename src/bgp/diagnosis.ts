// What is wrong with BGP over all nodes, seen from both ends of every session: causes first, each reported once.

import { type FaultId, faults, isAdvice } from '../faults/faults.ts';
import { groupsText, separatedGroups } from '../faults/separated-nodes.ts';
import { counted, listed } from '../text/wording.ts';
import type { BgpPlan } from './desired-sessions.ts';
import { type Circumstances, diagnosisInput, type NotQueried } from './diagnosis-input.ts';
import type { BgpFinding, SessionName } from './finding.ts';
import { nodeFindings } from './node-faults.ts';
import type { BgpState, ObservedSession } from './observed-sessions.ts';
import { planFindings } from './plan-faults.ts';
import { sessionFinding } from './session-faults.ts';
import { isUp } from './session-pairs.ts';

/** Findings of one fault between one node and this many peers are reported as one of that node. */
const fewestMerged = 2;
const mergeable: ReadonlySet<FaultId> = new Set([
  faults.connectionRefused.id,
  faults.peerUnreachable.id,
  faults.passwordsDiffer.id,
  faults.holdTimerExpired.id,
  faults.sessionNotEstablished.id,
  faults.bgpPortTaken.id,
  faults.passwordKeyRefused.id,
  faults.peerEndsSession.id,
  faults.asNumbersDiffer.id,
  faults.duplicateRouterId.id,
  faults.routerIdRefused.id,
]);

/** Faults of which one object is the cause: only findings that name the same one are merged. */
const mergedByObject: ReadonlySet<FaultId> = new Set([
  faults.asNumbersDiffer.id,
  faults.duplicateRouterId.id,
  faults.routerIdRefused.id,
]);

export interface BgpDiagnosis {
  readonly sessions: readonly ObservedSession[];
  /** Errors first, then by id and node. */
  readonly findings: readonly BgpFinding[];
  /** The finding that explains a session end; undefined for one that is up. */
  readonly findingOf: (session: ObservedSession) => BgpFinding | undefined;
}

const keyOf = ({ node, version, protocol }: SessionName): string => `${node} ${version} ${protocol}`;

/** The findings of one fault that a node has with several peers. */
interface Group {
  readonly node: string;
  readonly members: Set<BgpFinding>;
}

/** A node's findings of one fault with several peers become one finding of that node; all others stay as they are. */
function mergedAlike(findings: readonly BgpFinding[]): BgpFinding[] {
  const groups = new Map<string, Group>();
  const groupsOf = new Map<BgpFinding, Set<BgpFinding>[]>();
  for (const finding of findings.filter(({ id }) => mergeable.has(id))) {
    for (const node of new Set([finding.node, finding.peer ?? ''])) {
      const { object } = finding;
      const cause = mergedByObject.has(finding.id) ? `${object?.kind} ${object?.name}` : '';
      const key = `${finding.id} ${finding.version} ${node} ${cause}`;
      const group = groups.get(key) ?? { node, members: new Set() };
      group.members.add(finding);
      groups.set(key, group);
      groupsOf.set(finding, [...(groupsOf.get(finding) ?? []), group.members]);
    }
  }
  const left = new Set(findings);
  const result: BgpFinding[] = [];
  for (;;) {
    let largest: Group | undefined;
    for (const group of groups.values()) {
      if (group.members.size > (largest?.members.size ?? fewestMerged - 1)) largest = group;
    }
    const members = [...(largest?.members ?? [])];
    const [first] = members;
    if (largest === undefined || first === undefined) return [...result, ...left];
    const { node } = largest;
    const peers = members.map((finding) => (finding.node === node ? (finding.peer ?? '') : finding.node));
    result.push({
      ...first,
      node,
      nodes: [node],
      peer: undefined,
      message: `${node} and ${members.length} peers (${listed(peers)}): ${first.message}; likewise the others`,
      sessions: members.flatMap(({ sessions }) => sessions),
    });
    for (const member of members) {
      left.delete(member);
      for (const group of groupsOf.get(member) ?? []) group.delete(member);
    }
  }
}

/** Faults by which nodes lose each other when nothing gets from one to the other. */
const separating: ReadonlySet<FaultId> = new Set([
  faults.peerUnreachable.id,
  faults.holdTimerExpired.id,
  faults.sessionNotEstablished.id,
]);

/** When groups of several nodes have no session with each other, that is one finding; all others stay as they are. */
function mergedSplit(findings: readonly BgpFinding[], isNode: (name: string) => boolean): BgpFinding[] {
  const between = findings.filter(({ id, peer }) => separating.has(id) && peer !== undefined && isNode(peer));
  const groups = separatedGroups(between.map(({ node, peer = '' }) => [node, peer]));
  const smallest = groups.at(-1) ?? [];
  const [first] = between;
  const [node] = smallest;
  if (groups.length < 2 || smallest.length < 2 || first === undefined || node === undefined) return [...findings];
  const members = new Set(between);
  const split: BgpFinding = {
    ...first,
    node,
    nodes: smallest,
    peer: undefined,
    object: undefined,
    message: `${groupsText(groups)} are separated: none of the ${counted(between.length, 'session')} between them is established; ${first.message}; likewise the others`,
    hint: 'find out what lies between the two: a link, a switch, a firewall on TCP 179, a change of routes',
    sessions: between.flatMap(({ sessions }) => sessions),
  };
  return [split, ...findings.filter((finding) => !members.has(finding))];
}

const byWeight = (a: BgpFinding, b: BgpFinding): number =>
  (a.severity === b.severity ? 0 : a.severity === 'error' ? -1 : 1) ||
  Number(a.id.slice(1)) - Number(b.id.slice(1)) ||
  (a.node === b.node ? 0 : a.node < b.node ? -1 : 1);

/**
 * The findings of all nodes that were queried. Each session that is not Established is explained by exactly one
 * finding; sessions that are down because of a fault of a node are explained by that. The circumstances are as in
 * DiagnosisInput.
 */
export function diagnoseBgp(
  plan: BgpPlan,
  states: readonly BgpState[],
  {
    notQueried = new Map(),
    bgpNeeded = true,
    planIsKnown = true,
  }: { notQueried?: NotQueried } & Partial<Circumstances> = {},
): BgpDiagnosis {
  const input = diagnosisInput(plan, states, notQueried, { bgpNeeded, planIsKnown });
  const ofNodes = nodeFindings(input);
  const explained = new Set(ofNodes.flatMap(({ sessions }) => sessions.map(keyOf)));
  const isOpen = (end: ObservedSession | undefined): boolean =>
    end !== undefined && !isUp(end) && !explained.has(keyOf(end));
  const open = input.pairs.filter(({ near, far }) => isOpen(near) || isOpen(far));
  const ofPairs = mergedAlike(mergedSplit(open.map(sessionFinding), (name) => plan.index.node(name) !== undefined));
  const findings = [...ofNodes, ...planFindings(input), ...ofPairs].sort(byWeight);
  const bySession = new Map<string, BgpFinding>();
  for (const finding of findings) {
    for (const session of finding.sessions) {
      if (!bySession.has(keyOf(session))) bySession.set(keyOf(session), finding);
    }
  }
  return { sessions: input.sessions, findings, findingOf: (session) => bySession.get(keyOf(session)) };
}

/** True when something is broken, rather than merely not as good as it could be. */
export function isFaulty(findings: readonly BgpFinding[]): boolean {
  return findings.some(({ id }) => !isAdvice(id));
}
