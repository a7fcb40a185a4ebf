// A large cluster on a real API server: generated, with pods and managed fields of the size that real ones have.
// The objects go straight into etcd, for two reasons: it takes seconds where the API takes many minutes, and only so can they
// be old (the server dates what it creates, and a young handle is never repaired). Custom resources lie there as the
// server writes them, pods and nodes as JSON instead of protobuf, which its watch cache reads once.
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { kinds } from '../../src/resources/kinds.ts';
import { handleName } from '../../src/resources/names.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { parseJson, printJson } from '../../src/text/json.ts';
import { type ClusterPlan, cluster, uidOf } from '../support/clusters/seeded-cluster.ts';
import type { ApiServer } from '../support/servers/api-server.ts';

const group = 'crd.projectcalico.org';
export const custom = `/apis/${group}/v1`;
const hoursAgo = (hours: number): string =>
  new Date(Date.now() - hours * 3_600_000).toISOString().replace(/\.\d+Z/, 'Z');

export interface Sizes {
  readonly nodes: number;
  readonly pods: number;
  readonly blocks: number;
  readonly handles: number;
  readonly strays: number;
}

/** Blocks of 32, so that a node with 50 pods has two. */
function planOf(pods: number): ClusterPlan {
  const podsPerNode = pods < 1000 ? 20 : 50;
  return {
    seed: 50_000,
    nodes: Math.ceil(pods / podsPerNode),
    podsPerNode,
    pools: [{ name: 'pool-1', cidr: '10.60.0.0/16', blockSize: 27 }],
    namespaces: ['shop', 'web', 'search', 'mail', 'jobs'],
    madeAt: new Date(Date.now() - 2 * 3_600_000),
  };
}

/** Fills an empty API server. */
export async function loadCluster(server: ApiServer, etcd: string, pods: number): Promise<Sizes> {
  const { objects } = cluster(planOf(pods));
  await server.admin.load(objects.filter(({ kind }) => kind === 'Namespace'));
  const others = objects.filter(({ kind }) => kind !== 'Namespace');
  await intoEtcd(
    etcd,
    others.map((object) => asStored(object.kind === 'Pod' ? realisticPod(object) : object)),
  );
  const strays = Math.round(pods * 0.23);
  await loadStrays(etcd, 'first', strays);
  const count = (kind: string): number => objects.filter((object) => object.kind === kind).length;
  const handles = count('IPAMHandle') + strays;
  await untilServed(server, `${custom}/ipamhandles`, handles);
  await untilServed(server, '/api/v1/pods', count('Pod'));
  return { nodes: count('Node'), pods: count('Pod'), blocks: count('IPAMBlock'), handles, strays };
}

/** Network sets of the namespace `shop`, two hours old. When it resolves, the API server serves them. */
export async function loadNetworkSets({ server, etcd }: LoadedServer, count: number): Promise<void> {
  const sets = Array.from({ length: count }, (_, n) =>
    asStored({
      apiVersion: `${group}/v1`,
      kind: 'NetworkSet',
      metadata: { name: `set-${n}`, namespace: 'shop', uid: uidOf(`set ${n}`), labels: { app: `app-${n % 50}` } },
      spec: { nets: [`192.168.${n % 250}.0/24`, `172.16.${n % 250}.0/24`] },
    }),
  );
  await intoEtcd(etcd, sets);
  await untilServed(server, `${custom}/networksets`, count);
}

interface LoadedServer {
  readonly server: ApiServer;
  readonly etcd: string;
}

/** Handles without addresses, two hours old; names depend on `label`. */
export async function loadStrays(etcd: string, label: string, count: number): Promise<void> {
  const strays = Array.from({ length: count }, (_, n) => {
    const handleID = `k8s-pod-network.${createHash('sha256').update(`${label} ${n}`).digest('hex')}`;
    return asStored({
      apiVersion: `${group}/v1`,
      kind: 'IPAMHandle',
      metadata: {
        name: handleName(handleID),
        uid: uidOf(`stray ${label} ${n}`),
        annotations: { 'projectcalico.org/metadata': '{"creationTimestamp":null}' },
      },
      spec: { handleID, block: { '10.60.0.0/27': 1 }, deleted: false },
    });
  });
  await intoEtcd(etcd, strays);
}

