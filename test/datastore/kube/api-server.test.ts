// The Kubernetes datastore over a real API server: formats, pages, rights, compare-and-swap as the server really answers.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubeConnection } from '../../../src/connect/kube-config.ts';
import type { ConnectionSettings } from '../../../src/connect/settings.ts';
import { type Datastore, DatastoreError, type ListOptions } from '../../../src/datastore/datastore.ts';
import { openKube } from '../../../src/datastore/kube/kube-datastore.ts';
import type { Kind } from '../../../src/resources/kind.ts';
import { type BlockAffinity, blockAffinity } from '../../../src/resources/kinds/block-affinity.ts';
import { ipPool } from '../../../src/resources/kinds/ip-pool.ts';
import { type IPAMBlock, ipamBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { type IPAMHandle, ipamHandle } from '../../../src/resources/kinds/ipam-handle.ts';
import { calicoNode } from '../../../src/resources/kinds/node.ts';
import { pod } from '../../../src/resources/kinds/pod.ts';
import { workloadEndpoint } from '../../../src/resources/kinds/workload-endpoint.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { testWorld } from '../../support/program/world.ts';
import { describeWithApiServer } from '../../support/servers/api-server.ts';

async function errorOf(call: Promise<unknown>): Promise<DatastoreError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DatastoreError);
  return error as DatastoreError;
}

async function all<T extends KubeObject>(store: Datastore, kind: Kind<T>, options: ListOptions = {}): Promise<T[]> {
  const items: T[] = [];
  for await (const page of store.list(kind, options)) items.push(...page.items);
  return items;
}

const block = (name: string, extra: Partial<IPAMBlock['spec']> = {}): IPAMBlock => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPAMBlock',
  metadata: { name },
  spec: {
    cidr: '10.0.0.0/30',
    allocations: [0, null, null, null],
    unallocated: [1, 2, 3],
    attributes: [{}],
    strictAffinity: false,
    ...extra,
  },
});

const affinity = (i: number): BlockAffinity => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'BlockAffinity',
  metadata: { name: `node-${i}` },
  spec: { state: 'confirmed', node: 'node', cidr: '10.0.0.0/30', deleted: 'false' },
});

const handle = (i: number): IPAMHandle => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPAMHandle',
  metadata: { name: `handle-${String(i).padStart(5, '0')}` },
  spec: { handleID: `Handle-${i}`, block: { '10.0.0.0/30': 1 } },
});

/** Annotations that say something of addresses. */
const isRead = (key: string): boolean =>
  key.includes('projectcalico.org/') ||
  ['k8s.v1.cni.cncf.io/networks', 'k8s.v1.cni.cncf.io/network-status', 'vpc.amazonaws.com/pod-ips'].includes(key);

/** The fields that a scan promises, picked from a JSON object by code of the test's own. */
function promisedOfPod(object: KubeObject): unknown {
  const { spec, status, metadata } = object as KubeObject & {
    spec: { containers: { ports?: object[] }[] } & Record<string, unknown>;
    status: Record<string, unknown>;
  };
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => isRead(key));
  return defined({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: promisedMetadata(metadata, annotations.length === 0 ? undefined : Object.fromEntries(annotations)),
    spec: {
      nodeName: spec['nodeName'],
      hostNetwork: spec['hostNetwork'],
      serviceAccountName: spec['serviceAccountName'],
      containers: spec.containers.map(({ ports }) => ({ ports })),
    },
    status: {
      phase: status['phase'],
      reason: status['reason'],
      podIP: status['podIP'],
      podIPs: status['podIPs'],
    },
  });
}

function promisedOfNode({ metadata, spec, status }: KubeObject): unknown {
  const { podCIDR, podCIDRs } = (spec ?? {}) as Record<string, unknown>;
  const { addresses, conditions } = (status ?? {}) as {
    addresses?: unknown;
    conditions?: { type: string; status: string }[];
  };
  return defined({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: promisedMetadata(metadata, metadata.annotations),
    spec: { podCIDR, podCIDRs },
    status: { addresses, conditions: conditions?.map(({ type, status: value }) => ({ type, status: value })) },
  });
}

function promisedMetadata(metadata: KubeObject['metadata'], annotations: unknown): object {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels } = metadata;
  return { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels, annotations };
}

