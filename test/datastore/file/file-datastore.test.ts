import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatastoreError } from '../../../src/datastore/datastore.ts';
import { emptyFolderCode, openFolder } from '../../../src/datastore/file/file-datastore.ts';
import { replaceFile } from '../../../src/datastore/file/folder.ts';
import { ipamHandle } from '../../../src/resources/kinds/ipam-handle.ts';
import { lease } from '../../../src/resources/kinds/lease.ts';
import { calicoNode } from '../../../src/resources/kinds/node.ts';
import { workloadEndpoint } from '../../../src/resources/kinds/workload-endpoint.ts';
import { handle, handleYaml, total } from '../../support/clusters/counter-handles.ts';
import { type TestFolder, testFolder } from '../../support/program/test-folder.ts';
import { testWorld } from '../../support/program/world.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const open = () => openFolder(folder.path, testWorld());

async function names(): Promise<string[]> {
  const found: string[] = [];
  for await (const { items } of (await open()).list(ipamHandle))
    found.push(...items.map(({ metadata }) => metadata.name));
  return found;
}

async function failure(call: Promise<unknown>): Promise<DatastoreError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof DatastoreError) return error;
  throw new Error(`no DatastoreError: ${String(error)}`);
}

describe('reading a directory', () => {
  it('a directory reads every manifest below it, except hidden ones and nodes/', async () => {
    folder.write('a.yaml', handleYaml('yaml'));
    folder.write('sub/deeper/b.YML', handleYaml('yml'));
    folder.write('sub/nodes/c.json', JSON.stringify(handle('json')));
    folder.write('nodes/worker-1/routes.yaml', handleYaml('recorded'));
    folder.write('.hidden.yaml', handleYaml('hidden'));
    folder.write('.git/d.yaml', handleYaml('hidden-folder'));
    folder.write('notes.txt', 'not: [a manifest');
    folder.write('unknown.yaml', 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n');
    folder.write('target.txt', handleYaml('linked'));
    symlinkSync('target.txt', join(folder.path, 'link.yaml'));
    expect(await names()).toEqual(['json', 'linked', 'yaml', 'yml']);
  });

  it('a directory reads v3 exports too', async () => {
    folder.write(
      'export.yaml',
      'apiVersion: projectcalico.org/v3\nkind: NodeList\nitems:\n' +
        '- apiVersion: projectcalico.org/v3\n  kind: Node\n  metadata:\n    name: a\n  spec:\n    bgp:\n      ipv4Address: 192.0.2.1/24\n' +
        '---\napiVersion: projectcalico.org/v3\nkind: WorkloadEndpoint\nmetadata:\n  name: a-k8s-p-eth0\n  namespace: shop\n' +
        'spec:\n  node: a\n  pod: p\n  ipNetworks: [10.0.0.1/32]\n',
    );
    const store = await open();
    const node = await store.get(calicoNode, { name: 'a' });
    expect(node.metadata.annotations?.['projectcalico.org/IPv4Address']).toBe('192.0.2.1/24');
    const endpoint = await store.get(workloadEndpoint, { namespace: 'shop', name: 'a-k8s-p-eth0' });
    expect(endpoint.spec.ipNetworks).toEqual(['10.0.0.1/32']);
  });

  it('reading changes nothing in the directory', async () => {
    folder.write('a.yaml', handleYaml('a'));
    const before = statSync(folder.path, { bigint: true });
    await names();
    await (await open()).get(ipamHandle, { name: 'a' });
    expect(statSync(folder.path, { bigint: true }).mtimeNs).toBe(before.mtimeNs);
    expect(readdirSync(folder.path)).toEqual(['a.yaml']);
  });

  it('reading an empty directory is an error, and writing into it is not', async () => {
    const store = await open();
    expect(await failure(names())).toMatchObject({
      reason: 'invalid',
      code: emptyFolderCode,
      hint: expect.any(String),
    });
    expect(await failure(store.get(ipamHandle, { name: 'a' }))).toMatchObject({
      reason: 'not-found',
      hint: expect.stringContaining('holds no .yaml'),
    });
    await store.create(ipamHandle, handle('a'));
    expect(await names()).toEqual(['a']);
  });

  it('a missing directory is an error', async () => {
    const missing = join(folder.path, 'missing');
    await expect(openFolder(missing, testWorld())).rejects.toMatchObject({ exit: 2, hint: expect.any(String) });
    folder.write('a.yaml', handleYaml('a'));
    await expect(openFolder(join(folder.path, 'a.yaml'), testWorld())).rejects.toMatchObject({ exit: 2 });
  });

  it('a broken manifest is an error with file and line', async () => {
    folder.write('a.yaml', handleYaml('a'));
    folder.write('sub/half.yaml', `${handleYaml('b')}---\napiVersion: v1\nkind: List\nitems: [`);
    const error = await failure(names());
    expect(error).toMatchObject({ reason: 'invalid', hint: expect.any(String) });
    expect(error.message).toMatch(/sub\/half\.yaml:1[234]: /);
    folder.write('sub/half.yaml', handleYaml('b'));
    expect(await names()).toEqual(['a', 'b']);
  });

  it('two objects of one name that differ are an error', async () => {
    folder.write('a.yaml', `${handleYaml('x')}---\n${handleYaml('a')}`);
    folder.write('sub/b.yaml', handleYaml('a').replace(/handleID: .*/, 'handleID: other'));
    const { reason, message } = await failure(names());
    expect(reason).toBe('invalid');
    expect(message).toContain(`${join(folder.path, 'a.yaml')}:11`);
    expect(message).toContain(`${join(folder.path, 'sub/b.yaml')}:1`);
  });

  it('a manifest that is not UTF-8 is an error', async () => {
    folder.write('a.yaml', handleYaml('a'));
    writeFileSync(join(folder.path, 'b.yaml'), Buffer.from([0x61, 0x3a, 0x20, 0xff, 0x0a]));
    expect((await failure(names())).message).toContain('b.yaml is not UTF-8');
  });

  it('changes by other programs are seen', async () => {
    folder.write('a.yaml', handleYaml('a', 1));
    const store = await open();
    expect(total(await store.get(ipamHandle, { name: 'a' }))).toBe(1);
    folder.write('a.yaml', handleYaml('a', 22));
    const read = await store.get(ipamHandle, { name: 'a' });
    expect(total(read)).toBe(22);
    folder.write('a.yaml', handleYaml('a', 333));
    const reason = (await failure(store.update(ipamHandle, { ...read, spec: handle('a', 4).spec }))).reason;
    expect(reason).toBe('conflict');
    expect(folder.read('a.yaml')).toBe(handleYaml('a', 333));
  });

  it('a directory has the capture time of a snapshot', async () => {
    expect((await open()).capturedAt).toBeUndefined();
    folder.write('snapshot.json', '{"capturedAt": "2025-06-15T15:00:00Z", "by": "calictl"}');
    expect((await open()).capturedAt).toEqual(new Date('2025-06-15T15:00:00Z'));
    expect(await failure(names())).toMatchObject({ code: emptyFolderCode });
    folder.write('snapshot.json', '{"capturedAt": "yesterday"}');
    expect(await failure(open())).toMatchObject({ reason: 'invalid', hint: expect.any(String) });
  });
});

describe('revisions in a directory', () => {
  it('an object without a revision gets one from its content', async () => {
    folder.write('a.yaml', `${handleYaml('a')}---\n${handleYaml('b')}`);
    const store = await open();
    const first = await store.get(ipamHandle, { name: 'a' });
    expect(first.metadata.resourceVersion).toMatch(/^\d+$/);
    expect(await (await open()).get(ipamHandle, { name: 'a' })).toEqual(first);
    folder.write('a.yaml', `${handleYaml('a', 2)}---\n${handleYaml('b')}`);
    expect((await store.get(ipamHandle, { name: 'a' })).metadata.resourceVersion).not.toBe(
      first.metadata.resourceVersion,
    );
  });

  it('the first write stores a revision above all others', async () => {
    const versioned = handleYaml('b').replace('  name: b\n', "  name: b\n  resourceVersion: '1056'\n  uid: u-1\n");
    folder.write('a.yaml', `${handleYaml('a')}---\n${versioned}`);
    const store = await open();
    const read = await store.get(ipamHandle, { name: 'a' });
    const updated = await store.update(ipamHandle, { ...read, spec: handle('a', 2).spec });
    expect(updated.metadata.resourceVersion).toBe('1057');
    expect(folder.read('a.yaml')).toContain("resourceVersion: '1057'\n");
    expect(folder.read('a.yaml').endsWith(`---\n${versioned}`)).toBe(true);
    const other = await store.get(ipamHandle, { name: 'b' });
    const again = await store.update(ipamHandle, { ...other, spec: handle('b', 2).spec });
    expect(again.metadata).toMatchObject({ resourceVersion: '1058', uid: 'u-1' });
  });

  it('a write that changes nothing keeps the revision', async () => {
    folder.write('a.yaml', handleYaml('a'));
    const store = await open();
    const read = await store.get(ipamHandle, { name: 'a' });
    expect(await store.update(ipamHandle, read)).toEqual(read);
    expect(folder.read('a.yaml')).toBe(handleYaml('a'));
  });
});

describe('writing to a directory', () => {
  it('a new object gets a file of its own', async () => {
    folder.write('a.yaml', handleYaml('a'));
    const store = await open();
    await store.create(ipamHandle, handle('new', 3));
    await store.create(lease, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l', namespace: 'kube-system' },
      spec: {},
    });
    expect(folder.read('a.yaml')).toBe(handleYaml('a'));
    expect(readdirSync(folder.path).sort()).toEqual(['a.yaml', 'ipamhandle-new.yaml', 'lease-kube-system-l.yaml']);
    expect(folder.read('ipamhandle-new.yaml').replace(/uid: [0-9a-f-]{36}\n/, 'uid: UID\n')).toBe(
      'apiVersion: crd.projectcalico.org/v1\nkind: IPAMHandle\nmetadata:\n  name: new\n  uid: UID\n' +
        "  resourceVersion: '1'\n  creationTimestamp: '2025-06-15T16:00:00Z'\n" +
        'spec:\n  handleID: new\n  block:\n    10.60.0.0/26: 3\n  deleted: false\n',
    );
  });

  it('a new file has a safe name whatever the object is called', async () => {
    const hostile = [
      '../../etc/passwd',
      '.',
      'a/b',
      'a\\b',
      'nul\0',
      'x'.repeat(400),
      'Ä',
      'a b',
      'A',
      'a',
      '-rf',
      'new\nline',
    ];
    const store = await open();
    for (const name of hostile) await store.create(ipamHandle, handle(name));
    expect((await names()).sort()).toEqual([...hostile].sort());
    const files = readdirSync(folder.path);
    expect(files).toHaveLength(hostile.length);
    for (const file of files) expect(file).toMatch(/^ipamhandle-[A-Za-z0-9._-]{1,140}\.yaml$/);
    for (const name of hostile) await store.delete(ipamHandle, { name }, {});
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('a new file gets another name when the first choice exists', async () => {
    folder.write('ipamhandle-a.yaml', handleYaml('b'));
    await (await open()).create(ipamHandle, handle('a'));
    expect(folder.read('ipamhandle-a.yaml')).toBe(handleYaml('b'));
    expect(await names()).toEqual(['a', 'b']);
  });

  it('a file is removed with its last object', async () => {
    folder.write('sub/a.yaml', `# mine\n${handleYaml('a')}`);
    folder.write('b.json', JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [handle('b')] }));
    const store = await open();
    await store.delete(ipamHandle, { name: 'a' }, {});
    expect(existsSync(join(folder.path, 'sub/a.yaml'))).toBe(false);
    await store.delete(ipamHandle, { name: 'b' }, {});
    expect(existsSync(join(folder.path, 'b.json'))).toBe(false);
  });

  it('a write keeps mode and links of the file', async () => {
    folder.write('.real/a.yaml', handleYaml('a'));
    chmodSync(join(folder.path, '.real/a.yaml'), 0o640);
    symlinkSync('.real/a.yaml', join(folder.path, 'a.yaml'));
    const store = await open();
    const read = await store.get(ipamHandle, { name: 'a' });
    await store.update(ipamHandle, { ...read, spec: handle('a', 2).spec });
    expect(folder.read('.real/a.yaml')).toContain('10.60.0.0/26: 2\n');
    expect(statSync(join(folder.path, '.real/a.yaml')).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(folder.path, '.real'))).toEqual(['a.yaml']);
  });

  it('a write is refused where the text does not allow it', async () => {
    const item = (name: string, x: string) =>
      handleYaml(name).replace(/^/gm, '  ').replace('  api', '- api').trimEnd().concat(`\n    x: ${x}\n`);
    const text = `apiVersion: v1\nkind: List\nitems:\n${item('a', '&x [1]')}${item('b', '*x')}`;
    folder.write('a.yaml', text);
    const store = await open();
    const { reason, message } = await failure(store.delete(ipamHandle, { name: 'a' }, {}));
    expect(reason).toBe('invalid');
    expect(message).toContain(`${join(folder.path, 'a.yaml')}:4: `);
    expect(folder.read('a.yaml')).toBe(text);
    expect(readdirSync(folder.path)).toEqual(['a.yaml']);
  });
});

