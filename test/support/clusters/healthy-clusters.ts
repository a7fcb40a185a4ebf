// Healthy clusters of many kinds, made by one generator: the objects of a cluster, and what its nodes would answer. Each can
// have one fault planted in it.

import { vtepMac } from '../../../src/datapath/expected/vtep-mac.ts';
import { hostInterfaceName } from '../../../src/resources/convert/workload-endpoint-of-pod.ts';
import type { BGPConfiguration } from '../../../src/resources/kinds/bgp-configuration.ts';
import type { FelixConfigurationSpec } from '../../../src/resources/kinds/felix-configuration.ts';
import type { IPPool } from '../../../src/resources/kinds/ip-pool.ts';
import type { CoreNode } from '../../../src/resources/kinds/node-fields.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { felixConfiguration, recordedAffinity, recordedBlock, recordedPod } from '../recorded/network.ts';
import { birdAnswers, noBirdAnswers, type RecordedAnswer } from '../recorded/nodes.ts';

export type Encapsulation = 'none' | 'ipip' | 'ipip-crosssubnet' | 'vxlan' | 'vxlan-crosssubnet';

/** What kind of cluster it is. */
export interface ClusterKind {
  readonly encapsulation: Encapsulation;
  readonly bird: boolean;
  readonly ipam: 'calico-ipam' | 'host-local';
  readonly dataplane: 'iptables' | 'nftables' | 'ebpf';
  /** Newer releases give routes of pods a metric. */
  readonly version: 'v3.31.4' | 'v3.32.1';
  /** IPv4 where absent. IPv6 has no IPIP: its pools have none of the encapsulation then. */
  readonly families?: 'IPv4' | 'IPv6' | 'both';
  /** Three where absent. */
  readonly size?: number;
}

export interface HealthyNode {
  readonly name: string;
  readonly ip: string;
  readonly subnet: number;
  readonly block: string;
  readonly tunnel: string;
  readonly pod: { readonly name: string; readonly ip: string; readonly device: string };
  readonly six: {
    readonly ip: string;
    readonly block: string;
    readonly tunnel: string;
    readonly pod: string;
    readonly net: string;
  };
}

/** What a node's kernel and BIRD answer, to be changed before they are asked. */
export interface NodeTexts {
  links: Record<string, unknown>[];
  addresses: Record<string, unknown>[];
  routes4: string[];
  routes6: string[];
  rules4: Record<string, unknown>[];
  neighbours: Record<string, unknown>[];
  fdb: Record<string, unknown>[];
  sysctls: Map<string, string>;
  mtu: number;
  iptables: string;
  nft: boolean;
  sessions: Map<string, string>;
  birdRoutes: string[];
  sessions6: Map<string, string>;
  birdRoutes6: string[];
  bird: boolean;
}

export interface HealthyCluster {
  readonly kind: ClusterKind;
  readonly nodes: readonly HealthyNode[];
  pool: IPPool;
  pools: IPPool[];
  coreNodes: CoreNode[];
  felix: FelixConfigurationSpec;
  bgp: BGPConfiguration['spec'];
  objects: KubeObject[];
  readonly texts: ReadonlyMap<string, NodeTexts>;
}

const apiVersion = 'crd.projectcalico.org/v1';
/** `node-a` to `node-z`, then `node-26`. */
const nameAt = (at: number): string => `node-${at < 26 ? String.fromCharCode(97 + at) : at}`;

const has4 = ({ families = 'IPv4' }: ClusterKind): boolean => families !== 'IPv6';
const has6 = ({ families = 'IPv4' }: ClusterKind): boolean => families !== 'IPv4';

