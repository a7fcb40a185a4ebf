// calictl cluster diags: logs, objects and node outputs of a cluster in one .tar.gz, with kubectl, as calicoctl has it.
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import pMap from 'p-map';
import { redacted } from '../../output/redact.ts';
import type { KubeObject } from '../../resources/object.ts';
import { CalictlError, StdoutFailure, UsageError } from '../../world/errors.ts';
import type { OutputStream } from '../../world/world.ts';
import { type Context, defineCommand, type Input } from '../command.ts';
import { outputFlag } from '../ipam/flags.ts';
import { tellingOf } from '../node/this-machine.ts';
import * as plan from './diags-plan.ts';
import { Kubectl, yamlWithoutSecrets } from './kubectl.ts';

interface Bundle {
  readonly path: string;
  readonly failed: number;
}

interface Options {
  readonly since: string;
  readonly most: number;
  readonly parallel: number;
  readonly focus: readonly string[];
}

const unfit = (text: string, compat: boolean): Error =>
  compat ? new StdoutFailure(`Error executing command: ${text}`) : new UsageError(text);

function numberOf(input: Input, flag: string, byDefault: number, compat: boolean): number {
  const text = input.text(flag) ?? String(byDefault);
  if (!/^-?\d{1,9}$/.test(text)) throw unfit(`invalid value for ${flag} flag: ${text}`, compat);
  if (Number(text) < 0) throw unfit(`negative value for ${flag} flag`, compat);
  return Number(text);
}

function optionsOf(input: Input, compat: boolean): Options {
  const since = input.text('since') ?? '0s';
  if (!/^[0-9]+[smh]$/.test(since)) {
    throw unfit(`invalid duration for since flag (try 10s, 5m, or 1h): ${since}`, compat);
  }
  const most = numberOf(input, 'max-logs', 5, compat);
  const parallel = Math.max(1, numberOf(input, 'max-parallelism', 10, compat));
  const focus = (input.text('focus-nodes') ?? '').split(',').filter((name) => name !== '');
  return { since, most, parallel, focus };
}

/** Fills the folder of the bundle; a file that is there already is kept, so that a run that was cut short goes on. */
class Collection {
  readonly #ctx: Context;
  readonly #kubectl: Kubectl;
  readonly #folder: string;
  readonly #options: Options;
  readonly #telling: OutputStream;
  #sequence = 0;
  failed = 0;

  constructor(ctx: Context, kubectl: Kubectl, folder: string, options: Options, telling: OutputStream) {
    this.#ctx = ctx;
    this.#telling = telling;
    this.#kubectl = kubectl;
    this.#folder = folder;
    this.#options = options;
  }

  say(line: string): Promise<void> {
    return this.#telling.write(`${line}\n`);
  }

  async #write(file: string, text: string): Promise<void> {
    const path = join(this.#folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.partial`, text, { mode: 0o600 });
    await rename(`${path}.partial`, path);
  }

