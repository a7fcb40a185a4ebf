// Sets of objects from which a node's BIRD is configured, made from a seed: every field, in usual and in odd values.
import type { BirdEnvironment } from '../../../src/bird-config/objects.ts';
import { newAffinity } from '../../../src/ipam/affinity/affinities.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { Choices } from '../../parity/generated/random.ts';

export interface GeneratedSet {
  readonly node: string;
  readonly environment: BirdEnvironment;
  readonly objects: readonly KubeObject[];
}

type Family = 'v4' | 'v6' | 'dual';

const calico = 'crd.projectcalico.org/v1';
const object = (apiVersion: string, kind: string, name: string, spec: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name },
  spec,
});

/** Only the fields that have a value. */
const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const nodeNames = ['node-a', 'node-b', 'node-c', 'node-10', 'node-9', 'worker.example.com', 'a'];
const filterNames = [
  'plain',
  'with-hyphen.and.dot',
  '10-first',
  `long-${'x'.repeat(38)}`,
  `long-${'x'.repeat(40)}`,
  `longer-${'abc.'.repeat(20)}end`,
];
const ranges4 = ['10.0.0.0/8', '10.10.0.0/16', '10.2.0.0/16', '192.168.7.0/24', '172.16.0.1/32', '0.0.0.0/0'];
const ranges6 = ['fd00:10::/32', 'fd00:244::/48', '2001:db8::/64', '::/0', 'fd00::1/128', 'fd00:0:0:1::/64'];
const communityTexts = ['65000:1', '65000:2', '100:65535', '64512:1:2', '4294967295:0:1', '9:9'];
const communityNames = ['gold', 'silver', 'unknown'];
const racks = ['one', 'two'];
const selectors = [
  "rack == 'one'",
  "rack == 'two'",
  'has(rack)',
  'all()',
  "rack == 'none'",
  'has(reflector)',
  '!has(reflector)',
];

class SetMaker {
  readonly choices: Choices;
  readonly family: Family;

  constructor(seed: number) {
    this.choices = new Choices(seed);
    this.family = this.choices.weighted<Family>([
      [4, 'v4'],
      [2, 'v6'],
      [4, 'dual'],
    ]);
  }

  maybe<T>(chance: number, make: () => T): T | undefined {
    return this.choices.percent(chance) ? make() : undefined;
  }

  /** Now and then one that BIRD refuses. */
  range(all: readonly string[]): string {
    return this.choices.percent(2)
      ? all.includes('::/0') && !all.includes('0.0.0.0/0')
        ? 'fd00::5/64'
        : '10.1.2.3/16'
      : this.choices.one(all);
  }

  community(): string {
    return this.choices.percent(2) ? '65000:70000' : this.choices.one(communityTexts);
  }

