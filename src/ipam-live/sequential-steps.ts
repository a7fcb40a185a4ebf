// Steps that a person asked for, done one after the other: each has an outcome, even when a signal or an error ends them.
import type { ReleaseOutcome } from '../ipam/release/release-plan.ts';
import type { RepairOutcome } from '../ipam/repair/repair-outcome.ts';
import { CalictlError } from '../world/errors.ts';

/** The detail of a step that was not begun because the command was interrupted. */
export const interrupted = 'interrupted before it was done';

/**
 * Calls `act` for each item in turn. A step that began is finished before the signal is looked at. After an error that the
 * next step would meet as well, the rest is skipped.
 */
export async function runInOrder<T>(
  items: readonly T[],
  subjectOf: (item: T) => string,
  act: (item: T) => Promise<RepairOutcome>,
  signal: AbortSignal,
): Promise<ReleaseOutcome[]> {
  const outcomes: ReleaseOutcome[] = [];
  let ended: string | undefined;
  for (const item of items) {
    const subject = subjectOf(item);
    if (signal.aborted) ended ??= interrupted;
    if (ended !== undefined) {
      outcomes.push({ subject, outcome: 'skipped', detail: ended });
      continue;
    }
    try {
      outcomes.push({ ...(await act(item)), subject });
    } catch (error) {
      if (error instanceof CalictlError) {
        outcomes.push({ subject, outcome: 'failed', detail: error.message });
        if (error.code !== 'IPAM_CONFLICT') ended = 'not tried after the previous failure';
      } else if (signal.aborted) {
        outcomes.push({ subject, outcome: 'skipped', detail: interrupted });
      } else throw error;
    }
  }
  return outcomes;
}
