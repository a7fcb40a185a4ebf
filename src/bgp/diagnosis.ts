// What is wrong with BGP over all nodes, seen from both ends of every session: causes first, each told once.

import { listed } from '../text/wording.ts';
import type { BgpPlan } from './desired-sessions.ts';
import { bgpFacts, type NotAsked } from './facts.ts';
import { nodeProblems } from './node-faults.ts';
import type { BgpState, PeerSeen } from './observed-sessions.ts';
import type { BgpFaultId, BgpProblem, SessionName } from './problem.ts';
import { linkProblem } from './session-faults.ts';
import { isUp } from './session-pairs.ts';
import { planProblems } from './topology.ts';

/** Faults of one node with many peers come as one from so many on. */
const merged = 2;
const mergeable: ReadonlySet<BgpFaultId> = new Set(['F61', 'F62', 'F64', 'F68', 'F102']);

/** What could be better and breaks nothing. */
const advice: ReadonlySet<BgpFaultId> = new Set(['F91', 'F99']);

export interface BgpDiagnosis {
  readonly rows: readonly PeerSeen[];
  /** Errors first, then in order of id and node. */
  readonly problems: readonly BgpProblem[];
  /** The problem that explains a row; undefined for one that is up. */
  readonly problemOf: (row: PeerSeen) => BgpProblem | undefined;
}

const keyOf = ({ node, version, protocol }: SessionName): string => `${node} ${version} ${protocol}`;

/** Faults alike, of one node with several peers, as one of that node; the others as they are. */
function mergedAlike(problems: readonly BgpProblem[]): BgpProblem[] {
  const groups = new Map<string, { readonly node: string; readonly members: Set<BgpProblem> }>();
  const groupsOf = new Map<BgpProblem, Set<BgpProblem>[]>();
  for (const problem of problems.filter(({ id }) => mergeable.has(id))) {
    for (const node of new Set([problem.node, problem.peer ?? ''])) {
      const key = `${problem.id} ${problem.version} ${node}`;
      const group = groups.get(key) ?? { node, members: new Set() };
      group.members.add(problem);
      groups.set(key, group);
      groupsOf.set(problem, [...(groupsOf.get(problem) ?? []), group.members]);
    }
  }
  const left = new Set(problems);
  const result: BgpProblem[] = [];
  for (;;) {
    let largest: { readonly node: string; readonly members: Set<BgpProblem> } | undefined;
    for (const group of groups.values()) {
      if (group.members.size > (largest?.members.size ?? merged - 1)) largest = group;
    }
    const members = [...(largest?.members ?? [])];
    const [first] = members;
    if (largest === undefined || first === undefined) return [...result, ...left];
    const { node } = largest;
    const peers = members.map((problem) => (problem.node === node ? (problem.peer ?? '') : problem.node));
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

const byWeight = (a: BgpProblem, b: BgpProblem): number =>
  (a.severity === b.severity ? 0 : a.severity === 'error' ? -1 : 1) ||
  Number(a.id.slice(1)) - Number(b.id.slice(1)) ||
  (a.node === b.node ? 0 : a.node < b.node ? -1 : 1);

/**
 * The faults of all nodes that were asked. Each session that is not Established is explained by exactly one problem;
 * those that follow from a fault of a node are explained by that. `bgpNeeded` is as in BgpFacts.
 */
export function diagnoseBgp(
  plan: BgpPlan,
  states: readonly BgpState[],
  { notAsked = new Map(), bgpNeeded = true }: { notAsked?: NotAsked; bgpNeeded?: boolean } = {},
): BgpDiagnosis {
  const facts = bgpFacts(plan, states, notAsked, bgpNeeded);
  const ofNodes = nodeProblems(facts);
  const explained = new Set(ofNodes.flatMap(({ sessions }) => sessions.map(keyOf)));
  const isExplained = (row: PeerSeen): boolean => isUp(row) || explained.has(keyOf(row));
  const open = facts.links.filter(
    ({ near, far }) => ![near, far].every((row) => row === undefined || isExplained(row)),
  );
  const ofLinks = mergedAlike(open.map(linkProblem));
  const problems = [...ofNodes, ...planProblems(facts), ...ofLinks].sort(byWeight);
  const byRow = new Map<string, BgpProblem>();
  for (const problem of problems) {
    for (const session of problem.sessions) if (!byRow.has(keyOf(session))) byRow.set(keyOf(session), problem);
  }
  return { rows: facts.rows, problems, problemOf: (row) => byRow.get(keyOf(row)) };
}

/** True when something is wrong, and not only could be better. */
export function isFaulty(problems: readonly BgpProblem[]): boolean {
  return problems.some(({ id }) => !advice.has(id));
}