  nodes(): KubeObject[] {
    const { choices } = this;
    const names = choices.some(nodeNames, choices.between(1, 6));
    return names.map((name, at) => {
      const host = choices.one([at + 1, at + 9, at + 98]);
      const has4 = this.family !== 'v6' && choices.percent(95);
      const has6 = this.family !== 'v4' && choices.percent(95);
      const annotations = given({
        'projectcalico.org/IPv4Address': has4
          ? `10.90.${choices.number(2)}.${host}${choices.one(['/24', '/24', '/24', '', '/16', '/32'])}`
          : undefined,
        'projectcalico.org/IPv6Address': has6
          ? `fd00:90::${choices.one(['', '0:'])}${host.toString(16)}${choices.one(['/64', '/64', '', '/128'])}`
          : undefined,
        'projectcalico.org/ASNumber': this.maybe(30, () => choices.one(['65001', '64512', '4200000000', '1.10'])),
        'projectcalico.org/RouteReflectorClusterID': this.maybe(20, () => choices.one(['244.0.0.1', '244.0.0.2'])),
        'projectcalico.org/labels': this.maybe(15, () => JSON.stringify({ rack: 'two', own: 'yes' })),
      }) as Record<string, string>;
      const labels = given({
        rack: this.maybe(70, () => choices.one(racks)),
        reflector: annotations['projectcalico.org/RouteReflectorClusterID'] === undefined ? undefined : 'yes',
        'node.kubernetes.io/exclude-from-external-load-balancers': this.maybe(8, () => choices.one(['true', 'false'])),
      }) as Record<string, string>;
      return {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels, annotations },
        spec: { podCIDR: `10.200.${at}.0/24`, podCIDRs: [`10.200.${at}.0/24`, `fd00:200:0:${at}::/64`] },
      };
    });
  }

  communities(): Record<string, unknown> {
    const { choices } = this;
    return given({
      communities: this.maybe(60, () => [
        { name: 'gold', value: this.community() },
        { name: 'silver', value: this.community() },
      ]),
      prefixAdvertisements: this.maybe(60, () =>
        Array.from({ length: choices.between(1, 3) }, () => ({
          cidr: this.range([...ranges4, ...ranges6]),
          communities: choices.some([...communityTexts, ...communityNames], choices.between(1, 5)),
        })),
      ),
    });
  }

  ranges(): { cidr: string }[] {
    const all = [
      '10.96.0.0/12',
      '10.112.0.0/24',
      '10.112.1.7/32',
      'fd00:96::/112',
      'fd00:96::7/128',
      '10.112.9.9/32',
      '10.9.0.0/16',
    ];
    return this.choices.some(all, this.choices.between(1, 4)).map((cidr) => ({ cidr }));
  }

  secretRef(): object {
    return {
      secretKeyRef: {
        name: this.choices.one(['bgp-passwords', 'bgp-passwords', 'missing']),
        key: this.choices.one(['mesh', 'tor', 'empty', 'none']),
      },
    };
  }

  duration(): string {
    return this.choices.one(['120s', '2m0s', '1500ms', '499ms', '500ms', '0s', '1h', '2.5s']);
  }

  configurations(nodes: readonly KubeObject[]): KubeObject[] {
    const { choices } = this;
    const log = (): string => choices.one(['Info', 'Debug', 'Warning', 'Error', 'Fatal', 'Trace']);
    const port = (): number => choices.one([179, 1790, 500]);
    const found: KubeObject[] = [];
    if (choices.percent(75)) {
      const spec = given({
        logSeverityScreen: this.maybe(40, log),
        nodeToNodeMeshEnabled: this.maybe(50, () => choices.percent(60)),
        asNumber: this.maybe(40, () => choices.one([64512, 65001, 4200000000])),
        listenPort: this.maybe(30, port),
        bindMode: this.maybe(40, () => choices.one(['None', 'NodeIP'])),
        ignoredInterfaces: this.maybe(30, () =>
          choices.some(['eth1', 'docker*', 'virbr*', 'a_b.c'], choices.between(1, 3)),
        ),
        nodeMeshPassword: this.maybe(25, () => this.secretRef()),
        nodeMeshMaxRestartTime: this.maybe(30, () => this.duration()),
        serviceClusterIPs: this.maybe(30, () => this.ranges()),
        serviceExternalIPs: this.maybe(30, () => this.ranges()),
        serviceLoadBalancerIPs: this.maybe(35, () => this.ranges()),
        serviceLoadBalancerAggregation: this.maybe(35, () => choices.one(['Enabled', 'Disabled'])),
        ...this.communities(),
      });
      found.push(object(calico, 'BGPConfiguration', 'default', spec));
    }
    for (const { metadata } of nodes) {
      if (!choices.percent(25)) continue;
      const spec = given({
        logSeverityScreen: this.maybe(50, log),
        listenPort: this.maybe(50, port),
        // What only `default` can set.
        asNumber: this.maybe(20, () => 65999),
        bindMode: this.maybe(20, () => 'NodeIP'),
        ...this.communities(),
      });
      found.push(object(calico, 'BGPConfiguration', `node.${metadata.name}`, spec));
    }
    return found;
  }

  /** Addresses of nodes, as their annotations have them, and of others. */
  addresses(nodes: readonly KubeObject[]): string[] {
    const own = nodes.flatMap(({ metadata }) =>
      ['IPv4Address', 'IPv6Address'].flatMap(
        (field) => metadata.annotations?.[`projectcalico.org/${field}`]?.replace(/\/.*/, '') ?? [],
      ),
    );
    return [...own, ...own, '10.90.0.254', '192.0.2.1', '198.51.100.9', '198.51.100.10', 'fd00:90::fe', '2001:db8::1'];
  }

  peers(nodes: readonly KubeObject[]): KubeObject[] {
    const { choices } = this;
    const addresses = this.addresses(nodes);
    const used = new Set<string>();
    return Array.from({ length: choices.between(0, 5) }, (_, at): KubeObject[] => {
      const address = choices.one(addresses);
      const port = this.maybe(25, () => choices.one([179, 1790, 500]));
      const peerIP =
        port === undefined ? address : address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
      const bySelector = choices.percent(40);
      const isFor = choices.weighted<object>([
        [4, {}],
        [3, { node: choices.one(nodes).metadata.name }],
        [3, { nodeSelector: choices.one(selectors) }],
      ]);
      // Calico chooses at random between two BGPPeers that ask for one peer: one way to name peers is enough for a set.
      const key = bySelector ? 'selector' : address;
      if (used.has(key) || (!bySelector && used.has('selector')) || (bySelector && used.size > 0)) return [];
      used.add(key);
      const gateways = ['10.90.0.250', '10.90.0.251'];
      const spec = given({
        ...isFor,
        ...(bySelector
          ? { peerSelector: choices.one(selectors) }
          : { peerIP, asNumber: choices.one([64512, 64512, 65001, 65002, 4200000000]) }),
        localASNumber: this.maybe(35, () => choices.one([64512, 65010])),
        keepOriginalNextHop: this.maybe(30, () => choices.percent(70)),
        nextHopMode: this.maybe(35, () => choices.one(['Auto', 'Self', 'Keep'])),
        password: this.maybe(25, () => this.secretRef()),
        sourceAddress: this.maybe(30, () => choices.one(['UseNodeIP', 'None'])),
        maxRestartTime: this.maybe(30, () => this.duration()),
        numAllowedLocalASNumbers: this.maybe(25, () => choices.one([0, 1, 3])),
        ttlSecurity: this.maybe(25, () => choices.one([0, 1, 2, 255])),
        reachableBy: this.maybe(20, () =>
          choices.one(!bySelector && address.includes(':') ? ['fd00:90::fa'] : gateways),
        ),
        filters: this.maybe(50, () => choices.some([...filterNames, 'absent'], choices.between(1, 4))),
        reversePeering: this.maybe(25, () => choices.one(['Auto', 'Manual'])),
      });
      return [object(calico, 'BGPPeer', `peer-${at}`, spec)];
    }).flat();
  }

  rules(bits: 32 | 128): object[] | undefined {
    const { choices } = this;
    const rule = (): object => {
      const cidr = this.maybe(70, () => this.range(bits === 32 ? ranges4 : ranges6));
      return given({
        cidr,
        matchOperator: cidr === undefined ? undefined : choices.one(['Equal', 'NotEqual', 'In', 'NotIn']),
        prefixLength:
          cidr === undefined
            ? undefined
            : this.maybe(40, () =>
                given({
                  min: this.maybe(70, () => choices.one([0, 8, bits === 32 ? 20 : 64])),
                  max: this.maybe(70, () => (choices.percent(5) ? 7 : choices.one([bits - 4, bits]))),
                }),
              ),
        source: this.maybe(25, () => 'RemotePeers'),
        interface: this.maybe(25, () => choices.one(['eth0', '*.calico', 'cali*', 'a_b'])),
        action: choices.one(['Accept', 'Reject']),
      });
    };
    return this.maybe(55, () => Array.from({ length: choices.between(1, 3) }, rule));
  }

  filters(): KubeObject[] {
    return this.choices.some(filterNames, this.choices.number(5)).map((name) =>
      object(
        calico,
        'BGPFilter',
        name,
        given({
          importV4: this.rules(32),
          exportV4: this.rules(32),
          importV6: this.rules(128),
          exportV6: this.rules(128),
        }),
      ),
    );
  }

  pools(): KubeObject[] {
    const { choices } = this;
    const all: readonly (readonly [string, string])[] = [
      ['default-ipv4', '10.244.0.0/16'],
      ['second', '10.10.0.0/16'],
      ['third', '10.2.0.0/16'],
      ['load-balancers', '10.112.0.0/24'],
      ['default-ipv6', 'fd00:244::/48'],
      ['ipv6-second', 'fd00:10::/64'],
    ];
    return choices.some(all, choices.number(6)).map(([name, cidr]) => {
      const mode = choices.one(['none', 'ipip', 'vxlan', 'unset']);
      const how = choices.one(['Always', 'CrossSubnet']);
      return object(
        calico,
        'IPPool',
        name,
        given({
          cidr,
          ipipMode: mode === 'ipip' && !cidr.includes(':') ? how : mode === 'unset' ? undefined : 'Never',
          vxlanMode: mode === 'vxlan' ? how : mode === 'unset' ? undefined : 'Never',
          disabled: this.maybe(20, () => choices.percent(60)),
          disableBGPExport: this.maybe(30, () => choices.percent(60)),
          allowedUses: name === 'load-balancers' ? ['LoadBalancer'] : undefined,
          natOutgoing: this.maybe(50, () => true),
          nodeSelector: 'all()',
        }),
      );
    });
  }

  affinities(nodes: readonly KubeObject[]): KubeObject[] {
    const { choices } = this;
    const blocks = [
      ...['10.244.10.0/26', '10.244.9.64/26', '10.244.100.5/32', '10.10.3.0/24', '10.2.0.128/25'],
      ...['fd00:244:0:a::/122', 'fd00:244:0:b::7/128', 'fd00:10::4000/122'],
    ];
    return choices.some(blocks, choices.number(8)).map((cidr) => {
      const node = choices.one([...nodes, ...nodes.slice(0, 1)]).metadata.name;
      const state = choices.weighted([
        [6, 'confirmed'],
        [1, ''],
        [1, 'pending'],
        [1, 'pendingDeletion'],
      ]);
      return newAffinity({ name: node, type: 'host' }, cidr, state as 'confirmed');
    });
  }

  /** Services with their endpoints. */
  services(nodes: readonly KubeObject[]): KubeObject[] {
    const { choices } = this;
    return Array.from({ length: choices.number(5) }, (_, at): KubeObject[] => {
      const name = `service-${at}`;
      const metadata = { name, namespace: 'shop' };
      const type = choices.one(['ClusterIP', 'NodePort', 'LoadBalancer', 'LoadBalancer']);
      const isHeadless = type === 'ClusterIP' && choices.percent(15);
      const externalIPs = this.maybe(40, () =>
        choices.some(['10.112.1.7', '10.112.0.9', '203.0.113.5', 'fd00:96::7', '10.9.0.1'], choices.between(1, 3)),
      );
      const clusterIP = isHeadless ? 'None' : `10.96.0.${20 + at}`;
      const outside = type !== 'ClusterIP' || externalIPs !== undefined;
      const service = {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: given({
          type,
          clusterIP,
          clusterIPs: [clusterIP],
          ipFamilies: ['IPv4'],
          externalIPs: isHeadless ? undefined : externalIPs,
          externalTrafficPolicy: outside && !isHeadless ? choices.one(['Cluster', 'Local']) : undefined,
          loadBalancerIP:
            type === 'LoadBalancer' ? this.maybe(40, () => choices.one(['10.112.1.7', '10.112.9.9'])) : undefined,
        }),
        status:
          type === 'LoadBalancer'
            ? {
                loadBalancer: {
                  ingress: choices
                    .some(['10.112.1.7', '10.112.0.8', '10.112.9.9', 'fd00:96::7', '8.8.8.8'], choices.between(1, 2))
                    .map((ip) => ({ ip })),
                },
              }
            : undefined,
      };
      // With several slices Calico's own result depends on which of them it hears of last.
      const slice = this.maybe(80, () => ({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: `${name}-x`, namespace: 'shop', labels: { 'kubernetes.io/service-name': name } },
        addressType: choices.weighted([
          [5, 'IPv4'],
          [1, 'IPv6'],
        ]),
        endpoints: [] as object[],
      }));
      if (slice === undefined) return [service];
      const isIpv6 = slice.addressType === 'IPv6';
      const endpoints = Array.from({ length: choices.number(3) }, (_one, end) =>
        given({
          addresses: [isIpv6 ? `fd00:244::${end + 1}` : `10.244.10.${end + 1}`],
          nodeName: this.maybe(85, () => choices.one(nodes).metadata.name),
          conditions: this.maybe(50, () => ({ ready: choices.percent(50), terminating: choices.percent(30) })),
        }),
      );
      return [service, { ...slice, endpoints } as KubeObject];
    }).flat();
  }

  environment(): BirdEnvironment {
    const { choices } = this;
    const isNeeded = this.family !== 'v4' || choices.percent(20);
    return given({
      CALICO_ROUTER_ID: isNeeded ? choices.one(['hash', 'hash', '1.2.3.4']) : undefined,
      CALICO_ADVERTISE_CLUSTER_IPS: this.maybe(10, () => '10.96.0.0/12'),
      USE_POD_CIDR: this.maybe(8, () => 'true'),
    }) as BirdEnvironment;
  }
}

