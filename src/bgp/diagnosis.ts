// What is wrong with BGP over all nodes, seen from both ends of every session: causes first, each told once.

import { listed } from '../text/wording.ts';
import type { BgpPlan } from './desired-sessions.ts';
import { diagnosisInput, type NotAsked } from './diagnosis-input.ts';
import type { BgpFaultId, BgpFinding, SessionName } from './finding.ts';
import { nodeFindings } from './node-faults.ts';
import type { BgpState, ObservedSession } from './observed-sessions.ts';
import { planFindings } from './plan-faults.ts';
import { sessionFinding } from './session-faults.ts';
import { isUp } from './session-pairs.ts';

/** Faults of one node with many peers come as one from so many on. */
const merged = 2;
const mergeable: ReadonlySet<BgpFaultId> = new Set(['F61', 'F62', 'F64', 'F68', 'F102']);

/** What could be better and breaks nothing. */
const advice: ReadonlySet<BgpFaultId> = new Set(['F91', 'F99']);

export interface BgpDiagnosis {
  readonly rows: readonly ObservedSession[];
  /** Errors first, then in order of id and node. */
  readonly findings: readonly BgpFinding[];
  /** The finding that explains a row; undefined for one that is up. */
  readonly findingOf: (row: ObservedSession) => BgpFinding | undefined;
}

const keyOf = ({ node, version, protocol }: SessionName): string => `${node} ${version} ${protocol}`;

/** Faults alike, of one node with several peers, as one of that node; the others as they are. */
function mergedAlike(findings: readonly BgpFinding[]): BgpFinding[] {
  const groups = new Map<string, { readonly node: string; readonly members: Set<BgpFinding> }>();
  const groupsOf = new Map<BgpFinding, Set<BgpFinding>[]>();
  for (const finding of findings.filter(({ id }) => mergeable.has(id))) {
    for (const node of new Set([finding.node, finding.peer ?? ''])) {
      const key = `${finding.id} ${finding.version} ${node}`;
      const group = groups.get(key) ?? { node, members: new Set() };
      group.members.add(finding);
      groups.set(key, group);
      groupsOf.set(finding, [...(groupsOf.get(finding) ?? []), group.members]);
    }
  }
  const left = new Set(findings);
  const result: BgpFinding[] = [];
  for (;;) {
    let largest: { readonly node: string; readonly members: Set<BgpFinding> } | undefined;
    for (const group of groups.values()) {
      if (group.members.size > (largest?.members.size ?? merged - 1)) largest = group;
    }
    const members = [...(largest?.members ?? [])];
    const [first] = members;
    if (largest === undefined || first === undefined) return [...result, ...left];
    const { node } = largest;
    const peers = members.map((finding) => (finding.node === node ? (finding.peer ?? '') : finding.node));
    result.push({
      ...{ ...first, node, nodes: [node], peer: undefined },
      message: `${node} and ${members.length} peers (${listed(peers)}): ${first.message}; the others likewise`,
      sessions: members.flatMap(({ sessions }) => sessions),
    });
    for (const member of members) {
      left.delete(member);
      for (const group of groupsOf.get(member) ?? []) group.delete(member);
    }
  }
}

const byWeight = (a: BgpFinding, b: BgpFinding): number =>
  (a.severity === b.severity ? 0 : a.severity === 'error' ? -1 : 1) ||
  Number(a.id.slice(1)) - Number(b.id.slice(1)) ||
  (a.node === b.node ? 0 : a.node < b.node ? -1 : 1);

/**
 * The faults of all nodes that were asked. Each session that is not Established is explained by exactly one finding;
 * those that follow from a fault of a node are explained by that. `bgpNeeded` is as in DiagnosisInput.
 */
export function diagnoseBgp(
  plan: BgpPlan,
  states: readonly BgpState[],
  { notAsked = new Map(), bgpNeeded = true }: { notAsked?: NotAsked; bgpNeeded?: boolean } = {},
): BgpDiagnosis {
  const facts = diagnosisInput(plan, states, notAsked, bgpNeeded);
  const ofNodes = nodeFindings(facts);
  const explained = new Set(ofNodes.flatMap(({ sessions }) => sessions.map(keyOf)));
  const isExplained = (row: ObservedSession): boolean => isUp(row) || explained.has(keyOf(row));
  const open = facts.pairs.filter(
    ({ near, far }) => ![near, far].every((row) => row === undefined || isExplained(row)),
  );
  const ofPairs = mergedAlike(open.map(sessionFinding));
  const findings = [...ofNodes, ...planFindings(facts), ...ofPairs].sort(byWeight);
  const byRow = new Map<string, BgpFinding>();
  for (const finding of findings) {
    for (const session of finding.sessions) if (!byRow.has(keyOf(session))) byRow.set(keyOf(session), finding);
  }
  return { rows: facts.rows, findings, findingOf: (row) => byRow.get(keyOf(row)) };
}

/** True when something is wrong, and not only could be better. */
export function isFaulty(findings: readonly BgpFinding[]): boolean {
  return findings.some(({ id }) => !advice.has(id));
}
