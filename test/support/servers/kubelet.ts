// Nodes whose calico-node can be reached through a real API server: a stand-in for their kubelets runs the commands on
// this machine, with only the programs that calico-node's image has.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { describeWithParts, partPath, programPath } from '../program/parts.ts';
import { type ApiServer, describeWithApiServer } from './api-server.ts';

/** The programs in calico-node's image, and their names on this machine where those differ. */
const imagePrograms: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['bird', 'bird6', 'bpftool', 'ip', 'tc', 'arp', 'conntrack', 'ipset', 'nft'],
      ...['', '-legacy', '-nft'].flatMap((kind) =>
        ['', '-save', '-restore'].flatMap((verb) => [`iptables${kind}${verb}`, `ip6tables${kind}${verb}`]),
      ),
      ...['kmod', 'modprobe', 'lsmod', 'sv', 'runsv', 'sh', 'bash', 'cat', 'ls', 'grep', 'sed', 'sort', 'tail', 'stat'],
      ...['find', 'date', 'hostname', 'readlink', 'tee', 'timeout', 'sleep', 'env', 'kill', 'printf', 'test', 'which'],
      ...['gzip', 'zcat'],
    ].map((name) => [name, name]),
  ),
  birdcl: 'birdc',
};

/** Asked whether Felix is alive, it answers with the content of the file; without the file Felix is healthy. */
const calicoNode = `#!/bin/sh
[ "$1" = -felix-live ] || exit 2
[ -e "$FELIX_PROBLEM" ] || exit 0
cat "$FELIX_PROBLEM" >&2
exit 1
`;

export interface NodeOptions {
  readonly name: string;
  /** Its InternalIP; 192.0.2.1 when absent. */
  readonly address?: string;
  /** The prefix of every command, e.g. `['nsenter', '--net=/var/run/netns/a', '--']`. */
  readonly prefix?: readonly string[];
  /** The folder with its programs, instead of the common one. */
  readonly image?: string;
  /** Name and namespace of its pod; `calico-node-` and the node's name, in kube-system. */
  readonly pod?: string;
  readonly namespace?: string;
  /** Running when absent. */
  readonly phase?: string;
  readonly ready?: boolean;
}

/** How the stand-in runs the commands of a container. */
interface Container {
  readonly argv: readonly string[];
  readonly path: string;
  readonly env: readonly string[];
  /** What the container itself runs, once a client attaches. */
  readonly command?: readonly string[];
}

/** A container that was added to a running pod. */
interface EphemeralContainer {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
}

export class Kubelets {
  readonly #server: ApiServer;
  readonly #folder: string;
  readonly #containers: Record<string, Container> = {};
  #process: ChildProcess | undefined;
  #port = 0;

  constructor(server: ApiServer) {
    this.#server = server;
    this.#folder = mkdtempSync(join(inject('partsRunFolder'), 'kubelets-'));
    mkdirSync(this.imageFolder);
    for (const [name, here] of Object.entries(imagePrograms)) {
      const path = programPath(here);
      if (path !== undefined) symlinkSync(path, join(this.imageFolder, name));
    }
    writeFileSync(join(this.imageFolder, 'calico-node'), calicoNode, { mode: 0o755 });
  }

