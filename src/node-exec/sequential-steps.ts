// Steps for transports that need no round trip: each is a run of its own.
import { type CommandResult, type RunOptions, type Step, type StepOutcome, TransportError } from './node-exec.ts';

/** Runs the steps with `run` under one deadline, in milliseconds, for all of them. `now` is any clock in milliseconds. */
export async function runSequentialSteps(
  steps: readonly Step[],
  run: (argv: readonly string[], options: RunOptions) => Promise<CommandResult>,
  options: RunOptions & { readonly timeoutMs: number },
  now: () => number,
): Promise<StepOutcome[]> {
  const end = now() + options.timeoutMs;
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
      // A missing recording says nothing of the next one; a time-out or a lost connection does.
      if (error.reason === 'not-recorded') failed = true;
      else lost = error;
      outcomes.push({ kind: 'lost', error });
    }
  }
  return outcomes;
}