/** node-a and node-b in one subnet; node-c behind a router, unless nothing is encapsulated. */
function nodesOf({ encapsulation, ipam, size = 3 }: ClusterKind): HealthyNode[] {
  return Array.from({ length: size }, (_, at) => nameAt(at)).map((name, at) => {
    const subnet = at === 2 && encapsulation !== 'none' ? 5 : 4;
    const prefix = ipam === 'host-local' ? 24 : 26;
    const base = `10.244.${(at + 1) * 10}`;
    const pod = { name: `web-${at}`, ip: `${base}.5` };
    return {
      name,
      ip: `10.90.${subnet}.${at + 1}`,
      subnet,
      block: `${base}.0/${prefix}`,
      tunnel: `${base}.0`,
      pod: { ...pod, device: hostInterfaceName('shop', pod.name) },
      six: {
        ip: `2001:db8:${subnet}::${at + 1}`,
        net: `2001:db8:${subnet}::/64`,
        block: `fd00:244:0:${(at + 1) * 10}::/${ipam === 'host-local' ? 64 : 122}`,
        tunnel: `fd00:244:0:${(at + 1) * 10}::`,
        pod: `fd00:244:0:${(at + 1) * 10}::5`,
      },
    };
  });
}

const isVxlan = ({ encapsulation }: ClusterKind): boolean => encapsulation.startsWith('vxlan');
const isIpip = ({ encapsulation }: ClusterKind): boolean => encapsulation.startsWith('ipip');

function mtuOf(kind: ClusterKind): number {
  if (isVxlan(kind)) return has6(kind) ? 1430 : 1450;
  return isIpip(kind) ? 1480 : 1500;
}

function routeTo(kind: ClusterKind, local: HealthyNode, remote: HealthyNode): string {
  const { block, ip, tunnel } = remote;
  const isNear = local.subnet === remote.subnet;
  const metric = kind.version === 'v3.32.1' && !isVxlan(kind) ? ' metric 1024' : '';
  switch (kind.encapsulation) {
    case 'none':
      return `${block} via ${ip} dev eth0 proto bird${metric}`;
    case 'ipip':
      return `${block} via ${ip} dev tunl0 proto bird${metric} onlink`;
    case 'ipip-crosssubnet':
      return isNear
        ? `${block} via ${ip} dev eth0 proto bird${metric}`
        : `${block} via ${ip} dev tunl0 proto bird${metric} onlink`;
    case 'vxlan-crosssubnet':
      if (isNear) return `${block} via ${ip} dev eth0 proto 80 onlink`;
      return `${block} via ${tunnel} dev vxlan.calico onlink mtu 1450`;
    default:
      return `${block} via ${tunnel} dev vxlan.calico onlink mtu 1450`;
  }
}

function routeTo6(kind: ClusterKind, local: HealthyNode, remote: HealthyNode): string {
  const { six } = remote;
  if (!isVxlan(kind)) {
    // Without encapsulation node-c may be behind the router of the subnet.
    const hop = local.subnet === remote.subnet ? six.ip : `2001:db8:${local.subnet}::fe`;
    return `${six.block} via ${hop} dev eth0 proto bird metric 1024 pref medium`;
  }
  if (kind.encapsulation === 'vxlan-crosssubnet' && local.subnet === remote.subnet) {
    return `${six.block} via ${six.ip} dev eth0 proto 80 metric 1024 onlink pref medium`;
  }
  return `${six.block} via ${six.tunnel} dev vxlan-v6.calico metric 1024 onlink pref medium`;
}

