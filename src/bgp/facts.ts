// All that a diagnosis rests on: what the resources ask for, what was seen, who was not asked.
import { groupedBy } from '../node-state/group-by.ts';
import type { BgpPlan } from './desired-sessions.ts';
import { type BgpState, bgpPeersSeen, isBirdAbsent, type PeerSeen } from './observed-sessions.ts';
import { type Link, linksOf, type NodeKnown } from './session-pairs.ts';

export interface BgpFacts {
  readonly plan: BgpPlan;
  /** Nodes that were asked and answered something. */
  readonly states: readonly BgpState[];
  readonly known: (name: string) => NodeKnown;
  readonly rows: readonly PeerSeen[];
  readonly rowsOf: (node: string, version?: 4 | 6) => readonly PeerSeen[];
  readonly links: readonly Link[];
  /** False when no pool's routes go by BGP: then a cluster without BIRD is as it should be. */
  readonly bgpNeeded: boolean;
}

/** Nodes of the plan that were not asked: by their names, why. */
export type NotAsked = ReadonlyMap<string, string>;

/** Joins the plan with what the nodes said; `bgpNeeded` as in BgpFacts. */
export function bgpFacts(plan: BgpPlan, states: readonly BgpState[], notAsked: NotAsked, bgpNeeded: boolean): BgpFacts {
  const byName = new Map(states.map((state) => [state.node, state]));
  const known = (name: string): NodeKnown => {
    const state = byName.get(name);
    const why = notAsked.get(name) ?? 'it is not among the nodes of this call';
    return { name, node: plan.index.node(name), state, notAsked: state === undefined ? why : undefined };
  };
  const rows = states.flatMap((state) => bgpPeersSeen(state, plan));
  const byNode = groupedBy(rows, ({ node }) => node);
  const byFamily = groupedBy(rows, ({ node, version }) => `${version} ${node}`);
  const rowsOf = (node: string, version?: 4 | 6): readonly PeerSeen[] =>
    (version === undefined ? byNode.get(node) : byFamily.get(`${version} ${node}`)) ?? [];
  return { plan, states, known, rows, rowsOf, links: linksOf(rows, plan, known), bgpNeeded };
}

/** Why BIRD's sessions of an asked node are not known although it is not known to be absent. */
export function unseenBird(state: BgpState, version: 4 | 6): string | undefined {
  const { protocols } = state.bird[version];
  return protocols.seen || isBirdAbsent(state.bird[version]) ? undefined : protocols.why;
}
