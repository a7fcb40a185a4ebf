// Healthy clusters of every kind: no command about nodes finds anything. With one fault planted each finds exactly that.
import { describe, expect, it } from 'vitest';
import { type ClusterKind, type HealthyCluster, healthyCluster } from '../../support/clusters/healthy-clusters.ts';
import { commandFindings, nothingFound } from '../../support/clusters/node-findings.ts';

const kinds: ClusterKind[] = [];
for (const encapsulation of ['none', 'ipip', 'ipip-crosssubnet', 'vxlan', 'vxlan-crosssubnet'] as const) {
  for (const dataplane of ['iptables', 'nftables', 'ebpf'] as const) {
    for (const version of ['v3.31.4', 'v3.32.1'] as const) {
      for (const bird of encapsulation.startsWith('vxlan') ? [true, false] : [true]) {
        kinds.push({ encapsulation, dataplane, version, bird, ipam: 'calico-ipam' });
      }
    }
  }
}
kinds.push({ encapsulation: 'none', dataplane: 'iptables', version: 'v3.31.4', bird: true, ipam: 'host-local' });
kinds.push({ encapsulation: 'none', dataplane: 'nftables', version: 'v3.32.1', bird: true, ipam: 'host-local' });
for (const families of ['both', 'IPv6'] as const) {
  for (const encapsulation of ['none', 'ipip', 'ipip-crosssubnet', 'vxlan', 'vxlan-crosssubnet'] as const) {
    if (families === 'IPv6' && encapsulation.startsWith('ipip')) continue;
    for (const bird of encapsulation.startsWith('vxlan') ? [true, false] : [true]) {
      const [dataplane, version] = bird ? (['iptables', 'v3.31.4'] as const) : (['nftables', 'v3.32.1'] as const);
      kinds.push({ encapsulation, dataplane, version, bird, ipam: 'calico-ipam', families });
    }
  }
  kinds.push({
    encapsulation: 'none',
    dataplane: 'iptables',
    version: 'v3.32.1',
    bird: true,
    ipam: 'host-local',
    families,
  });
}

const nameOf = ({ encapsulation, dataplane, version, bird, ipam, families = 'IPv4' }: ClusterKind): string =>
  `${encapsulation} ${bird ? 'with' : 'without'} BIRD, ${dataplane}, ${version}, ${ipam}, ${families === 'both' ? 'IPv4 and IPv6' : families}`;

const nothing = nothingFound.map(({ command, code, problems }) => ({ command, code, problems }));

/** What the four commands find: id and node, and the exit code. */
const findings = async (cluster: HealthyCluster): Promise<unknown> =>
  (await commandFindings(cluster)).map(({ command, code, problems }) => ({ command, code, problems }));

describe('healthy clusters', () => {
  it('there are at least forty kinds', () => {
    expect(new Set(kinds.map(nameOf)).size).toBeGreaterThanOrEqual(40);
  });

  it.each(kinds.filter(({ dataplane }) => dataplane === 'iptables').map((kind) => [nameOf(kind), kind] as const))(
    'nothing is found with ranges of services outside pools and in a part of the network without nodes: %s',
    async (_, kind) => {
      const cluster = healthyCluster(kind, (one) => {
        one.bgp = {
          serviceClusterIPs: [{ cidr: '10.96.0.0/12' }],
          serviceExternalIPs: [{ cidr: '10.60.0.0/24' }, { cidr: '10.90.4.1/32' }],
          serviceLoadBalancerIPs: [{ cidr: '10.90.4.192/27' }],
        };
      });
      expect(await findings(cluster)).toEqual(nothing);
    },
  );

  it.each(kinds.map((kind) => [nameOf(kind), kind] as const))(
    'nothing is found in a healthy cluster: %s',
    async (_, kind) => {
      expect(await findings(healthyCluster(kind))).toEqual(nothing);
    },
  );
});

/** The texts of node-b, where faults are planted. */
const textsB = (cluster: HealthyCluster) => {
  const texts = cluster.texts.get('node-b');
  if (texts === undefined) throw new Error('no node-b');
  return texts;
};

interface Planted {
  readonly fits: (kind: ClusterKind) => boolean;
  readonly plant: (cluster: HealthyCluster) => void;
  /** By command, the problems as id and node. */
  readonly found: Readonly<Record<string, readonly string[]>>;
}

const hasIpv6 = ({ families = 'IPv4' }: ClusterKind): boolean => families !== 'IPv4';