it('a failed write leaves no draft behind', async () => {
  mkdirSync(join(folder.path, 'in-the-way'));
  await expect(replaceFile(join(folder.path, 'in-the-way'), 'text')).rejects.toThrow('EISDIR');
  expect(readdirSync(folder.path)).toEqual(['in-the-way']);
});

it.skipIf(process.getuid?.() !== 0)('root keeps the owner and the mode of a file that it changes', async () => {
  folder.write('a.yaml', handleYaml('a'));
  const path = join(folder.path, 'a.yaml');
  chownSync(path, 1234, 2345);
  chmodSync(path, 0o604);
  const store = await open();
  const read = await store.get(ipamHandle, { name: 'a' });
  await store.update(ipamHandle, { ...read, spec: handle('a', 2).spec });
  const { uid, gid, mode } = statSync(path);
  expect({ uid, gid, mode: mode & 0o7777 }).toEqual({ uid: 1234, gid: 2345, mode: 0o604 });
});

it('a write removes the drafts of locks that dead processes left, and no others', async () => {
  folder.write('a.yaml', handleYaml('a'));
  const draft = (name: string, incarnation: string): void =>
    folder.write(`.calictl.lock.7.${name}`, JSON.stringify({ pid: 7, hostname: 'h', incarnation, token: name }));
  draft('one', 'dead');
  draft('two', 'alive');
  const world = testWorld();
  const self = { ...world.self, isAlive: (_: number, incarnation: string) => incarnation !== 'dead' };
  const store = await openFolder(folder.path, { ...world, self });
  const read = await store.get(ipamHandle, { name: 'a' });
  await store.update(ipamHandle, { ...read, spec: handle('a', 2).spec });
  expect(readdirSync(folder.path).sort()).toEqual(['.calictl.lock.7.two', 'a.yaml']);
});

it('a lock that is a named pipe is an error that names it, not an endless wait', async () => {
  folder.write('a.yaml', handleYaml('a'));
  execFileSync('mkfifo', [join(folder.path, '.calictl.lock')]);
  const { message } = await failure((await open()).delete(ipamHandle, { name: 'a' }, {}));
  expect(message).toBe(`the lock ${join(folder.path, '.calictl.lock')} cannot be read: a named pipe, not a file`);
});
