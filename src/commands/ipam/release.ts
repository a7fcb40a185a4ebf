// calictl ipam release: give addresses back by address, by handle or from a report; never one that is in use.
import type { Released } from '../../ipam/release-plan.ts';
import {
  CalictlError,
  type ExitCode,
  exitCodes,
  invalidIp,
  RefusedError,
  systemText,
  UsageError,
} from '../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../command.ts';

interface AsCalicoctl {
  readonly lines: AsyncIterable<string>;
}

function targetOf(input: Input): 'ip' | 'handle' | 'from-report' {
  const given = (['ip', 'handle', 'from-report'] as const).filter((flag) => input.texts(flag).length > 0);
  const [only, second] = given;
  if (only === undefined)
    throw new UsageError('nothing to release', 'name addresses with --ip, a --handle, or a report with --from-report');
  if (second !== undefined)
    throw new UsageError(`--${only} and --${second} cannot be used together`, 'release by one of them at a time');
  return only;
}

async function run(ctx: Context, input: Input): Promise<Released | AsCalicoctl> {
  if (ctx.compat) {
    const { releaseAsCalicoctl } = await import('./release-as-calicoctl.ts');
    return { lines: releaseAsCalicoctl(ctx, input) };
  }
  const target = targetOf(input);
  const { canonicalIp } = await import('../../net/ip.ts');
  for (const text of input.texts('ip')) {
    if (canonicalIp(text) === undefined) throw invalidIp(text);
  }
  const reports = target === 'from-report' ? await readReports(ctx, input.texts('from-report')) : [];
  const store = await ctx.datastore();
  const { planRelease, applyRelease } = await import('../../ipam-repair/release.ts');
  const { clock, io, signal } = ctx.world;
  const plan = await planRelease(
    store,
    { addresses: input.texts('ip'), handles: input.texts('handle'), reports },
    { clock, signal, progress: (text) => ctx.progress(text) },
  );
  if (plan.inUse.length > 0 && target !== 'from-report' && !input.on('force')) {
    const [first] = plan.inUse;
    throw new RefusedError(
      `${first?.address} is in use by ${first?.users.join(' and ')}${plan.inUse.length > 1 ? ` (and ${plan.inUse.length - 1} more are in use)` : ''}; nothing was released`,
      'ADDRESS_IN_USE',
      'delete the pod, and its address is released; --force releases the address under it',
    );
  }
  if (target === 'ip' && plan.requests.length === 0) {
    throw new CalictlError(`IP address ${plan.unassigned.join(', ')} is not assigned`, {
      code: 'NOT_ASSIGNED',
      hint: 'calictl ipam show --ip tells which block and pool an address lies in',
    });
  }
  if (plan.requests.length + plan.handles.length === 0 && target === 'handle') {
    throw new CalictlError(`no address is allocated under the handle ${input.texts('handle').join(', ')}`, {
      code: 'NOT_ASSIGNED',
      hint: 'a handle that no block mentions is deleted by: calictl ipam check --fix --only INV-45',
    });
  }
  if (input.on('dry-run')) return { plan, dryRun: true, outcomes: [] };
  const steps = plan.requests.length + plan.handles.length;
  if (steps > 1 && !input.on('yes') && io.stdin.isTerminal && io.stderr.isTerminal) {
    for (const { address, about } of plan.requests.slice(0, 50)) await ctx.note(`  ${address}  ${about}`);
    for (const { handle } of plan.handles.slice(0, 50)) await ctx.note(`  handle ${handle}`);
    const handles = plan.handles.length === 0 ? '' : ` and ${plan.handles.length} handles`;
    if (!(await ctx.confirm(`Release these ${plan.requests.length} addresses${handles}?`))) {
      throw new RefusedError('nothing was released', 'DECLINED');
    }
  }
  return applyRelease(store, plan, { force: input.on('force'), signal });
}

async function readReports(ctx: Context, files: readonly string[]) {
  const [{ readFile }, { resolve }, { parseCalicoctlReport }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
    import('../../ipam-check/read-calicoctl-report.ts'),
  ]);
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(resolve(ctx.world.cwd, file), 'utf8').catch((cause: unknown) => {
        throw new UsageError(
          `the report ${file} cannot be read: ${systemText(cause)}`,
          'write one with: calictl ipam check -o FILE',
          'REPORT_UNREADABLE',
        );
      });
      return parseCalicoctlReport(text, file);
    }),
  );
}

function exit(result: Released | AsCalicoctl): ExitCode {
  if ('lines' in result || result.dryRun) return exitCodes.ok;
  const { unassigned, changed, young } = result.plan;
  const undone = result.outcomes.filter(({ outcome }) => outcome !== 'applied');
  return undone.length + unassigned.length + changed.length + young.length > 0 ? exitCodes.partial : exitCodes.ok;
}

const own = (result: Released | AsCalicoctl): Released => {
  if ('lines' in result) throw new Error('only the compat release has this format');
  return result;
};

export const ipamRelease = defineCommand<Released | AsCalicoctl>({
  path: ['ipam', 'release'],
  summary: 'Release addresses that nothing uses',
  description:
    'By address, by handle, or all leaked ones of a report that ipam check -o FILE wrote. An address that a pod, node ' +
    'or service uses is refused (exit 4). Each release is guarded by handle and sequence number: an address that was ' +
    'given to somebody else meanwhile stays where it is.',
  examples: [
    { command: 'calictl ipam release --ip 10.60.0.2 --dry-run', about: 'what would be released' },
    { command: 'calictl ipam release --ip 10.60.0.2', about: 'release one address' },
    { command: 'calictl ipam release --handle k8s-pod-network.3f2a…', about: 'release all addresses of a handle' },
    { command: 'calictl ipam release --from-report leaks.json', about: 'release what a report calls leaked' },
  ],
  args: [],
  flags: [
    { name: 'ip', value: 'IP', about: 'an address to release', repeatable: true, calicoctl: true },
    { name: 'handle', value: 'HANDLE', about: 'release all addresses of this handle', repeatable: true },
    {
      name: 'from-report',
      value: 'REPORT',
      about: 'release what this report calls leaked; of several, what all do',
      repeatable: true,
      calicoctl: true,
    },
    { name: 'force', about: 'release also what is in use', calicoctl: true },
    { name: 'dry-run', about: 'show what would be released, write nothing' },
    { name: 'yes', short: 'y', about: 'do not ask' },
    { name: 'output', short: 'o', value: 'FORMAT', about: 'output format', choices: ['text', 'json'], default: 'text' },
  ],
  calicoctl: true,
  guarded: true,
  run,
  format: (input, compat) => (compat ? 'calicoctl' : (input.text('output') ?? 'text')),
  formats: {
    text: async (result) => (await import('../../output/ipam-release.ts')).ipamReleaseText(own(result)),
    json: async (result) => (await import('../../output/ipam-release.ts')).ipamReleaseJson(own(result)),
    calicoctl: (result) => ('lines' in result ? result.lines : ''),
  },
  exit,
});