function linksOf(kind: ClusterKind, node: HealthyNode): Record<string, unknown>[] {
  const up = ['BROADCAST', 'MULTICAST', 'UP', 'LOWER_UP'];
  const mtu = mtuOf(kind);
  const ether = { flags: up, operstate: 'UP', link_type: 'ether' };
  return [
    { ...ether, ifindex: 2, ifname: 'eth0', mtu: 1500, address: '52:54:00:aa:bb:01' },
    {
      ...ether,
      ifindex: 7,
      ifname: node.pod.device,
      mtu,
      address: 'ee:ee:ee:ee:ee:ee',
      linkinfo: { info_kind: 'veth' },
    },
    ...(isIpip(kind)
      ? [
          {
            ifindex: 8,
            ifname: 'tunl0',
            flags: ['NOARP', 'UP', 'LOWER_UP'],
            mtu: 1480,
            linkinfo: { info_kind: 'ipip' },
          },
        ]
      : []),
    ...(isVxlan(kind) && has4(kind)
      ? [
          {
            ...ether,
            ifindex: 9,
            ifname: 'vxlan.calico',
            mtu: 1450,
            address: vtepMac(node.name, 4, undefined),
            linkinfo: {
              info_kind: 'vxlan',
              info_data:
                kind.dataplane === 'ebpf'
                  ? { external: true, port: 4789, learning: false }
                  : { id: 4096, local: node.ip, link: 'eth0', port: 4789, learning: false },
            },
          },
        ]
      : []),
    ...(isVxlan(kind) && has6(kind)
      ? [
          {
            ...ether,
            ifindex: 10,
            ifname: 'vxlan-v6.calico',
            mtu: 1430,
            address: vtepMac(node.name, 6, undefined),
            linkinfo: {
              info_kind: 'vxlan',
              info_data: { id: 4096, local6: node.six.ip, link: 'eth0', port: 4789, learning: false },
            },
          },
        ]
      : []),
    ...(kind.dataplane === 'ebpf'
      ? ['bpfin.cali', 'bpfout.cali'].map((ifname, at) => ({
          ...ether,
          ifindex: 20 + at,
          ifname,
          mtu,
          address: 'ee:ee:ee:ee:ee:ee',
          linkinfo: { info_kind: 'veth' },
        }))
      : []),
  ];
}

function addressesOf(kind: ClusterKind, node: HealthyNode): Record<string, unknown>[] {
  const inet = (ifname: string, local: string, prefixlen: number): Record<string, unknown> => ({
    ifname,
    addr_info: [{ family: 'inet', local, prefixlen, scope: 'global' }],
  });
  const inet6 = (ifname: string, local: string, prefixlen: number, scope = 'global'): Record<string, unknown> => ({
    ifname,
    addr_info: [{ family: 'inet6', local, prefixlen, scope }],
  });
  return [
    ...(has4(kind) ? [inet('eth0', node.ip, 24)] : []),
    ...(isIpip(kind) && has4(kind) ? [inet('tunl0', node.tunnel, 32)] : []),
    ...(isVxlan(kind) && has4(kind) ? [inet('vxlan.calico', node.tunnel, 32)] : []),
    ...(has6(kind) ? [inet6('eth0', node.six.ip, 64), inet6('eth0', 'fe80::1', 64, 'link')] : []),
    ...(has6(kind) && isVxlan(kind)
      ? [inet6('vxlan-v6.calico', node.six.tunnel, 128), inet6('vxlan-v6.calico', 'fe80::2', 64, 'link')]
      : []),
  ];
}

function sysctlsOf(kind: ClusterKind, node: HealthyNode): Map<string, string> {
  const device = node.pod.device;
  return new Map([
    ['ipv4/ip_forward', '1'],
    ['ipv4/conf/all/proxy_arp', '0'],
    ['ipv4/conf/all/route_localnet', '0'],
    ['ipv4/conf/all/rp_filter', '0'],
    ['ipv4/conf/eth0/forwarding', '1'],
    [`ipv4/conf/${device}/proxy_arp`, '1'],
    [`ipv4/conf/${device}/forwarding`, '1'],
    [`ipv4/conf/${device}/route_localnet`, '1'],
    [`ipv4/neigh/${device}/proxy_delay`, '0'],
    ...(has6(kind)
      ? ([
          ['ipv6/conf/all/forwarding', '1'],
          ['ipv6/conf/all/disable_ipv6', '0'],
          ['ipv6/conf/eth0/forwarding', '1'],
          [`ipv6/conf/${device}/forwarding`, '1'],
          [`ipv6/conf/${device}/disable_ipv6`, '0'],
          [`ipv6/conf/${device}/proxy_ndp`, '1'],
          [`ipv6/conf/${device}/accept_ra`, '0'],
          [`ipv6/conf/${device}/accept_dad`, '0'],
        ] as const)
      : []),
  ]);
}

const iptablesTexts = {
  iptables: '*filter\n:FORWARD ACCEPT [0:0]\n:cali-FORWARD - [0:0]\nCOMMIT\n*nat\n:KUBE-SERVICES - [0:0]\nCOMMIT\n',
  nftables: '',
  ebpf: '*filter\n:FORWARD ACCEPT [0:0]\n:cali-FORWARD - [0:0]\nCOMMIT\n',
} as const;

