// The result of calictl node repair: what was found, what was planned and done, what is left.
import type { NodeRepair, Unrepaired } from '../../../datapath/repair/repairs.ts';
import type { NodeRepairOutcome } from '../../../node-live/apply-repairs.ts';
import type { CalictlError } from '../../../world/errors.ts';
import type { Verification } from '../verification.ts';

export interface RepairItem extends NodeRepair {
  readonly outcome: 'planned' | NodeRepairOutcome['outcome'];
  readonly detail?: string;
}

export interface NodeRepairReport {
  /** What was found at first. */
  readonly found: Verification['list'];
  /** What is left; the same as `found` when nothing was changed. */
  readonly left: Verification['list'];
  readonly items: readonly RepairItem[];
  /** For what a change is known that was not safe, by the last reading. */
  readonly unrepaired: readonly Unrepaired[];
  /** Undefined when nothing was changed. */
  readonly journal: string | undefined;
  /** Why it is not known what is left. */
  readonly uncheckable: CalictlError | undefined;
}
