// One fact of a node's data path: what is expected, what was seen, the verdict. What was not seen is never ok.

import type { FaultSeverity, NodeFinding } from '../../faults/finding.ts';
import type { Observed } from '../../node-state/probes.ts';
import type { RouteComparison } from '../routes/comparison.ts';

export type FactVerdict = 'ok' | 'wrong' | 'not observed';

export interface Fact {
  /** `node`, `pod default/web-1`, `vxlan.calico`. */
  readonly subject: string;
  /** `proxy_arp`, `MTU`. */
  readonly fact: string;
  readonly expected: string;
  readonly seen: string;
  readonly verdict: FactVerdict;
  /** The fault that it is when it is wrong: docs/reference/datapath.md#faults. */
  readonly id: string;
  readonly severity: FaultSeverity;
  readonly hint: string;
  /** What shows it on the node. */
  readonly command: readonly string[];
  readonly peer?: string;
  /** Of a fact that is a compared route: the comparison says more than expected and seen. */
  readonly comparison?: RouteComparison;
}

/** All of a fact but what was seen. */
export type FactSpec = Omit<Fact, 'seen' | 'verdict'>;

export const none = 'none';

/** A fact that was seen. */
export function judged(spec: FactSpec, seen: string, isRight: boolean): Fact {
  return { ...spec, seen, verdict: isRight ? 'ok' : 'wrong' };
}

/** A fact that was not seen, and why. */
export function notObserved(spec: FactSpec, why: string): Fact {
  return { ...spec, seen: why, verdict: 'not observed' };
}

/** What a look at an observation says: seen and right or not, or why it says nothing. */
export type Look = { readonly seen: string; readonly isRight: boolean } | { readonly why: string };

/** The fact by an observation; its command is the one that was run, where the spec has none of its own. */
export function factOf<T>(spec: FactSpec, observed: Observed<T>, look: (value: T) => Look): Fact {
  if (!observed.seen) return notObserved(spec, observed.why);
  const found = look(observed.value);
  return 'why' in found ? notObserved(spec, found.why) : judged(spec, found.seen, found.isRight);
}

/** The finding that a wrong fact is, when it is no route. */
export function findingOf(node: string, fact: Fact): NodeFinding {
  const subject = fact.subject === 'node' ? '' : `${fact.subject}: `;
  return {
    id: fact.id,
    severity: fact.severity,
    node,
    ...(fact.peer === undefined ? {} : { peer: fact.peer }),
    message: `${subject}${fact.fact} is ${fact.seen}, expected is ${fact.expected}`,
    hint: fact.hint,
  };
}
