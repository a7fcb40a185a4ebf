// Bad input of every kind ends in one clear sentence with a hint and the right exit code, and writes nothing.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../src/resources/kinds.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { printJson } from '../../src/text/json.ts';
import { damageOnce } from '../support/clusters/damage.ts';
import { cluster, seeded } from '../support/clusters/seeded-cluster.ts';
import { type Ran, type RunOptions, run } from '../support/program/world.ts';
import { type ApiServer, describeWithApiServer } from '../support/servers/api-server.ts';
import { makeAuthority } from '../support/servers/certificates.ts';
import { failure, type StandIn, sendJson, startStandIn } from '../support/servers/tls-stand-in.ts';

/** Two nodes, six pods and something for --fix to do. */
function leaky(): KubeObject[] {
  const plan = { seed: 11, nodes: 2, podsPerNode: 3, pools: [{ name: 'pool-1', cidr: '10.60.0.0/24', blockSize: 29 }] };
  const made = cluster({ ...plan, madeAt: new Date('2025-06-01T00:00:00Z') });
  const random = seeded(5);
  for (const name of ['leak', 'strayHandle'] as const) expect(damageOnce(name, made, random)).toBeDefined();
  return made.objects;
}

interface Expected {
  readonly code: number;
  /** What the sentence must name. */
  readonly names: string | RegExp;
  readonly hint?: RegExp;
}

/** One sentence (and its code), one hint, no stack, nothing else. */
function expectClear({ code, stderr }: Ran, expected: Expected): void {
  const lines = stderr.trimEnd().split('\n');
  expect(stderr).not.toMatch(/^\s+at |INTERNAL|undefined|\[object|unexpected error/m);
  expect(lines[0]).toMatch(/^calictl: /);
  if (typeof expected.names === 'string') expect(lines[0]).toContain(expected.names);
  else expect(lines[0]).toMatch(expected.names);
  expect(lines[1]).toMatch(/^hint: ./);
  if (expected.hint !== undefined) expect(lines[1]).toMatch(expected.hint);
  expect(lines).toHaveLength(2);
  expect(stderr.length).toBeLessThan(700);
  expect(code).toBe(expected.code);
}

/** Every file below a folder with its bytes and times. */
function stateOf(folder: string): Record<string, string> {
  const state: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    const stats = statSync(path);
    state[name] = stats.isDirectory() ? 'folder' : `${stats.mtimeMs} ${readFileSync(path, 'utf8')}`;
  }
  return state;
}