/** Waits until a list from the server's watch cache has so many items. */
export async function untilServed(server: ApiServer, path: string, count: number): Promise<void> {
  let served = 0;
  for (let tries = 0; tries < 600; tries++) {
    const { body } = await server.admin.request('GET', `${path}?resourceVersion=0`);
    served = body.split('"creationTimestamp":"').length - 1;
    if (served === count) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the API server serves ${served} objects at ${path}, not ${count}`);
}

/** All objects of a kind of Calico's, as stored now. */
export async function listCustom(server: ApiServer, plural: string): Promise<readonly KubeObject[]> {
  const { body } = await server.admin.request('GET', `${custom}/${plural}`);
  return (parseJson(body) as unknown as { items: KubeObject[] }).items;
}

/** Old, at its first generation, with managed fields as the server keeps them. */
function asStored(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  const { apiVersion, kind: __, metadata: ___, status, ...content } = object;
  const entry = (manager: string, fields: object, subresource: object = {}): object => ({
    manager,
    operation: 'Update',
    apiVersion,
    time: hoursAgo(2),
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsOf(fields),
    ...subresource,
  });
  const { annotations, labels, ownerReferences } = metadata;
  const written = { metadata: { annotations, labels, ownerReferences }, ...content };
  const managedFields = [
    entry(apiVersion === 'v1' ? 'kube-controller-manager' : 'calico-ipam', written),
    ...(status === undefined ? [] : [entry('kubelet', { status: status as object }, { subresource: 'status' })]),
  ];
  const dated = { ...metadata, creationTimestamp: hoursAgo(2), generation: 1, managedFields };
  return { ...object, metadata: dated as unknown as KubeObject['metadata'] };
}

/** The FieldsV1 of a value: lists of Calico's are atomic, those of pods and nodes are maps by name, type or port. */
function fieldsOf(value: object): object {
  const fields: Record<string, unknown> = { '.': {} };
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    fields[`f:${key}`] = Array.isArray(member) ? listFieldsOf(member) : isObject(member) ? fieldsOf(member) : {};
  }
  return fields;
}

function listFieldsOf(list: readonly unknown[]): object {
  const fields: Record<string, unknown> = {};
  for (const item of list) {
    if (!isObject(item)) return {};
    const key = ['name', 'type', 'containerPort', 'ip', 'uid'].find((candidate) => candidate in item);
    if (key === undefined) return {};
    fields[`k:${JSON.stringify({ [key]: (item as Record<string, unknown>)[key] })}`] = fieldsOf(item);
  }
  return fields;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const txnSize = 100;

function etcdKey({ kind, metadata: { name, namespace } }: KubeObject): string {
  if (kind === 'Pod') return `/registry/pods/${namespace}/${name}`;
  if (kind === 'Node') return `/registry/minions/${name}`;
  const { api, namespaced } = kinds.find((candidate) => candidate.kind === kind) ?? {};
  return `/registry/${group}/${api?.plural}/${namespaced ? `${namespace}/` : ''}${name}`;
}

async function intoEtcd(etcd: string, objects: readonly KubeObject[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const batches: KubeObject[][] = [];
  for (let at = 0; at < objects.length; at += txnSize) batches.push(objects.slice(at, at + txnSize));
  const worker = async (): Promise<void> => {
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
      const success = batch.map((object) => {
        const key = etcdKey(object);
        return { requestPut: { key: base64(key), value: base64(printJson(object)) } };
      });
      await post(agent, `${etcd}/v3/kv/txn`, JSON.stringify({ success }));
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  agent.destroy();
}

function post(agent: Agent, url: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: 'POST' }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer.on('end', () =>
        answer.statusCode === 200 && text.includes('"succeeded":true')
          ? resolve()
          : reject(new Error(`etcd: ${answer.statusCode} ${text}`)),
      );
    });
    sent.on('error', reject).end(body);
  });
}

/** What a Deployment and a kubelet leave in a pod: about 5 KiB of JSON with its managed fields. */
function realisticPod(pod: KubeObject): KubeObject {
  const { name } = pod.metadata;
  const since = hoursAgo(2);
  const app = name.replace(/-\d+$/, '');
  const probe = { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 10, failureThreshold: 3 };
  const mount = { name: 'settings', mountPath: '/etc/app', readOnly: true };
  const container = {
    name: 'main',
    image: 'registry.example/app:1',
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: ['REGION', 'LOG_LEVEL', 'DATABASE_URL', 'CACHE_URL'].map((key) => ({
      name: key,
      value: `value-of-${key}`.toLowerCase(),
    })),
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    livenessProbe: probe,
    readinessProbe: probe,
    volumeMounts: [mount],
  };
  const conditions = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: { app, 'app.kubernetes.io/name': app, 'pod-template-hash': '7c5ddbdf54' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-7c5ddbdf54`,
          uid: uidOf(app),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      ...(pod['spec'] as object),
      containers: [container],
      volumes: [{ name: 'settings', configMap: { name: `${app}-settings` } }],
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    },
    status: {
      ...(pod['status'] as object),
      startTime: since,
      qosClass: 'Burstable',
      conditions: conditions.map((type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: since })),
      containerStatuses: [
        {
          name: 'main',
          image: 'registry.example/app:1',
          imageID: `registry.example/app@sha256:${'1f'.repeat(32)}`,
          containerID: `containerd://${createHash('sha256').update(name).digest('hex')}`,
          ready: true,
          started: true,
          restartCount: 0,
          state: { running: { startedAt: since } },
          lastState: {},
        },
      ],
    },
  };
}
