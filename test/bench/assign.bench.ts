// Assignments on an API server compared with the bare requests that each of them needs: the allocator's share, and how
// much of the time is spent waiting for the server.
import { kubeConnection } from '../../src/connect/kube-config.ts';
import { openKube } from '../../src/datastore/kube/kube-datastore.ts';
import { ipamStoreOf } from '../../src/datastore/stored-ipam.ts';
import { autoAssign } from '../../src/ipam/assign/auto-assign.ts';
import { affinityLabels } from '../../src/resources/names.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { parseJson } from '../../src/text/json.ts';
import { testWorld } from '../support/program/world.ts';
import { custom } from './big-cluster.ts';
import type { Target } from './contenders.ts';
import { resultTable, rounds, type Sample } from './measure.ts';

/** Addresses of one run, taken one after the other. */
const addresses = 16;
const hostname = 'kubernetes.io/hostname';
const podAttributes = { namespace: 'shop', pod: 'bench-0', timestamp: '2026-01-01 00:00:00 +0000 UTC' };

export async function benchAssign(target: Target): Promise<string> {
  const { admin, kubeconfig } = target.server;
  let runs = 0;
  /** A node of its own for each run, with a block that has room for all of it. */
  const prepared = async (): Promise<string> => {
    const name = `bench-${runs++}`;
    await admin.load([
      { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { [hostname]: name } }, spec: {} },
      pool(`bench-${runs}`, `10.200.${runs}.0/27`, name),
    ]);
    await assign(name, 'first');
    return name;
  };
  const world = testWorld();
  const datastore = await openKube(await kubeConnection({ kubeconfig }, world), world);
  const assign = (node: string, id: string) =>
    autoAssign(
      ipamStoreOf(datastore),
      {
        node,
        version: 4,
        count: 1,
        use: 'Workload',
        holder: { handle: `k8s-pod-network.${node}.${id}`, secondary: { ...podAttributes, node } },
      },
      world,
    );
  const samples = await rounds(
    {
      'bare requests': async () => {
        const node = await prepared();
        return timed(async (nth) => bareRequests(target, node, nth));
      },
      assignments: async () => {
        const node = await prepared();
        return timed(async (nth) => {
          const { addresses: taken } = await assign(node, String(nth));
          if (taken.length !== 1 || taken[0]?.borrowed) throw new Error(`no address for ${node}`);
        });
      },
    },
    target.rounds,
  );
  await datastore.close();
  return `${resultTable(`${addresses} assignments on the API server, one after the other`, samples)}\n`;
}

function pool(name: string, cidr: string, node: string): KubeObject {
  const nodeSelector = `${hostname} == "${node}"`;
  const spec = { cidr, blockSize: 27, nodeSelector };
  return { apiVersion: 'crd.projectcalico.org/v1', kind: 'IPPool', metadata: { name }, spec };
}

/** Wall time, and how much of it this process did not compute: it had nothing but the server to wait for. */
async function timed(each: (nth: number) => Promise<void>): Promise<Sample> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  for (let nth = 0; nth < addresses; nth++) await each(nth);
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { ms, also: { waiting: ms - (user + system) / 1000 } };
}

/** What one assignment from an own block asks of the server: five reads at once, the block, the handle, the block. */
async function bareRequests({ server: { admin } }: Target, node: string, nth: number): Promise<void> {
  const selector = Object.entries(affinityLabels(node, 'host', '10.0.0.0/8')).map(([key, value]) => `${key}=${value}`);
  const [, , , affinities] = await Promise.all(
    [
      `/api/v1/nodes/${node}`,
      `${custom}/ippools?limit=500`,
      `${custom}/ipreservations?limit=500`,
      `${custom}/blockaffinities?limit=500&labelSelector=${encodeURIComponent(selector.join())}`,
      `${custom}/ipamconfigs/default`,
    ].map((path) => admin.request('GET', path)),
  );
  const [affinity] = (JSON.parse(affinities?.body ?? '') as { items: { spec: { cidr: string } }[] }).items;
  if (affinity === undefined) throw new Error(`${node} has no block`);
  const { cidr } = affinity.spec;
  const path = `${custom}/ipamblocks/${cidr.replaceAll(/[./]/g, '-')}`;
  const block = await admin.request('GET', path);
  const handleID = `k8s-pod-network.${node}.${nth}`;
  const made = await admin.request('POST', `${custom}/ipamhandles`, {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPAMHandle',
    metadata: { name: handleID },
    spec: { handleID, block: { [cidr]: 1 }, deleted: false },
  });
  // The same block again, with another mark: as large as a block with one address more.
  const { metadata, ...rest } = parseJson(block.body) as unknown as KubeObject;
  const annotations = { ...metadata.annotations, bench: String(nth) };
  const written = await admin.request('PUT', path, { ...rest, metadata: { ...metadata, annotations } });
  if (made.status !== 201 || written.status !== 200) throw new Error(`${made.status} ${written.status}`);
}
