// One fact of a node's data path: what is expected, what was seen, the verdict. What was not seen is never ok.

import type { FaultSeverity } from '../../faults/fault.ts';
import type { FaultId, NodeFault } from '../../faults/faults.ts';
import type { NodeFinding } from '../../faults/finding.ts';
import type { Observed } from '../../node-state/probes.ts';
import type { RouteComparison } from '../routes/comparison.ts';
import type { Effect } from '../wire/effect.ts';

export type FactVerdict = 'ok' | 'wrong' | 'not observed';

interface FactTexts {
  /** `node`, `pod default/web-1`, `vxlan.calico`. */
  readonly subject: string;
  /** `proxy_arp`, `MTU`. */
  readonly fact: string;
  readonly expected: string;
  /** What to do when it is wrong. */
  readonly hint: string;
  /** The command that shows it on the node. */
  readonly command: readonly string[];
  readonly peer?: string;
  /** What makes it right when it is wrong, where one change of the node does: for datapath/repair, which decides on it. */
  readonly remedy?: Effect;
}

/** A fact before anything was seen; `fault` is what it means when it is wrong. */
export interface FactSpec extends FactTexts {
  readonly fault: NodeFault;
}

export interface Fact extends FactTexts {
  readonly seen: string;
  readonly verdict: FactVerdict;
  /** The fault that it is when it is wrong; undefined for a route that is right. */
  readonly id: FaultId | undefined;
  readonly severity: FaultSeverity;
  /** Of a fact that is a compared route: the comparison says more than expected and seen. */
  readonly comparison?: RouteComparison;
}

export const none = 'none';

function factWith({ fault, ...texts }: FactSpec, seen: string, verdict: FactVerdict): Fact {
  return { ...texts, seen, verdict, id: fault.id, severity: fault.severities[0] };
}

/** A fact that was seen. */
export function judged(spec: FactSpec, seen: string, isRight: boolean): Fact {
  return factWith(spec, seen, isRight ? 'ok' : 'wrong');
}

/** A fact that was not seen, and why. */
export function notObserved(spec: FactSpec, why: string): Fact {
  return factWith(spec, why, 'not observed');
}

/** What an observation shows: seen, and right or not; or why it shows nothing. */
export type Look = { readonly seen: string; readonly isRight: boolean } | { readonly why: string };

/** The fact that an observation shows. */
export function factOf<T>(spec: FactSpec, observed: Observed<T>, look: (value: T) => Look): Fact {
  if (!observed.seen) return notObserved(spec, observed.why);
  const found = look(observed.value);
  return 'why' in found ? notObserved(spec, found.why) : judged(spec, found.seen, found.isRight);
}

/** A compared route as a fact. */
export function routeFact(subject: string, comparison: RouteComparison): Fact {
  const { destination, expected, seen, verdict, finding, command, why, peer } = comparison;
  const isUnseen = verdict === 'not observed';
  return {
    subject,
    fact: `route to ${destination}`,
    expected,
    hint: finding?.hint ?? '',
    command,
    ...(peer === undefined ? {} : { peer }),
    seen: isUnseen ? why : seen,
    verdict: isUnseen ? verdict : finding === undefined ? 'ok' : 'wrong',
    id: finding?.id,
    severity: finding?.severity ?? 'error',
    comparison,
  };
}

/** The finding that a wrong fact is; undefined for one that is right. Routes have findings of their own. */
export function findingOf(node: string, fact: Fact): NodeFinding | undefined {
  const { id, severity, peer, hint } = fact;
  if (id === undefined) return undefined;
  const subject = fact.subject === 'node' ? '' : `${fact.subject}: `;
  const message = `${subject}${fact.fact} is ${fact.seen}, expected ${fact.expected}`;
  return { id, severity, node, ...(peer === undefined ? {} : { peer }), message, hint };
}
