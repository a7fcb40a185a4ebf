// calictl snapshot save: what is in a snapshot and what is not, its bytes, and that reading commands work on it.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { afterAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { affinityTo, blockWith, node, pool } from '../../support/clusters/ipam-state.ts';
import { run, TestClock } from '../../support/program/world.ts';

const scratch = mkdtempSync(join(tmpdir(), 'calictl-snapshot-'));
afterAll(() => rmSync(scratch, { recursive: true }));
let made = 0;
const newPath = (end = ''): string => join(scratch, `${++made}${end}`);

const secret = 'hunter2';
const applied = { 'kubectl.kubernetes.io/last-applied-configuration': `{"env":"${secret}"}` };
const pod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: 'shop',
    name: 'cart-0',
    labels: { team: 'blue', 'projectcalico.org/namespace': 'shop' },
    annotations: { ...applied, 'cni.projectcalico.org/podIP': '10.60.0.1/32', 'vault/token': secret },
    managedFields: [{ manager: secret }],
  },
  spec: {
    nodeName: 'node-a',
    serviceAccountName: 'cart',
    containers: [{ name: 'cart', env: [{ name: 'PASSWORD', value: secret }], ports: [{ containerPort: 80 }] }],
  },
  status: { phase: 'Running', podIP: '10.60.0.1', podIPs: [{ ip: '10.60.0.1' }], message: secret },
};
const nodeA = node('node-a', { zone: 'east' });
nodeA.metadata.annotations = { ...applied, 'projectcalico.org/IPv4Address': '192.0.2.1/24', note: 'rack 4' };
const objects: KubeObject[] = [
  nodeA,
  pod,
  pool('pool-1', '10.60.0.0/24', 29),
  blockWith('10.60.0.0/29', 'host:node-a', ['handle-1', 1]),
  affinityTo('node-a', '10.60.0.0/29', 'confirmed'),
];
objects.forEach(({ metadata }, i) => {
  metadata.resourceVersion = String(100 + i);
});
const save = (path: string, args: readonly string[] = [], options = {}) =>
  run(['snapshot', 'save', path, ...args], { objects, clock: new TestClock('2026-01-02T03:04:05Z'), ...options });
const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
const contents = (folder: string): string =>
  files(folder)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');

describe('the contents of a snapshot', () => {
  it('a snapshot has one file per kind and the time of its capture', async () => {
    const path = newPath();
    const { code, stdout, stderr } = await save(path);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(readdirSync(path).sort()).toEqual([
      'blockaffinities.json',
      'ipamblocks.json',
      'ippools.json',
      'nodes.json',
      'pods.json',
      'snapshot.json',
    ]);
    expect(JSON.parse(readFileSync(join(path, 'snapshot.json'), 'utf8'))).toEqual({
      capturedAt: '2026-01-02T03:04:05.000Z',
      // Of a folder, which may be a dump of some kinds, nothing is known to be complete.
      complete: [],
    });
    expect(stdout).toContain(`saved to ${path}`);
  });

  it.each(['', '.tgz'])('a snapshot answers what the datastore answers (%s)', async (end) => {
    const path = newPath(end);
    await save(path);
    for (const line of [
      'get ipamblocks -o yaml',
      'get ippools -o json',
      'get blockaffinities -o wide',
      'get nodes -o wide',
      'ipam show --show-blocks',
      'ipam check -o json',
      'ipam capacity',
    ]) {
      const [there, here] = [
        await run(['--datastore', path, ...line.split(' ')], { clock: new TestClock('2026-01-02T03:04:05Z') }),
        await run(line, { objects, clock: new TestClock('2026-01-02T03:04:05Z') }),
      ];
      // A snapshot is judged as of when it was taken, and says so.
      const plain = (text: string): string => text.replace(/ *"judgedAt": .*\n/g, '');
      expect(`${line}\n${plain(there.stdout)}`).toBe(`${line}\n${plain(here.stdout)}`);
      expect(there.code).toBe(here.code);
    }
  });

  it('a snapshot contains no secret of a pod', async () => {
    const path = newPath();
    await save(path);
    expect(contents(path)).not.toContain(secret);
    expect(contents(path)).toContain('"nodeName":"node-a"');
    expect(contents(path)).toContain('"team":"blue"');
    expect(contents(path)).toContain('rack 4');
  });

  it('snapshot save --redact removes foreign labels and annotations and service accounts, and keeps what is needed to judge', async () => {
    const path = newPath();
    await save(path, ['--redact']);
    const text = contents(path);
    for (const gone of [secret, 'blue', 'rack 4', '"serviceAccountName"']) expect(text).not.toContain(gone);
    for (const kept of ['"zone":"east"', '192.0.2.1/24', '"projectcalico.org/namespace":"shop"', '10.60.0.1/32']) {
      expect(text).toContain(kept);
    }
  });

  it('a snapshot has the same bytes for the same state', async () => {
    const [one, two] = [newPath('.tgz'), newPath('.tgz')];
    await save(one, ['--nodes', '--via', 'netns:no-such-namespace']);
    await save(two, ['--nodes', '--via', 'netns:no-such-namespace']);
    expect(readFileSync(one).equals(readFileSync(two))).toBe(true);
  });
});

