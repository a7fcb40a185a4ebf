// Carries out repairs on nodes: those of one node in order and in one round trip where the transport can, several nodes at
// once. Each is in the journal before it is sent.
import pMap from 'p-map';
import type { NodeRepair } from '../datapath/repair/repairs.ts';
import type { Journal } from '../files/journal.ts';
import type { CommandResult, NodeExec, NodeTarget, Step, StepOutcome } from '../node-exec/node-exec.ts';
import { inEnglish, settingsAlternative } from './wiring/run-batch.ts';

export type NodeRepairOutcome =
  | { readonly outcome: 'applied' }
  /** Not begun, or no longer needed. */
  | { readonly outcome: 'skipped'; readonly detail: string }
  | { readonly outcome: 'failed'; readonly detail: string };

export interface ApplyRepairs {
  readonly exec: NodeExec;
  readonly journal: Journal;
  /** Deadline of one round trip, in milliseconds. */
  readonly timeoutMs: number;
  readonly parallel: number;
  /** When aborted, no further round trip is begun. */
  readonly signal: AbortSignal;
  progress(done: number, total: number): void;
}

/** Repairs in one round trip: so many may be under way when the connection is lost. */
const perRoundTrip = 32;

/** Outcomes in the order of the repairs. Errors: CalictlError when the journal cannot be written. */
export async function applyRepairs(
  run: ApplyRepairs,
  repairs: readonly NodeRepair[],
  targets: ReadonlyMap<string, NodeTarget>,
): Promise<readonly NodeRepairOutcome[]> {
  const outcomes = new Map<NodeRepair, NodeRepairOutcome>();
  const nodes = [...new Set(repairs.map(({ node }) => node))];
  await pMap(
    nodes,
    async (node) => {
      const own = repairs.filter((repair) => repair.node === node);
      const target = targets.get(node) ?? { name: node, addresses: [] };
      for (let from = 0; from < own.length && !run.signal.aborted; from += perRoundTrip) {
        const some = own.slice(from, from + perRoundTrip);
        const ended = await roundTrip(run, target, some);
        for (const [index, repair] of some.entries()) outcomes.set(repair, ended[index] ?? unknown);
        run.progress(outcomes.size, repairs.length);
      }
    },
    { concurrency: run.parallel },
  );
  return repairs.map((repair) => outcomes.get(repair) ?? { outcome: 'skipped', detail: 'stopped before it began' });
}

const unknown: NodeRepairOutcome = { outcome: 'failed', detail: 'there was no answer' };

async function roundTrip(
  { exec, journal, timeoutMs }: ApplyRepairs,
  node: NodeTarget,
  repairs: readonly NodeRepair[],
): Promise<readonly NodeRepairOutcome[]> {
  const lines = repairs.map(({ node: name, id, argv }) => ({ node: name, id, argv }));
  await Promise.all(lines.map((line) => journal.append({ phase: 'before', ...line })));
  const stepsByRepair = repairs.map(({ argv }) => stepsOf(argv));
  const outcomes = await exec.runSteps(node, stepsByRepair.flat(), { timeoutMs });
  let at = 0;
  const ended = stepsByRepair.map((steps): NodeRepairOutcome => {
    const own = outcomes.slice(at, at + steps.length);
    at += steps.length;
    return outcomeOf(own);
  });
  await Promise.all(lines.map((line, index) => journal.append({ phase: 'after', ...line, ...ended[index] })));
  return ended;
}

/** The image of calico-node has no sysctl. */
function stepsOf(argv: readonly string[]): readonly Step[] {
  const own = { argv: [...inEnglish, ...argv] };
  const other = settingsAlternative(argv);
  return other === undefined ? [own] : [own, { argv: [...inEnglish, ...other], onlyIfFailed: true }];
}

function outcomeOf(outcomes: readonly StepOutcome[]): NodeRepairOutcome {
  const lost = outcomes.find((one) => one.kind === 'lost');
  if (lost?.kind === 'lost')
    return { outcome: 'failed', detail: `it is not known whether it was made: ${lost.error.message}` };
  const results = outcomes.flatMap((one): CommandResult[] => (one.kind === 'ran' ? [one.result] : []));
  if (results.some(({ exit }) => exit === 0)) return { outcome: 'applied' };
  const stderr =
    results.map((result) => result.stderr.trim()).find((text) => text !== '') ?? 'it failed without a reason';
  // Another program, such as Felix, was faster.
  if (/File exists|No such process/.test(stderr))
    return { outcome: 'skipped', detail: 'no longer needed: another program was faster' };
  return { outcome: 'failed', detail: stderr };
}
