// What calictl ipam check does: observe and confirm, repair with --fix, report.

import { journalPath, openJournal } from '../../../files/journal.ts';
import { type PlannedRepair, planRepairs, type Selection } from '../../../ipam-check/plan.ts';
import { buildReport, type FixItem, type IPAMCheckReport } from '../../../ipam-check/report.ts';
import { check } from '../../../ipam-live/check/check.ts';
import type { Confirmed } from '../../../ipam-live/check/confirm.ts';
import type { ObserveOptions } from '../../../ipam-live/check/observe.ts';
import { type Repaired, repair } from '../../../ipam-live/repair/repair.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { counted } from '../../../text/wording.ts';
import { printYaml } from '../../../text/yaml.ts';
import { CalictlError, exitCodes, RefusedError } from '../../../world/errors.ts';
import type { Context, View } from '../../command.ts';
import { consents } from '../../consent.ts';
import { guardedCheckOf, writeCalicoctlReport } from './calicoctl-report-file.ts';
import type { CheckInput } from './command.ts';
import { ipamCheckJunit } from './junit.ts';
import { ipamCheckText, repairLine } from './text.ts';

interface Checked {
  readonly report: IPAMCheckReport;
  /** What was found before anything was repaired; absent when nothing was written. */
  readonly before: IPAMCheckReport | undefined;
  /** Why it is not known what the repairs left. */
  readonly uncheckable: CalictlError | undefined;
}

/** What --fix did. */
interface Fixed {
  readonly items: readonly FixItem[];
  readonly journal?: string;
}

/** What a report shows when the last check could not be made. */
const shownInstead = 'the list is what was found before, minus what was repaired';

export async function run(ctx: Context, input: CheckInput): Promise<Checked> {
  const { world } = ctx;
  const startedAt = world.clock.now();
  const selection: Selection = { only: input.only.flat(), skip: input.skip.flat() };
  const store = await ctx.datastore();
  const options: ObserveOptions = {
    clock: world.clock,
    signal: world.signal,
    graceMs: input.grace,
    progress: ctx.progress,
  };
  let confirmed = await check(store, options);
  if (store.isBeforeMigration) await warnOfHandles(ctx, confirmed);
  // The text says so itself.
  if (input.output !== 'table' && input.output !== 'wide') {
    for (const { kind, reason } of confirmed.snapshot.unread) await ctx.note(`not read: ${kind}: ${reason}`);
  }
  // Before anything is repaired: a report that cannot be written ends the command here.
  await writeReport(ctx, input, confirmed);
  const reportOn = (state: Confirmed, fixed?: Fixed): IPAMCheckReport =>
    buildReport({
      ...state,
      datastoreType: store.type,
      selection,
      startedAt,
      finishedAt: world.clock.now(),
      judgedAt: store.capturedAt,
      items: fixed?.items,
      journal: fixed?.journal,
    });
  let fixed: Fixed | undefined;
  let before: IPAMCheckReport | undefined;
  let uncheckable: CalictlError | undefined;
  if (input.fix) {
    const plan = planRepairs(confirmed.judgements, selection);
    if (input.dryRun || plan.length === 0) {
      fixed = { items: plan.map(({ finding }) => ({ finding, outcome: 'planned' as const })) };
    } else {
      before = reportOn(confirmed);
      const done = await applyRepairs(ctx, input, options, selection, confirmed, plan);
      confirmed = done.confirmed;
      fixed = done;
      if (done.uncheckable !== undefined) uncheckable = uncheckableError(done.uncheckable);
      else if (!done.isChecked) await ctx.note(`interrupted before the last check; ${shownInstead}`);
      if (done.isChecked) await writeReport(ctx, input, confirmed);
    }
  }
  return { report: reportOn(confirmed, fixed), before, uncheckable };
}

async function writeReport(ctx: Context, { report }: CheckInput, { snapshot }: Confirmed): Promise<void> {
  if (report !== undefined) await writeCalicoctlReport(ctx, snapshot, guardedCheckOf(snapshot), report);
}

/** Calico 3.32 uses the id of a handle as the name of its copy, and names of objects have no capital letters. */
async function warnOfHandles(ctx: Context, { snapshot }: Confirmed): Promise<void> {
  const ids = snapshot.handles.map(({ handleId }) => handleId).filter((id) => id !== id.toLowerCase());
  const [first] = ids;
  if (first === undefined) return;
  await ctx.note(
    `warning: ${counted(ids.length, 'handle')} with capital letters, such as ${first}: Calico 3.32 cannot migrate such a handle, ` +
      'and the migration stops with the datastore locked; release the addresses first, or delete the DatastoreMigration',
  );
}

function uncheckableError(cause: CalictlError): CalictlError {
  return new CalictlError(`what is left could not be checked: ${cause.message}`, {
    code: cause.code,
    hint: `${shownInstead}; run the check again`,
    cause,
  });
}

function consentTo(ctx: Context, input: CheckInput, plan: readonly PlannedRepair[]): Promise<boolean> {
  const lines = plan.map(({ finding }) => repairLine(finding));
  return consents(ctx, input, lines, `Make ${plan.length === 1 ? 'this repair' : `these ${plan.length} repairs`}?`);
}

async function applyRepairs(
  ctx: Context,
  input: CheckInput,
  options: ObserveOptions,
  selection: Selection,
  confirmed: Confirmed,
  plan: readonly PlannedRepair[],
): Promise<Repaired & { readonly journal: string }> {
  const store = await ctx.datastore();
  if (store.readOnly !== undefined) throw store.readOnly;
  if (!(await consentTo(ctx, input, plan))) throw new RefusedError('nothing was repaired', 'DECLINED');
  const { world } = ctx;
  const { signal } = world;
  const path = journalPath(world, input.journal, store);
  const lock = input.noLease ? undefined : await store.lockRepairs({ signal });
  try {
    const journal = await openJournal(path, world.clock);
    try {
      const goOn = (next: readonly PlannedRepair[]): Promise<boolean> => consentTo(ctx, input, next);
      const done = await repair(store, confirmed, { ...options, selection, journal, lock, signal, goOn });
      return { ...done, journal: path };
    } finally {
      await journal.close();
    }
  } finally {
    await lock?.release();
  }
}

export const formats = {
  table: ({ report, before }: Checked, view: View) => ipamCheckText(report, { ...view, wide: false }, before),
  wide: ({ report, before }: Checked, view: View) => ipamCheckText(report, { ...view, wide: true }, before),
  json: ({ report }: Checked) => jsonDocument(report),
  yaml: ({ report }: Checked) => printYaml(report),
  junit: ({ report }: Checked) => ipamCheckJunit(report),
};

export const format = ({ output, showAllIps }: CheckInput) => (showAllIps && output === 'table' ? 'wide' : output);

export function exit({ report: { summary, fix }, uncheckable }: Checked): number {
  if (uncheckable !== undefined) return exitCodes.partial;
  if (fix !== undefined && fix.left > 0) return exitCodes.partial;
  return summary.errors + summary.warnings > 0 ? exitCodes.findings : exitCodes.ok;
}

export const errors = ({ uncheckable }: Checked): readonly Error[] => (uncheckable === undefined ? [] : [uncheckable]);
