// How a repair ends, and the precondition that it checks before it writes.

/**
 * `applied`: the repair was made. `skipped`: there was nothing (left) to do, or the precondition failed. `conflict`: the
 * objects are no longer as they were judged; nothing was left half done.
 */
export interface RepairOutcome {
  readonly outcome: 'applied' | 'conflict' | 'skipped';
  readonly detail?: string;
}

/** Checks on live data that a repair is still right: undefined to go on, otherwise why not. */
export type PreconditionCheck = () => Promise<string | undefined>;

export const applied: RepairOutcome = { outcome: 'applied' };

export function skipped(detail: string): RepairOutcome {
  return { outcome: 'skipped', detail };
}

export function conflict(detail: string): RepairOutcome {
  return { outcome: 'conflict', detail };
}

/** A conflict with the given reason; applied when there is none. */
export function appliedUnless(reason: string | undefined): RepairOutcome {
  return reason === undefined ? applied : conflict(reason);
}

/** The precondition of an operation that needs none: a person requested it, or it follows from the write before it. */
export const noPrecondition: PreconditionCheck = async () => undefined;