/** Without members that are undefined. */
const defined = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const pods = [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'cart-0',
      namespace: 'shop',
      labels: { app: 'cart', empty: '' },
      annotations: {
        'cni.projectcalico.org/podIP': '10.0.0.1/32',
        'cni.projectcalico.org/podIPs': '',
        'k8s.v1.cni.cncf.io/networks': 'storage',
        'k8s.v1.cni.cncf.io/network-status': '[]',
        'vpc.amazonaws.com/pod-ips': '10.0.0.1',
        'example.com/other': 'x'.repeat(5000),
      },
    },
    spec: {
      nodeName: 'node-a',
      serviceAccountName: 'cart',
      containers: [
        { name: 'a', image: 'a', ports: [{ name: 'web', containerPort: 80, hostPort: 8080, hostIP: '127.0.0.1' }] },
        { name: 'b', image: 'b' },
      ],
    },
    status: { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'gone',
      namespace: 'shop',
      finalizers: ['example.com/wait'],
      annotations: { 'projectcalico.org/note': 'é日本\u{1f600}' },
    },
    spec: { nodeName: 'node-a', hostNetwork: true },
    status: { phase: 'Failed', reason: 'Evicted' },
  },
  { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'waiting', namespace: 'a-shop' } },
] satisfies KubeObject[];

const nodes = [
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'node-a',
      labels: { 'kubernetes.io/hostname': 'node-a' },
      annotations: { 'projectcalico.org/IPv4VXLANTunnelAddr': '10.0.0.3', other: 'kept' },
    },
    spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24', 'fd00:1::/64'] },
    status: {
      addresses: [
        { type: 'InternalIP', address: '192.0.2.1' },
        { type: 'Hostname', address: 'node-a' },
      ],
      conditions: [
        { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory' },
        { type: 'Ready', status: 'Unknown', lastHeartbeatTime: '2026-01-01T00:00:00Z', message: 'no word' },
      ],
    },
  },
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-b' } },
] satisfies KubeObject[];

