// What calictl node repair does: finds what is wrong, plans what is safe by two readings, asks, applies, verifies again.
import {
  confirmedRepairs,
  keyOf,
  type NodeRepair,
  type NodeRepairs,
  repairsOf,
} from '../../../datapath/repair/repairs.ts';
import { journalPath, openJournal } from '../../../files/journal.ts';
import type { NodeExec } from '../../../node-exec/node-exec.ts';
import { applyRepairs, type NodeRepairOutcome } from '../../../node-live/apply-repairs.ts';
import { CalictlError, exitCodes, RefusedError } from '../../../world/errors.ts';
import type { Context, View } from '../../command.ts';
import { consents } from '../../consent.ts';
import { noDeadlineMs } from '../../transport-flags.ts';
import { exitOfList } from '../exit-code.ts';
import { askableTargets } from '../targets.ts';
import { secondVerification, type Verification, verification } from '../verification.ts';
import type { RepairInput } from './command.ts';
import type { NodeRepairReport, RepairItem } from './report.ts';
import { nodeRepairJson, nodeRepairText, nodeRepairYaml, repairLine } from './text.ts';

export async function run(ctx: Context, input: RepairInput): Promise<NodeRepairReport> {
  const first = await verification(ctx, input, { all: false });
  const planned = await planOf(ctx, first);
  const { repairs, unrepaired } = await confirmed(ctx, input, first, planned);
  const unchanged = { found: first.list, left: first.list, journal: undefined, uncheckable: undefined };
  if (input.dryRun || repairs.length === 0) {
    return { ...unchanged, items: repairs.map((repair) => ({ ...repair, outcome: 'planned' })), unrepaired };
  }
  const exec = await ctx.nodeExec(input);
  if (exec.transport === 'replay') {
    throw new RefusedError(
      'the nodes of a snapshot are recordings and cannot be changed',
      'RECORDED_NODES',
      'show the plan with --dry-run, or name a transport to live nodes with --via',
    );
  }
  const question = `Make ${repairs.length === 1 ? 'this change' : `these ${repairs.length} changes`}?`;
  if (!(await consents(ctx, input, repairs.map(repairLine), question))) {
    throw new RefusedError('nothing was changed', 'DECLINED');
  }
  const { world } = ctx;
  const path = journalPath(world, input.journal, await ctx.datastore(), 'node-repair');
  const journal = await openJournal(path, world.clock);
  let outcomes: readonly NodeRepairOutcome[];
  try {
    // While a person thought about it, the nodes went on.
    const isAsked = !input.yes && world.io.stdin.isTerminal && world.io.stderr.isTerminal;
    const now = isAsked ? (await confirmed(ctx, input, first, { repairs, unrepaired: [] })).repairs : repairs;
    outcomes = await applied(ctx, input, first, exec, now, repairs, journal);
  } finally {
    await journal.close();
  }
  const items = repairs.map(
    (repair, index): RepairItem => ({ ...repair, ...(outcomes[index] ?? { outcome: 'skipped' }) }),
  );
  try {
    world.signal.throwIfAborted();
    const last = await verification(ctx, input, { all: false });
    const rest = await planOf(ctx, last);
    return {
      found: first.list,
      left: last.list,
      items,
      unrepaired: rest.unrepaired,
      journal: path,
      uncheckable: undefined,
    };
  } catch (error) {
    if (!(error instanceof CalictlError) && !world.signal.aborted) throw error;
    const text = error instanceof CalictlError ? error.message : 'interrupted';
    const uncheckable = new CalictlError(`what is left could not be verified: ${text}`, {
      code: 'NOT_VERIFIED',
      hint: 'run calictl node verify',
    });
    return { found: first.list, left: first.list, items, unrepaired, journal: path, uncheckable };
  }
}

/** The repairs of all nodes that were read. */
async function planOf(ctx: Context, { network, objects, read, list }: Verification): Promise<NodeRepairs> {
  const store = await ctx.datastore();
  const isLive = store.type === 'kubernetes';
  const plans = read.flatMap(({ state }): NodeRepairs[] => {
    const facts = list.items.find(({ node }) => node === state.node)?.facts ?? [];
    return state.unreachable === undefined
      ? [repairsOf(facts, { network, blocks: objects.blocks, state, isLive })]
      : [];
  });
  return {
    repairs: plans.flatMap(({ repairs }) => repairs),
    unrepaired: plans.flatMap(({ unrepaired }) => unrepaired),
  };
}

/** Those of the repairs that a second reading of their nodes, and of all objects, plans too. */
async function confirmed(
  ctx: Context,
  input: RepairInput,
  first: Verification,
  { repairs, unrepaired }: NodeRepairs,
): Promise<NodeRepairs> {
  if (repairs.length === 0) return { repairs, unrepaired };
  const nodes = [...new Set(repairs.map(({ node }) => node))];
  const again = await planOf(ctx, await secondVerification(ctx, input, first, nodes));
  return { repairs: confirmedRepairs(repairs, again.repairs), unrepaired };
}

/** Outcomes in the order of `all`; those that are not in `now` changed meanwhile. */
async function applied(
  ctx: Context,
  input: RepairInput,
  first: Verification,
  exec: NodeExec,
  now: readonly NodeRepair[],
  all: readonly NodeRepair[],
  journal: Parameters<typeof applyRepairs>[0]['journal'],
): Promise<readonly NodeRepairOutcome[]> {
  const nodes = [...new Set(now.map(({ node }) => node))];
  const { targets } = askableTargets(first.objects.nodes, nodes);
  const done = await applyRepairs(
    {
      exec,
      journal,
      timeoutMs: Math.min(input.timeout, noDeadlineMs),
      parallel: input.parallel,
      signal: ctx.world.signal,
      progress: (count, total) => ctx.progress('repairing', { done: count, total, unit: 'repairs' }),
    },
    now,
    new Map(targets.map((target) => [target.name, target])),
  );
  const byKey = new Map(now.map((repair, index) => [keyOf(repair), done[index]]));
  return all.map((repair) => byKey.get(keyOf(repair)) ?? { outcome: 'skipped', detail: 'it changed meanwhile' });
}

export const formats = {
  table: (report: NodeRepairReport, view: View) => nodeRepairText(report, view),
  json: (report: NodeRepairReport) => nodeRepairJson(report),
  yaml: (report: NodeRepairReport) => nodeRepairYaml(report),
};

export function exit({ left, items, journal, uncheckable }: NodeRepairReport): number {
  if (uncheckable !== undefined) return exitCodes.partial;
  const isIncomplete = journal !== undefined && items.some(({ outcome }) => outcome === 'failed');
  return isIncomplete ? exitCodes.partial : exitOfList(left);
}

export const errors = ({ uncheckable }: NodeRepairReport): readonly Error[] =>
  uncheckable === undefined ? [] : [uncheckable];