function textsOf(kind: ClusterKind, node: HealthyNode, nodes: readonly HealthyNode[]): NodeTexts {
  const others = nodes.filter((other) => other !== node);
  const metric = kind.version === 'v3.32.1' ? ' metric 1024' : '';
  const vteps = !isVxlan(kind)
    ? []
    : others.flatMap(({ name, ip, tunnel, six }) => [
        ...(has4(kind) ? [{ ip, tunnel, device: 'vxlan.calico', mac: vtepMac(name, 4, undefined) }] : []),
        ...(has6(kind)
          ? [{ ip: six.ip, tunnel: six.tunnel, device: 'vxlan-v6.calico', mac: vtepMac(name, 6, undefined) }]
          : []),
      ]);
  const near = (other: HealthyNode): string => (other.subnet === node.subnet ? other.ip : `10.90.${node.subnet}.254`);
  return {
    links: linksOf(kind, node),
    addresses: addressesOf(kind, node),
    routes4: !has4(kind)
      ? []
      : [
          `default via 10.90.${node.subnet}.254 dev eth0 proto static`,
          `10.90.${node.subnet}.0/24 dev eth0 proto kernel scope link src ${node.ip}`,
          `blackhole ${node.block} proto ${isVxlan(kind) ? '80' : 'bird'}`,
          `${node.pod.ip} dev ${node.pod.device} scope link${metric}`,
          ...others.map((other) => routeTo(kind, node, other)),
          ...(kind.dataplane === 'ebpf' ? ['169.254.1.1 dev bpfin.cali scope link'] : []),
        ],
    routes6: !has6(kind)
      ? []
      : [
          `default via 2001:db8:${node.subnet}::fe dev eth0 proto static metric 1024 pref medium`,
          `${node.six.net} dev eth0 proto kernel metric 256 pref medium`,
          'fe80::/64 dev eth0 proto kernel metric 256 pref medium',
          `blackhole ${node.six.block} dev lo proto ${isVxlan(kind) ? '80' : 'bird'} metric 1024 pref medium`,
          `${node.six.pod} dev ${node.pod.device} metric 1024 pref medium`,
          ...others.map((other) => routeTo6(kind, node, other)),
        ],
    rules4: [
      { priority: 0, src: 'all', table: 'local' },
      { priority: 32_766, src: 'all', table: 'main' },
    ],
    neighbours: vteps.map(({ tunnel, device, mac }) => ({
      dst: tunnel,
      dev: device,
      lladdr: mac,
      state: ['PERMANENT'],
    })),
    fdb:
      kind.dataplane === 'ebpf'
        ? []
        : vteps.map(({ ip, device, mac }) => ({ dst: ip, dev: device, lladdr: mac, state: ['NOARP', 'PERMANENT'] })),
    sysctls: sysctlsOf(kind, node),
    mtu: mtuOf(kind),
    iptables: iptablesTexts[kind.dataplane],
    nft: kind.dataplane === 'nftables',
    sessions: new Map(others.map((other) => [other.ip, 'Established'])),
    birdRoutes: others.map(
      (other) =>
        `${other.block}   via ${near(other)} on eth0 [Mesh_${other.ip.replaceAll('.', '_')} 2026-11-28 from ${other.ip}] * (100/0) [i]\n\tType: BGP unicast univ\n\tBGP.next_hop: ${other.ip}`,
    ),
    sessions6: new Map(others.map((other) => [other.six.ip, 'Established'])),
    birdRoutes6: others.map(
      (other) =>
        `${other.six.block}   via ${other.subnet === node.subnet ? other.six.ip : `2001:db8:${node.subnet}::fe`} on eth0 [Mesh_${other.six.ip.replaceAll(':', '_')} 2026-11-28 from ${other.six.ip}] * (100/0) [i]\n\tType: BGP unicast univ\n\tBGP.next_hop: ${other.six.ip}`,
    ),
    bird: kind.bird,
  };
}

const podCidrs = (cidrs: string[]): NonNullable<CoreNode['spec']> => ({ podCIDR: cidrs[0] ?? '', podCIDRs: cidrs });

