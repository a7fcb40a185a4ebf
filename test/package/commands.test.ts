// The built program, a process for each case: every command, transport and kind of kubeconfig user once. What bundling
// breaks (a package loaded on first use, a name that a chunk does not export) shows only here.
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/tree.ts';
import { exampleFolder, exampleObjects } from '../support/clusters/example-cluster.ts';
import { type BuiltResult, runBuilt } from '../support/program/built-program.ts';
import { describeWithPrograms } from '../support/program/parts.ts';
import { makeAuthority, makeCertificate } from '../support/servers/certificates.ts';
import { describeWithKubelets } from '../support/servers/kubelet.ts';
import { makeKey, type Sshd, sshFolder, startSshd } from '../support/servers/sshd.ts';
import { type StandIn, sendJson, startStandIn } from '../support/servers/tls-stand-in.ts';

const snapshotFolder = join(exampleFolder, '..', 'case-17');
const policyFolder = join(exampleFolder, '..', 'shop-policies');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-built-'));
  cpSync(exampleFolder, join(folder, 'work'), { recursive: true });
  const pool = { apiVersion: 'projectcalico.org/v3', kind: 'IPPool', metadata: { name: 'new-pool' } };
  file('pool.json', JSON.stringify({ ...pool, spec: { cidr: '10.99.0.0/24' } }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function built(line: string | readonly string[], env: Readonly<Record<string, string>> = {}): Promise<BuiltResult> {
  const args = typeof line === 'string' ? line.split(' ') : line;
  return runBuilt(args, { cwd: folder, env: { HOME: folder, ...env } });
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A line over the example folder, a copy that may be written, or over the example snapshot. */
interface Case {
  readonly line: string;
  readonly exit: number;
  readonly shows: RegExp;
}

const onWork = (line: string, exit: number, shows: RegExp): Case => ({ line: `--datastore work ${line}`, exit, shows });
const onSnapshot = (line: string, exit: number, shows: RegExp): Case => ({
  line: `--datastore ${snapshotFolder} ${line}`,
  exit,
  shows,
});
const onPolicies = (line: string, exit: number, shows: RegExp): Case => ({
  line: `--datastore ${policyFolder} ${line}`,
  exit,
  shows,
});

/** Commands without a datastore, and all others over a folder. In order: some read what those before them wrote. */
const cases: readonly Case[] = [
  { line: 'version --client', exit: 0, shows: /^Client Version/ },
  { line: 'cni', exit: 0, shows: /1\.1\.0/ },
  { line: 'cni install --uninstall --dry-run --root .', exit: 0, shows: /^Nothing is installed/ },
  { line: 'explain ippool', exit: 0, shows: /^KIND: +IPPool/ },
  { line: 'explain INV-53', exit: 0, shows: /INV-53/ },
  { line: 'node checksystem -f /dev/null', exit: 3, shows: /^WHAT/ },
  { line: 'node run --help', exit: 0, shows: /--dryrun/ },
  onWork('version', 0, /Cluster Version: {3}v3\.31\.4/),
  ...['wide', 'yaml', 'json'].map((format) => onWork(`get ippools -o ${format}`, 0, /default-pool/)),
  onWork('get pods', 2, /^$/),
  onWork('get wep -A -o custom-columns=NAME,NODE', 0, /worker-1/),
  onWork('ipam affinity claim 10.60.9.0/26 --node worker-1', 0, /claimed 10\.60\.9\.0\/26/),
  onWork('ipam affinity list', 0, /10\.60\.9\.0\/26/),
  onWork('ipam affinity release --node worker-1', 5, /released 10\.60\.9\.0\/26/),
  onWork('ipam assign --node worker-1 --handle by-hand', 0, /^Assigned 10\.60\.0\.14/),
  onWork('ipam release --handle by-hand', 0, /released 10\.60\.0\.14/),
  ...['table', 'yaml', 'junit'].map((format) => onWork(`ipam check -o ${format}`, 3, /INV-18/)),
  onWork('ipam check --fix --dry-run', 3, /INV-18/),
  onWork('ipam check --fix --journal journal.jsonl', 3, /applied/),
  onWork('ipam configure show', 0, /StrictAffinity/),
  onWork('ipam configure --strictaffinity=false --dry-run', 0, /Nothing to change/),
  onWork('ipam capacity', 0, /default-pool/),
  ...['table', 'csv'].map((format) => onWork(`ipam show -o ${format}`, 0, /10\.60\.0\.0\/18/)),
  ...['table', 'svg', 'html'].map((format) => onWork(`ipam show --map -o ${format}`, 0, /10\.60\.0\.0/)),
  onWork('ipam split 2 --name legacy-pool --dry-run', 0, /10\.61/),
  { line: 'completion bash', exit: 0, shows: /complete/ },
  { line: 'validate -f pool.json', exit: 0, shows: /./ },
  { line: 'convert -f pool.json', exit: 0, shows: /^apiVersion: projectcalico\.org\/v3$/m },
  onWork('diff -f pool.json', 1, /^\+ {2}name: new-pool$/m),
  onWork('create -f pool.json', 0, /^ippool\/new-pool created/),
  onWork('apply -f pool.json', 0, /^ippool\/new-pool unchanged/),
  onWork('label ippool new-pool team=shop', 0, /^ippool\/new-pool labeled/),
  onWork('patch ippool new-pool --type json -p [{"op":"add","path":"/spec/natOutgoing","value":true}]', 0, /patched/),
  onWork('replace -f pool.json', 0, /^ippool\/new-pool replaced/),
  onWork('edit ippool new-pool', 2, /^$/),
  onWork('wait ippool new-pool --for=create', 0, /^ippool\/new-pool condition met/),
  onWork('delete ippool new-pool', 0, /^ippool\/new-pool deleted/),
  onWork('get ippools -o jsonpath={.items[*].metadata.name}', 0, /default-pool/),
  onPolicies('policy effective shop/db', 0, /policy/i),
  onPolicies('policy test shop/web shop/db --proto tcp --port 5432', 0, /^allowed: TCP port 5432/),
  onWork('snapshot save copy.tgz', 0, /IPAMBlock +\d/),
  { line: '--datastore copy.tgz get nodes', exit: 0, shows: /worker-1/ },
  onWork('cluster diags', 2, /^$/),
  ...['table', 'yaml'].map((format) => onSnapshot(`node status -o ${format}`, 0, /node-a/)),
  onSnapshot('node bgp', 0, /Established/),
  onSnapshot('bird render --node node-a', 0, /^router id 10\.90\.4\.1;$/m),
  onSnapshot('bird check --bird /dev/null', 1, /^$/),
  onSnapshot('bird diff node-a', 1, /not compared node-a/),
  onSnapshot('node routes', 3, /F47/),
  onSnapshot('node verify', 3, /proxy_arp/),
  onSnapshot('node repair --dry-run', 3, /sysctl -qw net\/ipv4\/conf\/cali\w+\/proxy_arp=1/),
  onSnapshot('node repair', 4, /^$/),
  onSnapshot('node wire default/web-1 --netns web', 4, /^$/),
  onSnapshot('node unwire default/web-1 --netns web --force', 4, /^$/),
  onSnapshot('node exec node-a -- cat /var/lib/calico/mtu', 0, /^1450$/),
  onSnapshot('node capture default/web-1', 1, /^$/),
  onSnapshot('node diags --help', 0, /tar\.gz/),
];

const internal = /INTERNAL|is not a function|is not defined|Cannot (?:read|find)|ERR_/;

describe('the built program', () => {
  it('has a case for every command of the register', () => {
    const lines = cases.map(({ line }) => ` ${line.replace(/^--datastore \S+ /, '')} `);
    const missing = commands
      .map(({ path }) => path.join(' '))
      .filter((path) => !lines.some((line) => line.startsWith(` ${path} `)));
    expect(missing).toEqual([]);
  });

  it.each(cases)('the built program runs: $line', async ({ line, exit, shows }) => {
    const result = await built(line, { XDG_STATE_HOME: folder });
    expect(result.stderr).not.toMatch(internal);
    expect({ exit: result.exit, stderr: result.stderr }).toMatchObject({ exit });
    expect(result.stdout).toMatch(shows);
  });
});

describe('kubeconfig users of the built program', () => {
  let server: StandIn;

  beforeAll(async () => {
    server = await startStandIn(
      ({ path }, response) => {
        const issuer = `${server.url}/oidc`;
        if (path.endsWith('/openid-configuration')) {
          return sendJson(response, 200, { issuer, token_endpoint: `${issuer}/token` });
        }
        if (path === '/oidc/token') {
          return sendJson(response, 200, { access_token: 'a', token_type: 'bearer', id_token: idToken(issuer, 60) });
        }
        return sendJson(response, 200, {
          apiVersion: 'crd.projectcalico.org/v1',
          kind: 'IPPool',
          metadata: { name: 'p' },
          spec: { cidr: '10.60.0.0/16' },
        });
      },
      { tls: { requestCert: true, rejectUnauthorized: false } },
    );
    const ca = makeAuthority(folder, 'ca');
    makeCertificate(folder, ca, { name: 'ann', subject: '/CN=ann' });
    file('token', 'of-file');
    const print = (name: string, text: string): void => chmodSync(file(name, `#!/bin/sh\necho '${text}'\n`), 0o755);
    print('plugin.sh', '{"kind":"ExecCredential","status":{"token":"of-plugin"}}');
    print('cloud.sh', '{"credential":{"token":"of-cloud","expiry":"2999-01-01T00:00:00Z"}}');
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    server.requests.length = 0;
  });

  function idToken(issuer: string, seconds: number): string {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, sub: 'ann', aud: 'c', iat: now - 60, exp: now + seconds };
    return `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl`;
  }

  /** What arrives at the server when a pool is read as this user. */
  async function arrives(user: object, cluster: object = {}): Promise<Record<string, unknown>> {
    const config = {
      clusters: [{ name: 'c', cluster: { server: server.url, 'certificate-authority': server.caFile, ...cluster } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      users: [{ name: 'u', user }],
      'current-context': 'x',
    };
    const path = file('config', JSON.stringify(config));
    const env = { NODE_EXTRA_CA_CERTS: server.caFile };
    const { exit, stdout, stderr } = await built(`--kubeconfig ${path} get ippool p -o name`, env);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toContain('p');
    return server.requests.at(-1)?.headers ?? {};
  }

  const data = (name: string): string => readFileSync(join(folder, name)).toString('base64');

  it.each<[string, () => object, object]>([
    ['none', () => ({}), {}],
    ['a token', () => ({ token: 't' }), { authorization: 'Bearer t' }],
    ['tokenFile', () => ({ tokenFile: 'token' }), { authorization: 'Bearer of-file' }],
    ['username and password', () => ({ username: 'a', password: 'b' }), { authorization: 'Basic YTpi' }],
    ['certificate files', () => ({ 'client-certificate': 'ann.crt', 'client-key': 'ann.key' }), {}],
    [
      'certificate data',
      () => ({ 'client-certificate-data': data('ann.crt'), 'client-key-data': data('ann.key') }),
      {},
    ],
    ['a credential plugin', () => ({ exec: { command: './plugin.sh' } }), { authorization: 'Bearer of-plugin' }],
    ['as', () => ({ as: 'eve' }), { 'impersonate-user': 'eve' }],
    ['as-groups', () => ({ as: 'eve', 'as-groups': ['g'] }), { 'impersonate-group': 'g' }],
    ['as-uid', () => ({ as: 'eve', 'as-uid': '7' }), { 'impersonate-uid': '7' }],
    ['as-user-extra', () => ({ as: 'eve', 'as-user-extra': { k: ['v'] } }), { 'impersonate-extra-k': 'v' }],
    [
      'the auth-provider gcp',
      () => ({
        'auth-provider': {
          name: 'gcp',
          config: {
            'cmd-path': join(folder, 'cloud.sh'),
            'token-key': '{.credential.token}',
            'expiry-key': '{.credential.expiry}',
          },
        },
      }),
      { authorization: 'Bearer of-cloud' },
    ],
    [
      'the auth-provider oidc with an expired token',
      () => ({
        'auth-provider': {
          name: 'oidc',
          config: {
            'client-id': 'c',
            'client-secret': 's',
            'refresh-token': 'r',
            'idp-issuer-url': `${server.url}/oidc`,
            'id-token': idToken(`${server.url}/oidc`, -60),
          },
        },
      }),
      { authorization: expect.stringMatching(/^Bearer ey/) },
    ],
  ])('the built program signs in with %s', async (_, user, headers) => {
    expect(await arrives(user())).toMatchObject(headers);
  });

  it('the built program takes a comment about impersonation for a comment', async () => {
    const path = file('commented', '# as-groups, tokenFile\nclusters: []\n');
    const { exit, stderr } = await built(`--kubeconfig ${path} get ippools`);
    expect({ exit, stderr }).toMatchObject({ exit: 1, stderr: expect.stringContaining('has no current context') });
  });

  it('the built program goes through an HTTP proxy', async () => {
    const proxy = createHttpServer().on('connect', ({ url = '' }, socket) => {
      const onward = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [socket, onward]) end.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    expect(await arrives({ token: 't' }, { 'proxy-url': `http://127.0.0.1:${port}` })).toMatchObject({
      authorization: 'Bearer t',
    });
    proxy.closeAllConnections();
    proxy.close();
  });

  it('the built program goes through a SOCKS proxy', async () => {
    // The least of SOCKS 5: no authentication, and every requested address leads to the server.
    const proxy = createServer((socket) => {
      socket.once('data', () => {
        socket.write(Buffer.of(5, 0));
        socket.once('data', () => {
          const onward = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
            socket.write(Buffer.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 0));
            onward.pipe(socket).pipe(onward);
          });
          for (const end of [socket, onward]) end.on('error', () => undefined);
        });
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    expect(await arrives({ token: 't' }, { 'proxy-url': `socks5://127.0.0.1:${port}` })).toMatchObject({
      authorization: 'Bearer t',
    });
    proxy.close();
  });

  it("the built program reads calicoctl's configuration file", async () => {
    const spec = { kubeconfig: join(folder, 'none'), datastoreType: 'kubernetes' };
    const path = file(
      'calicoctl.cfg',
      JSON.stringify({ apiVersion: 'projectcalico.org/v3', kind: 'CalicoAPIConfig', spec }),
    );
    const { exit, stderr } = await built(`--config ${path} get ippools`);
    expect({ exit, stderr }).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(`${join(folder, 'none')} does`),
    });
  });
});

describe('transports of the built program', () => {
  it.each(['local', 'replay'])('the built program reaches nodes by --via %s', async (via) => {
    const words = via === 'local' ? '-- echo hello' : '-o json -- ip -j link';
    const { exit, stderr } = await built(`--datastore ${snapshotFolder} node exec node-a --via ${via} ${words}`);
    expect({ exit, stderr }).toMatchObject({
      exit: via === 'local' ? 0 : 1,
      stderr: expect.not.stringMatching(internal),
    });
  });

  it('the built program says which network namespace it does not find', async () => {
    const { exit, stderr } = await built(`--datastore ${snapshotFolder} node exec node-a --via netns:none -- true`);
    expect({ exit, stderr }).toMatchObject({ exit: 1, stderr: expect.stringContaining("network namespace 'none'") });
  });

  describeWithPrograms('over SSH', ['sshd', 'ssh', 'ssh-keygen', 'unshare'], () => {
    let sshd: Sshd;
    let flags: string;

    beforeAll(async () => {
      const keys = sshFolder();
      const key = makeKey(keys, 'id');
      sshd = await startSshd({ authorized: [key] });
      const known = join(keys, 'known_hosts');
      writeFileSync(known, sshd.knownHosts);
      flags = `--ssh-user root --ssh-key ${key} --ssh-config none --ssh-known-hosts ${known} --ssh-host node-a=127.0.0.1:${sshd.port}`;
    });
    afterAll(() => sshd?.stop());

    it.each(['', '--ssh-command ssh '])('the built program runs programs over SSH %s', async (more) => {
      const line = `--datastore ${snapshotFolder} node exec node-a --via ssh ${more}${flags} -- echo hello`;
      expect(await built(line)).toMatchObject({ exit: 0, stdout: 'hello\n', stderr: '' });
    });
  });

  describeWithKubelets('through the API server', (server, kubelets) => {
    let loaded: Promise<void> | undefined;
    const load = async (): Promise<void> => {
      await kubelets().addNodes([{ name: 'node-a' }]);
      await server().admin.load(exampleObjects().filter(({ kind }) => kind !== 'Node'));
    };

    it.each<[string, number, RegExp]>([
      ['node exec node-a -- printf hello', 0, /^hello$/],
      ['node status', 0, /node-a/],
      ['get nodes', 0, /node-a/],
      ['ipam check', 3, /INV-18/],
      ['ipam assign --node node-a --handle by-hand', 0, /Assigned/],
      ['snapshot save cluster.tgz --nodes', 0, /IPAMBlock/],
      ['cluster diags --archive none --help', 0, /diags/],
      ['version', 0, /Cluster Version/],
    ])('the built program works on a cluster: %s', async (line, exit, shows) => {
      loaded ??= load();
      await loaded;
      const result = await built(`--kubeconfig ${server().kubeconfig} ${line}`, { XDG_STATE_HOME: folder });
      expect(result.stderr).not.toMatch(internal);
      expect({ exit: result.exit, stderr: result.stderr }).toMatchObject({ exit });
      expect(result.stdout).toMatch(shows);
    });
  });
});