describe('bad input with a directory', () => {
  let top = '';
  let store = '';
  beforeAll(() => {
    top = mkdtempSync(join(tmpdir(), 'calictl-bad-'));
    store = folderWith('store', { 'objects.json': listText(leaky()) });
    folderWith('empty', {});
    folderWith('half-json', { 'o.json': listText(leaky()).slice(0, 2000) });
    folderWith('half-yaml', { 'p.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: "x\n' });
    folderWith('nameless', { 'p.json': '{"apiVersion": "v1", "kind": "Pod", "metadata": {}}' });
    folderWith('bytes', { 'b.yaml': Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe, 0x0a]) });
    writeFileSync(join(top, 'file'), 'x');
    writeFileSync(join(top, 'other.json'), '{"some": "thing"}');
    writeFileSync(join(top, 'half.json'), '{"version": "v3.31.4", "cluster');
  });
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  const listText = (items: readonly KubeObject[]): string =>
    printJson({ apiVersion: 'v1', kind: 'List', items }, { indent: 1 });

  function folderWith(name: string, files: Readonly<Record<string, string | Buffer>>): string {
    const folder = join(top, name);
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    return folder;
  }

  /** Runs the line in `top`, where the datastore `store` lies, and compares all files before and after. */
  async function unchanged(line: string | readonly string[], options: RunOptions = {}): Promise<Ran> {
    const before = stateOf(top);
    const ran = await run(line, { folder: store, cwd: top, ...options });
    expect(stateOf(top)).toEqual(before);
    return ran;
  }

  describe.each(['ipam check', 'ipam check --fix --journal j.jsonl', 'ipam show', 'ipam release --ip 10.60.0.1'])(
    '%s',
    (line) => {
      it.each<[string, Expected]>([
        ['missing', { code: 2, names: /directory .*missing does not exist/ }],
        ['file', { code: 2, names: /file is not a directory/ }],
        ['empty', { code: 1, names: /empty holds no manifests/, hint: /kubectl get -o yaml/ }],
        ['half-json', { code: 1, names: /half-json\/o\.json:\d+: / }],
        ['half-yaml', { code: 1, names: /half-yaml\/p\.yaml:\d+: / }],
        ['nameless', { code: 1, names: /nameless\/p\.json:1: Pod without metadata\.name/ }],
        ['bytes', { code: 1, names: /bytes\/b\.yaml is not UTF-8/ }],
      ])('the directory %s ends in one clear error', async (folder, expected) => {
        expectClear(await unchanged(`--datastore ./${folder} ${line}`), expected);
      });
    },
  );

  it.each<[string, Expected]>([
    ['ipam chek', { code: 2, names: "'chek'", hint: /Did you mean check/ }],
    ['ipam check --fox', { code: 2, names: "'--fox'", hint: /--fix/ }],
    ['ipam check extra', { code: 2, names: "'check'" }],
    ['ipam check --grace', { code: 2, names: '--grace' }],
    ['ipam check --grace soon', { code: 2, names: 'invalid duration for --grace: soon', hint: /15m/ }],
    ['ipam check --grace=-5m', { code: 2, names: 'invalid duration for --grace: -5m', hint: /15m/ }],
    ['ipam check --grace=', { code: 2, names: '--grace', hint: /15m/ }],
    ['ipam check --only INV-99', { code: 2, names: 'INV-99', hint: /explain invariants/ }],
    ['ipam check --only INV-53,stray', { code: 2, names: 'stray', hint: /explain invariants/ }],
    ['ipam check --skip=', { code: 2, names: '--skip', hint: /explain invariants/ }],
    ['ipam check --dry-run', { code: 2, names: '--dry-run requires --fix' }],
    ['ipam check --journal j.jsonl', { code: 2, names: '--journal requires --fix' }],
    ['ipam check --output=', { code: 2, names: '--output is empty' }],
    ['ipam check --report ./nowhere/r.json', { code: 1, names: './nowhere/r.json', hint: /--report/ }],
    ['ipam check -o ./report.json', { code: 2, names: 'invalid value for --output: ./report.json', hint: /junit/ }],
    ['ipam check --report empty', { code: 1, names: 'the report empty cannot be written: is a directory' }],
    ['ipam check --report /dev/full', { code: 1, names: '/dev/full cannot be written: no space left on device' }],
    ['ipam check --fix --journal j.jsonl --report /dev/full', { code: 1, names: '/dev/full cannot be written' }],
    ['ipam check --fix --journal=', { code: 2, names: '--journal is empty' }],
    [
      'ipam check --fix --journal file/j.jsonl',
      { code: 1, names: 'file/j.jsonl cannot be written', hint: /--journal/ },
    ],
    ['ipam check --fix --journal empty', { code: 1, names: 'empty cannot be written: is a directory' }],
    [
      'ipam check --fix --journal store/j.jsonl',
      { code: 2, names: 'inside the datastore directory', hint: /--journal/ },
    ],
    ['ipam check --fix --journal store/a/j.jsonl', { code: 2, names: 'inside the datastore directory' }],
    ['ipam check --fix --journal /dev/full', { code: 1, names: '/dev/full cannot be written: a device, not a file' }],
    ['ipam check --report store/objects.json', { code: 2, names: 'inside the datastore directory', hint: /--report/ }],
    ['snapshot save store/copy', { code: 2, names: 'inside the datastore directory', hint: /another PATH/ }],
    [
      'node capture node-a --via local -w store/a.pcap',
      { code: 2, names: 'inside the datastore directory', hint: /-w/ },
    ],
    ['ipam show --ip 10.60.0', { code: 2, names: '10.60.0', hint: /like 10\.60\.0\.1/ }],
    ['ipam show --ip 10.60.0.1/32', { code: 2, names: '10.60.0.1/32', hint: /without a prefix length/ }],
    ['ipam show --ip 10.60.0.1 --node node-a', { code: 2, names: '--ip and --node' }],
    ['ipam show --pod cart-0', { code: 2, names: 'invalid pod for --pod: cart-0', hint: /NAMESPACE\/NAME/ }],
    ['ipam show --node=', { code: 2, names: '--node is empty' }],
    ['ipam show -o xml', { code: 2, names: 'invalid value for --output: xml', hint: /table, json, yaml, csv/ }],
    ['ipam release', { code: 2, names: 'no address selected', hint: /--ip/ }],
    ['ipam release --ip ten', { code: 2, names: 'ten', hint: /like 10\.60\.0\.1/ }],
    ['ipam release --ip 10.60.0.1 --handle h', { code: 2, names: '--ip and --handle' }],
    ['ipam release --ip 10.60.0.200', { code: 1, names: '10.60.0.200 is not assigned' }],
    ['ipam release --handle h', { code: 1, names: 'the handle h' }],
    ['ipam release --from-report nowhere.json', { code: 2, names: 'nowhere.json', hint: /ipam check --report FILE/ }],
    [
      'ipam release --from-report empty',
      { code: 2, names: 'the report empty cannot be read: a directory, not a file' },
    ],
    [
      'ipam release --from-report half.json',
      { code: 2, names: 'half.json is not valid JSON', hint: /ipam check --report FILE/ },
    ],
    [
      'ipam release --from-report other.json',
      { code: 2, names: 'other.json is not a report', hint: /ipam check --report FILE/ },
    ],
    ['--kubeconfig nowhere ipam check --datastore kubernetes', { code: 1, names: 'nowhere does not exist' }],
    ['--config nowhere.cfg ipam check', { code: 2, names: 'nowhere.cfg does not exist' }],
    ['--datastore nothing ipam check', { code: 2, names: "'nothing' is neither", hint: /directory/ }],
  ])('`calictl %s` ends in one clear error', async (line, expected) => {
    expectClear(await unchanged(line), expected);
  });

  it('a journal path that cannot be written leaves no lock behind', async () => {
    await unchanged('ipam check --fix --journal empty');
    const { code } = await run(['ipam', 'check', '--fix', '--dry-run'], { folder: store, cwd: top });
    expect(code).toBe(3);
  });

  /** The name of the first object of the kind, and the objects with it changed. */
  function broken(kind: string, change: (object: KubeObject) => void): { name: string; objects: KubeObject[] } {
    const objects = leaky();
    const object = objects.find((candidate) => candidate.kind === kind);
    if (object === undefined) throw new Error(`no ${kind}`);
    change(object);
    return { name: object.metadata.name, objects };
  }
  const specOf = (object: KubeObject): Record<string, unknown> => object.spec as Record<string, unknown>;

  const brokenBlocks: [string, (block: KubeObject) => void][] = [
    ['allocations that are no list', (block) => Object.assign(specOf(block), { allocations: 'none' })],
    ['no allocations', (block) => Reflect.deleteProperty(specOf(block), 'allocations')],
    ['no cidr', (block) => Reflect.deleteProperty(specOf(block), 'cidr')],
    ['a cidr that is a number', (block) => Object.assign(specOf(block), { cidr: 7 })],
    ['a null spec', (block) => Object.assign(block, { spec: null })],
    ['no spec', (block) => Reflect.deleteProperty(block, 'spec')],
  ];

  describe.each(brokenBlocks)('a block with %s', (_, change) => {
    it.each([
      'ipam show',
      'ipam show --ip 10.60.0.1',
      'ipam show --show-borrowed',
      'ipam show --node node-a',
      'ipam check --report report.json',
    ])('`calictl %s` names the malformed block', async (line) => {
      const { name, objects } = broken('IPAMBlock', change);
      const folder = folderWith('broken', { 'objects.json': listText(objects) });
      expectClear(await unchanged(line, { folder }), { code: 1, names: `IPAMBlock ${name} is malformed: spec` });
      expect(existsSync(join(top, 'report.json'))).toBe(false);
    });

    it('ipam check reports the malformed block, and neither judges nor repairs what depends on it', async () => {
      const { name, objects } = broken('IPAMBlock', change);
      const folder = folderWith('broken', { 'objects.json': listText(objects) });
      const { code, stdout, stderr } = await unchanged('ipam check -o json', { folder });
      expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
      const report = JSON.parse(stdout) as { findings: { id: string; object: { name: string }; severity: string }[] };
      const found = report.findings.find(({ object }) => object.name === name);
      expect(found).toMatchObject({ severity: 'error', id: expect.stringMatching(/^INV-0[123]$/) });
    });

    it('calicoctl ipam check fails on the malformed block', async () => {
      const { name, objects } = broken('IPAMBlock', change);
      const folder = folderWith('broken', { 'objects.json': listText(objects) });
      const { code, stderr } = await unchanged('ipam check', { folder, programName: 'calicoctl' });
      expect(code).toBe(1);
      expect(stderr).toContain(`IPAMBlock ${name} is malformed`);
    });
  });

  it.each<[string, string, (object: KubeObject) => void, string]>([
    ['Pod', 'a status that is a text', (pod) => Object.assign(pod, { status: 'Running' }), 'status'],
    ['Pod', 'addresses that are no list', (pod) => Object.assign(pod, { status: { podIPs: 'x' } }), 'status.podIPs'],
    ['Pod', 'an address that is a number', (pod) => Object.assign(pod, { status: { podIP: 7 } }), 'status.podIP'],
    ['Node', 'labels that are a list', (node) => Object.assign(node.metadata, { labels: ['x'] }), 'metadata.labels'],
  ])('a malformed %s with %s is never taken for one that uses no address', async (kind, _, change, path) => {
    const { name, objects } = broken(kind, change);
    const folder = folderWith('broken', { 'objects.json': listText(objects) });
    for (const line of ['ipam check', 'ipam check --fix --journal j.jsonl', 'ipam release --ip 10.60.0.1']) {
      const ran = await unchanged(line, { folder });
      expectClear(ran, { code: 1, names: new RegExp(`${kind} (\\S+/)?${name} is malformed: ${path}`) });
    }
  });

  it('managed fields of any shape are accepted', async () => {
    const { objects } = broken('IPAMBlock', (block) => Object.assign(block.metadata, { managedFields: [null] }));
    const other = objects.find(({ kind }) => kind === 'IPAMHandle');
    Object.assign(other?.metadata ?? {}, { managedFields: 'none' });
    expect(await run('ipam check', { objects })).toMatchObject({ code: 3, stderr: '' });
  });

  it('--debug adds the cause and its stack', async () => {
    const { objects } = broken('IPAMConfig', (config) => Object.assign(config, { spec: null }));
    expectClear(await run('ipam show --show-configuration', { objects }), {
      code: 1,
      names: 'IPAMConfig default is malformed: spec',
    });
    const { stderr } = await run('--debug ipam show --show-configuration', { objects });
    expect(stderr).toMatch(/^cause: TypeError: .*\n\s+at /m);
  });
});

