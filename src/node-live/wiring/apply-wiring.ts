// Carries out a plan on a node, with a journal: each process is recorded before it is started. When one fails, or on Ctrl-C,
// what was begun is undone.
import { type Batch, batchesOf, inNamespace } from '../../datapath/wire/batches.ts';
import { argvOf, type Step } from '../../datapath/wire/effect.ts';
import type { PlannedStep } from '../../datapath/wire/wiring-plan.ts';
import type { Journal } from '../../files/journal.ts';
import { type NodeExec, type NodeTarget, TransportError } from '../../node-exec/node-exec.ts';
import { CalictlError } from '../../world/errors.ts';
import type { ProcessIdentity } from '../../world/world.ts';
import { namespaceProbe } from './read-wiring.ts';
import { isGone, runBatch, runOnNode } from './run-batch.ts';
import type { UnfinishedRun } from './wiring-journal.ts';

export interface ApplyWiring {
  readonly exec: NodeExec;
  readonly node: NodeTarget;
  readonly netns: string;
  readonly journal: Journal;
  /** Deadline of each process, in milliseconds. */
  readonly timeoutMs: number;
  /** When aborted, no further process is started, and what was begun is undone. */
  readonly signal: AbortSignal;
}

/** A step that was not made, and that the pod works without. */
export interface NotMade {
  readonly step: Step;
  readonly why: string;
}

/** What a run is for: the namespace and all commands as text, by which the next run knows whether it wants the same. */
export type RunPurpose = Pick<UnfinishedRun, 'wanted' | 'netns' | 'namespaceId'>;

/** Records the beginning of a run. */
export function beginRun(
  journal: Journal,
  { wanted, netns, namespaceId }: RunPurpose,
  { pid, hostname, incarnation }: ProcessIdentity,
): Promise<void> {
  return journal.append({ phase: 'begin', wanted, netns, namespace: namespaceId, pid, hostname, incarnation });
}

/**
 * Makes the steps that are not made. `earlier`: what an interrupted run had begun, which is undone too when this one fails.
 * Returns the steps that failed and are not needed.
 * Errors: CalictlError when a step failed and everything was undone, or that says what was not; TransportError when the
 * node was lost: the journal stays open then, and the next run goes on.
 */
export async function applyWiring(
  run: ApplyWiring,
  steps: readonly PlannedStep[],
  earlier: readonly (readonly string[])[] = [],
): Promise<readonly NotMade[]> {
  const { exec, node, netns, journal, timeoutMs, signal } = run;
  const undoByStep = new Map(steps.map(({ step, undo }) => [step, undo]));
  const undoOf = (made: readonly Step[]): (readonly string[])[] =>
    made.flatMap((step) => [undoByStep.get(step)].filter((argv) => argv !== undefined)).toReversed();
  const batches = batchesOf(
    steps.filter(({ isMade }) => !isMade).map(({ step }) => step),
    netns,
  );
  let begun = earlier;
  const notMade: NotMade[] = [];
  for (const [index, batch] of batches.entries()) {
    if (signal.aborted) throw await undone(run, begun, signal.reason);
    const { argv, stdin } = batch;
    const head = { process: index + 1 };
    await journal.append({ phase: 'before', ...head, argv, stdin, undo: undoOf(batch.steps) });
    const done = await runBatch(exec, node, batch, { timeoutMs });
    if (done.outcome === 'failed') {
      const undo = undoOf(stepsBegun(batch, done));
      await journal.append({ phase: 'after', ...head, outcome: done.outcome, why: done.why, undo });
      throw await undone(run, [...undo, ...begun], failure(argv, done.step, done.why));
    }
    begun = [...undoOf(batch.steps), ...begun];
    if (done.outcome === 'not needed') notMade.push({ step: done.step, why: done.why });
    await journal.append({ phase: 'after', ...head, outcome: done.outcome, ...('why' in done && { why: done.why }) });
  }
  await journal.append({ phase: 'end', outcome: 'made' });
  return notMade;
}

