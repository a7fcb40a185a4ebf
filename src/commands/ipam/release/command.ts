// calictl ipam release: give addresses back by address, handle, node, pod or report; never one that is in use.
import type { Released } from '../../../ipam/release/release-plan.ts';
import { counted } from '../../../text/wording.ts';
import {
  CalictlError,
  type ExitCode,
  exitCodes,
  invalidIp,
  RefusedError,
  systemText,
  UsageError,
} from '../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { requireConsent } from '../../consent.ts';
import { nodeOf, outputFlag, podOf, yesFlag } from '../../shared-flags.ts';

interface AsCalicoctl {
  readonly lines: AsyncIterable<string>;
}

const targets = ['ip', 'handle', 'node', 'pod', 'from-report'] as const;

function targetOf(input: Input): (typeof targets)[number] {
  const given = targets.filter((flag) => input.texts(flag).length > 0);
  const [only, second] = given;
  if (only === undefined)
    throw new UsageError('nothing to release', 'name addresses with --ip, a --handle, --node, --pod or --from-report');
  if (second !== undefined)
    throw new UsageError(`--${only} and --${second} cannot be used together`, 'release by one of them at a time');
  if (input.on('affinities') && only !== 'node') throw new UsageError('--affinities goes with --node', 'name a node');
  return only;
}

async function run(ctx: Context, input: Input): Promise<Released | AsCalicoctl> {
  if (ctx.compat) {
    const { releaseAsCalicoctl } = await import('./calicoctl.ts');
    return { lines: releaseAsCalicoctl(ctx, input) };
  }
  const target = targetOf(input);
  const { canonicalIp } = await import('../../../net/ip.ts');
  for (const text of input.texts('ip')) {
    if (canonicalIp(text) === undefined) throw invalidIp(text);
  }
  const pod = podOf(input);
  const node = nodeOf(input);
  const reports = target === 'from-report' ? await readReports(ctx, input.texts('from-report')) : [];
  const store = await ctx.datastore();
  const { planRelease, applyRelease } = await import('../../../ipam-live/release/release.ts');
  const { clock, signal } = ctx.world;
  const plan = await planRelease(
    store,
    {
      addresses: input.texts('ip'),
      handles: input.texts('handle'),
      reports,
      node,
      pod,
      affinities: input.on('affinities'),
    },
    { clock, signal, progress: (text) => ctx.progress(text) },
  );
  if (plan.nodeAffinities?.released && plan.nodeAffinities.nodeExists) {
    throw new RefusedError(
      `the node ${node} exists, so its blocks stay its own; nothing was released`,
      'NODE_EXISTS',
      `take empty blocks from a node that exists with: calictl ipam affinity release --node ${node}`,
    );
  }
  if (plan.inUse.length > 0 && target !== 'from-report' && !input.on('force')) {
    const [first] = plan.inUse;
    throw new RefusedError(
      `${first?.address} is in use by ${first?.users.join(' and ')}${plan.inUse.length > 1 ? ` (and ${plan.inUse.length - 1} more are in use)` : ''}; nothing was released`,
      'ADDRESS_IN_USE',
      'it is released by itself when its user goes; --force releases it under its user',
    );
  }
  if (target === 'ip' && plan.requests.length === 0) {
    throw new CalictlError(`IP address ${plan.unassigned.join(', ')} is not assigned`, {
      code: 'NOT_ASSIGNED',
      hint: `calictl ipam show --map --ip ${plan.unassigned[0]} draws what is assigned around it`,
    });
  }
  const affinities = plan.nodeAffinities?.released ? plan.nodeAffinities.affinities : [];
  const steps = plan.requests.length + plan.handles.length + affinities.length;
  if (steps === 0 && target !== 'from-report') throw nothingRecorded(target, input.texts(target));
  if (input.on('dry-run')) return { plan, dryRun: true, outcomes: [] };
  if (steps > 1) {
    const parts = [
      countedIfAny(plan.requests.length, 'address', 'addresses'),
      countedIfAny(plan.handles.length, 'handle', 'handles'),
      countedIfAny(affinities.length, 'block affinity', 'block affinities'),
    ].filter((part) => part !== '');
    await requireConsent(ctx, input, {
      plan: [
        ...plan.requests.map(({ address, about }) => `${address}  ${about}`),
        ...plan.handles.map(({ handle }) => `handle ${handle}`),
        ...affinities.map(({ cidr }) => `block ${cidr}`),
      ],
      question: `Release these ${parts.join(' and ')}?`,
      otherwise: 'nothing was released',
    });
  }
  return applyRelease(store, plan, { force: input.on('force'), signal });
}

