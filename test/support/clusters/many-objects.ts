// Manifests of many objects of several kinds, as a team that keeps its policies in files has them.
import { stringify } from 'yaml';
import type { KubeObject } from '../../../src/resources/object.ts';

const v3 = 'projectcalico.org/v3';

/** The namespaces of the objects. */
export const manyNamespaces = ['shop', 'bank', 'mail'] as const;

const namespaceOf = (at: number): string => manyNamespaces[at % manyNamespaces.length] as string;

const rules = (at: number) => ({
  tier: 'security',
  selector: `app == 'app-${at % 50}'`,
  types: ['Ingress', 'Egress'],
  ingress: [
    {
      action: 'Allow',
      protocol: 'TCP',
      source: { selector: `role == 'role-${at % 7}'` },
      destination: { ports: [80, 443] },
    },
  ],
  egress: [{ action: 'Allow' }],
});

const makers: readonly ((at: number) => KubeObject)[] = [
  (at) => ({
    apiVersion: v3,
    kind: 'GlobalNetworkSet',
    metadata: { name: `set-${at}`, labels: { app: `app-${at % 50}` } },
    spec: { nets: [`192.168.${at % 250}.0/24`, `172.16.${at % 250}.0/24`] },
  }),
  (at) => ({
    apiVersion: v3,
    kind: 'NetworkSet',
    metadata: { name: `set-${at}`, namespace: namespaceOf(at), labels: { app: `app-${at % 50}` } },
    spec: { nets: [`192.168.${at % 250}.0/24`] },
  }),
  (at) => ({
    apiVersion: v3,
    kind: 'NetworkPolicy',
    metadata: { name: `security.allow-${at}`, namespace: namespaceOf(at) },
    spec: { order: at, ...rules(at) },
  }),
  (at) => ({
    apiVersion: v3,
    kind: 'GlobalNetworkPolicy',
    metadata: { name: `security.allow-${at}` },
    spec: { order: at, ...rules(at) },
  }),
  (at) => ({
    apiVersion: v3,
    kind: 'HostEndpoint',
    metadata: { name: `host-${at}`, labels: { role: `role-${at % 7}` } },
    spec: { node: `node-${at % 100}`, interfaceName: 'eth0', expectedIPs: [`10.200.${(at >> 8) & 255}.${at & 255}`] },
  }),
  (at) => ({
    apiVersion: v3,
    kind: 'BGPPeer',
    metadata: { name: `peer-${at}` },
    spec: { node: `node-${at % 100}`, peerIP: `10.201.${(at >> 8) & 255}.${at & 255}`, asNumber: 64512 + (at % 100) },
  }),
];

/** So many objects: two pools, the tier of the policies after everything that needs it, and sets, policies, endpoints and peers. */
export function manyObjects(count: number): KubeObject[] {
  const pools = [1, 2].map((at) => ({
    apiVersion: v3,
    kind: 'IPPool',
    metadata: { name: `pool-${at}` },
    spec: { cidr: `10.${at}.0.0/16`, natOutgoing: true },
  }));
  const tier = { apiVersion: v3, kind: 'Tier', metadata: { name: 'security' }, spec: { order: 100 } };
  const rest = Array.from({ length: count - 3 }, (_, at) =>
    (makers[at % makers.length] as (at: number) => KubeObject)(at),
  );
  return [...pools, ...rest, tier];
}

/** As YAML documents. */
export function manifestOf(objects: readonly KubeObject[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}
