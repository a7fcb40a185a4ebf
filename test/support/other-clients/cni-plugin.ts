// Calico's own IPAM plugin from the folder that CALICO_CNI_BIN names, run as kubelet runs it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env['CALICO_CNI_BIN'];

/** True if the reference plugins are available. */
export const hasCniPlugins = folder !== undefined && existsSync(join(folder, 'calico-ipam'));

export interface CniCall {
  readonly command: 'ADD' | 'DEL';
  readonly node: string;
  readonly containerId: string;
  readonly kubeconfig: string;
  /** Its lock between processes of one host. */
  readonly lockFile: string;
}

export interface CniAnswer {
  /** Without the length of the block. */
  readonly addresses: readonly string[];
  /** Its error message if it failed. */
  readonly failure: string | undefined;
}

/** Runs calico-ipam for a container that does not belong to a pod. */
export function calicoIpam({ command, node, containerId, kubeconfig, lockFile }: CniCall): Promise<CniAnswer> {
  const config = {
    cniVersion: '0.4.0',
    name: 'k8s-pod-network',
    type: 'calico',
    nodename: node,
    nodename_file_optional: true,
    datastore_type: 'kubernetes',
    kubernetes: { kubeconfig },
    ipam: { type: 'calico-ipam' },
    ipam_lock_file: lockFile,
    log_level: 'error',
    log_file_path: '/dev/null',
  };
  const env = {
    PATH: process.env['PATH'],
    CNI_COMMAND: command,
    CNI_CONTAINERID: containerId,
    CNI_NETNS: '/var/run/netns/none',
    CNI_IFNAME: 'eth0',
    CNI_PATH: folder,
  };
  return new Promise((resolve, reject) => {
    const child = spawn(join(folder ?? '', 'calico-ipam'), [], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      const answer = stdout.trim() === '' ? {} : JSON.parse(stdout);
      const ips: readonly { address: string }[] = answer.ips ?? [];
      const addresses = ips.map(({ address }) => address.replace(/\/.*/, ''));
      resolve({ addresses, failure: code === 0 ? undefined : String(answer.msg ?? `exit ${code}`) });
    });
    child.stdin.end(JSON.stringify(config));
  });
}
