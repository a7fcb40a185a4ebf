// All that a diagnosis rests on: what the resources ask for, what was seen, who was not asked.
import { groupBy } from '../node-state/group-by.ts';
import type { BgpPlan } from './desired-sessions.ts';
import { type BgpState, isBirdAbsent, type ObservedSession, observedSessions } from './observed-sessions.ts';
import { type NodeKnown, type SessionPair, sessionPairs } from './session-pairs.ts';

export interface DiagnosisInput {
  readonly plan: BgpPlan;
  /** Nodes that were asked and answered something. */
  readonly states: readonly BgpState[];
  readonly known: (name: string) => NodeKnown;
  readonly rows: readonly ObservedSession[];
  readonly rowsOf: (node: string, version?: 4 | 6) => readonly ObservedSession[];
  readonly pairs: readonly SessionPair[];
  /** False when no pool's routes go by BGP: then a cluster without BIRD is as it should be. */
  readonly bgpNeeded: boolean;
}

/** Nodes of the plan that were not asked: by their names, why. */
export type NotAsked = ReadonlyMap<string, string>;

/** Joins the plan with what the nodes said; `bgpNeeded` as in DiagnosisInput. */
export function diagnosisInput(
  plan: BgpPlan,
  states: readonly BgpState[],
  notAsked: NotAsked,
  bgpNeeded: boolean,
): DiagnosisInput {
  const byName = new Map(states.map((state) => [state.node, state]));
  const known = (name: string): NodeKnown => {
    const state = byName.get(name);
    const why = notAsked.get(name) ?? 'it is not among the nodes of this call';
    return { name, node: plan.index.node(name), state, notAsked: state === undefined ? why : undefined };
  };
  const rows = states.flatMap((state) => observedSessions(state, plan));
  const byNode = groupBy(rows, ({ node }) => node);
  const byFamily = groupBy(rows, ({ node, version }) => `${version} ${node}`);
  const rowsOf = (node: string, version?: 4 | 6): readonly ObservedSession[] =>
    (version === undefined ? byNode.get(node) : byFamily.get(`${version} ${node}`)) ?? [];
  return { plan, states, known, rows, rowsOf, pairs: sessionPairs(rows, plan, known), bgpNeeded };
}

/** Why BIRD's sessions of an asked node are not known although it is not known to be absent. */
export function unseenBird(state: BgpState, version: 4 | 6): string | undefined {
  const { protocols } = state.bird[version];
  return protocols.seen || isBirdAbsent(state.bird[version]) ? undefined : protocols.why;
}
