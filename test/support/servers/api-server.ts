// A real kube-apiserver on a real etcd with Calico's CRDs: one per test worker, started by the first suite that needs it.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, inject } from 'vitest';
import { parse } from 'yaml';
import { type CalicoApi, customResourceApi } from '../../../src/resources/kind.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { endProcess } from '../program/global-setup.ts';
import { describeWithParts, type Part, partPath } from '../program/parts.ts';
import { until } from '../program/until.ts';
import { ApiAdmin } from './api-admin.ts';
import { makeAuthority, makeCertificate, makeRsaKey } from './certificates.ts';

/** The CRDs that serve an API of Calico. */
const crdFolders: Readonly<Record<CalicoApi, string>> = {
  'crd.projectcalico.org/v1': 'crds',
  'projectcalico.org/v3': 'crds-v3',
};

export interface ApiServer {
  readonly url: string;
  readonly caFile: string;
  /**
   * Path of a kubeconfig with the contexts `admin` (client certificate, the current one), `token` (the same rights by
   * token), `nobody` (known, without any right) and `anonymous`.
   */
  readonly kubeconfig: string;
  readonly admin: ApiAdmin;
  /** Ends both processes; only for a server that the suite started itself. */
  stop(): void;
}

/**
 * A suite over the API server of this worker that has this API of Calico, emptied before the first test. Skipped where the
 * parts are missing.
 */
export function describeWithApiServer(
  name: string,
  suite: (server: () => ApiServer) => void,
  calicoApi: CalicoApi = customResourceApi,
): void {
  describeWithParts(name, ['etcd', 'kube-apiserver'], () => {
    let server: ApiServer | undefined;
    beforeAll(async () => {
      server = await sharedApiServer(calicoApi);
      await server.admin.reset();
    });
    suite(() => server as ApiServer);
  });
}

async function sharedApiServer(calicoApi: CalicoApi): Promise<ApiServer> {
  const name = `worker-${process.env['VITEST_POOL_ID'] ?? '0'}-${crdFolders[calicoApi]}`;
  const folder = join(inject('partsRunFolder'), name);
  const ready = join(folder, 'ready.json');
  if (!existsSync(ready)) {
    const server = await startApiServer(folder, calicoApi);
    writeFileSync(ready, JSON.stringify({ url: server.url }));
    return server;
  }
  return described(folder, (JSON.parse(readFileSync(ready, 'utf8')) as { url: string }).url, calicoApi);
}

/** Starts etcd and kube-apiserver with their files in `folder`; the end of the test run ends them in any case. */
export async function startApiServer(folder: string, calicoApi: CalicoApi = customResourceApi): Promise<ApiServer> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [clients, peers, port] = await freePorts(3);
  const url = `https://127.0.0.1:${port}`;
  makeCredentials(folder, url);
  const etcd = `http://127.0.0.1:${clients}`;
  writeFileSync(join(folder, 'etcd.url'), etcd);
  const peerUrl = `http://127.0.0.1:${peers}`;
  launch(folder, 'etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync',
    '--quota-backend-bytes=4294967296',
    '--log-level=error',
  ]);
  launch(folder, 'kube-apiserver', [
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--tls-cert-file=${join(folder, 'server.crt')}`,
    `--tls-private-key-file=${join(folder, 'server.key')}`,
    `--client-ca-file=${join(folder, 'ca.crt')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--service-account-issuer=https://localhost',
    `--service-account-key-file=${join(folder, 'accounts.key')}`,
    `--service-account-signing-key-file=${join(folder, 'accounts.key')}`,
    '--service-cluster-ip-range=10.96.0.0/12',
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    '--allow-privileged',
  ]);
  const server = described(folder, url, calicoApi);
  await untilAnswered(server.admin, '/readyz', folder);
  await installCrds(server.admin, crdFolders[calicoApi]);
  return server;
}

function described(folder: string, url: string, calicoApi: CalicoApi): ApiServer {
  const file = (name: string): string => join(folder, name);
  return {
    url,
    caFile: file('ca.crt'),
    kubeconfig: file('kubeconfig'),
    admin: new ApiAdmin(
      url,
      readFileSync(file('ca.crt')),
      readFileSync(file('admin.crt')),
      readFileSync(file('admin.key')),
      calicoApi,
    ),
    stop() {
      for (const part of ['kube-apiserver', 'etcd'])
        endProcess(Number(readFileSync(file(`${part}.pid`), 'utf8')), folder);
    },
  };
}

function makeCredentials(folder: string, url: string): void {
  const ca = makeAuthority(folder, 'ca');
  makeCertificate(folder, ca, { name: 'server', subject: '/CN=server', addresses: 'IP:127.0.0.1,DNS:localhost' });
  makeCertificate(folder, ca, { name: 'admin', subject: '/O=system:masters/CN=admin' });
  makeRsaKey(folder, 'accounts');
  const tokens = ['admin-token,token-admin,token-admin,"system:masters"', 'nobody-token,nobody,nobody'];
  writeFileSync(join(folder, 'tokens.csv'), `${tokens.join('\n')}\n`);
  const user = (name: string): string => `- {name: ${name}, context: {cluster: test, user: ${name}}}`;
  writeFileSync(
    join(folder, 'kubeconfig'),
    [
      'apiVersion: v1',
      'kind: Config',
      'current-context: admin',
      `clusters: [{name: test, cluster: {server: "${url}", certificate-authority: ca.crt}}]`,
      'contexts:',
      ...['admin', 'token', 'nobody', 'anonymous'].map(user),
      'users:',
      '- {name: admin, user: {client-certificate: admin.crt, client-key: admin.key}}',
      '- {name: token, user: {token: admin-token}}',
      '- {name: nobody, user: {token: nobody-token}}',
      '',
    ].join('\n'),
  );
}

function launch(folder: string, part: Part, args: readonly string[]): void {
  const log = openSync(join(folder, `${part}.log`), 'w');
  // Detached: it outlives the suite that started it, and after Ctrl-C the end of the run stops it.
  const child = spawn(partPath(part), args, { stdio: ['ignore', log, log], detached: true });
  child.unref();
  writeFileSync(join(folder, `${part}.pid`), String(child.pid));
}

/** Installs the CRDs of a folder of test/fixtures, and waits until they are served. */
export async function installCrds(admin: ApiAdmin, fixtures: string): Promise<void> {
  const folder = fileURLToPath(new URL(`../../fixtures/${fixtures}`, import.meta.url));
  const crds = readdirSync(folder).map((file) => parse(readFileSync(join(folder, file), 'utf8')) as Crd);
  await admin.load(crds);
  for (const { spec } of crds) {
    const [version] = spec.versions;
    await untilAnswered(admin, `/apis/${spec.group}/${version?.name}/${spec.names.plural}?limit=1`);
  }
}

interface Crd extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

function untilAnswered(admin: ApiAdmin, path: string, logs = 'its directory'): Promise<void> {
  const answers = async (): Promise<boolean> => (await admin.request('GET', path)).status === 200;
  return until(() => answers().catch(() => false), `kube-apiserver answers ${path}: see the logs in ${logs}`, 90_000);
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
