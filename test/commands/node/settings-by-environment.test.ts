// Settings that calico-node has by its environment: stated by its pods, or else what all nodes agree on. Healthy clusters
// with such settings, and one node that differs from the others.
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../src/resources/kinds/pod.ts';
import {
  type ClusterKind,
  type HealthyCluster,
  healthyCluster,
  type NodeTexts,
} from '../../support/clusters/healthy-clusters.ts';
import { commandFindings, nothingFound } from '../../support/clusters/node-findings.ts';

const kindOf = (encapsulation: ClusterKind['encapsulation']): ClusterKind => ({
  encapsulation,
  bird: true,
  ipam: 'calico-ipam',
  dataplane: 'iptables',
  version: 'v3.31.4',
});

const everyNode = ['node-a', 'node-b', 'node-c'];

const textsOf = ({ texts }: HealthyCluster, node: string): NodeTexts => {
  const found = texts.get(node);
  if (found === undefined) throw new Error(node);
  return found;
};

/** A calico-node pod on each node with these variables. */
const withEnvironment = (cluster: HealthyCluster, env: readonly { name: string; value: string }[]): void => {
  for (const { name } of cluster.nodes) {
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `calico-node-${name}`, namespace: 'kube-system' },
      spec: { nodeName: name, hostNetwork: true, containers: [{ name: 'calico-node', env: [...env] }] },
      status: { phase: 'Running' },
    };
    cluster.objects.push(pod);
  }
};

/** The VXLAN devices of these nodes with another VNI and port. */
const withVxlanPort = (cluster: HealthyCluster, nodes: readonly string[], id: number, port: number): void => {
  for (const node of nodes) {
    for (const link of textsOf(cluster, node).links) {
      const info = (link['linkinfo'] as { info_kind: string; info_data?: object } | undefined) ?? { info_kind: '' };
      if (info.info_kind === 'vxlan') link['linkinfo'] = { ...info, info_data: { ...info.info_data, id, port } };
    }
  }
};

/** The interfaces of pods of these nodes with another prefix. */
const withPrefix = (cluster: HealthyCluster, nodes: readonly string[], prefix: string): void => {
  const renamed = (text: string): string => text.replaceAll(/cali(?=[0-9a-f]{11})/g, prefix);
  for (const node of nodes) {
    const texts = textsOf(cluster, node);
    texts.links = JSON.parse(renamed(JSON.stringify(texts.links))) as NodeTexts['links'];
    texts.routes4 = texts.routes4.map(renamed);
    texts.sysctls = new Map([...texts.sysctls].map(([key, value]) => [renamed(key), value]));
  }
};

const withWireguard = (cluster: HealthyCluster, nodes: readonly string[]): void => {
  for (const node of cluster.coreNodes.filter(({ metadata }) => nodes.includes(metadata.name))) {
    const { name } = node.metadata;
    node.metadata.annotations = { ...node.metadata.annotations, 'projectcalico.org/WireguardPublicKey': `${name}=` };
    const texts = textsOf(cluster, name);
    texts.links.push({
      ifindex: 30,
      ifname: 'wireguard.cali',
      flags: ['POINTOPOINT', 'NOARP', 'UP', 'LOWER_UP'],
      mtu: 1440,
      linkinfo: { info_kind: 'wireguard' },
    });
    texts.rules4.splice(1, 0, {
      priority: 99,
      not: null,
      src: 'all',
      fwmark: '0x200000',
      fwmask: '0x200000',
      table: '1',
    });
  }
  for (const name of everyNode) {
    const texts = textsOf(cluster, name);
    texts.mtu = 1440;
    for (const link of texts.links) if (String(link['ifname']).startsWith('cali')) link['mtu'] = 1440;
  }
};

interface Healthy {
  readonly kind: ClusterKind;
  readonly change: (cluster: HealthyCluster) => void;
}

