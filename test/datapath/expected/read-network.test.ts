// Objects of the datastore as a network: addresses of nodes, encapsulation of pools, owners, borrowers, workloads.
import { describe, expect, it } from 'vitest';
import { isSameSubnet, type NetworkNode } from '../../../src/datapath/expected/network.ts';
import { readNetwork } from '../../../src/datapath/expected/read-network.ts';
import { formatCidr } from '../../../src/net/cidr.ts';
import { formatIp, parseIp } from '../../../src/net/ip.ts';
import {
  recordedAffinity,
  recordedBlock,
  recordedNode,
  recordedObjects,
  recordedPod,
} from '../../support/recorded/network.ts';

const ip = (text: string) => {
  const address = parseIp(text);
  if (address === undefined) throw new Error(text);
  return address;
};

function nodeOf(change: (node: ReturnType<typeof recordedNode>) => void): NetworkNode {
  const objects = recordedObjects({ mode: 'vxlan', nodes: ['node-a'] });
  const [node] = objects.nodes;
  if (node !== undefined) change(node);
  return readNetwork(objects).nodes.get('node-a') as NetworkNode;
}

const subnetOf = (node: NetworkNode, version: 4 | 6 = 4): string | undefined => {
  const own = node.addresses[version];
  return own && `${formatIp(own.address)} in ${formatCidr(own.subnet)}`;
};

describe('the address of a node', () => {
  it('the address of a node is the recorded one, with its subnet', () => {
    expect(subnetOf(nodeOf(() => undefined))).toBe('10.90.0.1 in 10.90.0.0/24');
  });

  it('an address of a node without a prefix length is a subnet of its own', () => {
    const node = nodeOf(({ metadata }) =>
      Object.assign(metadata.annotations ?? {}, { 'projectcalico.org/IPv4Address': '10.90.0.1' }),
    );
    expect(subnetOf(node)).toBe('10.90.0.1 in 10.90.0.1/32');
  });

  it('without a recorded address a node has its InternalIP, then its ExternalIP, of the family', () => {
    const node = nodeOf((stored) => {
      stored.metadata.annotations = {};
      stored.status = {
        addresses: [
          { type: 'Hostname', address: 'node-a' },
          { type: 'ExternalIP', address: '192.0.2.1' },
          { type: 'InternalIP', address: '2001:db8::5' },
        ],
      };
    });
    expect([subnetOf(node), subnetOf(node, 6)]).toEqual([
      '192.0.2.1 in 192.0.2.1/32',
      '2001:db8::5 in 2001:db8::5/128',
    ]);
  });
});

it('of two nodes with different prefix lengths only the one with the wider subnet sees the other in it', () => {
  const objects = recordedObjects({ mode: 'vxlan', nodes: ['node-a'] });
  objects.nodes.push(recordedNode('node-b', 'vxlan', false, { ip: '10.90.1.9/16' }));
  const nodes = readNetwork(objects).nodes;
  const [a, b] = [nodes.get('node-a') as NetworkNode, nodes.get('node-b') as NetworkNode];
  expect([isSameSubnet(a, b, 4), isSameSubnet(b, a, 4)]).toEqual([false, true]);
});

describe('a pool', () => {
  const encapsulationOf = (spec: object, cidr = '10.0.0.0/8') => {
    const metadata = { name: 'p' };
    const pool = { apiVersion: 'crd.projectcalico.org/v1', kind: 'IPPool', metadata, spec: { cidr, ...spec } };
    return readNetwork({ ...recordedObjects({ mode: 'none' }), pools: [pool] }).pools[0]?.encapsulation;
  };

  it('a pool encapsulates by its modes, IPIP for IPv4 only', () => {
    expect(encapsulationOf({})).toEqual({ kind: 'none', crossSubnet: false });
    expect(encapsulationOf({ ipipMode: 'CrossSubnet' })).toEqual({ kind: 'ipip', crossSubnet: true });
    expect(encapsulationOf({ vxlanMode: 'Always' })).toEqual({ kind: 'vxlan', crossSubnet: false });
    expect(encapsulationOf({ ipipMode: 'Always' }, 'fd00::/48')).toEqual({ kind: 'none', crossSubnet: false });
  });

  it('a pool of the oldest form has its mode in a switch', () => {
    expect(encapsulationOf({ ipip: { enabled: true, mode: 'cross-subnet' } })).toEqual({
      kind: 'ipip',
      crossSubnet: true,
    });
  });
});

describe('a block', () => {
  it('allocations of other nodes are borrowed addresses of a block, those without a node are not', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    objects.blocks = [
      recordedBlock('10.244.10.0/26', 'node-a', [
        { ordinal: 1, node: 'node-a' },
        { ordinal: 2, node: 'node-b' },
        { ordinal: 3 },
      ]),
    ];
    const [block] = readNetwork(objects).blocks;
    expect(block?.borrowed.map(({ address, node }) => [formatIp(address), node])).toEqual([['10.244.10.2', 'node-b']]);
    expect(block).toMatchObject({ owner: 'node-a', confirmed: true, pool: { name: 'pool-4' } });
  });

  it('a block is not confirmed while its affinity is not', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    objects.affinities = [recordedAffinity('node-a', '10.244.10.0/26', 'pendingDeletion')];
    const confirmed = readNetwork(objects).blocks.map((block) => block.confirmed);
    expect(confirmed).toEqual([false, true, true]);
  });

  it('a block of a load balancer or without an owner has no node, and a block being deleted is left out', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    const virtual = recordedBlock('10.244.70.0/26', undefined);
    virtual.spec.affinity = 'virtual:load-balancer';
    const deleted = recordedBlock('10.244.71.0/26', 'node-a');
    deleted.spec.deleted = true;
    objects.blocks = [virtual, deleted];
    expect(readNetwork(objects).blocks.map(({ owner }) => owner)).toEqual([undefined]);
  });
});

