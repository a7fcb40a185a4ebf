import { describe, expect, it } from 'vitest';
import type { DatastoreError } from '../../src/datastore/datastore.ts';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { ResourceClient } from '../../src/resource-client/resource-client.ts';
import type { Kind } from '../../src/resources/kind.ts';
import { clusterInformation } from '../../src/resources/kinds/cluster-information.ts';
import { ipPool } from '../../src/resources/kinds/ip-pool.ts';
import { stagedNetworkPolicy } from '../../src/resources/kinds/staged-network-policy.ts';
import { workloadEndpoint } from '../../src/resources/kinds/workload-endpoint.ts';
import type { KubeObject } from '../../src/resources/object.ts';

const signal = new AbortController().signal;

/** A client of an empty store, and the pauses that it made. */
function clientOf(store = new MemoryDatastore()): { client: ResourceClient; store: MemoryDatastore; pauses: number[] } {
  const pauses: number[] = [];
  const clock = {
    now: () => new Date('2026-01-02T03:04:05.678Z'),
    nowNs: () => 0n,
    sleep: async (ms: number) => void pauses.push(ms),
  };
  const random = { uuid: () => '11111111-2222-4333-8444-555555555555', float: () => 0 };
  return { client: new ResourceClient(store, { clock, random, env: {}, signal }), store, pauses };
}

const pool = (metadata: Record<string, unknown> = {}, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'projectcalico.org/v3',
  kind: 'IPPool',
  metadata: { name: 'pool-1', ...metadata },
  spec: { cidr: '10.0.0.0/16', ...spec },
});

const errorOf = (call: Promise<unknown>): Promise<DatastoreError> =>
  call.then(
    () => expect.fail('no error'),
    (error: unknown) => error as DatastoreError,
  );

describe('creating objects', () => {
  it('a new object keeps name, labels and annotations of its metadata, and nothing else', async () => {
    const { client } = clientOf();
    const created = await client.create(
      ipPool,
      pool({
        labels: { a: 'b' },
        annotations: { c: 'd' },
        uid: 'mine',
        creationTimestamp: '2001-01-01T00:00:00Z',
        generation: 7,
        finalizers: ['example.com/stay'],
        selfLink: '/x',
      }),
    );
    expect(created.metadata).toEqual({
      name: 'pool-1',
      labels: { a: 'b' },
      annotations: { c: 'd' },
      uid: expect.not.stringMatching('mine'),
      resourceVersion: '1',
      creationTimestamp: '2026-01-02T03:04:05Z',
    });
  });

  it.each([
    [
      { name: '', generateName: 'p-' },
      expect.stringContaining("error with field Metadata.Name = '' (name must consist of"),
    ],
    [
      { resourceVersion: '12' },
      "error with field Metadata.ResourceVersion = '12' (field must not be set for a Create request)",
    ],
  ])('a new object with metadata %j is refused', async (metadata, storeText) => {
    const { client, store } = clientOf();
    expect(await errorOf(client.create(ipPool, pool(metadata)))).toMatchObject({ reason: 'invalid', storeText });
    expect(store.writes).toBe(0);
  });
});

describe('updating objects', () => {
  it('an update takes labels and annotations from the manifest and all other metadata from the store', async () => {
    const { client } = clientOf();
    const created = await client.create(ipPool, pool({ labels: { a: 'b', old: '' } }));
    const updated = await client.update(ipPool, pool({ labels: { a: 'c' }, uid: 'mine' }, { natOutgoing: true }));
    expect(updated.metadata).toEqual({ ...created.metadata, labels: { a: 'c' }, resourceVersion: '2' });
    expect(updated.spec).toMatchObject({ natOutgoing: true });
  });

  it('an update with a stale revision writes nothing', async () => {
    const { client, store } = clientOf();
    await client.create(ipPool, pool());
    const writes = store.writes;
    const stale = client.update(ipPool, pool({ resourceVersion: '99' }, { natOutgoing: true }));
    expect(await errorOf(stale)).toMatchObject({ reason: 'conflict' });
    expect(store.writes).toBe(writes);
  });

  it('an update without a revision is tried five times while other clients write, a second apart', async () => {
    const { client, store, pauses } = clientOf();
    await client.create(ipPool, pool());
    store.faults = ({ op }) => (op === 'update' ? 'conflict' : undefined);
    expect(await errorOf(client.update(ipPool, pool({}, { natOutgoing: true })))).toMatchObject({ reason: 'conflict' });
    expect(store.calls.filter(({ op }) => op === 'update')).toHaveLength(5);
    expect(pauses).toEqual([1000, 1000, 1000, 1000]);
  });

  it('an update with a revision is not tried again', async () => {
    const { client, store, pauses } = clientOf();
    await client.create(ipPool, pool());
    store.faults = ({ op }) => (op === 'update' ? 'conflict' : undefined);
    const update = client.update(ipPool, pool({ resourceVersion: '1' }, { natOutgoing: true }));
    expect(await errorOf(update)).toMatchObject({ reason: 'conflict' });
    expect(pauses).toEqual([]);
  });
});

describe('applying objects', () => {
  it('apply creates, then leaves what is equal alone, then updates', async () => {
    const { client, store } = clientOf();
    const outcomes = [];
    for (const spec of [{}, {}, { natOutgoing: true }, { natOutgoing: true }]) {
      outcomes.push((await client.apply(ipPool, pool({ resourceVersion: '' }, spec))).outcome);
    }
    expect(outcomes).toEqual(['created', 'unchanged', 'updated', 'unchanged']);
    expect(await client.one(ipPool, { name: 'pool-1' })).toMatchObject({ spec: { natOutgoing: true } });
    await client.delete(ipPool, { name: 'pool-1' });
    expect(store.dump()).toEqual([]);
  });
});

describe('refused writes', () => {
  const named = (kind: string, name: string, spec: object): KubeObject => ({
    apiVersion: 'projectcalico.org/v3',
    kind,
    metadata: { name, namespace: 'shop' },
    spec,
  });

  it('a read-only object that does not exist is not found by an update, before the update would be refused', async () => {
    const { client } = clientOf();
    const kind = clusterInformation as unknown as Kind;
    const { reason } = await errorOf(client.update(kind, named('ClusterInformation', 'other', {})));
    expect(reason).toBe('not-found');
  });

  it('the tier of a new policy is looked for before its name is refused, and its values are not checked after', async () => {
    const { client } = clientOf();
    const kind = stagedNetworkPolicy as unknown as Kind;
    const refused = (spec: object) =>
      errorOf(client.create(kind, named('StagedNetworkPolicy', 'knp.default.web', spec)));
    expect((await refused({ tier: 'nosuch' })).code).toBe('NO_TIER');
    expect((await refused({ selector: 'has(' })).code).toBe('WRITE_REFUSED');
  });
});

describe('workload endpoints', () => {
  it('a new one without a name gets the one that its values make', async () => {
    const { client } = clientOf();
    const spec = { node: 'node-a', orchestrator: 'k8s', pod: 'web', endpoint: 'eth0', interfaceName: 'cali0' };
    const object = { ...pool(), kind: 'WorkloadEndpoint', metadata: { name: '', namespace: 'shop' }, spec };
    const created = await client.create(workloadEndpoint as unknown as Kind, object);
    expect(created.metadata.name).toBe('node--a-k8s-web-eth0');
  });
});