/** Faults of IPv6, where it is the only family and where it is one of two. */
const plantedInIpv6: Readonly<Record<string, Planted>> = {
  'IPv6 forwarding off': {
    fits: hasIpv6,
    plant: (cluster) => textsB(cluster).sysctls.set('ipv6/conf/all/forwarding', '0'),
    found: { verify: ['F30 node-b'] },
  },
  'IPv6 disabled on the interface of a pod': {
    fits: hasIpv6,
    plant: (cluster) => textsB(cluster).sysctls.set(`ipv6/conf/${cluster.nodes[1]?.pod.device}/disable_ipv6`, '1'),
    found: { verify: ['F12 node-b'] },
  },
  'the IPv6 route to a pod missing': {
    fits: hasIpv6,
    plant: (cluster) => {
      const texts = textsB(cluster);
      texts.routes6 = texts.routes6.filter((route) => !route.startsWith(`${cluster.nodes[1]?.six.pod} `));
    },
    found: { routes: ['F06 node-b'], verify: ['F06 node-b'] },
  },
  'an IPv6 route to another node missing although Felix writes it': {
    fits: (kind) => hasIpv6(kind) && usesVxlan(kind),
    plant: (cluster) => {
      const texts = textsB(cluster);
      texts.routes6 = texts.routes6.filter((route) => !route.startsWith('fd00:244:0:10::/'));
    },
    found: { routes: ['F44 node-b'], verify: ['F44 node-b'] },
  },
  'an IPv6 session that is down': {
    fits: (kind) => hasIpv6(kind) && kind.bird,
    plant: (cluster) => {
      for (const [name, peer] of [
        ['node-a', '2001:db8:4::2'],
        ['node-b', '2001:db8:4::1'],
      ] as const)
        cluster.texts.get(name)?.sessions6.set(peer, 'Connect       Socket: Connection timed out');
    },
    found: { status: ['F62 node-b'], bgp: ['F62 node-b'] },
  },
  'one IPv6 tunnel address on two nodes': {
    fits: (kind) => hasIpv6(kind) && usesVxlan(kind),
    plant: (cluster) => {
      const { annotations } = cluster.coreNodes[1]?.metadata ?? {};
      if (annotations) annotations['projectcalico.org/IPv6VXLANTunnelAddr'] = 'fd00:244:0:10::';
    },
    found: { routes: ['F56 node-a'], verify: ['F56 node-a'] },
  },
  'a range of load balancers over the IPv6 pool': {
    fits: hasIpv6,
    plant: (cluster) => {
      cluster.bgp = { serviceLoadBalancerIPs: [{ cidr: 'fd00:244:0:ff00::/120' }] };
    },
    found: { routes: ['F79 node-a'], verify: ['F79 node-a'] },
  },
};

const usesVxlan = ({ encapsulation }: ClusterKind): boolean => encapsulation.startsWith('vxlan');

