// Folders with Calico's objects in projectcalico.org/v3: which API a folder has, and in which form its objects are written.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listAll } from '../../../src/datastore/datastore.ts';
import { type FolderOptions, openFolder } from '../../../src/datastore/file/file-datastore.ts';
import { inStoredForm } from '../../../src/resources/convert/v3.ts';
import { blockAffinity } from '../../../src/resources/kinds/block-affinity.ts';
import { ipPool } from '../../../src/resources/kinds/ip-pool.ts';
import { ipamBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { ipamConfig } from '../../../src/resources/kinds/ipam-config.ts';
import { ipamHandle } from '../../../src/resources/kinds/ipam-handle.ts';
import { kindNamed } from '../../../src/resources/kinds.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { printJson } from '../../../src/text/json.ts';
import { corpus } from '../../support/clusters/corpus.ts';
import { faultLines } from '../../support/clusters/example-cluster.ts';
import { type TestFolder, testFolder } from '../../support/program/test-folder.ts';
import { folderOf, run, TestClock, testWorld } from '../../support/program/world.ts';

const crd = 'crd.projectcalico.org/v1';
const v3 = 'projectcalico.org/v3';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const open = (options?: FolderOptions) => openFolder(folder.path, testWorld(), options);

const pool = (apiVersion: string, cidr = '10.60.0.0/20'): KubeObject => ({
  apiVersion,
  kind: 'IPPool',
  metadata: { name: 'pool-1', uid: '11111111-2222-4333-8444-555555555555', labels: { team: 'blue' } },
  spec: { cidr },
});
const handle = (apiVersion: string, name = 'h'): KubeObject => ({
  apiVersion,
  kind: 'IPAMHandle',
  metadata: { name, resourceVersion: '7' },
  spec: { handleID: name, block: { '10.60.0.0/26': 1 }, deleted: false },
});
const write = (name: string, ...objects: KubeObject[]): void =>
  folder.write(`${name}.json`, printJson({ apiVersion: 'v1', kind: 'List', items: objects } as never));

describe('the API of a directory', () => {
  it('a directory with blocks or handles of projectcalico.org/v3 has its objects there', async () => {
    write('dump', pool(v3), handle(v3));
    const store = await open();
    expect(await store.get(ipPool, { name: 'pool-1' })).toMatchObject({ ...pool(v3), metadata: pool(v3).metadata });
    expect(store.calicoApi).toBe(v3);
    expect((await listAll(store, ipamHandle)).map(({ apiVersion }) => apiVersion)).toEqual([v3]);
  });

  it('exports of calicoctl next to stored objects, or alone, are in crd.projectcalico.org/v1', async () => {
    write('pools', pool(v3));
    const store = await open();
    expect((await store.get(ipPool, { name: 'pool-1' })).apiVersion).toBe(crd);
    write('handles', handle(crd));
    expect((await listAll(store, ipamHandle)).map(({ apiVersion }) => apiVersion)).toEqual([crd]);
    expect(store.calicoApi).toBe(crd);
  });

  it('a snapshot says which API its cluster has, also without blocks', async () => {
    folder.write('snapshot.json', printJson({ capturedAt: '2026-01-01T00:00:00Z', complete: [], calicoApi: v3 }));
    write('pools', pool(v3));
    const store = await open();
    expect(store.calicoApi).toBe(v3);
    expect((await store.get(ipPool, { name: 'pool-1' })).metadata.uid).toBe('11111111-2222-4333-8444-555555555555');
  });

  it('IPAM data of both is an error that names both places, until the user chooses one', async () => {
    write('new', handle(v3, 'new'), pool(v3, '10.70.0.0/20'));
    write('old', handle(crd, 'old'), pool(crd));
    await expect(listAll(await open(), ipamHandle)).rejects.toMatchObject({
      code: 'CALICO_API_UNCLEAR',
      message: expect.stringMatching(/old\.json:1\) and in projectcalico\.org\/v3 \(.*new\.json:1\)$/),
    });
    for (const [calicoApi, name, cidr] of [
      [crd, 'old', '10.60.0.0/20'],
      [v3, 'new', '10.70.0.0/20'],
    ] as const) {
      const store = await open({ calicoApi });
      expect((await listAll(store, ipamHandle)).map(({ metadata }) => metadata.name)).toEqual([name]);
      expect((await listAll(store, ipPool)).map(({ spec }) => spec.cidr)).toEqual([cidr]);
    }
  });

  it("the copy that Calico's API server makes of a custom resource is the same object", async () => {
    const affinity = {
      apiVersion: crd,
      kind: 'BlockAffinity',
      metadata: { name: 'a', annotations: { 'projectcalico.org/metadata': '{"creationTimestamp":null}' } },
      spec: { state: 'confirmed', node: 'n', type: 'host', cidr: '10.60.0.0/26', deleted: 'false' },
    };
    const shown = { ...affinity, apiVersion: v3, metadata: { name: 'a' }, spec: { ...affinity.spec, deleted: false } };
    write('a-shown', shown);
    write('stored', affinity);
    const [found, ...others] = await listAll(await open(), blockAffinity);
    expect(found).toMatchObject(affinity);
    expect(others).toEqual([]);
    write('a-shown', { ...shown, spec: { ...shown.spec, node: 'other' } });
    await expect(listAll(await open(), blockAffinity)).rejects.toThrow(/stored twice/);
  });
});

