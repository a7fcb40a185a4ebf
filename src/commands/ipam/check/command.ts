// calictl ipam check: find what is wrong in a cluster's IPAM, and with --fix repair what can be repaired safely.
import type { CalicoctlCheck } from '../../../ipam-check/calicoctl-report/calicoctl-check.ts';
import type { InvariantId } from '../../../ipam-check/invariants.ts';
import type { PlannedRepair, Selection } from '../../../ipam-check/plan.ts';
import type { FixItem, IPAMCheckReport } from '../../../ipam-check/report.ts';
import type { IpamSnapshot } from '../../../ipam-check/snapshot.ts';
import type { Confirmed } from '../../../ipam-live/check/confirm.ts';
import type { ObserveOptions } from '../../../ipam-live/check/observe.ts';
import type { Repaired } from '../../../ipam-live/repair/repair.ts';
import { CalictlError, exitCodes, RefusedError, systemText, UsageError } from '../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { consents } from '../../consent.ts';

const formatWords: readonly string[] = ['table', 'wide', 'json', 'yaml', 'junit'];

type Checked =
  | {
      readonly report: IPAMCheckReport;
      /** Why it is not known what the repairs left. */
      readonly uncheckable: CalictlError | undefined;
    }
  | {
      readonly calicoctl: CalicoctlCheck;
      readonly showProblems: boolean;
      readonly showAll: boolean;
      /** Why the report file could not be written. */
      readonly unwritten: Error | undefined;
    };

/** The file that calicoctl's report goes to: what -o names when that is no format word (in compat mode whatever it is). */
function reportFile(input: Input, compat: boolean): string | undefined {
  const output = input.text('output');
  return output !== undefined && (compat || !formatWords.includes(output)) ? output : undefined;
}

async function selectionOf(input: Input): Promise<Selection> {
  const { parseInvariantId } = await import('../../../ipam-check/invariants.ts');
  const ids = (flag: string): InvariantId[] =>
    input
      .texts(flag)
      .flatMap((text) => text.split(','))
      .map((text) => {
        const id = parseInvariantId(text);
        if (id !== undefined) return id;
        throw new UsageError(
          `--${flag} ${text}: there is no such invariant`,
          'docs/reference/invariants.md lists them all',
        );
      });
  return { only: ids('only'), skip: ids('skip') };
}

async function graceOf(input: Input): Promise<number | undefined> {
  const text = input.text('grace');
  if (text === undefined) return undefined;
  const { parseGoDuration } = await import('../../../text/go-duration.ts');
  const ms = parseGoDuration(text);
  if (ms === undefined || ms < 0) throw new UsageError(`--grace ${text} is no duration`, 'write it like 15m, 90s or 0');
  return ms;
}

/** Errors: CalictlError for a block that cannot be counted: what a report left out would look released. */
async function calicoctlCheckOf(snapshot: IpamSnapshot): Promise<CalicoctlCheck> {
  const [{ calicoctlCheck }, { refuseMalformedBlocks }] = await Promise.all([
    import('../../../ipam-check/calicoctl-report/calicoctl-check.ts'),
    import('../../../datastore/malformed.ts'),
  ]);
  refuseMalformedBlocks(snapshot.blocks);
  return calicoctlCheck({ snapshot });
}

async function writeCalicoctlReport(ctx: Context, check: CalicoctlCheck, file: string): Promise<void> {
  const [{ writeFile }, { resolve }, { calicoctlReportText }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
    import('../../../ipam-check/calicoctl-report/calicoctl-report.ts'),
  ]);
  const text = calicoctlReportText(check, ctx.version.calico);
  await writeFile(resolve(ctx.world.cwd, file), text, { mode: 0o644 }).catch((cause: unknown) => {
    throw new CalictlError(`the report ${file} cannot be written: ${systemText(cause)}`, {
      code: 'REPORT_UNWRITABLE',
      hint: `name a writable file with -o FILE; the formats are ${formatWords.join(', ')}`,
      cause,
    });
  });
}

async function runAsCalicoctl(ctx: Context, input: Input): Promise<Checked> {
  const { observe } = await import('../../../ipam-live/check/observe.ts');
  const { clock, signal } = ctx.world;
  const snapshot = await observe(await ctx.datastore(), { clock, signal, current: true });
  const check = await calicoctlCheckOf(snapshot);
  const file = reportFile(input, true);
  const written = file === undefined ? undefined : writeCalicoctlReport(ctx, check, file);
  const unwritten = await written?.then(
    () => undefined,
    (error: Error) => error,
  );
  const showAll = input.on('show-all-ips');
  return { calicoctl: check, showAll, showProblems: showAll || input.on('show-problem-ips'), unwritten };
}

