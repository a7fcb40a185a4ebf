// One cause that shows on many nodes is one finding: a cluster that is split, a node that is off, a mistake in one object,
// one tunnel address on two nodes.
import { describe, expect, it } from 'vitest';
import { type ClusterKind, type HealthyCluster, healthyCluster } from '../../support/clusters/healthy-clusters.ts';
import { commandFindings } from '../../support/clusters/node-findings.ts';

const kindOf = (encapsulation: ClusterKind['encapsulation'], size = 3): ClusterKind => ({
  encapsulation,
  bird: true,
  ipam: 'calico-ipam',
  dataplane: 'iptables',
  version: 'v3.31.4',
  size,
});

/** The node's session with another one is down, and it has no route to its block. */
function cutOff(cluster: HealthyCluster, from: number, to: number, words: string): void {
  const [node, peer] = [cluster.nodes[from], cluster.nodes[to]];
  const texts = cluster.texts.get(node?.name ?? '');
  if (texts === undefined || peer === undefined) throw new Error('no such node');
  texts.sessions.set(peer.ip, words);
  texts.routes4 = texts.routes4.filter((route) => !route.startsWith(peer.block));
  texts.birdRoutes = texts.birdRoutes.filter((route) => !route.startsWith(peer.block));
}

const found = async (cluster: HealthyCluster, unrecorded: readonly string[] = []) =>
  Object.fromEntries((await commandFindings(cluster, unrecorded)).map((one) => [one.command, one]));

describe('common causes', () => {
  it('a cluster that is split in half is one finding of each command, with counts and the names of a few nodes', async () => {
    const size = 8;
    const cluster = healthyCluster(kindOf('none', size), (one) => {
      for (let from = 0; from < size; from++) {
        for (let to = 0; to < size; to++) {
          if (from < size / 2 !== to < size / 2) cutOff(one, from, to, 'Connect       Socket: Connection timed out');
        }
      }
    });
    const { status, bgp, routes, verify } = await found(cluster);
    expect([status, bgp, routes, verify].map((one) => one?.problems.length)).toEqual([1, 1, 1, 1]);
    expect(status?.texts[0]).toMatch(
      /^4 nodes \(node-a, node-b, node-c and 1 more\) and 4 nodes \(node-e, node-f, node-g and 1 more\) are separated: none of the 16 sessions between them is established/,
    );
    expect(routes?.texts[0]).toMatch(/are separated: no BGP session between them.* 32 routes to each other's blocks/);
    expect(verify?.texts).toEqual(routes?.texts);
  });

  it('a node that is off is one finding that names it, and nobody is sent to look for a firewall', async () => {
    const cluster = healthyCluster(kindOf('none', 5), (one) => {
      const off = one.coreNodes[4];
      if (off?.status) off.status.conditions = [{ type: 'Ready', status: 'Unknown' }];
      for (let from = 0; from < 4; from++) cutOff(one, from, 4, 'Active        BGP Error: Hold timer expired');
    });
    const { status, routes, verify } = await found(cluster, ['node-e']);
    expect([status, routes, verify].map((one) => one?.problems)).toEqual([
      ['F108 node-e'],
      ['F108 node-e'],
      ['F108 node-e'],
    ]);
    expect(routes?.texts[0]).toMatch(
      /node-e is not ready \(Ready is Unknown\).*4 nodes have no route to 10\.244\.50\.0\/26/,
    );
    for (const one of [status, routes, verify]) expect(one?.texts[0]).not.toMatch(/firewall|lost packets/);
  });

  it('interfaces that BIRD ignores by one object are one finding that names the object, pattern and interface', async () => {
    const cluster = healthyCluster(kindOf('none', 4), (one) => {
      one.bgp = { ignoredInterfaces: ['docker*', 'eth*'] };
      for (const { name } of one.nodes) {
        const texts = one.texts.get(name);
        if (texts === undefined) continue;
        texts.routes4 = texts.routes4.filter((route) => !route.includes('proto bird') || route.startsWith('blackhole'));
        texts.birdRoutes = [];
      }
    });
    const { routes } = await found(cluster);
    expect(routes?.problems).toEqual(['F93 node-a']);
    expect(routes?.texts[0]).toMatch(/ignores eth0.*ignoredInterfaces eth\*.*BGPConfiguration default/);
  });

  it('nothing is found where ignored interfaces lead to no node', async () => {
    const cluster = healthyCluster(kindOf('none'), (one) => {
      one.bgp = { ignoredInterfaces: ['docker*', 'virbr0', '*.100'] };
    });
    const { status, routes } = await found(cluster);
    expect([status?.problems, routes?.problems]).toEqual([[], []]);
  });

  it.each(['vxlan', 'ipip'] as const)('one tunnel address on two nodes is one finding: %s', async (encapsulation) => {
    const cluster = healthyCluster(kindOf(encapsulation), (one) => {
      const { annotations } = one.coreNodes[1]?.metadata ?? {};
      const key = encapsulation === 'vxlan' ? 'IPv4VXLANTunnelAddr' : 'IPv4IPIPTunnelAddr';
      if (annotations) annotations[`projectcalico.org/${key}`] = '10.244.10.0';
    });
    const { verify } = await found(cluster);
    expect(verify?.problems).toEqual(['F56 node-a']);
    expect(verify?.texts[0]).toMatch(/^node-a, node-b have the same tunnel address, 10\.244\.10\.0/);
  });

  it('an address that was detected on a network of its own is reported for that node, and not where all nodes use such a network', async () => {
    const moved = healthyCluster(kindOf('ipip'), (one) => {
      const { annotations } = one.coreNodes[1]?.metadata ?? {};
      if (annotations) annotations['projectcalico.org/IPv4Address'] = '192.168.50.2/24';
      one.texts.get('node-b')?.addresses.push({
        ifname: 'eth1',
        addr_info: [{ family: 'inet', local: '192.168.50.2', prefixlen: 24, scope: 'global' }],
      });
    });
    const { verify } = await found(moved);
    expect(verify?.texts.join('\n')).toMatch(
      /the address of node-b is 192\.168\.50\.2, in no network of another node; its InternalIP 10\.90\.4\.2 is in theirs.*IP_AUTODETECTION_METHOD/,
    );
    const all = healthyCluster(kindOf('ipip'), (one) => {
      for (const [at, node] of one.coreNodes.entries())
        if (node.status) node.status.addresses = [{ type: 'InternalIP', address: `192.168.60.${at + 1}` }];
    });
    expect((await found(all))['verify']?.problems).toEqual([]);
  });
});
