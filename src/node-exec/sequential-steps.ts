// Steps over a transport in which a round trip costs nothing: each step is a call of its own.
import {
  type CommandResult,
  defaultTimeoutMs,
  type RunOptions,
  type Step,
  type StepOutcome,
  TransportError,
} from './node-exec.ts';

/**
 * Runs the steps with `run`, all of them under one deadline (`options.timeoutMs`), and returns an outcome for each. `now`
 * is any clock in milliseconds.
 */
export async function runSequentialSteps(
  steps: readonly Step[],
  run: (argv: readonly string[], options: RunOptions) => Promise<CommandResult>,
  options: RunOptions,
  now: () => number,
): Promise<StepOutcome[]> {
  const end = now() + (options.timeoutMs ?? defaultTimeoutMs);
  const outcomes: StepOutcome[] = [];
  let failed = false;
  let lost: TransportError | undefined;
  for (const { argv, onlyIfFailed } of steps) {
    if (lost !== undefined) {
      outcomes.push({ kind: 'lost', error: lost });
      continue;
    }
    if (onlyIfFailed && !failed) {
      outcomes.push({ kind: 'skipped' });
      continue;
    }
    try {
      const result = await run(argv, { ...options, timeoutMs: Math.max(1, end - now()) });
      failed = result.exit !== 0;
      outcomes.push({ kind: 'ran', result });
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      // The next step may have been recorded although this one was not; after a timeout or a lost connection, none runs.
      if (error.reason === 'not-recorded') failed = true;
      else lost = error;
      outcomes.push({ kind: 'lost', error });
    }
  }
  return outcomes;
}
