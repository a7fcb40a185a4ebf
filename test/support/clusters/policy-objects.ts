// Objects for tests of policies, as people write them: a cluster of three namespaces, and policies in one line each.
import type { PolicyObjects } from '../../../src/policy/cluster-objects.ts';
import { noObjects } from '../../../src/policy/cluster-objects.ts';
import type { KubeObject } from '../../../src/resources/object.ts';

type Labels = Readonly<Record<string, string>>;

const v3 = 'projectcalico.org/v3';
const admin = 'policy.networking.k8s.io/v1alpha1';

const of = (apiVersion: string, kind: string, metadata: KubeObject['metadata'], spec: object): KubeObject => ({
  apiVersion,
  kind,
  metadata,
  spec,
});

export const np = (namespace: string, name: string, spec: object): KubeObject =>
  of(v3, 'NetworkPolicy', { name, namespace }, spec);
export const gnp = (name: string, spec: object): KubeObject => of(v3, 'GlobalNetworkPolicy', { name }, spec);
export const knp = (namespace: string, name: string, spec: object): KubeObject =>
  of('networking.k8s.io/v1', 'NetworkPolicy', { name, namespace }, spec);
export const anp = (name: string, spec: object): KubeObject => of(admin, 'AdminNetworkPolicy', { name }, spec);
export const banp = (spec: object): KubeObject => of(admin, 'BaselineAdminNetworkPolicy', { name: 'default' }, spec);
export const cnp = (name: string, spec: object): KubeObject =>
  of('policy.networking.k8s.io/v1alpha2', 'ClusterNetworkPolicy', { name }, spec);
export const stagedNp = (namespace: string, name: string, spec: object): KubeObject =>
  of(v3, 'StagedNetworkPolicy', { name, namespace }, spec);
export const stagedGnp = (name: string, spec: object): KubeObject =>
  of(v3, 'StagedGlobalNetworkPolicy', { name }, spec);
export const stagedKnp = (namespace: string, name: string, spec: object): KubeObject =>
  of(v3, 'StagedKubernetesNetworkPolicy', { name, namespace }, spec);
export const tier = (name: string, order?: number, defaultAction?: string): KubeObject =>
  of(v3, 'Tier', { name }, { ...(order === undefined ? {} : { order }), ...(defaultAction ? { defaultAction } : {}) });
export const netset = (namespace: string, name: string, labels: Labels, ...nets: string[]): KubeObject =>
  of(v3, 'NetworkSet', { name, namespace, labels }, { nets });
export const globalSet = (name: string, labels: Labels, ...nets: string[]): KubeObject =>
  of(v3, 'GlobalNetworkSet', { name, labels }, { nets });
export const hostEndpoint = (name: string, labels: Labels, spec: object): KubeObject =>
  of(v3, 'HostEndpoint', { name, labels }, spec);
export const profile = (name: string, spec: object): KubeObject => of(v3, 'Profile', { name }, spec);
export const slice = (
  service: string,
  name: string,
  addresses: readonly string[],
  ports: readonly (readonly [string, number])[],
): KubeObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name, namespace: 'shop', labels: { 'kubernetes.io/service-name': service } },
  addressType: 'IPv4',
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: false } })),
  ports: ports.map(([protocol, port]) => ({ name: `p${port}`, protocol, port })),
});

const namespace = (name: string, labels: Labels): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } },
});

const serviceAccount = (namespaceName: string, name: string, labels: Labels): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace: namespaceName, labels },
});

const node = (name: string, address: string, tunnel: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    annotations: {
      'projectcalico.org/IPv4Address': `${address}/24`,
      'projectcalico.org/IPv4IPIPTunnelAddr': tunnel,
    },
  },
  spec: {},
  status: { addresses: [{ type: 'InternalIP', address }] },
});

interface PodFields {
  readonly labels?: Labels;
  readonly account?: string;
  readonly node: string;
  readonly ips: readonly string[];
  readonly ports?: readonly (readonly [name: string, protocol: string, port: number])[];
  readonly hostNetwork?: true;
  readonly phase?: string;
}

export function pod(title: string, fields: PodFields): KubeObject {
  const [namespaceName = '', name = ''] = title.split('/');
  const { labels = {}, account = 'default', ips, ports = [], hostNetwork, phase = 'Running' } = fields;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: namespaceName, labels },
    spec: {
      nodeName: fields.node,
      serviceAccountName: account,
      ...(hostNetwork ? { hostNetwork } : {}),
      containers: [
        {
          name: 'c',
          image: 'none',
          ports: ports.map(([port, protocol, containerPort]) => ({ name: port, protocol, containerPort })),
        },
      ],
    },
    status: { phase, podIP: ips[0] ?? '', podIPs: ips.map((ip) => ({ ip })) },
  };
}