it.each(['yaml', 'json'])(
  'get prints raw objects of a directory of projectcalico.org/v3 as a list of that API in %s',
  async (format) => {
    const config = { apiVersion: v3, kind: 'IPAMConfiguration', metadata: { name: 'default' }, spec: {} };
    write('dump', handle(v3), config);
    const { stdout } = await run(`get ipamconfigs -o ${format}`, { env: { DATASTORE_TYPE: folder.path } });
    expect(stdout).toContain('IPAMConfigurationList');
    expect(stdout).not.toContain('crd.projectcalico.org');
  },
);

describe('writes to a directory of projectcalico.org/v3', () => {
  it('an object is changed where it is, and a new one has the same API', async () => {
    write('dump', pool(v3), handle(v3));
    const store = await open();
    const read = await store.get(ipamHandle, { name: 'h' });
    await store.update(ipamHandle, { ...read, spec: { ...read.spec, deleted: true } });
    expect(readFileSync(join(folder.path, 'dump.json'), 'utf8')).toContain('"deleted":true');
    const spec = { strictAffinity: true, autoAllocateBlocks: true };
    await store.create(ipamConfig, { apiVersion: crd, kind: 'IPAMConfig', metadata: { name: 'default' }, spec });
    const made = readdirSync(folder.path).find((name) => name.startsWith('ipamconfig')) ?? '';
    expect(readFileSync(join(folder.path, made), 'utf8')).toMatch(
      /^apiVersion: projectcalico\.org\/v3\nkind: IPAMConfiguration\n/,
    );
    expect((await (await open()).get(ipamConfig, { name: 'default' })).spec).toEqual(spec);
  });

  it('a store that was not read yet writes the API of the directory too', async () => {
    write('dump', handle(v3));
    const block = { cidr: '10.60.0.0/30', allocations: [], unallocated: [], attributes: [], strictAffinity: false };
    const created = await (await open()).create(ipamBlock, {
      apiVersion: crd,
      kind: 'IPAMBlock',
      metadata: { name: '10-60-0-0-30' },
      spec: { ...block, sequenceNumber: 1n, sequenceNumberForAllocation: {}, deleted: false },
    });
    expect(created.apiVersion).toBe(v3);
  });
});

const isWanted = (_: unknown, at: number): boolean => process.env['LONG'] !== undefined || at % 6 === 2;

