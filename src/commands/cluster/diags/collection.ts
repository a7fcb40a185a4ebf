// The folder that cluster diags fills: certificates, logs and nodes, objects, each file by one call of kubectl.
import { mkdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pMap from 'p-map';
import type { KubeObject } from '../../../resources/object.ts';
import type { OutputStream } from '../../../world/world.ts';
import type { Context } from '../../command.ts';
import { type Kubectl, yamlWithoutSecrets } from './kubectl.ts';
import * as plan from './plan.ts';

export interface CollectionOptions {
  /** Age of the oldest logs as kubectl takes it; `0s` for all. */
  readonly since: string;
  /** Most pods of one workload. */
  readonly most: number;
  readonly parallel: number;
  /** Nodes whose pods are taken first. */
  readonly focus: readonly string[];
}

/** Fills the folder of the bundle; files that exist are kept, so that an interrupted run can be continued. */
export class Collection {
  readonly #ctx: Context;
  readonly #kubectl: Kubectl;
  readonly #folder: string;
  readonly #options: CollectionOptions;
  readonly #progress: OutputStream;
  #sequence = 0;
  failed = 0;

  constructor(ctx: Context, kubectl: Kubectl, folder: string, options: CollectionOptions, progress: OutputStream) {
    this.#ctx = ctx;
    this.#progress = progress;
    this.#kubectl = kubectl;
    this.#folder = folder;
    this.#options = options;
  }

  say(line: string): Promise<void> {
    return this.#progress.write(`${line}\n`);
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
    return pMap(tasks, (task) => this.#task(task), { concurrency: Math.max(1, this.#options.parallel) });
  }

  /** Prints lines in their order; the files between two of them are made in parallel. */
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
        { concurrency: Math.max(1, this.#options.parallel) },
      ),
    );
    for (const [home, ...names] of plan.certificates) {
      for (const name of names) {
        for (const namespace of [home, 'tigera-operator']) {
          await this.say(`Collecting secret ${namespace}/${name} (censoring sensitive data) `);
          const secret = found.get(namespace)?.get(name);
          if (secret === undefined) await this.say(`unable to get secret ${namespace}/${name}, skipping...`);
          else await this.#write(`tls/${namespace}_${name}.yaml`, yamlWithoutSecrets(secret));
        }
      }
    }
  }

  /** Those of the secrets that exist, by name, in one call. */
  async #secrets(namespace: string, names: readonly string[]): Promise<Map<string, KubeObject>> {
    const asked = ['secret', '-n', namespace, '--ignore-not-found', ...names];
    return new Map((await this.#kubectl.list(asked)).map((secret) => [secret.metadata.name, secret]));
  }

  /** Logs of the pods of Calico's workloads, and outputs of commands in the calico-node containers. */
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