const planted: Readonly<Record<string, Planted>> = {
  'proxy_arp off': {
    fits: () => true,
    plant: (cluster) => textsB(cluster).sysctls.set(`ipv4/conf/${cluster.nodes[1]?.pod.device}/proxy_arp`, '0'),
    found: { verify: ['F01 node-b'] },
  },
  'forwarding off': {
    fits: () => true,
    plant: (cluster) => textsB(cluster).sysctls.set('ipv4/ip_forward', '0'),
    found: { verify: ['F30 node-b'] },
  },
  'the route to a pod missing': {
    fits: () => true,
    plant: (cluster) => {
      const texts = textsB(cluster);
      texts.routes4 = texts.routes4.filter((route) => !route.startsWith(`${cluster.nodes[1]?.pod.ip} `));
    },
    found: { routes: ['F06 node-b'], verify: ['F06 node-b'] },
  },
  'a route to another node missing although Felix writes it': {
    fits: usesVxlan,
    plant: (cluster) => {
      const texts = textsB(cluster);
      texts.routes4 = texts.routes4.filter((route) => !route.startsWith('10.244.10.0'));
    },
    found: { routes: ['F44 node-b'], verify: ['F44 node-b'] },
  },
  'a MAC address that udev changed': {
    fits: (kind) => usesVxlan(kind) && kind.dataplane !== 'ebpf',
    plant: (cluster) => {
      for (const link of textsB(cluster).links) {
        if (link['ifname'] === 'vxlan.calico') link['address'] = 'd6:02:e3:df:ea:7a';
      }
    },
    found: { verify: ['F58 node-b'] },
  },
  'an address on the wrong node': {
    fits: () => true,
    plant: (cluster) => {
      textsB(cluster).addresses.push({
        ifname: 'dummy0',
        addr_info: [{ family: 'inet', local: cluster.nodes[1]?.pod.ip, prefixlen: 32, scope: 'global' }],
      });
    },
    found: { verify: ['F16 node-b'] },
  },
  'a tunnel MTU that is too large': {
    fits: (kind) => kind.encapsulation !== 'none',
    plant: (cluster) => {
      for (const link of textsB(cluster).links) {
        if (['tunl0', 'vxlan.calico'].includes(String(link['ifname']))) link['mtu'] = 1490;
      }
      const texts = textsB(cluster);
      texts.routes4 = texts.routes4.map((route) => route.replace('mtu 1450', 'mtu 1490'));
    },
    found: { verify: ['F74 node-b'] },
  },
  'a foreign route in a block of another node': {
    fits: () => true,
    plant: (cluster) => textsB(cluster).routes4.push('10.244.10.0/27 via 10.90.4.254 dev eth0 proto static'),
    found: { routes: ['F47 node-b'], verify: ['F47 node-b'] },
  },
  'a pool over the network of nodes': {
    fits: () => true,
    plant: (cluster) => {
      cluster.pool = { ...cluster.pool, spec: { ...cluster.pool.spec, cidr: '10.0.0.0/8' } };
    },
    found: { routes: ['F79 node-a'], verify: ['F79 node-a'] },
  },
  'a service range over the pool': {
    fits: ({ ipam }) => ipam === 'calico-ipam',
    plant: (cluster) => {
      cluster.bgp = { serviceLoadBalancerIPs: [{ cidr: '10.244.128.0/24' }] };
    },
    found: { routes: ['F79 node-a'], verify: ['F79 node-a'] },
  },
  'a range of external addresses with the nodes in it': {
    fits: ({ version }) => version === 'v3.31.4',
    plant: (cluster) => {
      cluster.bgp = { serviceExternalIPs: [{ cidr: '10.90.4.0/24' }] };
    },
    found: { routes: ['F79 node-a'], verify: ['F79 node-a'] },
  },
  'a range of cluster addresses over one of load balancers': {
    fits: ({ version }) => version === 'v3.32.1',
    plant: (cluster) => {
      cluster.bgp = {
        serviceClusterIPs: [{ cidr: '10.96.0.0/12' }],
        serviceLoadBalancerIPs: [{ cidr: '10.100.0.0/24' }],
      };
    },
    found: { routes: ['F79 node-a'], verify: ['F79 node-a'] },
  },
  'a BIRD that ended': {
    fits: ({ bird }) => bird,
    plant: (cluster) => {
      textsB(cluster).bird = false;
      for (const name of ['node-a', 'node-c']) {
        cluster.texts.get(name)?.sessions.set('10.90.4.2', 'Active        Socket: Connection refused');
        cluster.texts.get(name)?.sessions6.set('2001:db8:4::2', 'Active        Socket: Connection refused');
      }
    },
    found: { status: ['F60 node-b'], bgp: ['F60 node-b'] },
  },
};

describe('one fault in a healthy cluster', () => {
  const all = [
    ...Object.entries(planted).map(([fault, one]) => ({
      fault,
      one,
      fits: ({ families }: ClusterKind) => families !== 'IPv6',
    })),
    ...Object.entries(plantedInIpv6).map(([fault, one]) => ({ fault, one, fits: () => true })),
  ];
  // Each fault in some kinds, and each kind with some faults; with LONG every fault in every kind.
  const step = process.env['LONG'] ? 1 : 5;
  const cases = all.flatMap(({ fault, one, fits }, at) =>
    kinds
      .filter((kind) => fits(kind) && one.fits(kind))
      .filter((_, kindAt) => (kindAt + at) % step === 0)
      .map((kind) => [fault, nameOf(kind), kind, one] as const),
  );

  it.each(cases)('%s is found alone: %s', async (_fault, _name, kind, { plant, found }) => {
    const expected = nothing.map(({ command }) => ({
      command,
      code: found[command] === undefined ? 0 : 3,
      problems: found[command] ?? [],
    }));
    expect(await findings(healthyCluster(kind, plant))).toEqual(expected);
  });
});
