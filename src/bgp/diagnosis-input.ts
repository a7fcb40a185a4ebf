// Everything a diagnosis rests on: what the resources ask for, what was observed, which nodes were not queried.
import { groupBy } from '../text/group-by.ts';
import type { BgpPlan } from './desired-sessions.ts';
import { type BgpState, isBirdAbsent, type ObservedSession, observedSessions } from './observed-sessions.ts';
import { type NodeKnowledge, type SessionPair, sessionPairs } from './session-pairs.ts';

export interface DiagnosisInput {
  readonly plan: BgpPlan;
  /** Nodes that gave at least one answer. */
  readonly states: readonly BgpState[];
  readonly known: (name: string) => NodeKnowledge;
  readonly sessions: readonly ObservedSession[];
  readonly sessionsOf: (node: string, version?: 4 | 6) => readonly ObservedSession[];
  readonly pairs: readonly SessionPair[];
  /** False when BGP carries the routes of no pool: a cluster without BIRD is fine then. */
  readonly bgpNeeded: boolean;
  /** False when BGPPeers or BGPConfigurations were not read: which sessions are configured is not known then. */
  readonly planIsKnown: boolean;
}

/** Nodes of the plan that were not queried, by name, with the reason. */
export type NotQueried = ReadonlyMap<string, string>;

/** What applies to the whole call; each as in DiagnosisInput. */
export type Circumstances = Pick<DiagnosisInput, 'bgpNeeded' | 'planIsKnown'>;

/** Joins the plan with what the nodes said. */
export function diagnosisInput(
  plan: BgpPlan,
  states: readonly BgpState[],
  notQueried: NotQueried,
  circumstances: Circumstances,
): DiagnosisInput {
  const byName = new Map(states.map((state) => [state.node, state]));
  const known = (name: string): NodeKnowledge => {
    const state = byName.get(name);
    const why = notQueried.get(name) ?? 'it is not one of the nodes of this call';
    return { name, node: plan.index.node(name), state, notQueried: state === undefined ? why : undefined };
  };
  const sessions = states.flatMap((state) => observedSessions(state, plan));
  const byNode = groupBy(sessions, ({ node }) => node);
  const byFamily = groupBy(sessions, ({ node, version }) => `${version} ${node}`);
  const sessionsOf = (node: string, version?: 4 | 6): readonly ObservedSession[] =>
    (version === undefined ? byNode.get(node) : byFamily.get(`${version} ${node}`)) ?? [];
  return { plan, states, known, sessions, sessionsOf, pairs: sessionPairs(sessions, plan, known), ...circumstances };
}

/** Why the sessions of a queried node are unknown although BIRD is not known to be absent; undefined otherwise. */
export function unseenBird(state: BgpState, version: 4 | 6): string | undefined {
  const { protocols } = state.bird[version];
  return protocols.seen || isBirdAbsent(state.bird[version]) ? undefined : protocols.why;
}
