// Clusters whose Calico objects are not in crd.projectcalico.org: never an empty list, and never a second set of data.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { kubeConnection } from '../../../src/connect/kube-config.ts';
import type { Datastore } from '../../../src/datastore/datastore.ts';
import { listAll } from '../../../src/datastore/datastore.ts';
import { openKube } from '../../../src/datastore/kube/kube-datastore.ts';
import { ipPool } from '../../../src/resources/kinds/ip-pool.ts';
import { ipamBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { run, testWorld } from '../../support/program/world.ts';
import { failure, type StandIn, sendJson, startStandIn } from '../../support/servers/tls-stand-in.ts';

let standIn: StandIn | undefined;
afterEach(async () => {
  await standIn?.stop();
  standIn = undefined;
});

const own = 'crd.projectcalico.org';
const other = 'projectcalico.org';

interface Served {
  readonly groups: readonly string[];
  /** Of projectcalico.org/v3. */
  readonly resources?: readonly string[];
  /** Plurals of crd.projectcalico.org that exist, without objects. */
  readonly empty?: readonly string[];
}

async function serving({ groups, resources = [], empty = [] }: Served): Promise<StandIn> {
  standIn = await startStandIn(({ path }, response) => {
    if (path === '/apis') return sendJson(response, 200, { groups: groups.map((name) => ({ name })) });
    if (path === `/apis/${other}/v3`)
      return sendJson(response, 200, { resources: resources.map((name) => ({ name })) });
    const plural = new RegExp(`^/apis/${own}/v1/([a-z]+)`).exec(path)?.[1] ?? '';
    if (empty.includes(plural) || path.startsWith('/api/v1/'))
      return sendJson(response, 200, { kind: 'List', items: [], metadata: {} });
    return sendJson(response, 404, failure(404, 'NotFound', 'the server could not find the requested resource'));
  });
  return standIn;
}

async function opened({ url, caFile }: StandIn): Promise<Datastore> {
  const world = testWorld();
  return openKube(await kubeConnection({ k8sAPIEndpoint: url, k8sCAFile: caFile }, world), world, { explains: true });
}

const native = { groups: ['apps', other], resources: ['ippools', 'ipamblocks'] };

describe('native objects of projectcalico.org/v3', () => {
  it.each([
    ['without the other group', native],
    ['next to some CRDs of the other group', { ...native, groups: [own, other], empty: ['felixconfigurations'] }],
    ['next to all CRDs of the other group, without a pool', { ...native, groups: [own, other], empty: ['ippools'] }],
  ])('pools in projectcalico.org/v3 %s are refused by name', async (_, served) => {
    const server = await serving(served);
    await expect(listAll(await opened(server), ipPool)).rejects.toMatchObject({
      exit: 4,
      message: `${server.url} keeps Calico's objects as CRDs of projectcalico.org/v3`,
    });
  });

  it('nothing is written next to native objects', async () => {
    const store = await opened(await serving(native));
    const block = {
      apiVersion: `${own}/v1`,
      kind: 'IPAMBlock',
      metadata: { name: 'b', resourceVersion: '1' },
      spec: {},
    };
    await expect(store.create(ipamBlock, block as never)).rejects.toMatchObject({ exit: 4 });
    await expect(store.get(ipamBlock, { name: 'b' })).rejects.toMatchObject({ exit: 4 });
    await expect(store.delete(ipamBlock, { name: 'b' }, {})).rejects.toMatchObject({ exit: 4 });
  });

  it.each([
    'get ippools',
    'ipam show',
    'ipam check',
    'ipam check --fix',
    'ipam assign --node node-a',
    'ipam capacity',
    'ipam release --ip 10.0.0.1',
    'ipam affinity list',
    'snapshot save copy',
  ])('%s names projectcalico.org/v3 and exits without an answer', async (line) => {
    const { url } = await serving(native);
    const env = { K8S_API_ENDPOINT: url, K8S_INSECURE_SKIP_TLS_VERIFY: 'true' };
    const folder = mkdtempSync(join(tmpdir(), 'calictl-groups-'));
    const { code, stdout, stderr } = await run(line, { env, cwd: folder });
    rmSync(folder, { recursive: true });
    expect({ code, stdout }).toEqual({ code: expect.toBeOneOf([1, 4]), stdout: '' });
    expect(stderr).toContain('projectcalico.org/v3');
    expect(standIn?.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

describe('other clusters', () => {
  it('a cluster without Calico is reported as such', async () => {
    const server = await serving({ groups: ['apps'] });
    await expect(listAll(await opened(server), ipPool)).rejects.toMatchObject({
      code: 'NO_CALICO',
      message: `${server.url} serves no API group crd.projectcalico.org`,
    });
  });

  it("Calico's own API server over etcd is not taken for native objects", async () => {
    const server = await serving({ groups: [other], resources: ['ippools', 'profiles'] });
    await expect(listAll(await opened(server), ipPool)).rejects.toMatchObject({ code: 'NO_CALICO' });
  });

  it('a single missing CRD keeps its own error', async () => {
    const store = await opened(await serving({ groups: [own], empty: ['ippools'] }));
    await expect(listAll(store, ipamBlock)).rejects.toMatchObject({ missingKind: true });
  });

  it('a cluster with CRDs and without a pool has no pools', async () => {
    expect(await listAll(await opened(await serving({ groups: [own], empty: ['ippools'] })), ipPool)).toEqual([]);
    const both = { groups: [own, other], resources: ['ippools', 'profiles'], empty: ['ippools'] };
    expect(await listAll(await opened(await serving(both)), ipPool)).toEqual([]);
  });

  it('calicoctl keeps its text for a cluster without its group', async () => {
    const { url } = await serving(native);
    const env = { K8S_API_ENDPOINT: url, K8S_INSECURE_SKIP_TLS_VERIFY: 'true' };
    const { stdout, stderr } = await run('ipam show', { env, programName: 'calicoctl' });
    expect(stdout + stderr).not.toContain('projectcalico.org/v3');
  });
});
