// The end of a call to a node: its deadline, or the caller's signal, whichever comes first; and the errors for both.
import { counted } from '../text/wording.ts';
import { defaultTimeoutMs, type RunOptions, TransportError } from './node-exec.ts';

export interface Deadline {
  /** Aborted when the time is up, and when the caller aborts. */
  readonly signal: AbortSignal;
  /**
   * The error for a call that this deadline ended; undefined while it has not. `where` names the node, `argv` is the
   * command that was running.
   */
  failure(where: string, argv: readonly string[]): TransportError | undefined;
}

/** Starts the clock of a call. */
export function startDeadline({ timeoutMs = defaultTimeoutMs, signal: caller }: RunOptions): Deadline {
  const timer = AbortSignal.timeout(Math.ceil(timeoutMs));
  return {
    signal: caller === undefined ? timer : AbortSignal.any([caller, timer]),
    failure(where, argv) {
      if (caller?.aborted) return cancelled(where);
      return timer.aborted ? timedOut(where, argv, timeoutMs) : undefined;
    },
  };
}

/** For a call that the caller's signal ended. */
export function cancelled(where: string): TransportError {
  return new TransportError('cancelled', `${where}: interrupted`);
}

function timedOut(where: string, argv: readonly string[], timeoutMs: number): TransportError {
  const message = `${where}: no answer from ${argv[0] ?? ''} within ${counted(timeoutMs / 1000, 'second')}`;
  return new TransportError('timeout', message, {
    hint: 'Allow more time with --timeout, or find out what keeps the node busy.',
  });
}