/** The cluster without a block, each node with a pod CIDR and a pod of it. */
function withPodCidrs() {
  const objects = recordedObjects({ mode: 'vxlan' });
  objects.blocks = [];
  objects.affinities = [];
  for (const [at, node] of objects.nodes.entries()) node.spec = { podCIDRs: [`10.244.${at}.0/24`, '192.0.2.0/24'] };
  objects.pods = objects.nodes.map(({ metadata: { name } }, at) =>
    recordedPod(name, `shop/web-${at}`, `10.244.${at}.5`),
  );
  return objects;
}

describe('without any block', () => {
  it('the pod CIDRs of nodes that lie in pools are the blocks when pods keep to them', () => {
    const { blocks, addressSource, unread } = readNetwork(withPodCidrs());
    expect(blocks.map(({ text, owner, confirmed }) => [text, owner, confirmed])).toEqual([
      ['10.244.0.0/24', 'node-a', true],
      ['10.244.1.0/24', 'node-b', true],
      ['10.244.2.0/24', 'node-c', true],
    ]);
    expect([addressSource, unread]).toEqual(['host-local', []]);
  });

  it.each([
    [
      'an affinity says that there are blocks',
      { affinities: [recordedAffinity('node-a', '10.244.10.0/26', 'confirmed')] },
    ],
    ['a pod has an address of another node', { pods: [recordedPod('node-a', 'shop/web', '10.244.1.5')] }],
  ])('blocks count as not read when %s', (_, change) => {
    const { blocks, addressSource, unread } = readNetwork({ ...withPodCidrs(), ...change });
    expect([blocks, addressSource, unread.map(({ kind }) => kind)]).toEqual([[], 'calico-ipam', ['IPAMBlock']]);
  });
});

describe('kinds that were not read', () => {
  it('nothing is missing from a whole cluster', () => {
    expect(readNetwork(recordedObjects({ mode: 'ipip', v6: true })).unread).toEqual([]);
  });

  it('pods are missing when addresses are allocated to pods and there is not one pod', () => {
    const objects = recordedObjects({ mode: 'ipip' });
    objects.pods = [];
    expect(readNetwork(objects).unread).toEqual([]);
    for (const { spec } of objects.blocks) spec.attributes = [{ secondary: { pod: 'web', namespace: 'shop' } }];
    expect(readNetwork(objects).unread.map(({ kind }) => kind)).toEqual(['Pod']);
  });

  it('pools are missing when there are blocks', () => {
    const objects = recordedObjects({ mode: 'ipip' });
    objects.pools = [];
    expect(readNetwork(objects).unread.map(({ kind }) => kind)).toEqual(['IPPool']);
  });

  it('what the store refused is named once, with its reason', () => {
    const objects = { ...recordedObjects({ mode: 'ipip' }), blocks: [] };
    const refused = [{ kind: 'IPAMBlock', reason: 'forbidden' }];
    expect(readNetwork(objects, refused).unread).toEqual(refused);
  });
});

describe('workloads', () => {
  it('workloads are pods on a node that have their own network and have not ended', () => {
    const objects = recordedObjects({ mode: 'vxlan', nodes: ['node-a'] });
    const host = recordedPod('node-a', 'default/host', '10.90.0.1');
    const ended = recordedPod('node-a', 'default/job', '10.244.10.7');
    objects.pods.push(
      { ...host, spec: { ...host.spec, hostNetwork: true } },
      { ...ended, status: { ...ended.status, phase: 'Succeeded' } },
      { ...recordedPod('', 'default/waiting'), spec: {} },
    );
    const names = readNetwork(objects)
      .workloads.get('node-a')
      ?.map(({ name, interfaceName }) => [name, interfaceName]);
    expect(names).toEqual([
      ['web-1', 'cali0761ccbeace'],
      ['nginx', 'calic440f455693'],
    ]);
  });

  it('addresses in a pool but in no block are stray addresses', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    objects.pods.push(
      recordedPod('node-b', 'default/free', '10.244.200.1'),
      recordedPod('node-b', 'default/far', '192.0.2.9'),
    );
    const network = readNetwork(objects);
    expect(network.strayAddresses.map(({ workload }) => workload.name)).toEqual(['free']);
    expect(network.blockAt(ip('10.244.20.127'))?.owner).toBe('node-b');
    expect(network.blockAt(ip('10.244.20.128'))).toBeUndefined();
    expect([network.isLive('node-b', ip('10.244.200.1')), network.isLive('node-a', ip('10.244.200.1'))]).toEqual([
      true,
      false,
    ]);
  });
});
