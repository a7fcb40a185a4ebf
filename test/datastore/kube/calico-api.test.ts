// What is asked of a server to find Calico's objects, and what is made of odd answers. Real servers are in
// calico-apis.test.ts.
import { afterEach, describe, expect, it } from 'vitest';
import { kubeConnection } from '../../../src/connect/kube-config.ts';
import { type Datastore, listAll } from '../../../src/datastore/datastore.ts';
import { type KubeOptions, openKube } from '../../../src/datastore/kube/kube-datastore.ts';
import { ipPool } from '../../../src/resources/kinds/ip-pool.ts';
import { ipamBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { calicoNode } from '../../../src/resources/kinds/node.ts';
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
  /** Of projectcalico.org/v3; undefined: its server is not available. */
  readonly resources?: readonly string[] | undefined;
  /** Collections that exist, without objects: `apis/crd.projectcalico.org/v1/ippools`. */
  readonly empty?: readonly string[];
  /** Status of the answer to /apis. */
  readonly status?: number;
}

async function serving({ groups, resources, empty = [], status = 200 }: Served): Promise<StandIn> {
  standIn = await startStandIn(
    ({ path }, response) => {
      if (path === '/apis') {
        return sendJson(response, status, {
          groups: groups.map((name) => ({ name, versions: [{ version: 'v1beta1' }] })),
        });
      }
      if (path === `/apis/${other}/v3`) {
        return sendJson(response, resources ? 200 : 503, { resources: (resources ?? []).map((name) => ({ name })) });
      }
      const collection = path.split('?')[0]?.slice(1) ?? '';
      if (empty.includes(collection) || path.startsWith('/api/v1/'))
        return sendJson(response, 200, { kind: 'List', items: [], metadata: {} });
      return sendJson(response, 404, failure(404, 'NotFound', 'the server could not find the requested resource'));
    },
    { answersGroups: true },
  );
  return standIn;
}

async function opened({ url, caFile }: StandIn, options: KubeOptions = {}): Promise<Datastore> {
  const world = testWorld();
  return openKube(await kubeConnection({ k8sAPIEndpoint: url, k8sCAFile: caFile }, world), world, options);
}

const aggregated = ['ippools', 'profiles'];
const native = ['ippools', 'ipamblocks'];
const asked = (server: StandIn): string[] => server.requests.map(({ path }) => path);

describe('what is asked before the first object is read', () => {
  it('a cluster with crd.projectcalico.org only is asked once', async () => {
    const server = await serving({ groups: ['apps', own], empty: [`apis/${own}/v1/ippools`] });
    const store = await opened(server);
    expect(store.calicoApi).toBe(`${own}/v1`);
    expect(asked(server)).toEqual(['/apis']);
    expect(await listAll(store, ipPool)).toEqual([]);
  });

  it("the resources of Calico's API server are listed too", async () => {
    const server = await serving({ groups: [own, other], resources: aggregated, empty: [`apis/${own}/v1/ippools`] });
    const store = await opened(server);
    expect(store.calicoApi).toBe(`${own}/v1`);
    expect(asked(server)).toEqual(['/apis', `/apis/${other}/v3`]);
    expect(await listAll(store, ipPool)).toEqual([]);
  });

  it("crd.projectcalico.org is read while Calico's API server is not available", async () => {
    const server = await serving({ groups: [own, other], empty: [`apis/${own}/v1/ippools`] });
    expect((await opened(server)).calicoApi).toBe(`${own}/v1`);
  });

  it('a migration is read in a version that the server has', async () => {
    const groups = [own, other, 'migration.projectcalico.org'];
    const server = await serving({ groups, resources: native });
    expect((await opened(server)).calicoApi).toBe(`${own}/v1`);
    expect(asked(server).sort()).toEqual([
      '/apis',
      '/apis/crd.projectcalico.org/v1/clusterinformations/default',
      '/apis/crd.projectcalico.org/v1/ippools?limit=1',
      '/apis/migration.projectcalico.org/v1beta1/datastoremigrations/v1-to-v3',
      '/apis/projectcalico.org/v3',
      '/apis/projectcalico.org/v3/clusterinformations/default',
      '/apis/projectcalico.org/v3/ippools?limit=1',
    ]);
  });

  it('a server that does not list its groups to this user is taken for one with crd.projectcalico.org', async () => {
    const server = await serving({ groups: [], status: 403, empty: [`apis/${own}/v1/ippools`] });
    expect(await listAll(await opened(server), ipPool)).toEqual([]);
  });
});

describe('clusters without Calico', () => {
  const without = { groups: ['apps'] };

  it('every read and write of an object of Calico is an error, those of other objects are not', async () => {
    const server = await serving(without);
    const store = await opened(server);
    const error = { code: 'NO_CALICO', message: `${server.url} serves no API group of Calico` };
    await expect(listAll(store, ipPool)).rejects.toMatchObject(error);
    await expect(store.get(ipamBlock, { name: 'b' })).rejects.toMatchObject(error);
    await expect(store.delete(ipamBlock, { name: 'b' }, {})).rejects.toMatchObject(error);
    expect(await listAll(store, calicoNode)).toEqual([]);
  });

  it("Calico's API server over etcd is not taken for native objects", async () => {
    const server = await serving({ groups: [other], resources: aggregated });
    await expect(listAll(await opened(server), ipPool)).rejects.toMatchObject({ code: 'NO_CALICO' });
  });

  it.each([
    'get ippools',
    'ipam show',
    'ipam check',
    'ipam assign --node node-a',
    'ipam capacity',
    'ipam affinity list',
  ])('%s says so and has no answer', async (line) => {
    const { url } = await serving(without);
    const env = { K8S_API_ENDPOINT: url, K8S_INSECURE_SKIP_TLS_VERIFY: 'true' };
    const { code, stdout, stderr } = await run(line, { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`${url} serves no API group of Calico`);
  });

  it("calicoctl prints the server's own message", async () => {
    const { url } = await serving(without);
    const env = { K8S_API_ENDPOINT: url, K8S_INSECURE_SKIP_TLS_VERIFY: 'true' };
    const { code, stdout, stderr } = await run('ipam show', { env, programName: 'calicoctl' });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'the server could not find the requested resource\n',
    });
  });

  it('a single missing CRD keeps its own error', async () => {
    const store = await opened(await serving({ groups: [own], empty: [`apis/${own}/v1/ippools`] }));
    await expect(listAll(store, ipamBlock)).rejects.toMatchObject({
      missingKind: true,
      message: 'the cluster has no ipamblocks.crd.projectcalico.org',
    });
  });
});