describeWithApiServer('kubernetes datastore', (server) => {
  const opened: Datastore[] = [];
  const world = testWorld();
  let store: Datastore;

  async function open(settings: ConnectionSettings = {}): Promise<Datastore> {
    const made = await openKube(await kubeConnection({ kubeconfig: server().kubeconfig, ...settings }, world), world);
    opened.push(made);
    return made;
  }

  beforeAll(async () => {
    store = await open();
  });
  afterAll(async () => {
    for (const each of opened) await each.close();
  });

  it('pods and nodes read the same from protobuf as from JSON', async () => {
    await server().admin.load([...nodes, ...pods]);
    await server().admin.request('DELETE', '/api/v1/namespaces/shop/pods/gone', {});
    const fromJson = await all(store, pod);
    expect(fromJson).toHaveLength(3);
    expect(fromJson.some(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(true);
    const nodesFromJson = await all(store, calicoNode);
    await expect.poll(() => all(store, pod, { mode: 'scan' })).toEqual(fromJson.map(promisedOfPod));
    await expect.poll(() => all(store, calicoNode, { mode: 'scan' })).toEqual(nodesFromJson.map(promisedOfNode));
  });

  it('list filters by namespace and by labels, in both modes', async () => {
    for (const mode of ['scan', 'consistent'] as const) {
      const namesOf = async (options: ListOptions): Promise<string[]> =>
        (await all(store, pod, { mode, ...options })).map(({ metadata }) => metadata.name);
      expect(await namesOf({ namespace: 'a-shop' })).toEqual(['waiting']);
      expect(await namesOf({ labelSelector: 'app=cart' })).toEqual(['cart-0']);
      expect(await namesOf({ namespace: 'nowhere' })).toEqual([]);
    }
  });

  it('list reads more than two pages in order, as of one moment', async () => {
    const handles = Array.from({ length: 1203 }, (_, i) => handle(i));
    await server().admin.load(handles);
    // What others wrote a scan may see a moment later.
    await expect.poll(async () => (await all(store, ipamHandle, { mode: 'scan' })).length).toBe(handles.length);
    for (const mode of ['scan', 'consistent'] as const) {
      const sizes: number[] = [];
      const names: string[] = [];
      let last = '';
      for await (const page of store.list(ipamHandle, { mode })) {
        sizes.push(page.items.length);
        names.push(...page.items.map(({ metadata }) => metadata.name));
        expect(page.atomic).toBe(true);
        last = page.resourceVersion;
      }
      expect(names).toEqual(handles.map(({ metadata }) => metadata.name));
      expect(sizes.every((size) => size <= 501)).toBe(true);
      expect(last).toMatch(/^\d+$/);
    }
  });

  it("a scan sees the caller's own writes at once", async () => {
    for (let i = 0; i < 20; i++) {
      const made = await store.create(blockAffinity, affinity(i));
      expect((await all(store, blockAffinity, { mode: 'scan' })).map(({ metadata }) => metadata.name)).toEqual([
        `node-${i}`,
      ]);
      await store.delete(blockAffinity, { name: `node-${i}` }, { uid: made.metadata.uid });
      expect(await all(store, blockAffinity, { mode: 'scan' })).toEqual([]);
    }
  });

  it('64-bit integers survive create, get and list', async () => {
    const sequenceNumber = 1764000000000000101n;
    const made = await store.create(
      ipamBlock,
      block('10-0-0-0-30', { sequenceNumber, sequenceNumberForAllocation: { '0': 3n, '1': sequenceNumber } }),
    );
    for (const stored of [
      made,
      await store.get(ipamBlock, { name: '10-0-0-0-30' }),
      ...(await all(store, ipamBlock)),
    ]) {
      expect(stored.spec.sequenceNumber).toBe(sequenceNumber);
      expect(stored.spec.sequenceNumberForAllocation).toEqual({ '0': 3n, '1': sequenceNumber });
    }
  });

  it('update and delete touch only what the caller saw', async () => {
    const seen = await store.create(ipamBlock, block('10-0-0-4-30'));
    const { uid, resourceVersion } = seen.metadata;
    expect((await errorOf(store.create(ipamBlock, block('10-0-0-4-30')))).reason).toBe('already-exists');
    const changed = await store.update(ipamBlock, { ...seen, spec: { ...seen.spec, affinity: 'host:a' } });
    expect(changed.spec.affinity).toBe('host:a');
    expect((await errorOf(store.update(ipamBlock, seen))).reason).toBe('conflict');

    const ref = { name: '10-0-0-4-30' };
    const another = '00000000-0000-4000-8000-000000000000';
    expect((await errorOf(store.delete(ipamBlock, ref, { uid, resourceVersion }))).reason).toBe('conflict');
    expect((await errorOf(store.delete(ipamBlock, ref, { uid: another }))).reason).toBe('not-found');
    const ofAnother = { ...changed, metadata: { ...changed.metadata, uid: another } };
    expect((await errorOf(store.update(ipamBlock, ofAnother))).reason).toBe('conflict');
    await store.delete(ipamBlock, ref, { uid, resourceVersion: changed.metadata.resourceVersion });
    const missing = await errorOf(store.get(ipamBlock, ref));
    expect([missing.reason, missing.missingKind]).toEqual(['not-found', false]);
    expect(missing.storeText).toBe('ipamblocks.crd.projectcalico.org "10-0-0-4-30" not found');
    expect((await errorOf(store.delete(ipamBlock, ref, {}))).reason).toBe('not-found');
    expect((await errorOf(store.update(ipamBlock, changed))).reason).toBe('not-found');
  });

  it('content that the schema refuses is reported as invalid', async () => {
    const broken = { ...block('10-0-0-8-30'), spec: { cidr: 5 } } as unknown as IPAMBlock;
    const error = await errorOf(store.create(ipamBlock, broken));
    expect(error.reason).toBe('invalid');
    expect(error.storeText).toContain('spec.cidr');
  });

  it('a missing kind is distinguished from a missing object', async () => {
    const ref = { name: 'x', namespace: 'shop' };
    for (const call of [() => all(store, workloadEndpoint), () => store.get(workloadEndpoint, ref)]) {
      const error = await errorOf(call());
      expect([error.reason, error.missingKind]).toEqual(['not-found', true]);
    }
  });

  it.each([
    ['nobody', 'forbidden: User "nobody"', 'Ask for permission to list BlockAffinity'],
    ['anonymous', 'forbidden: User "system:anonymous"', 'Ask for permission to list BlockAffinity'],
  ])('a missing right names kind and verb, for %s', async (k8sCurrentContext, text, hint) => {
    const error = await errorOf(all(await open({ k8sCurrentContext }), blockAffinity));
    expect(error.reason).toBe('unauthorized');
    expect(error.storeText).toContain(text);
    expect(error.hint).toContain(hint);
  });

  it('a rejected token is reported and not printed', async () => {
    const k8sAPIToken = 'wrong-secret-token';
    const error = await errorOf(all(await open({ k8sCurrentContext: 'nobody', k8sAPIToken }), ipPool));
    expect(error.reason).toBe('unauthorized');
    expect(error.hint).toContain('sign in again');
    expect(JSON.stringify([error.message, error.hint, error.storeText])).not.toContain('secret');
  });

  it.each(['admin', 'token'])('the server accepts the credentials of %s', async (k8sCurrentContext) => {
    expect(await all(await open({ k8sCurrentContext }), ipPool)).toEqual([]);
  });
});
