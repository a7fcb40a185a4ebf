// calictl cluster diags: logs, objects and node outputs of a cluster in one .tar.gz, with kubectl, as calicoctl has it.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CalictlError, StdoutFailure, UsageError } from '../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { tellingOf } from '../../node/local-host.ts';
import { outputFlag } from '../../shared-flags.ts';
import type { CollectionOptions } from './collection.ts';

interface Bundle {
  readonly path: string;
  readonly failed: number;
}

const unfit = (text: string, compat: boolean): Error =>
  compat ? new StdoutFailure(`Error executing command: ${text}`) : new UsageError(text);

function numberOf(input: Input, flag: string, byDefault: number, compat: boolean): number {
  const text = input.text(flag) ?? String(byDefault);
  if (!/^-?\d{1,9}$/.test(text)) throw unfit(`invalid value for ${flag} flag: ${text}`, compat);
  if (Number(text) < 0) throw unfit(`negative value for ${flag} flag`, compat);
  return Number(text);
}

function optionsOf(input: Input, compat: boolean): CollectionOptions {
  const since = input.text('since') ?? '0s';
  if (!/^[0-9]+[smh]$/.test(since)) {
    throw unfit(`invalid duration for since flag (try 10s, 5m, or 1h): ${since}`, compat);
  }
  const most = numberOf(input, 'max-logs', 5, compat);
  const parallel = Math.max(1, numberOf(input, 'max-parallelism', 10, compat));
  const focus = (input.text('focus-nodes') ?? '').split(',').filter((name) => name !== '');
  return { since, most, parallel, focus };
}

/** `20261130_004007`, in UTC. */
const stamp = (now: Date): string => now.toISOString().replace(/\..*/, '').replace(/[-:]/g, '').replace('T', '_');

const prefix = 'calico-diagnostics-';

/** The folder that is filled: a new one, or with --resume the one that an earlier run left. */
async function folderOf(ctx: Context, input: Input): Promise<{ scratch: string; name: string }> {
  const resumed = input.text('resume');
  if (resumed === undefined) {
    return { scratch: await mkdtemp(join(tmpdir(), 'calictl-diags-')), name: prefix + stamp(ctx.world.clock.now()) };
  }
  const scratch = resolve(ctx.world.cwd, resumed);
  const name = (await readdir(scratch).catch(() => [])).find((entry) => entry.startsWith(prefix));
  if (name !== undefined) return { scratch, name };
  throw new UsageError(`${resumed} is no folder of a cluster diags that was cut short`, 'name the one that it told');
}

async function run(ctx: Context, input: Input): Promise<Bundle> {
  const options = optionsOf(input, ctx.compat);
  // Is there a cluster, with credentials, at all?
  const store = await ctx.datastore().catch((error: unknown) => {
    if (!ctx.compat || !(error instanceof CalictlError)) throw error;
    return ctx.world.io.stdout.write(`ERROR creating clients: ${error.message}\n`).then(() => Promise.reject(error));
  });
  if (store.type === 'folder') {
    throw new UsageError('cluster diags asks a cluster, and the datastore is a folder', 'leave out --datastore');
  }
  const { kubeconfig, k8sCurrentContext, kubeconfigInline, k8sAPIEndpoint } = await ctx.settings();
  if (!ctx.compat && (kubeconfigInline || k8sAPIEndpoint)) {
    // kubectl would go to another cluster, or would need credentials on its command line.
    throw new CalictlError('kubectl cannot be told of a connection that is in no kubeconfig file', {
      code: 'NO_KUBECONFIG',
      hint: 'name the cluster with --kubeconfig',
    });
  }
  const [{ Kubectl }, { Collection }, { packFolder }, { redacted }] = await Promise.all([
    import('./kubectl.ts'),
    import('./collection.ts'),
    import('../../../snapshot/pack-folder.ts'),
    import('../../../output/redact.ts'),
  ]);
  const kubectl = new Kubectl(ctx, kubeconfig, k8sCurrentContext);
  const { exit, stderr } = await kubectl.run(ctx.compat ? ['version', '--client'] : ['version']);
  // calicoctl goes on and makes a bundle of failures.
  if (exit !== 0 && !ctx.compat) {
    throw new CalictlError(
      `kubectl gets no answer of the cluster: ${redacted(stderr.trim().split('\n').at(-1) ?? '')}`,
      {
        code: 'NO_CLUSTER',
        hint: 'See kubectl version: with the same kubeconfig and context it must name the server.',
      },
    );
  }
  const { scratch, name } = await folderOf(ctx, input);
  const collection = new Collection(ctx, kubectl, join(scratch, name), options, tellingOf(ctx, input));
  await collection.say('==== Begin collecting diagnostics. ====');
  await collection.say(`Created temporary directory: ${scratch}`);
  try {
    await collection.certificates();
    await collection.pods();
    await collection.cluster();
  } catch (error) {
    await ctx.note(`what was collected is kept; go on with: calictl cluster diags --resume ${scratch}`);
    throw error;
  }
  await collection.say('\n==== Producing a diagnostics bundle. ====');
  const path = `./${name}.tar.gz`;
  await packFolder(join(scratch, name), name, resolve(ctx.world.cwd, path));
  if (!input.on('skip-temp-dir-cleanup')) await rm(scratch, { recursive: true });
  return { path, failed: collection.failed };
}

const calicoctl = true;

export const clusterDiags = defineCommand<Bundle>({
  path: ['cluster', 'diags'],
  summary: 'Collect logs, objects and node outputs of a whole cluster',
  description:
    'Writes calico-diagnostics-TIME.tar.gz into the working directory: logs of the pods of Calico, what calico-node says ' +
    'of its node, and the objects of Calico and Kubernetes. Uses kubectl. Values that are named as secrets are taken ' +
    'out; logs may hold what programs write into them. What was collected before Ctrl-C is kept, for --resume.',
  examples: [
    { command: 'calictl cluster diags', about: 'with the logs of five pods of each kind' },
    {
      command: 'calictl cluster diags --since 1h --focus-nodes node-a,node-b',
      about: 'what happened lately on two nodes',
    },
  ],
  args: [],
  flags: [
    { name: 'since', value: 'SINCE', about: 'only logs that are newer, like 10s, 5m or 1h', calicoctl },
    { name: 'max-logs', value: 'MAXLOGS', about: 'logs of so many pods of each kind', default: '5', calicoctl },
    {
      name: 'max-parallelism',
      value: 'MAXPARALLELISM',
      about: 'commands at the same time',
      default: '10',
      calicoctl,
    },
    { name: 'focus-nodes', value: 'NODES', about: 'nodes whose pods are taken first, with commas', calicoctl },
    { name: 'skip-temp-dir-cleanup', about: 'keep the temporary directory', calicoctl },
    { name: 'resume', value: 'FOLDER', about: 'go on in the temporary directory of a run that was cut short' },
    outputFlag('text', 'json'),
  ],
  calicoctl: true,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'text',
  formats: {
    text: ({ path }) => `Diagnostic bundle created at ${path}\n`,
    json: async ({ path, failed }) =>
      (await import('../../../output/json-document.ts')).jsonDocument({ kind: 'ClusterDiagnostics', path, failed }),
  },
  exit: () => 0,
});