describe('nodes in a snapshot', () => {
  it('a snapshot replays recorded commands as the node answered them', async () => {
    const path = newPath('.tgz');
    const { code } = await save(path, ['--nodes', '--via', 'local']);
    expect([0, 5]).toContain(code);
    const replay = (...argv: string[]) => run(['--datastore', path, 'node', 'exec', 'node-a', '--', ...argv]);
    const links = ['ip', '-j', '-d', 'link', 'show'];
    const { stdout } = await replay(...links);
    expect((JSON.parse(stdout) as { ifname: string }[]).map(({ ifname }) => ifname)).toContain('lo');
    const missing = await replay('ip', 'route', 'get', '192.0.2.9');
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('the snapshot has no record of ip route get 192.0.2.9 (NODE_NOT_RECORDED)');
  });

  it('a snapshot records why a node was not reached, and repeats it later', async () => {
    const path = newPath();
    const saved = await save(path, ['--nodes', '--via', 'netns:no-such-namespace']);
    expect(saved.code).toBe(5);
    expect(saved.stdout).toContain('recorded 0 of 1 nodes');
    // The node is named once, also where the reason begins with it.
    expect(saved.stdout).toMatch(/^\d+ answers missing from node-a: (?!node-a)/m);
    const { code, stderr } = await run([
      '--datastore',
      path,
      'node',
      'exec',
      'node-a',
      '--',
      'cat',
      '/var/lib/calico/mtu',
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("network namespace 'no-such-namespace' not found (when the snapshot was saved)");
  });

  it('a snapshot without --nodes reports that nodes were not recorded', async () => {
    const path = newPath();
    await save(path);
    const { code, stderr } = await run(['--datastore', path, 'node', 'exec', 'node-a', '--', 'true']);
    expect(code).toBe(1);
    expect(stderr).toContain('no recordings');
  });

  it('a snapshot reads no file outside of the recordings', async () => {
    const path = newPath();
    await save(path);
    const folder = join(path, 'nodes', 'node-a');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(path, 'nodes', 'outside.txt'), 'outside');
    const commands = [{ argv: ['id'], exit: 0, stdout: '../outside.txt' }];
    writeFileSync(join(folder, 'commands.json'), JSON.stringify({ node: 'node-a', commands }));
    const { code, stdout } = await run(['--datastore', path, 'node', 'exec', 'node-a', '--', 'id']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it.each(['file', 'directory'])('a snapshot follows no link to the outside (%s)', async (kind) => {
    const [path, outside] = [newPath(), newPath()];
    await save(path);
    mkdirSync(outside);
    mkdirSync(join(path, 'nodes'));
    const commands = [{ argv: ['id'], exit: 0, stdout: 'id.txt' }];
    const folder = join(path, 'nodes', 'node-a');
    const inside = kind === 'file' ? folder : outside;
    if (kind === 'file') mkdirSync(folder);
    else symlinkSync(outside, folder);
    writeFileSync(join(inside, 'commands.json'), JSON.stringify({ node: 'node-a', commands }));
    writeFileSync(join(outside, 'id.txt'), 'outside');
    if (kind === 'file') symlinkSync(join(outside, 'id.txt'), join(folder, 'id.txt'));
    const { code, stdout } = await run(['--datastore', path, 'node', 'exec', 'node-a', '--', 'id']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('snapshot save names nodes whose names cannot be file names', async () => {
    const nodes = [node('node-a'), node('../node-b')];
    const { code, stdout } = await save(newPath(), ['--nodes', '--via', 'local'], { objects: nodes });
    expect(code).toBe(5);
    expect(stdout).toMatch(/^\d+ answers missing from \.\.\/node-b: not a valid node name$/m);
  });

  const listOf = (command: object): string => JSON.stringify({ node: 'node-a', commands: [command] });
  const lost = { reason: 'timeout', message: 'm' };
  it.each([
    '',
    '[]',
    '{"node":"node-a"}',
    '{',
    listOf({ argv: [], exit: 0 }),
    listOf({ argv: ['id'], exit: '0' }),
    listOf({ argv: ['id'], exit: 0, stdout: 5 }),
    listOf({ argv: ['id'], exit: 0, stderr: {} }),
    listOf({ argv: ['id'], exit: 0, truncated: 'no' }),
    listOf({ argv: ['id'], lost: null }),
    listOf({ argv: ['id'], lost: { ...lost, hint: 5 } }),
    // Only who asks can be interrupted.
    listOf({ argv: ['id'], lost: { ...lost, reason: 'cancelled' } }),
  ])('a snapshot refuses the list of commands %j', async (text) => {
    const path = newPath();
    await save(path);
    mkdirSync(join(path, 'nodes', 'node-a'), { recursive: true });
    writeFileSync(join(path, 'nodes', 'node-a', 'commands.json'), text);
    const { code, stderr } = await run(['--datastore', path, 'node', 'exec', 'node-a', '--', 'id']);
    expect(code).toBe(1);
    expect(stderr).toContain('is not a list of recorded commands');
  });
});

describe('where a snapshot is saved', () => {
  it('snapshot save never overwrites a file or directory', async () => {
    const [folder, bundle] = [newPath(), newPath('.tgz')];
    await save(folder);
    await save(bundle);
    const before = contents(folder);
    for (const path of [folder, bundle]) {
      const { code, stderr } = await save(path);
      expect(code).toBe(4);
      expect(stderr).toContain('already exists');
    }
    expect(contents(folder)).toBe(before);
  });

  it.each(['', '.tgz'])('one of several runs of snapshot save to the same path wins (%s)', async (end) => {
    const path = newPath(end);
    const before = readdirSync(scratch).length;
    const ran = await Promise.all([save(path), save(path), save(path)]);
    expect(ran.map(({ code }) => code).sort()).toEqual([0, 4, 4]);
    expect(readdirSync(scratch)).toHaveLength(before + 1);
    expect((await run(['--datastore', path, 'get', 'nodes'])).stdout).toContain('node-a');
  });

  it('snapshot save refuses a link, wherever it points', async () => {
    const path = newPath();
    symlinkSync('nowhere', path);
    expect((await save(path)).code).toBe(4);
  });

  it('snapshot save accepts an empty directory', async () => {
    const path = newPath();
    mkdirSync(path);
    expect((await save(path)).code).toBe(0);
  });

  it.each(['', '.tgz'])('an interrupted snapshot save leaves nothing behind (%s)', async (end) => {
    const path = newPath(end);
    const before = readdirSync(scratch).length;
    const { code } = await save(path, [], { signal: AbortSignal.abort(new DOMException('interrupted', 'AbortError')) });
    expect(code).toBe(130);
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(scratch)).toHaveLength(before);
  });

  it.each([
    ['/proc/snapshot', 1],
    ['', 2],
  ])('snapshot save fails for a path that cannot be written: %j', async (path, code) => {
    expect((await save(path)).code).toBe(code);
  });
});

describe('a snapshot bundle', () => {
  const packed = async (
    entries: readonly (readonly [header: Partial<Header> & { name: string }, body?: string])[],
  ): Promise<string> => {
    const path = newPath('.tgz');
    const archive = pack();
    const bytes = buffer(archive.pipe(createGzip()));
    for (const [header, body] of entries) archive.entry(header, body ?? '');
    archive.finalize();
    writeFileSync(path, await bytes);
    return path;
  };
  const nodes = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [node('node-a')] });

  it('a bundle inside a directory is read as a datastore', async () => {
    const path = await packed([[{ name: 'case-17/nodes.json' }, nodes]]);
    expect((await run(['--datastore', path, 'get', 'nodes'])).stdout).toContain('node-a');
  });

  it('reading a bundle writes nothing outside of its own directory', async () => {
    const mark = `calictl-escaped-${process.pid}`;
    const path = await packed([
      [{ name: `../${mark}` }, 'x'],
      [{ name: `/tmp/${mark}` }, 'x'],
      [{ name: `a/../../${mark}` }, 'x'],
      [{ name: 'link', type: 'symlink', linkname: tmpdir() }],
      [{ name: `link/${mark}` }, 'x'],
      [{ name: 'nodes.json' }, nodes],
    ]);
    expect((await run(['--datastore', path, 'get', 'nodes'])).stdout).toContain('node-a');
    expect(existsSync(join(tmpdir(), mark))).toBe(false);
  });

  it('a file that is not a bundle is an error', async () => {
    const path = newPath('.tgz');
    writeFileSync(path, 'no archive');
    const { code, stderr } = await run(['--datastore', path, 'get', 'nodes']);
    expect(code).toBe(1);
    expect(stderr).toContain('is not a snapshot bundle');
  });

  it('a truncated bundle is an error', async () => {
    const whole = newPath('.tgz');
    await save(whole);
    const path = newPath('.tgz');
    writeFileSync(path, readFileSync(whole).subarray(0, 300));
    const { code, stderr } = await run(['--datastore', path, 'get', 'nodes']);
    expect(code).toBe(1);
    expect(stderr).toContain('is not a snapshot bundle');
  });

  it('a bundle is read-only', async () => {
    const path = newPath('.tgz');
    await save(path);
    const { code, stderr } = await run(['--datastore', path, 'ipam', 'assign', '--node', 'node-a']);
    expect(code).toBe(1);
    expect(stderr).toContain('cannot be written to');
  });
});
