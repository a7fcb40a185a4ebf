// Reads probes from many nodes at once: each node has its own deadline, and a slow one does not delay the others.
import pMap from 'p-map';
import type { NodeExec, NodeTarget, Step, StepOutcome } from '../node-exec/node-exec.ts';
import type { NodeReading, Probe, ProbeName, ProbeOutcome } from '../node-state/probes.ts';

export interface ReadOptions {
  /** Deadline of one node, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of nodes read in parallel. */
  readonly parallel: number;
  readonly signal?: AbortSignal | undefined;
  /** Called when a node has been read, with the number of nodes read so far. */
  onDone?(done: number, total: number): void;
}

/**
 * Reads the probes of every node and returns what `use` makes of the readings, in the order of the targets. `use` is called
 * as soon as a reading is complete, so the outputs of many nodes are never in memory together. A node that was not reached
 * is a reading too, not an error.
 * Errors: TransportError `cancelled` only; what `use` throws.
 */
export function readNodes<T>(
  exec: NodeExec,
  targets: readonly NodeTarget[],
  probesOf: (node: string) => readonly Probe[],
  use: (reading: NodeReading) => T,
  options: ReadOptions,
): Promise<readonly T[]> {
  let done = 0;
  return pMap(
    targets,
    async (node) => {
      const probes = probesOf(node.name);
      const outcomes = await exec.runSteps(node, probes.flatMap(stepsOf), options);
      throwIfCancelled(outcomes);
      done += 1;
      options.onDone?.(done, targets.length);
      return use(readingOf(node.name, probes, outcomes));
    },
    { concurrency: options.parallel },
  );
}

/** The steps of a probe: each alternative runs only when those before it failed. */
export function stepsOf({ alternatives }: Probe): Step[] {
  return alternatives.map((argv, i) => (i === 0 ? { argv } : { argv, onlyIfFailed: true }));
}

function throwIfCancelled(outcomes: readonly StepOutcome[]): void {
  for (const outcome of outcomes) {
    if (outcome.kind === 'lost' && outcome.error.reason === 'cancelled') throw outcome.error;
  }
}

function readingOf(node: string, probes: readonly Probe[], outcomes: readonly StepOutcome[]): NodeReading {
  const found = new Map<ProbeName, ProbeOutcome>();
  let at = 0;
  for (const { name, alternatives } of probes) {
    found.set(name, outcomeOf(alternatives, outcomes.slice(at, at + alternatives.length)));
    at += alternatives.length;
  }
  const first = outcomes[0];
  const nothing = outcomes.every(({ kind }) => kind === 'lost');
  const error = nothing && first?.kind === 'lost' ? first.error : undefined;
  return {
    node,
    outcomes: found,
    unreachable: error && { code: error.code, message: error.message, hint: error.hint },
  };
}

/** The first alternative that succeeded, else the first whose program exists, else the reason why none was run. */
function outcomeOf(alternatives: readonly (readonly string[])[], outcomes: readonly StepOutcome[]): ProbeOutcome {
  const runs = outcomes.flatMap((outcome, i) =>
    outcome.kind === 'ran' ? [{ argv: alternatives[i] ?? [], result: outcome.result }] : [],
  );
  const best =
    runs.find(({ result }) => result.exit === 0) ??
    runs.find(({ result }) => result.exit !== 126 && result.exit !== 127) ??
    runs[0];
  if (best !== undefined) {
    const { exit, stdout, stderr, truncated } = best.result;
    return { kind: 'answered', argv: best.argv, exit, stdout, stderr, truncated };
  }
  const lost = outcomes.find((outcome) => outcome.kind === 'lost');
  const reason = lost?.kind === 'lost' ? lost.error.message : 'it was not run';
  return { kind: 'unanswered', argv: alternatives[0] ?? [], reason };
}