describe('bad kubeconfigs', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'calictl-kubeconfig-'));
    const good = [
      'apiVersion: v1',
      'kind: Config',
      'current-context: one',
      'clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]',
      'contexts: [{name: one, context: {cluster: c, user: u}}, {name: two, context: {cluster: c, user: u}}]',
      'users: [{name: u, user: {token: very-secret-token-value}}]',
    ].join('\n');
    writeFileSync(join(folder, 'good'), good);
    writeFileSync(join(folder, 'half'), good.slice(0, 150));
    writeFileSync(join(folder, 'no-cluster'), good.replace('clusters: [{name: c', 'clusters: [{name: d'));
    writeFileSync(join(folder, 'no-ca'), good.replace('server:', 'certificate-authority: nowhere.crt, server:'));
    writeFileSync(join(folder, 'empty'), '');
    mkdirSync(join(folder, 'folder'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each<[string, Expected]>([
    ['--kubeconfig missing', { code: 1, names: 'the kubeconfig missing does not exist', hint: /--kubeconfig/ }],
    ['--kubeconfig folder', { code: 1, names: /cannot read the kubeconfig \S+folder: is a directory/ }],
    ['--kubeconfig half', { code: 1, names: 'half is not a valid kubeconfig' }],
    ['--kubeconfig empty', { code: 1, names: 'no current context', hint: /--context/ }],
    ['--kubeconfig no-cluster', { code: 1, names: 'no server for cluster "c"' }],
    ['--kubeconfig no-ca', { code: 1, names: 'nowhere.crt' }],
    ['--kubeconfig good --context three', { code: 1, names: '"three"', hint: /one, two/ }],
    ['--kubeconfig good', { code: 1, names: 'nothing listens at https://127.0.0.1:1' }],
  ])('`calictl %s` ends in one clear error', async (flags, expected) => {
    // A path counts from the working directory of the process.
    const line = flags.replace(/--kubeconfig (\S+)/, `--kubeconfig ${folder}/$1`);
    const names = typeof expected.names === 'string' ? expected.names : '';
    const placed = { ...expected, names: names.replace(/kubeconfig (\w+) /, `kubeconfig ${folder}/$1 `) };
    for (const command of ['ipam check', 'ipam show', 'ipam release --ip 10.60.0.1']) {
      const ran = await run(`${line} ${command}`);
      expectClear(ran, placed);
      expect(ran.stderr).not.toContain('very-secret');
    }
  });
});