const healthy: Readonly<Record<string, Healthy>> = {
  'VNI and port of VXLAN differ from the default on all nodes': {
    kind: kindOf('vxlan'),
    change: (cluster) => withVxlanPort(cluster, everyNode, 5000, 8472),
  },
  'the pods of calico-node state VNI and port': {
    kind: kindOf('vxlan'),
    change: (cluster) => {
      withVxlanPort(cluster, everyNode, 5000, 8472);
      withEnvironment(cluster, [
        { name: 'FELIX_VXLANVNI', value: '5000' },
        { name: 'FELIX_VXLANPORT', value: '8472' },
      ]);
    },
  },
  'interfaces of pods begin with gke on all nodes': {
    kind: kindOf('none'),
    change: (cluster) => withPrefix(cluster, everyNode, 'gke'),
  },
  'the pods of calico-node state the prefix of interfaces': {
    kind: kindOf('ipip'),
    change: (cluster) => {
      withPrefix(cluster, everyNode, 'pod');
      withEnvironment(cluster, [{ name: 'FELIX_INTERFACEPREFIX', value: 'pod,eni' }]);
    },
  },
  'all routes through VXLAN have the protocol 80': {
    kind: kindOf('vxlan'),
    change: (cluster) => {
      for (const node of everyNode) {
        const texts = textsOf(cluster, node);
        texts.routes4 = texts.routes4.map((route) => route.replace('dev vxlan.calico', 'dev vxlan.calico proto 80'));
      }
    },
  },
  'WireGuard works on all nodes, and no object enables it': {
    kind: kindOf('ipip'),
    change: (cluster) => withWireguard(cluster, everyNode),
  },
  'the environment disables WireGuard on a node that FelixConfiguration enables it for': {
    kind: kindOf('ipip'),
    change: (cluster) => {
      cluster.felix = { ...cluster.felix, wireguardEnabled: true };
      withEnvironment(cluster, [{ name: 'FELIX_WIREGUARDENABLED', value: 'false' }]);
    },
  },
};

interface Faulty extends Healthy {
  readonly node: string;
  /** Its id in `node verify`, and what it names. */
  readonly id: string;
  readonly says: RegExp;
}

const faulty: Readonly<Record<string, Faulty>> = {
  'one VXLAN device has another port than those of the other nodes': {
    kind: kindOf('vxlan'),
    change: (cluster) => withVxlanPort(cluster, ['node-b'], 4096, 8472),
    node: 'node-b',
    id: 'F54',
    says: /port is 8472, expected 4789/,
  },
  'one VXLAN device has another port than the environment states': {
    kind: kindOf('vxlan'),
    change: (cluster) => {
      withVxlanPort(cluster, ['node-a', 'node-c'], 4096, 8472);
      withEnvironment(cluster, [{ name: 'FELIX_VXLANPORT', value: '8472' }]);
    },
    node: 'node-b',
    id: 'F54',
    says: /port is 4789, expected 8472/,
  },
  'the interfaces of pods of one node begin with another prefix': {
    kind: kindOf('vxlan'),
    change: (cluster) => withPrefix(cluster, ['node-b'], 'pod'),
    node: 'node-b',
    id: 'F14',
    says: /interface name is pod[0-9a-f]{11}.*FELIX_INTERFACEPREFIX/,
  },
  'one node does without WireGuard, which no object enables': {
    kind: kindOf('ipip'),
    change: (cluster) => withWireguard(cluster, ['node-a', 'node-c']),
    node: 'node-b',
    id: 'F83',
    says: /wireguard\.cali: device is none/,
  },
  'the rule that leads packets into WireGuard is missing': {
    kind: kindOf('ipip'),
    change: (cluster) => {
      cluster.felix = { ...cluster.felix, wireguardEnabled: true };
      withWireguard(cluster, everyNode);
      textsOf(cluster, 'node-b').rules4.splice(1, 1);
    },
    node: 'node-b',
    id: 'F83',
    says: /rule to its table is none/,
  },
};

describe('settings by environment', () => {
  it.each(Object.entries(healthy))('nothing is found: %s', async (_, { kind, change }) => {
    expect(await commandFindings(healthyCluster(kind, change))).toEqual(nothingFound);
  });

  it.each(Object.entries(faulty))('that node alone is named: %s', async (_, { kind, change, node, id, says }) => {
    const verified = (await commandFindings(healthyCluster(kind, change))).find(({ command }) => command === 'verify');
    expect(verified?.problems).toEqual([`${id} ${node}`]);
    expect(verified?.texts.join('\n')).toMatch(says);
    expect(verified?.texts.join('\n')).not.toMatch(/delete/);
  });
});
