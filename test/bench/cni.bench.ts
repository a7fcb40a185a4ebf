// ADD of the CNI plugin next to Calico's own: time, peak memory and API requests, in rounds in which they take turns. Each ADD
// connects a new pod's namespace on a node of its own; DEL is not measured.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { node, pool } from '../support/clusters/ipam-state.ts';
import { CniNode } from '../support/lab/cni-node.ts';
import { type ApiServer, startApiServer } from '../support/servers/api-server.ts';
import { RecordingProxy } from '../support/servers/recording-proxy.ts';
import { type Contenders, median, ratio, resultTable, rounds, type Sample } from './measure.ts';

const path = '/usr/sbin:/usr/bin:/sbin:/bin';
const gnuTime = '/usr/bin/time';

/** Returns the table; needs root, an API server and GNU time, and CALICO_CNI_BIN for the comparison. */
export async function benchCni(root: string, count: number): Promise<string> {
  if (process.getuid?.() !== 0 || !existsSync(gnuTime)) return 'cni needs root and GNU time\n';
  const folder = mkdtempSync(join(tmpdir(), 'calictl-bench-cni-'));
  const server = await startApiServer(folder);
  const proxy = new RecordingProxy(server, 'bench', { 'impersonate-group': 'system:masters' });
  let here: CniNode | undefined;
  try {
    const url = await proxy.start();
    execFileSync(process.execPath, [join(root, '.config', 'standalone.mjs'), '--output', folder], { stdio: 'inherit' });
    symlinkSync('calictl', join(folder, 'calico'));
    writeFileSync(join(folder, 'plain-kubeconfig'), kubeconfigTo(url));
    await loadCluster(server);
    here = await CniNode.make('bench', { url });
    here.file('/var/lib/calico/nodename', 'node-a');
    const requests: Record<string, number[]> = {};
    const contender = (name: string, program: readonly string[]): Contenders => ({
      [name]: async () => {
        const [sample, asked] = await measuredAdd(here as CniNode, proxy, program, folder);
        requests[name] = [...(requests[name] ?? []), asked];
        return sample;
      },
    });
    const reference = process.env['CALICO_CNI_BIN'];
    const samples = await rounds(
      {
        ...(reference === undefined ? {} : contender('Calico 3.31.4', [join(reference, 'calico')])),
        ...contender('calictl, executable', [join(folder, 'calico')]),
        ...contender('nothing, in the same namespaces', ['/bin/true']),
      },
      count,
    );
    const asked = Object.entries(requests).map(([name, counts]) => `  ${name}: ${median(counts)} API requests`);
    const budget =
      reference === undefined
        ? []
        : [`  budget: twice Calico's time; x ${ratio(samples, 'calictl, executable', 'Calico 3.31.4').toFixed(2)}`];
    return `${resultTable('ADD of a pod', samples)}${[...asked, ...budget].join('\n')}\n\n`;
  } finally {
    await here?.remove();
    proxy.stop();
    server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

async function measuredAdd(
  here: CniNode,
  proxy: RecordingProxy,
  program: readonly string[],
  folder: string,
): Promise<[Sample, number]> {
  const netns = await here.pod('pod');
  const peakFile = join(folder, 'peak');
  try {
    const call = (command: string) =>
      here.call({
        program: [gnuTime, '-q', '-f', '%M', '-o', peakFile, ...program],
        env: {
          PATH: path,
          CNI_COMMAND: command,
          CNI_CONTAINERID: 'bench',
          CNI_NETNS: netns,
          CNI_IFNAME: 'eth0',
          CNI_PATH: process.env['CALICO_CNI_BIN'] ?? folder,
          CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-1',
        },
        config: JSON.stringify(configuration(folder)),
      });
    proxy.asked.length = 0;
    const started = performance.now();
    const added = await call('ADD');
    const ms = performance.now() - started;
    if (added.exit !== 0) throw new Error(`${program.join(' ')}: ${added.stdout}${added.stderr}`);
    const asked = proxy.asked.length;
    const peakMiB = Number(readFileSync(peakFile, 'utf8').trim()) / 1024;
    await call('DEL');
    return [{ ms, peakMiB }, asked];
  } finally {
    await here.removePod(netns);
  }
}

function configuration(folder: string): unknown {
  return {
    cniVersion: '1.0.0',
    name: 'k8s-pod-network',
    type: 'calico',
    datastore_type: 'kubernetes',
    ipam: { type: 'calico-ipam' },
    policy: { type: 'k8s' },
    kubernetes: { kubeconfig: join(folder, 'plain-kubeconfig') },
    log_level: 'info',
  };
}

async function loadCluster({ admin }: ApiServer): Promise<void> {
  await admin.load([
    node('node-a'),
    pool('p4', '10.244.0.0/16', 26),
    {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'ClusterInformation',
      metadata: { name: 'default' },
      spec: { datastoreReady: true },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-1', namespace: 'default' },
      spec: { nodeName: 'node-a', containers: [{ name: 'web', image: 'web' }] },
    },
  ]);
}

function kubeconfigTo(url: string): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    'current-context: bench',
    `clusters: [{name: bench, cluster: {server: "${url}"}}]`,
    'contexts: [{name: bench, context: {cluster: bench, user: bench}}]',
    'users: [{name: bench, user: {}}]',
    '',
  ].join('\n');
}