/**
 * Three namespaces on two nodes, without any policy:
 * shop (env=prod, team=a): web and db on node n1, cache on n2; ops (env=prod, team=b): prom on n2; dev (env=test): tool on n2.
 */
export const baseObjects: readonly KubeObject[] = [
  namespace('shop', { env: 'prod', team: 'a' }),
  namespace('ops', { env: 'prod', team: 'b' }),
  namespace('dev', { env: 'test' }),
  serviceAccount('shop', 'web-sa', { role: 'frontend' }),
  serviceAccount('shop', 'db-sa', { role: 'store' }),
  serviceAccount('ops', 'prom-sa', { role: 'monitor' }),
  node('n1', '10.0.0.1', '10.60.1.1'),
  node('n2', '10.0.0.2', '10.60.2.1'),
  pod('shop/web', {
    labels: { app: 'web', layer: 'front' },
    account: 'web-sa',
    node: 'n1',
    ips: ['10.60.1.10', 'fd60::1:10'],
    ports: [['http', 'TCP', 8080]],
  }),
  pod('shop/db', {
    labels: { app: 'db' },
    account: 'db-sa',
    node: 'n1',
    ips: ['10.60.1.20', 'fd60::1:20'],
    ports: [
      ['pg', 'TCP', 5432],
      ['metrics', 'TCP', 9090],
    ],
  }),
  pod('shop/cache', {
    labels: { app: 'cache' },
    node: 'n2',
    ips: ['10.60.2.30'],
    ports: [
      ['redis', 'TCP', 6379],
      ['dns', 'UDP', 53],
    ],
  }),
  pod('ops/prom', { labels: { app: 'prom' }, account: 'prom-sa', node: 'n2', ips: ['10.60.2.40'] }),
  pod('dev/tool', { labels: { app: 'tool' }, node: 'n2', ips: ['10.60.2.50'] }),
  pod('ops/agent', { labels: { app: 'agent' }, node: 'n1', ips: ['10.0.0.1'], hostNetwork: true }),
  pod('shop/job', { labels: { app: 'job' }, node: 'n1', ips: ['10.60.1.99'], phase: 'Succeeded' }),
];

const lists: Readonly<Record<string, keyof PolicyObjects>> = {
  'v1 Pod': 'pods',
  'v1 Namespace': 'namespaces',
  'v1 ServiceAccount': 'serviceAccounts',
  'v1 Node': 'nodes',
  'discovery.k8s.io/v1 EndpointSlice': 'endpointSlices',
  'networking.k8s.io/v1 NetworkPolicy': 'kubernetesNetworkPolicies',
  [`${v3} NetworkPolicy`]: 'networkPolicies',
  [`${v3} GlobalNetworkPolicy`]: 'globalNetworkPolicies',
  [`${v3} StagedNetworkPolicy`]: 'stagedNetworkPolicies',
  [`${v3} StagedGlobalNetworkPolicy`]: 'stagedGlobalNetworkPolicies',
  [`${v3} StagedKubernetesNetworkPolicy`]: 'stagedKubernetesNetworkPolicies',
  [`${v3} Tier`]: 'tiers',
  [`${v3} NetworkSet`]: 'networkSets',
  [`${v3} GlobalNetworkSet`]: 'globalNetworkSets',
  [`${v3} HostEndpoint`]: 'hostEndpoints',
  [`${v3} Profile`]: 'profiles',
  [`${v3} FelixConfiguration`]: 'felixConfigurations',
  [`${admin} AdminNetworkPolicy`]: 'adminNetworkPolicies',
  [`${admin} BaselineAdminNetworkPolicy`]: 'baselineAdminNetworkPolicies',
  'policy.networking.k8s.io/v1alpha2 ClusterNetworkPolicy': 'clusterNetworkPolicies',
};

/** The objects by their lists. */
export function policyObjects(objects: readonly KubeObject[]): PolicyObjects {
  const sorted: Record<string, KubeObject[]> = {};
  for (const object of objects) {
    const list = lists[`${object.apiVersion} ${object.kind}`];
    if (list === undefined) throw new Error(`no list for ${object.apiVersion} ${object.kind}`);
    sorted[list] = [...(sorted[list] ?? []), object];
  }
  return { ...noObjects, ...sorted } as PolicyObjects;
}