/** A healthy cluster of the kind; `change` plants a fault before anything is written. */
export function healthyCluster(
  kind: ClusterKind,
  change: (cluster: HealthyCluster) => void = () => {},
): HealthyCluster {
  const nodes = nodesOf(kind);
  const mode = kind.encapsulation.endsWith('crosssubnet') ? 'CrossSubnet' : 'Always';
  const cluster: HealthyCluster = {
    kind,
    nodes,
    pool: {
      apiVersion,
      kind: 'IPPool',
      metadata: { name: 'pool-4' },
      spec: {
        cidr: '10.244.0.0/16',
        ipipMode: isIpip(kind) ? mode : 'Never',
        vxlanMode: isVxlan(kind) ? mode : 'Never',
      },
    },
    pools: has6(kind)
      ? [
          {
            apiVersion,
            kind: 'IPPool',
            metadata: { name: 'pool-6' },
            spec: { cidr: 'fd00:244::/48', ipipMode: 'Never', vxlanMode: isVxlan(kind) ? mode : 'Never' },
          },
        ]
      : [],
    coreNodes: nodes.map(({ name, ip, tunnel, block, six }) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: { 'kubernetes.io/os': 'linux' },
        annotations: {
          ...(has4(kind) && {
            'projectcalico.org/IPv4Address': `${ip}/24`,
            ...(isIpip(kind) && { 'projectcalico.org/IPv4IPIPTunnelAddr': tunnel }),
            ...(isVxlan(kind) && { 'projectcalico.org/IPv4VXLANTunnelAddr': tunnel }),
          }),
          ...(has6(kind) && {
            'projectcalico.org/IPv6Address': `${six.ip}/64`,
            ...(isVxlan(kind) && { 'projectcalico.org/IPv6VXLANTunnelAddr': six.tunnel }),
          }),
        },
      },
      spec:
        kind.ipam === 'host-local'
          ? podCidrs([...(has4(kind) ? [block] : []), ...(has6(kind) ? [six.block] : [])])
          : {},
      status: {
        addresses: [...(has4(kind) ? [ip] : []), ...(has6(kind) ? [six.ip] : [])].map((address) => ({
          type: 'InternalIP',
          address,
        })),
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    })),
    felix: kind.dataplane === 'nftables' && kind.version === 'v3.31.4' ? { nftablesMode: 'Enabled' } : {},
    bgp: {},
    objects: [
      ...nodes.map(({ name, pod, six }) =>
        recordedPod(name, `shop/${pod.name}`, ...(has4(kind) ? [pod.ip] : []), ...(has6(kind) ? [six.pod] : [])),
      ),
      ...(kind.ipam === 'host-local'
        ? []
        : nodes.flatMap(({ name, block, six }) =>
            [...(has4(kind) ? [block] : []), ...(has6(kind) ? [six.block] : [])].flatMap((cidr) => [
              recordedBlock(cidr, name, [
                { ordinal: 0, node: name },
                { ordinal: 5, node: name },
              ]),
              recordedAffinity(name, cidr, 'confirmed'),
            ]),
          )),
    ],
    texts: new Map(nodes.map((node) => [node.name, textsOf(kind, node, nodes)])),
  };
  change(cluster);
  return cluster;
}

/** All objects of the cluster. */
export function objectsOf({ kind, objects, pool, pools, coreNodes, felix, bgp }: HealthyCluster): KubeObject[] {
  return [
    ...coreNodes,
    ...(has4(kind) ? [pool] : []),
    ...pools,
    ...objects,
    felixConfiguration(felix),
    { apiVersion, kind: 'BGPConfiguration', metadata: { name: 'default' }, spec: bgp } as KubeObject,
  ];
}

const sessionRow = (address: string, state: string): string => {
  const name = `Mesh_${address.replaceAll(/[.:]/g, '_')}`;
  const row =
    state === 'Established'
      ? `${name} BGP      master   up     2026-11-28  Established   `
      : `${name} BGP      master   start  2026-11-28  ${state}`;
  const [word = ''] = state.split(' ');
  return `${row}\n  Routes:         1 imported, 1 exported, 1 preferred\n  BGP state:          ${word}\n    Neighbor address: ${address}\n    Neighbor AS:      64512\n\n`;
};

