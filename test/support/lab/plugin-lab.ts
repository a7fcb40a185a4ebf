// The CNI plugin as a process on a node of its own: real namespaces, a real API server, the rights of Calico's role only.
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { node, pool } from '../clusters/ipam-state.ts';
import { describeWithPrograms, partPath } from '../program/parts.ts';
import { ownPluginPair, type PluginPair } from '../program/plugin-pair.ts';
import { type ProgramResult, runProgram } from '../program/run-program.ts';
import { testFolder } from '../program/test-folder.ts';
import { type ApiServer, describeWithApiServer } from '../servers/api-server.ts';
import { RecordingProxy } from '../servers/recording-proxy.ts';
import { CniNode } from './cni-node.ts';

/** Suites share an API server, on which roles stay. */
const user = `cni-plugin-${randomUUID()}`;
const ipamKinds = ['blockaffinities', 'ipamblocks', 'ipamhandles', 'ippools', 'ipreservations', 'ipamconfigs'];

/** What the role allows that Calico installs for its plugin: docs/reference/cni.md. */
const role: readonly KubeObject[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: user },
    rules: [
      { apiGroups: [''], resources: ['pods', 'nodes', 'namespaces'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
      {
        apiGroups: ['crd.projectcalico.org'],
        resources: [...ipamKinds, 'clusterinformations'],
        verbs: ['get', 'list', 'create', 'update', 'delete'],
      },
    ],
  } as KubeObject,
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  } as KubeObject,
];

/** The node's end of the pair of {@link webPod}. */
export const hostInterface = 'cali0761ccbeace';

/** default/web-1 on node-a. */
export const webPod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', namespace: 'default' },
  spec: { nodeName: 'node-a', containers: [{ name: 'web', image: 'web' }] },
};

export interface CallOptions {
  readonly containerId?: string;
  readonly conf?: Readonly<Record<string, unknown>>;
  /** `calictl`: as the command calictl cni. */
  readonly program?: 'calico' | 'calictl';
  /** A directory of the node that the plugin cannot write to; in a mount namespace of the call. */
  readonly readOnly?: string;
}

/** What the tests of a suite work with; each has a new cluster. */
export interface PluginLab {
  readonly server: () => ApiServer;
  /** The node. */
  readonly here: () => CniNode;
  /** Between the plugin and the API server: it records every request, and can interfere with it. */
  readonly proxy: () => RecordingProxy;
  /** Files of the suite; the plugin logs to cni.log. */
  readonly files: ReturnType<typeof testFolder>;
  /** Runs the plugin for {@link webPod}: dual stack, unless `conf` says otherwise. */
  call(command: string, netns: string, options?: CallOptions): Promise<ProgramResult>;
  /** Runs the work with the path of a new network namespace. */
  inPod<T>(work: (netns: string) => Promise<T>): Promise<T>;
  /** The objects of one of Calico's kinds. */
  stored(plural: string): Promise<readonly KubeObject[]>;
  /** The annotations of {@link webPod}. */
  podAnnotations(): Promise<unknown>;
}

/** A suite about the plugin: skipped without the programs of a node or an API server. */
export function describePlugin(subject: string, suite: (lab: PluginLab) => void): void {
  describeWithPrograms(subject, ['ip', 'nsenter', 'unshare', 'sysctl', 'flock', 'ping'], () => {
    describeWithApiServer('with Kubernetes', (server) => {
      let here: CniNode;
      let own: PluginPair;
      let proxy: RecordingProxy;
      const files = testFolder();

      beforeAll(async () => {
        own = await ownPluginPair();
        proxy = new RecordingProxy(server(), user);
        const url = await proxy.start();
        files.write('kubeconfig', kubeconfigOf(url));
        here = await CniNode.make('plugin', { url });
        here.file('/var/lib/calico/nodename', 'node-a\n');
        await server().admin.load(role);
      });
      afterAll(async () => {
        await here?.remove();
        proxy?.stop();
        own?.remove();
        files.remove();
      });
      beforeEach(async () => {
        await server().admin.reset();
        await server().admin.load([
          { ...node('node-a'), spec: { podCIDRs: ['10.76.0.0/24', 'fd76::/64'] } },
          pool('p4', '10.244.0.0/16', 26),
          pool('p6', 'fd00:244::/48', 122),
          {
            apiVersion: 'crd.projectcalico.org/v1',
            kind: 'ClusterInformation',
            metadata: { name: 'default' },
            spec: { datastoreReady: true },
          },
          webPod,
        ]);
        proxy.asked.length = 0;
        proxy.interfere = async () => undefined;
      });

      function call(
        command: string,
        netns: string,
        { containerId = 'c1', conf = {}, program = 'calico', readOnly }: CallOptions = {},
      ): Promise<ProgramResult> {
        const config = {
          cniVersion: '1.0.0',
          name: 'k8s-pod-network',
          type: 'calico',
          datastore_type: 'kubernetes',
          ipam: { type: 'calico-ipam', assign_ipv6: 'true' },
          policy: { type: 'k8s' },
          kubernetes: { kubeconfig: join(files.path, 'kubeconfig') },
          log_file_path: join(files.path, 'cni.log'),
          ...conf,
        };
        const argv = program === 'calico' ? own.command('calico') : [...own.command('calictl'), 'cni'];
        const mounts = `mount --bind ${readOnly} ${readOnly} && mount -o remount,ro,bind ${readOnly} && exec "$@"`;
        return here.call({
          program: readOnly === undefined ? argv : ['unshare', '--mount', 'sh', '-c', mounts, 'sh', ...argv],
          env: {
            CNI_COMMAND: command,
            CNI_CONTAINERID: containerId,
            CNI_NETNS: netns,
            CNI_IFNAME: 'eth0',
            CNI_PATH: dirname(partPath('host-local')),
            CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-1',
          },
          config: JSON.stringify(config),
        });
      }

      async function inPod<T>(work: (netns: string) => Promise<T>): Promise<T> {
        const netns = await here.pod('pod');
        try {
          return await work(netns);
        } finally {
          await here.removePod(netns);
          await runProgram(['ip', '-n', here.netns, 'link', 'del', 'dev', hostInterface]);
        }
      }

      async function stored(plural: string): Promise<readonly KubeObject[]> {
        const { body } = await server().admin.request('GET', `/apis/crd.projectcalico.org/v1/${plural}`);
        return (JSON.parse(body) as { items: KubeObject[] }).items;
      }

      async function podAnnotations(): Promise<unknown> {
        const { body } = await server().admin.request('GET', '/api/v1/namespaces/default/pods/web-1');
        return (JSON.parse(body) as KubeObject).metadata.annotations;
      }

      suite({ server, here: () => here, proxy: () => proxy, files, call, inPod, stored, podAnnotations });
    });
  });
}

function kubeconfigOf(url: string): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    'current-context: test',
    `clusters: [{name: test, cluster: {server: "${url}"}}]`,
    'contexts: [{name: test, context: {cluster: test, user: test}}]',
    'users: [{name: test, user: {}}]',
    '',
  ].join('\n');
}