it.each(corpus().filter(isWanted))(
  'in a directory of projectcalico.org/v3, $name has the expected findings before and after a repair',
  async ({ objects, findings, left }) => {
    const native = objects.map((object) => inStoredForm(kindNamed(object.kind) as never, object, v3));
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'kubernetes', namespace: 'default' } };
    const path = folderOf([...native, service]);
    const env = { DATASTORE_TYPE: path, XDG_STATE_HOME: folder.path };
    const found = async (line: string) => {
      const { stdout, stderr } = await run(line, { env, clock: new TestClock('2026-06-01T00:00:00Z') });
      expect(stderr).toBe('');
      return faultLines(JSON.parse(stdout));
    };
    expect(await found('ipam check -o json')).toEqual([...findings].sort());
    await found('ipam check --fix -o json');
    expect(await found('ipam check -o json')).toEqual([...left].sort());
    for (const name of readdirSync(path)) expect(readFileSync(join(path, name), 'utf8')).not.toContain(crd);
  },
);

describe('writes to a directory of exports', () => {
  const text = `# the pools of the office
apiVersion: projectcalico.org/v3
kind: IPPool
metadata:
  name: pool-1
  labels: {team: blue}  # who to ask
spec:
  natOutgoing: true
  # the second half is reserved
  cidr: 10.60.0.0/20
  futureField: {id: 9007199254740993}
`;

  it('a changed object keeps its API, its comments, the order of its keys and what calictl does not know', async () => {
    folder.write('pools.yaml', text);
    const env = { DATASTORE_TYPE: folder.path };
    expect(await run('label ippool pool-1 rack=r7', { env })).toMatchObject({ code: 0, stderr: '' });
    const patch = ['patch', 'ippool', 'pool-1', '-p', '{"spec":{"natOutgoing":false}}'];
    expect(await run(patch, { env })).toMatchObject({ code: 0, stderr: '' });
    const after = readFileSync(join(folder.path, 'pools.yaml'), 'utf8');
    expect(after).not.toContain(crd);
    expect(after).not.toContain('projectcalico.org/metadata');
    const kept = text.split('\n').filter((line) => !/labels:|natOutgoing/.test(line));
    expect(after.split('\n').filter((line) => kept.includes(line))).toEqual(kept);
    expect(after).toMatch(/labels: \{team: blue, rack: r7\} +# who to ask/);
  });

  it('a new object among exports is written as one of them, and IPAM data as custom resources', async () => {
    folder.write('pools.yaml', text);
    const store = await open();
    await store.create(ipamHandle, handle(crd, 'h'));
    await run('create -f -', {
      env: { DATASTORE_TYPE: folder.path },
      stdin: printJson({ apiVersion: v3, kind: 'IPReservation', metadata: { name: 'r' }, spec: {} }),
    });
    const texts = readdirSync(folder.path).map((name) => readFileSync(join(folder.path, name), 'utf8'));
    const versions = texts.map((one) => /^(?:# .*\n)?apiVersion: (.*)\nkind: (.*)$/m.exec(one)?.slice(1).join(' '));
    expect(versions.filter((one) => one !== undefined).sort()).toEqual([
      `${crd} IPAMHandle`,
      `${v3} IPPool`,
      `${v3} IPReservation`,
    ]);
  });

  it('a custom resource in a directory of projectcalico.org/v3 stays one, with labels of its own', async () => {
    write('dump', handle(v3));
    folder.write('pools.yaml', text.replace(v3, crd));
    const env = { DATASTORE_TYPE: folder.path };
    expect(await run('label ippool pool-1 rack=r7', { env })).toMatchObject({ code: 0, stderr: '' });
    const after = readFileSync(join(folder.path, 'pools.yaml'), 'utf8');
    expect(after).toContain(`apiVersion: ${crd}\n`);
    expect(after).toMatch(/labels: \{team: blue, rack: r7\} +# who to ask/);
    expect(after).toContain('futureField: {id: 9007199254740993}');
  });
});
