// How a repair ends, and the proof it asks for before it writes.

/**
 * `applied`: the store is now as wanted, by this repair. `skipped`: there was nothing (left) to do, or the proof said no.
 * `conflict`: the objects are no longer as the repair saw them; it was given up and left nothing half-done.
 */
export interface RepairOutcome {
  readonly outcome: 'applied' | 'conflict' | 'skipped';
  readonly detail?: string;
}

/** Proves, on live data, that a repair still is right: undefined to go on, else why not. */
export type PreconditionCheck = () => Promise<string | undefined>;

export const applied: RepairOutcome = { outcome: 'applied' };

export function skipped(detail: string): RepairOutcome {
  return { outcome: 'skipped', detail };
}

export function conflict(detail: string): RepairOutcome {
  return { outcome: 'conflict', detail };
}

/** A conflict for the given reason, applied when there is none. */
export function appliedUnless(reason: string | undefined): RepairOutcome {
  return reason === undefined ? applied : conflict(reason);
}

/** The proof of an operation that needs none: it was asked for by a person, or follows from the write before it. */
export const noPrecondition: PreconditionCheck = async () => undefined;