  /** The folder with the programs of the image; a suite may put more into it. */
  get imageFolder(): string {
    return join(this.#folder, 'image');
  }

  /** While this file is there, Felix of the node is not alive: its text is what `calico-node -felix-live` says. */
  felixProblemFile(node: string): string {
    return join(this.#folder, `${node}.felix`);
  }

  /** Starts the stand-in, on a new port: nodes added before are not reached through it. */
  async start(): Promise<void> {
    this.stop();
    const portFile = join(this.#folder, `${Date.now()}.port`);
    const log = openSync(join(this.#folder, 'kubelet-stand-in.log'), 'a');
    const args = [`-containers=${this.#containersFile}`, `-port-file=${portFile}`, '-grace=20s'];
    writeFileSync(this.#containersFile, JSON.stringify(this.#containers));
    const child = spawn(partPath('kubelet-stand-in'), args, { stdio: ['ignore', log, log] });
    this.#process = child;
    writeFileSync(join(this.#folder, 'kubelet-stand-in.pid'), String(child.pid));
    while (!existsSync(portFile)) {
      if (child.exitCode !== null) throw new Error(`the kubelet stand-in ended: see its log in ${this.#folder}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    this.#port = Number(readFileSync(portFile, 'utf8'));
  }

  get #containersFile(): string {
    return join(this.#folder, 'containers.json');
  }

  /** Kills the stand-in in the middle of whatever it does. */
  stop(): void {
    this.#process?.kill('SIGKILL');
    this.#process = undefined;
  }

  /** Creates nodes with a calico-node pod each, and configures the stand-in to run commands in them. */
  async addNodes(nodes: readonly NodeOptions[]): Promise<void> {
    await this.#server.admin.load(nodes.map((node) => this.#nodeObject(node)));
    await this.addPods(nodes);
  }

  /** The same for pods on existing nodes. */
  async addPods(nodes: readonly NodeOptions[]): Promise<void> {
    this.runAs(nodes);
    await this.#server.admin.load(nodes.map(calicoNodePod));
  }

  /** Changes how commands are run in the pods of these nodes. */
  runAs(nodes: readonly NodeOptions[]): void {
    for (const node of nodes) {
      const pod = calicoNodePod(node);
      const env = [`FELIX_PROBLEM=${this.felixProblemFile(node.name)}`];
      const key = `${pod.metadata.namespace}/${pod.metadata.name}/calico-node`;
      this.#containers[key] = { argv: node.prefix ?? [], path: node.image ?? this.imageFolder, env };
    }
    writeFileSync(this.#containersFile, JSON.stringify(this.#containers));
  }

  /**
   * Does a kubelet's part for the next ephemeral container of a pod: gives it this state (running when absent), and runs
   * its command when a client attaches. Returns the container as the API server has it.
   */
  async startEphemeral(namespace: string, pod: string, state: object = { running: {} }): Promise<EphemeralContainer> {
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}`;
    for (;;) {
      const stored = JSON.parse((await this.#server.admin.request('GET', path)).body) as KubeObject & {
        spec: { ephemeralContainers?: EphemeralContainer[] };
        status: { ephemeralContainerStatuses?: { name: string }[] };
      };
      const statuses = stored.status.ephemeralContainerStatuses ?? [];
      const added = stored.spec.ephemeralContainers?.find(({ name }) => !statuses.some((known) => known.name === name));
      if (added === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      const { name, image, command } = added;
      this.#containers[`${namespace}/${pod}/${name}`] = { argv: [], path: this.imageFolder, env: [], command };
      writeFileSync(this.#containersFile, JSON.stringify(this.#containers));
      const status = { name, image, imageID: '', ready: false, restartCount: 0, state };
      const written = { ...stored, status: { ...stored.status, ephemeralContainerStatuses: [...statuses, status] } };
      await this.#server.admin.request('PUT', `${path}/status`, written);
      return added;
    }
  }

  #nodeObject({ name, address = '192.0.2.1' }: NodeOptions): KubeObject {
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      status: {
        // The API server contacts kubelets at the Hostname address first.
        addresses: [
          { type: 'Hostname', address: '127.0.0.1' },
          { type: 'InternalIP', address },
        ],
        daemonEndpoints: { kubeletEndpoint: { Port: this.#port } },
      },
    };
  }
}

/** The pod of Calico's DaemonSet on a node. */
function calicoNodePod(node: NodeOptions): KubeObject {
  const { name, address = '192.0.2.1', phase = 'Running', ready = phase === 'Running' } = node;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: node.pod ?? `calico-node-${name}`,
      namespace: node.namespace ?? 'kube-system',
      labels: { 'k8s-app': 'calico-node' },
    },
    spec: {
      nodeName: name,
      hostNetwork: true,
      containers: [{ name: 'calico-node', image: 'quay.io/calico/node:v3.31.4' }],
    },
    status: {
      phase,
      podIP: address,
      podIPs: [{ ip: address }],
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

/** A suite with kubelets for the API server of this worker. Skipped where the parts are missing. */
export function describeWithKubelets(
  name: string,
  suite: (server: () => ApiServer, kubelets: () => Kubelets) => void,
): void {
  describeWithParts(name, ['kubelet-stand-in'], () => {
    describeWithApiServer('through a real API server', (server) => {
      let kubelets: Kubelets | undefined;
      beforeAll(async () => {
        kubelets = new Kubelets(server());
        await kubelets.start();
      });
      afterAll(() => kubelets?.stop());
      suite(server, () => kubelets as Kubelets);
    });
  });
}