const secrets: readonly KubeObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bgp-passwords', namespace: 'kube-system' },
    data: { mesh: btoa('mesh secret'), tor: btoa("tor's $ecret; }"), empty: '' },
  } as KubeObject,
];

/** What every API server has. */
export const serversOwn: readonly KubeObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default' },
    spec: { type: 'ClusterIP', clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'], ipFamilies: ['IPv4'] },
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': 'kubernetes' },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.90.0.1'] }],
  } as KubeObject,
];

/** The set of a seed: the same for the same seed. */
export function generatedSet(seed: number): GeneratedSet {
  const maker = new SetMaker(seed);
  const nodes = maker.nodes();
  const configurations = maker.configurations(nodes);
  const { name } = maker.choices.one(nodes).metadata;
  // A node without IPv4 and without a router ID has no valid configuration.
  const own = nodes.find(({ metadata }) => metadata.name === name)?.metadata.annotations ?? {};
  const environment = maker.environment();
  const hasId = own['projectcalico.org/IPv4Address'] !== undefined || environment.CALICO_ROUTER_ID !== undefined;
  return {
    node: name,
    environment: hasId ? environment : { ...environment, CALICO_ROUTER_ID: 'hash' },
    objects: [
      ...nodes,
      ...configurations,
      ...maker.peers(nodes),
      ...maker.filters(),
      ...maker.pools(),
      ...maker.affinities(nodes),
      ...maker.services(nodes),
      ...secrets,
      ...serversOwn,
    ],
  };
}