/**
 * The steps that a failed process may have made. What the kernel refused was not made, least of all when it exists already and
 * is another program's; sysctl goes on after a setting that fails; without a reason anything may have been made.
 */
function stepsBegun(
  { steps }: Batch,
  { step, isRefused }: { step: Step | undefined; isRefused: boolean },
): readonly Step[] {
  if (step === undefined || !isRefused || step.type === 'setting') return steps;
  return steps.slice(0, steps.indexOf(step));
}

function failure(argv: readonly string[], step: Step | undefined, why: string): CalictlError {
  const where = step?.side === 'pod' ? 'in the pod: ' : '';
  return new CalictlError(`${where}${(step === undefined ? argv : argvOf(step)).join(' ')}: ${why}`, {
    code: 'WIRING_FAILED',
  });
}

/** Undoes everything and returns the error to throw: the cause, or what was not undone. */
async function undone(run: ApplyWiring, undo: readonly (readonly string[])[], cause: unknown): Promise<unknown> {
  const left = await undoCommands(run, undo);
  if (left.length > 0) {
    const text = cause instanceof Error ? cause.message : String(cause);
    return new CalictlError(`${text}; what was done before was not undone: ${left.join('; ')}`, {
      code: 'WIRING_NOT_UNDONE',
      hint: `run the command again, or calictl node unwire; the journal says what was done: ${run.journal.path}`,
      cause,
    });
  }
  await run.journal.append({ phase: 'end', outcome: 'undone' });
  if (!(cause instanceof CalictlError)) return cause;
  const { code, hint, exit } = cause;
  return new CalictlError(`${cause.message}; everything was undone`, { code, hint, exit, cause });
}

/**
 * Undoes what an interrupted run had begun. A namespace that is gone took everything with it, and another one at its path
 * is not touched. Errors: CalictlError that says what was not undone; TransportError.
 */
export async function undoRun(run: ApplyWiring, { undo, netns, namespaceId }: UnfinishedRun): Promise<void> {
  const isThere = undo.length > 0 && (await namespaceIdAt(run, netns)) === namespaceId;
  const left = isThere ? await undoCommands(run, undo) : [];
  if (left.length > 0) {
    throw new CalictlError(`what an interrupted run left was not undone: ${left.join('; ')}`, {
      code: 'WIRING_NOT_UNDONE',
      hint: `the journal says what it did: ${run.journal.path}`,
    });
  }
  await run.journal.append({ phase: 'end', outcome: isThere ? 'undone' : 'gone' });
}

/** The kernel's number of the namespace; undefined when there is none at the path. Errors: CalictlError when it is not known. */
async function namespaceIdAt({ exec, node, timeoutMs }: ApplyWiring, netns: string): Promise<string | undefined> {
  const argv = [...inNamespace(netns), ...namespaceProbe];
  const { exit, stdout, stderr } = await runOnNode(exec, node, argv, { timeoutMs });
  if (exit === 0) return stdout.trim();
  if (/No such file or directory|Invalid argument/.test(stderr)) return undefined;
  throw new CalictlError(`${netns} cannot be entered: ${stderr.trim()}`, { code: 'NO_NAMESPACE' });
}

/** Runs the commands; what they remove may be gone already. Returns those that failed, with the reason. */
async function undoCommands(
  { exec, node, journal, timeoutMs }: ApplyWiring,
  commands: readonly (readonly string[])[],
): Promise<string[]> {
  const left: string[] = [];
  for (const argv of commands) {
    await journal.append({ phase: 'undo', argv });
    try {
      const { exit, stderr } = await runOnNode(exec, node, argv, { timeoutMs });
      if (exit !== 0 && !isGone(stderr)) left.push(`${argv.join(' ')}: ${stderr.trim() || `exit code ${exit}`}`);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      left.push(`${argv.join(' ')}: ${error.message}`);
    }
  }
  return left;
}