describe('a cluster without Calico', () => {
  let server: StandIn;
  beforeAll(async () => {
    server = await startStandIn(({ path }, response) => {
      if (path.startsWith('/apis/crd.projectcalico.org/')) {
        response.writeHead(404, { 'Content-Type': 'text/plain' }).end('404 page not found\n');
      } else if (/^\/api\/v1\/(pods|nodes|services)/.test(path)) {
        sendJson(response, 200, { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1' }, items: [] });
      } else sendJson(response, 404, failure(404, 'NotFound', 'not found'));
    });
  });
  afterAll(() => server.stop());

  it.each(['ipam check', 'ipam check --fix --journal /nonexistent/j', 'ipam show', 'ipam release --ip 10.60.0.1'])(
    '`calictl %s` reports the missing CustomResourceDefinitions',
    async (line) => {
      const env = { DATASTORE_TYPE: 'kubernetes', K8S_API_ENDPOINT: server.url, K8S_CA_FILE: server.caFile };
      const names = /the cluster has no \w+\.crd\.projectcalico\.org/;
      expectClear(await run(line, { env }), { code: 1, names, hint: /CustomResourceDefinitions/ });
      expect(server.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    },
  );
});

describeWithApiServer('bad input with a cluster', (server) => {
  let folder = '';
  const roles: KubeObject[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'calictl-bad-cluster-'));
    await server().admin.load(leaky().filter(({ kind }) => kind !== 'Namespace'));
    roles.push(...role('lacks-blocks', 'ipamblocks'), ...role('lacks-services', 'services'));
    await server().admin.load(roles);
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig(server()));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    for (const { kind, metadata } of roles) {
      const plural = `${kind.toLowerCase()}s`;
      await server().admin.request('DELETE', `/apis/rbac.authorization.k8s.io/v1/${plural}/${metadata.name}`);
    }
  });

  /** A user who may read all that a check reads, except one kind. */
  function role(user: string, without: string): KubeObject[] {
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const verbs = ['get', 'list', 'watch'];
    const resources = kinds.map(({ api }) => api.plural).filter((plural) => plural !== without);
    const rules = [{ apiGroups: ['', 'crd.projectcalico.org'], resources, verbs }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
    return [
      { apiVersion, kind: 'ClusterRole', metadata: { name: user }, rules },
      { apiVersion, kind: 'ClusterRoleBinding', metadata: { name: user }, roleRef, subjects },
    ];
  }

  /** The server's kubeconfig with other users, and a cluster that trusts the wrong authority. */
  function kubeconfig({ url, caFile }: ApiServer): string {
    const parts = join(caFile, '..');
    const cert = `client-certificate: ${parts}/admin.crt, client-key: ${parts}/admin.key`;
    const { cert: wrong } = makeAuthority(folder, 'stranger');
    const context = (name: string, cluster = 'test'): string =>
      `- {name: ${name}, context: {cluster: ${cluster}, user: ${name}}}`;
    return [
      'apiVersion: v1',
      'kind: Config',
      'clusters:',
      `- {name: test, cluster: {server: "${url}", certificate-authority: ${caFile}}}`,
      `- {name: strange, cluster: {server: "${url}", certificate-authority: ${wrong}}}`,
      'contexts:',
      ...['invalid-token', 'lacks-blocks', 'lacks-services', 'nobody'].map((name) => context(name)),
      context('wrong-ca', 'strange'),
      'users:',
      '- {name: invalid-token, user: {token: expired-secret-token}}',
      '- {name: nobody, user: {token: nobody-token}}',
      `- {name: lacks-blocks, user: {${cert}, as: lacks-blocks}}`,
      `- {name: lacks-services, user: {${cert}, as: lacks-services}}`,
      `- {name: wrong-ca, user: {${cert}}}`,
    ].join('\n');
  }

  /** Revisions of everything that a command could write. */
  async function revisions(): Promise<Record<string, string | undefined>> {
    const found: Record<string, string | undefined> = {};
    for (const { kind, api } of kinds) {
      // The API server writes these by itself.
      if (kind === 'WorkloadEndpoint' || kind === 'Lease' || kind === 'EndpointSlice') continue;
      const base = api.group === '' ? `/api/${api.version}` : `/apis/${api.group}/${api.version}`;
      const { status, body } = await server().admin.request('GET', `${base}/${api.plural}`);
      // Not every kind is installed.
      if (status === 404) continue;
      for (const { metadata } of (JSON.parse(body) as { items: KubeObject[] }).items) {
        found[`${kind} ${metadata.namespace ?? ''}/${metadata.name}`] = metadata.resourceVersion;
      }
    }
    return found;
  }

  async function unchanged(context: string, line: string): Promise<Ran> {
    const before = await revisions();
    expect(Object.keys(before).length).toBeGreaterThan(20);
    const ran = await run(`--kubeconfig ${folder}/kubeconfig --context ${context} ${line}`);
    expect(await revisions()).toEqual(before);
    return ran;
  }

  const lines = ['ipam check', 'ipam check --fix', 'ipam show', 'ipam release --ip 10.60.0.1'];

  it.each(lines)('`calictl %s` names a certificate authority that does not match', async (line) => {
    const names = `the certificate of ${server().url} is signed by an unknown authority`;
    expectClear(await unchanged('wrong-ca', line), { code: 1, names, hint: /certificate-authority/ });
  });

  it.each(lines)('`calictl %s` reports an invalid or expired token', async (line) => {
    const ran = await unchanged('invalid-token', line);
    expectClear(ran, { code: 1, names: /not allowed to \w+ .*Unauthorized/, hint: /sign in again/ });
    expect(ran.stderr).not.toContain('expired-secret-token');
  });

  it.each(lines)('`calictl %s` reports that all rights are missing', async (line) => {
    expectClear(await unchanged('nobody', line), { code: 1, names: /not allowed to list/, hint: /can-i/ });
  });

  it.each(lines)('`calictl %s` reports the missing right to read blocks', async (line) => {
    const names = 'not allowed to list ipamblocks.crd.projectcalico.org';
    expectClear(await unchanged('lacks-blocks', line), { code: 1, names, hint: /permission to list IPAMBlock/ });
  });

  it('ipam check without the right to read services continues and lists what it did not judge', async () => {
    const { code, stdout, stderr } = await unchanged('lacks-services', 'ipam check -o json');
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/^not read: Service: not allowed .*\n$/),
    });
    const { unread } = JSON.parse(stdout) as { unread: { kind: string; reason: string; invariants: string[] }[] };
    expect(unread).toEqual([
      {
        kind: 'Service',
        reason: expect.stringContaining('not allowed to list services'),
        invariants: ['INV-44', 'INV-67', 'INV-71'],
      },
    ]);
    const text = await unchanged('lacks-services', 'ipam check');
    expect(text.stdout.replaceAll(/\s+/g, ' ')).toContain('Service could not be read: not allowed to list services');
  });

  it('ipam check --fix without the right to the lock is refused and repairs nothing', async () => {
    const ran = await unchanged('lacks-services', 'ipam check --fix');
    expectClear(ran, { code: 4, names: /lease/i, hint: /--no-lease/ });
  });

  it('ipam release without the right to read services fails: the address could be in use', async () => {
    const ran = await unchanged('lacks-services', 'ipam release --ip 10.60.0.1');
    expectClear(ran, { code: 1, names: 'services', hint: /right to list Service/ });
  });
});