  async #task(task: plan.Task): Promise<void> {
    this.#ctx.world.signal.throwIfAborted();
    await this.say(`[${++this.#sequence}] ${task.caption}`);
    if (await isThere(join(this.#folder, task.file))) return;
    const { text, failure } = await this.#kubectl.fill(task);
    if (failure !== undefined) {
      this.failed += 1;
      await this.say(`[${this.#sequence}] Failed to run command: kubectl ${task.argv.join(' ')}\nError: ${failure}`);
    }
    await this.#write(task.file, text);
  }

  #tasks(tasks: readonly plan.Task[]): Promise<unknown> {
    return pMap(tasks, (task) => this.#task(task), { concurrency: this.#options.parallel });
  }

  /** Lines are said in their place; the files between two of them are made at the same time. */
  async steps(steps: readonly plan.Step[]): Promise<void> {
    let waiting: plan.Task[] = [];
    for (const step of steps) {
      if (typeof step !== 'string') {
        waiting.push(step);
        continue;
      }
      await this.#tasks(waiting);
      waiting = [];
      await this.say(step);
    }
    await this.#tasks(waiting);
  }

  async certificates(): Promise<void> {
    await this.say('Collecting (censored) TLS secrets');
    const everywhere = plan.certificates.flatMap(([, ...names]) => names);
    const found = new Map(
      await pMap(
        [...plan.certificates, ['tigera-operator', ...everywhere] as const],
        async ([namespace, ...names]) => [namespace, await this.#secrets(namespace, names)] as const,
        { concurrency: this.#options.parallel },
      ),
    );
    for (const [home, ...names] of plan.certificates) {
      for (const name of names) {
        for (const namespace of [home, 'tigera-operator']) {
          await this.say(`Collecting secret ${namespace}/${name} (censoring sensitive data) `);
          const secret = found.get(namespace)?.get(name);
          if (secret === undefined) await this.say(`unable to get secret ${namespace}/${name}, skipping...`);
          else await this.#write(`tls/${namespace}_${name}.yaml`, await yamlWithoutSecrets(secret));
        }
      }
    }
  }

  /** Those of the secrets that exist, in one call. */
  async #secrets(namespace: string, names: readonly string[]): Promise<Map<string, KubeObject>> {
    const asked = ['secret', '-n', namespace, '--ignore-not-found', ...names];
    return new Map((await this.#kubectl.list(asked)).map((secret) => [secret.metadata.name, secret]));
  }

  /** Logs of the pods of Calico's workloads, and what calico-node's containers say of their nodes. */
  async pods(): Promise<void> {
    const namespaces = (await this.#kubectl.list(['namespaces'])).map(({ metadata }) => metadata.name);
    const logged: plan.LoggedPod[] = [];
    for (const namespace of namespaces.filter((name) => name.includes('calico') || name.includes('tigera'))) {
      await this.say(`Collecting detailed diags for namespace ${namespace}...`);
      for (const pod of await this.#podsIn(namespace)) {
        const where = `in namespace ${namespace} on node ${pod.node}`;
        await this.say(`Collecting detailed diags for pod ${pod.name} ${where}...`);
        if (pod.name.startsWith('calico-node-')) await this.#dataplane(pod);
        logged.push(pod);
      }
    }
    await this.#tasks(logged.flatMap((pod) => plan.logTasks(pod, this.#options.since)));
    for (const [path, target] of logged.flatMap(plan.linksOf)) {
      const link = join(this.#folder, path);
      await mkdir(dirname(link), { recursive: true });
      await rm(link, { force: true });
      await symlink(target, link);
    }
  }

  /** The chosen pods of each DaemonSet, Deployment and StatefulSet. */
  async #podsIn(namespace: string): Promise<plan.LoggedPod[]> {
    const inNamespace = ['-n', namespace];
    const [workloads, pods] = await Promise.all([
      this.#kubectl.list(['daemonsets,deployments,statefulsets', ...inNamespace]),
      this.#kubectl.list(['pods', ...inNamespace]),
    ]);
    const { focus, most } = this.#options;
    return workloads.flatMap((workload) =>
      plan.chosenPods(pods.filter((pod) => isOf(workload, pod)).map(loggedPod), focus, most),
    );
  }

  async #dataplane(pod: plan.LoggedPod): Promise<void> {
    await this.say(`Collecting dataplane diags for calico-node: ${pod.name}`);
    await this.#tasks(plan.dataplaneTasks(pod));
    const listed = async (...argv: string[]): Promise<string> => {
      const { exit, stdout } = await this.#kubectl.run(plan.inCalicoNode(pod, argv));
      return exit === 0 ? stdout : '';
    };
    await this.#tasks(plan.mapTasks(pod, await listed('bpftool', 'map', 'list')));
    await this.#tasks(plan.cniLogTasks(pod, await listed('ls', plan.cniLogFolder)));
  }

  async cluster(): Promise<void> {
    const crds = await this.#kubectl.list(['customresourcedefinitions']);
    await this.steps(plan.clusterSteps(crds.map(({ metadata }) => metadata.name)));
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** By the labels that the workload's selector matches. */
function isOf(workload: KubeObject, pod: KubeObject): boolean {
  const { selector } = (workload.spec ?? {}) as { selector?: { matchLabels?: Record<string, string> } };
  const wanted = Object.entries(selector?.matchLabels ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value);
}

function loggedPod({ metadata: { namespace = '', name }, spec }: KubeObject): plan.LoggedPod {
  const { nodeName } = (spec ?? {}) as { nodeName?: string };
  return { namespace, name, node: nodeName ?? 'unscheduled' };
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
  const { packFolder } = await import('../../snapshot/pack-folder.ts');
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
      (await import('../../output/json-document.ts')).jsonDocument({ kind: 'ClusterDiagnostics', path, failed }),
  },
  exit: () => 0,
});