/** The number with its word; nothing for none. */
const countedIfAny = (count: number, one: string, many: string): string =>
  count === 0 ? '' : counted(count, one, many);

function nothingRecorded(target: string, names: readonly string[]): CalictlError {
  const hints: Readonly<Record<string, string>> = {
    handle: 'a handle that no block mentions is deleted by: calictl ipam check --fix --only INV-45',
    node: `blocks that it claims are released by: calictl ipam affinity release --node ${names.join(' ')}`,
    pod: 'calictl ipam show --ip tells whom an address is recorded for',
  };
  const place = target === 'handle' ? 'under' : 'for';
  return new CalictlError(`no address is allocated ${place} the ${target} ${names.join(', ')}`, {
    code: 'NOT_ASSIGNED',
    hint: hints[target],
  });
}

async function readReports(ctx: Context, files: readonly string[]) {
  const [{ readFile }, { resolve }, { parseCalicoctlReport }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
    import('../../../ipam-check/calicoctl-report/read-calicoctl-report.ts'),
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
    'By address, by handle, all that are recorded for a node or a pod, or all leaked ones of a report that ipam check ' +
    '-o FILE wrote. An address that a pod, node ' +
    'or service uses is refused (exit 4). Each release is guarded by handle and sequence number: an address that was ' +
    'given to somebody else meanwhile stays where it is.',
  examples: [
    { command: 'calictl ipam release --ip 10.60.0.2 --dry-run', about: 'what would be released' },
    { command: 'calictl ipam release --ip 10.60.0.2', about: 'release one address' },
    { command: 'calictl ipam release --handle k8s-pod-network.3f2a…', about: 'release all addresses of a handle' },
    {
      command: 'calictl ipam release --node node-gone --affinities --dry-run',
      about: 'what a node that is gone left behind',
    },
    { command: 'calictl ipam release --pod shop/cart-0', about: 'release what is recorded for a pod that is gone' },
    { command: 'calictl ipam release --from-report leaks.json', about: 'release what a report calls leaked' },
  ],
  args: [],
  flags: [
    { name: 'ip', value: 'IP', about: 'an address to release', repeatable: true, calicoctl: true },
    { name: 'handle', value: 'HANDLE', about: 'release all addresses of this handle', repeatable: true },
    { name: 'node', value: 'NODE', about: 'release all addresses recorded for this node' },
    { name: 'affinities', about: 'with --node: its block affinities too, of a node that does not exist any more' },
    { name: 'pod', value: 'NAMESPACE/NAME', about: 'release all addresses recorded for this pod' },
    {
      name: 'from-report',
      value: 'REPORT',
      about: 'release what this report calls leaked; of several, what all do',
      repeatable: true,
      calicoctl: true,
    },
    { name: 'force', about: 'release also what is in use', calicoctl: true },
    { name: 'dry-run', about: 'show what would be released, write nothing' },
    yesFlag,
    outputFlag('text', 'json'),
  ],
  calicoctl: true,
  guarded: true,
  run,
  format: (input, compat) => (compat ? 'calicoctl' : (input.text('output') ?? 'text')),
  formats: {
    text: async (result) => (await import('./text.ts')).ipamReleaseText(own(result)),
    json: async (result) => (await import('./text.ts')).ipamReleaseJson(own(result)),
    calicoctl: (result) => ('lines' in result ? result.lines : ''),
  },
  exit,
});