async function run(ctx: Context, input: Input): Promise<Checked> {
  if (ctx.compat) return runAsCalicoctl(ctx, input);
  const { world } = ctx;
  const startedAt = world.clock.now();
  const [selection, graceMs] = await Promise.all([selectionOf(input), graceOf(input)]);
  for (const flag of ['dry-run', 'journal', 'yes', 'no-lease']) {
    const given = flag === 'journal' ? input.text(flag) !== undefined : input.on(flag);
    if (given && !input.on('fix'))
      throw new UsageError(`--${flag} goes with --fix`, 'without --fix nothing is written');
  }
  for (const flag of ['journal', 'output']) {
    if (input.text(flag) === '') throw new UsageError(`--${flag} is empty`, 'name a file');
  }
  const store = await ctx.datastore();
  const options: ObserveOptions = {
    clock: world.clock,
    signal: world.signal,
    graceMs,
    progress: (text) => ctx.progress(text),
  };
  const { check } = await import('../../../ipam-live/check/check.ts');
  let confirmed = await check(store, options);
  // Before anything is repaired: a report that cannot be written ends the command here.
  const file = reportFile(input, false);
  if (file !== undefined) await writeCalicoctlReport(ctx, await calicoctlCheckOf(confirmed.snapshot), file);
  let fixed: { items: readonly FixItem[]; journal?: string } | undefined;
  let uncheckable: CalictlError | undefined;
  if (input.on('fix')) {
    const { planRepairs } = await import('../../../ipam-check/plan.ts');
    const plan = planRepairs(confirmed.judgements, selection);
    if (input.on('dry-run') || plan.length === 0) {
      fixed = { items: plan.map(({ finding }) => ({ finding, outcome: 'planned' as const })) };
    } else {
      const done = await applyRepairs(ctx, input, options, selection, confirmed, plan);
      confirmed = done.confirmed;
      fixed = done;
      if (done.uncheckable !== undefined) uncheckable = uncheckableError(done.uncheckable);
      else if (!done.isChecked) await ctx.note(`interrupted before the last check; ${shownInstead}`);
      if (file !== undefined && done.isChecked)
        await writeCalicoctlReport(ctx, await calicoctlCheckOf(confirmed.snapshot), file);
    }
  }
  // A mistyped format would be a file name.
  if (file !== undefined && world.io.stderr.isTerminal) await ctx.note(`calicoctl's report is in ${file}`);
  return { report: await reportOf(ctx, confirmed, { selection, startedAt, fixed }), uncheckable };
}

/** What stands in a report that no last check was made for. */
const shownInstead = 'shown is what was found before, less what was repaired';

function uncheckableError(cause: CalictlError): CalictlError {
  return new CalictlError(`what is left could not be checked: ${cause.message}`, {
    code: cause.code,
    hint: `${shownInstead}; run the check again`,
    cause,
  });
}

interface ReportInputs {
  readonly selection: Selection;
  readonly startedAt: Date;
  readonly fixed: { readonly items: readonly FixItem[]; readonly journal?: string } | undefined;
}

async function reportOf(ctx: Context, confirmed: Confirmed, inputs: ReportInputs): Promise<IPAMCheckReport> {
  const { buildReport } = await import('../../../ipam-check/report.ts');
  const store = await ctx.datastore();
  return buildReport({
    ...confirmed,
    datastoreType: store.type,
    selection: inputs.selection,
    startedAt: inputs.startedAt,
    finishedAt: ctx.world.clock.now(),
    judgedAt: store.capturedAt,
    items: inputs.fixed?.items,
    journal: inputs.fixed?.journal,
  });
}

async function consentTo(ctx: Context, input: Input, plan: readonly PlannedRepair[]): Promise<boolean> {
  const { repairLine } = await import('./text.ts');
  const lines = plan.map(({ finding }) => repairLine(finding));
  return consents(ctx, input, lines, `Make ${plan.length === 1 ? 'this repair' : `these ${plan.length} repairs`}?`);
}