/** What a node answers, by command. */
export function answersOf(cluster: HealthyCluster, node: HealthyNode): RecordedAnswer[] {
  const texts = cluster.texts.get(node.name);
  if (texts === undefined) throw new Error(node.name);
  const json = (value: unknown): string => `${JSON.stringify(value)}\n`;
  const names = ['ip_forward', 'forwarding', 'proxy_arp', 'proxy_delay', 'proxy_ndp', 'route_localnet', 'rp_filter'];
  const grep = [...names, 'disable_ipv6', 'accept_dad', 'accept_ra'].map((name) => `--include=${name}`);
  const paths = ['ipv4/conf', 'ipv4/neigh', 'ipv6/conf', 'ipv4/ip_forward'].map((path) => `/proc/sys/net/${path}`);
  const status = `Router ID is ${node.ip}\nCurrent server time is 2026-11-30 01:14:05\nLast reboot on 2026-11-28 01:14:04\nLast reconfiguration on 2026-11-28 01:14:04\n`;
  const rowsOf = (sessions: ReadonlyMap<string, string>): string =>
    [...sessions].map(([address, state]) => sessionRow(address, state)).join('');
  const noTable = 'Error: No such file or directory\n';
  const isBpf = cluster.kind.dataplane === 'ebpf';
  const kubeProxy = ['nft', '-j', 'list', 'table', 'ip', 'kube-proxy'];
  return [
    ...(texts.bird && has4(cluster.kind)
      ? birdAnswers(4, { status, rows: rowsOf(texts.sessions), routes: `${texts.birdRoutes.join('\n')}\n` })
      : noBirdAnswers(4)),
    ...(texts.bird && has6(cluster.kind)
      ? birdAnswers(6, { status, rows: rowsOf(texts.sessions6), routes: `${texts.birdRoutes6.join('\n')}\n` })
      : noBirdAnswers(6)),
    {
      argv: ['pgrep', '-a', '-f', '^(calico-felix|calico-node)( |$)|^[^ ]+ -felix( |$)'],
      stdout: '42 calico-node -felix\n',
    },
    { argv: ['ip', '-j', '-d', 'link', 'show'], stdout: json(texts.links) },
    { argv: ['ip', '-j', 'addr', 'show'], stdout: json(texts.addresses) },
    { argv: ['ip', '-d', '-4', 'route', 'show'], stdout: `${texts.routes4.join('\n')}\n` },
    { argv: ['ip', '-d', '-6', 'route', 'show'], stdout: `${texts.routes6.join('\n')}\n` },
    { argv: ['ip', '-j', '-4', 'rule', 'show'], stdout: json(texts.rules4) },
    { argv: ['ip', '-j', '-6', 'rule', 'show'], stdout: '[]\n' },
    { argv: ['ip', '-j', 'neigh', 'show'], stdout: json(texts.neighbours) },
    { argv: ['ip', '-j', '-f', 'bridge', 'neigh', 'show'], stdout: json(texts.fdb) },
    {
      argv: ['grep', '-rsH', '', ...grep, ...paths],
      stdout: [...texts.sysctls].map(([key, value]) => `/proc/sys/net/${key}:${value}\n`).join(''),
    },
    { argv: ['cat', '/var/lib/calico/mtu'], stdout: `${texts.mtu}` },
    { argv: ['cat', '/var/lib/calico/nodename'], stdout: node.name },
    {
      argv: ['ip', '-j', 'route', 'get', '169.254.1.1'],
      stdout: json([{ dst: '169.254.1.1', dev: isBpf ? 'bpfin.cali' : 'eth0', flags: [] }]),
    },
    { argv: ['iptables-nft-save'], stdout: texts.iptables },
    { argv: ['iptables-legacy-save'], exit: 127, stderr: 'not found\n' },
    texts.nft ? { argv: kubeProxy, stdout: '{"nftables":[]}\n' } : { argv: kubeProxy, exit: 1, stderr: noTable },
  ];
}
