// A large cluster on a real API server: generated, with pods and managed fields of the size that real ones have.
// Core objects go through the API; custom resources straight into etcd, as the API server writes them, for two reasons:
// it takes seconds, and only so can they be old (the server dates what it creates; a young handle is never repaired).
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { parseJson, printJson } from '../../src/resources/json.ts';
import { kinds } from '../../src/resources/kinds.ts';
import { handleName } from '../../src/resources/names.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import type { ApiServer } from '../support/api-server.ts';
import { type ClusterPlan, cluster, uidOf } from '../support/cluster.ts';

const group = 'crd.projectcalico.org';
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
  const custom = objects.filter(({ apiVersion }) => apiVersion.startsWith(group));
  const core = objects.filter(({ apiVersion, kind }) => !apiVersion.startsWith(group) && kind !== 'Namespace');
  await intoEtcd(etcd, custom.map(asStored));
  await server.admin.load(core.map((object) => (object.kind === 'Pod' ? realisticPod(object) : object)));
  const strays = Math.round(pods * 0.23);
  await loadStrays(etcd, 'first', strays);
  const count = (kind: string): number => objects.filter((object) => object.kind === kind).length;
  const handles = count('IPAMHandle') + strays;
  await untilServed(server, 'ipamhandles', handles);
  return { nodes: count('Node'), pods: count('Pod'), blocks: count('IPAMBlock'), handles, strays };
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
export async function untilServed(server: ApiServer, plural: string, count: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if ((await listNames(server, plural)) === count) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the API server does not serve ${count} ${plural}`);
}

async function listNames(server: ApiServer, plural: string): Promise<number> {
  const { body } = await server.admin.request('GET', `/apis/${group}/v1/${plural}?resourceVersion=0`);
  return body.split('"uid":').length - 1;
}

/** All objects of a kind of Calico's, as stored now. */
export async function listCustom(server: ApiServer, plural: string): Promise<readonly KubeObject[]> {
  const { body } = await server.admin.request('GET', `/apis/${group}/v1/${plural}`);
  return (parseJson(body) as unknown as { items: KubeObject[] }).items;
}

/** Old, at its first generation, with the managed fields that Calico's client leaves. */
function asStored(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  const fields = Object.keys((object['spec'] as object | undefined) ?? {}).map((field) => [`f:${field}`, {}]);
  const managed = {
    apiVersion: `${group}/v1`,
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': { 'f:annotations': { '.': {}, 'f:projectcalico.org/metadata': {} } },
      'f:spec': { '.': {}, ...Object.fromEntries(fields) },
    },
    manager: 'calico-ipam',
    operation: 'Update',
    time: hoursAgo(2),
  };
  return {
    ...object,
    metadata: { ...metadata, creationTimestamp: hoursAgo(2), generation: 1, managedFields: [managed] },
  };
}

const txnSize = 100;

async function intoEtcd(etcd: string, objects: readonly KubeObject[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const batches: KubeObject[][] = [];
  for (let at = 0; at < objects.length; at += txnSize) batches.push(objects.slice(at, at + txnSize));
  const worker = async (): Promise<void> => {
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
      const success = batch.map((object) => {
        const plural = kinds.find(({ kind }) => kind === object.kind)?.api.plural;
        const key = `/registry/${group}/${plural}/${object.metadata.name}`;
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