async function applyRepairs(
  ctx: Context,
  input: Input,
  options: ObserveOptions,
  selection: Selection,
  confirmed: Confirmed,
  plan: readonly PlannedRepair[],
): Promise<Repaired & { readonly journal: string }> {
  if (!(await consentTo(ctx, input, plan))) throw new RefusedError('nothing was repaired', 'DECLINED');
  const { world } = ctx;
  const store = await ctx.datastore();
  const [{ journalPath, openJournal }, { repair }] = await Promise.all([
    import('../../../ipam-live/repair/journal.ts'),
    import('../../../ipam-live/repair/repair.ts'),
  ]);
  const path = journalPath(world, input.text('journal'), store.folder);
  const lock = input.on('no-lease') ? undefined : await store.lockRepairs({ signal: world.signal });
  try {
    const journal = await openJournal(path, world.clock);
    try {
      const { signal } = world;
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

const report = (checked: Checked): IPAMCheckReport => {
  if ('report' in checked) return checked.report;
  throw new Error('calicoctl has one format only');
};

export const ipamCheck = defineCommand<Checked>({
  path: ['ipam', 'check'],
  summary: 'Check IPAM for leaks, damage and disagreement, and repair it with --fix',
  description:
    'Reads pools, blocks, affinities, handles, nodes, pods and services, and reports what does not fit together. ' +
    'Nothing is written without --fix. With it each repair is proved again on live data and written by compare-and-swap; ' +
    'the datastore need not be locked. What may be an operation in progress is a candidate: shown, never repaired.',
  examples: [
    { command: 'calictl ipam check', about: 'what is wrong; exit 3 when anything is' },
    { command: 'calictl ipam check -o json', about: 'the full report for a script' },
    { command: 'calictl ipam check --fix --dry-run', about: 'what --fix would do' },
    { command: 'calictl ipam check --fix --yes', about: 'repair what can be repaired safely' },
    { command: 'calictl ipam check --fix --only INV-45', about: 'only delete stray handles' },
    { command: 'calictl --datastore ./dump ipam check', about: "check a folder of somebody else's manifests" },
  ],
  args: [],
  flags: [
    { name: 'fix', about: 'repair what can be repaired safely' },
    { name: 'dry-run', about: 'with --fix: show the plan, write nothing' },
    { name: 'yes', short: 'y', about: 'with --fix: do not ask' },
    { name: 'only', value: 'ID,…', about: 'only these invariants, such as INV-53', repeatable: true },
    { name: 'skip', value: 'ID,…', about: 'all but these invariants', repeatable: true },
    {
      name: 'grace',
      value: 'DURATION',
      about: 'younger allocations are candidates; default: the leak grace period of the cluster, else 15m',
    },
    {
      name: 'journal',
      value: 'FILE',
      about: 'where --fix records each write; default: a new file in the state directory',
    },
    { name: 'no-lease', about: 'with --fix: do not take the lock that keeps repairs apart' },
    { name: 'show-all-ips', about: 'print all IP addresses (calicoctl; here -o wide)', calicoctl: true },
    { name: 'show-problem-ips', about: 'print problem IP addresses (calicoctl; here always)', calicoctl: true },
    {
      name: 'output',
      short: 'o',
      value: 'FORMAT|FILE',
      about: "table, wide, json, yaml, junit, or a file for calicoctl's report",
      calicoctl: true,
    },
  ],
  calicoctl: true,
  guarded: true,
  run,
  format: (input, compat) => {
    if (compat) return 'calicoctl';
    const output = input.text('output');
    if (output !== undefined && formatWords.includes(output)) return output;
    return input.on('show-all-ips') ? 'wide' : 'table';
  },
  formats: {
    table: async (checked, view) =>
      (await import('./text.ts')).ipamCheckText(report(checked), { ...view, wide: false }),
    wide: async (checked, view) => (await import('./text.ts')).ipamCheckText(report(checked), { ...view, wide: true }),
    json: async (checked) => (await import('../../../output/json-document.ts')).jsonDocument(report(checked)),
    yaml: async (checked) => (await import('../../../text/yaml.ts')).printYaml(report(checked)),
    junit: async (checked) => (await import('./junit.ts')).ipamCheckJunit(report(checked)),
    calicoctl: async (checked) => {
      if ('report' in checked) throw new Error('only the compat check has this format');
      return (await import('./calicoctl-text.ts')).calicoctlIpamCheckText(checked.calicoctl, checked);
    },
  },
  exit: (checked) => {
    if (!('report' in checked)) return checked.unwritten === undefined ? exitCodes.ok : exitCodes.failed;
    const { summary, fix } = checked.report;
    if (checked.uncheckable !== undefined) return exitCodes.partial;
    if (fix !== undefined && fix.conflicts + fix.failed + fix.skipped > 0) return exitCodes.partial;
    return summary.errors + summary.warnings > 0 ? exitCodes.findings : exitCodes.ok;
  },
  errors: (checked) => {
    const error = 'report' in checked ? checked.uncheckable : checked.unwritten;
    return error === undefined ? [] : [error];
  },
});
