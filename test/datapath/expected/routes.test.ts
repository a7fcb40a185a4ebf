// The forms of expected routes, computed by hand, where recordings do not show them.
import { describe, expect, it } from 'vitest';
import { type NetworkObjects, readNetwork } from '../../../src/datapath/expected/read-network.ts';
import { formText } from '../../../src/datapath/expected/route-forms.ts';
import { expectedRoutes } from '../../../src/datapath/expected/routes.ts';
import { formatCidr } from '../../../src/net/cidr.ts';
import {
  felixConfiguration,
  recordedBlock,
  recordedNode,
  recordedObjects,
  recordedPod,
} from '../../support/recorded/network.ts';

function textsOf(objects: NetworkObjects, node = 'node-a'): Record<string, string> {
  return Object.fromEntries(
    expectedRoutes(node, readNetwork(objects)).map(({ destination, forms, required }) => [
      formatCidr(destination),
      `${forms.map((form) => formText(form, destination.version)).join(' or ')}${required ? '' : ' (may be missing)'}`,
    ]),
  );
}

it('the expected routes of a node come in the order of their destinations', () => {
  expect(textsOf(recordedObjects({ mode: 'vxlan', nodes: ['node-a', 'node-b'], v6: true }))).toEqual({
    '10.244.10.0/26': 'blackhole proto 80',
    '10.244.10.1/32': 'dev cali0761ccbeace proto boot|80 scope link',
    '10.244.10.2/32': 'dev calic440f455693 proto boot|80 scope link',
    '10.244.20.64/26': 'via 10.244.20.64 dev vxlan.calico proto boot onlink',
    'fd00:244:0:a::/122': 'blackhole proto 80',
    'fd00:244:0:a::1/128': 'dev cali0761ccbeace proto boot|80',
    'fd00:244:0:a::2/128': 'dev calic440f455693 proto boot|80',
    'fd00:244:0:b::/122': 'via fd00:244:0:b:: dev vxlan-v6.calico proto boot onlink',
  });
});

it('programClusterRoutes decides who writes routes without encapsulation', () => {
  const objects = recordedObjects({ mode: 'none', nodes: ['node-a', 'node-b'] });
  expect(textsOf(objects)['10.244.20.64/26']).toBe('via the next hop to 10.90.0.2 proto bird');
  objects.felixConfigurations.push(felixConfiguration({ programClusterRoutes: 'Enabled' }));
  expect(textsOf(objects)['10.244.20.64/26']).toBe(
    'via the next hop to 10.90.0.2 proto bird or via 10.90.0.2 proto 80 onlink',
  );
  objects.felixConfigurations[0] = felixConfiguration({ programClusterRoutes: 'EnabledNoEncapOnly' });
  expect(textsOf(objects)['10.244.20.64/26']).toBe('via 10.90.0.2 proto 80 onlink');
});

it('IPIP CrossSubnet encapsulates only to the other subnet', () => {
  const texts = textsOf(recordedObjects({ mode: 'ipip-crosssubnet' }));
  expect(texts['10.244.20.64/26']).toMatch(/^via the next hop to 10\.90\.0\.2 proto bird or /);
  expect(texts['10.244.30.128/26']).toBe('via 10.90.1.3 dev tunl0 proto bird|80 onlink');
});

describe('between two nodes that disagree on their subnet', () => {
  const objects = recordedObjects({ mode: 'vxlan-crosssubnet', nodes: ['node-a'] });
  objects.nodes.push(recordedNode('node-b', 'vxlan-crosssubnet', false, { ip: '10.90.1.9/16' }));
  objects.blocks.push(recordedBlock('10.244.20.64/26', 'node-b'));

  it('of two nodes that disagree on their subnet each routes as it sees the other', () => {
    expect(textsOf(objects)['10.244.20.64/26']).toBe('via 10.244.20.64 dev vxlan.calico proto boot onlink');
    expect(textsOf(objects, 'node-b')['10.244.10.0/26']).toBe('via 10.90.0.1 proto 80 onlink');
  });
});

describe('a borrowed address', () => {
  const borrowed = (mode: 'none' | 'vxlan', withPod: boolean): NetworkObjects => {
    const objects = recordedObjects({ mode });
    objects.blocks[1] = recordedBlock('10.244.20.64/26', 'node-b', [{ ordinal: 6, node: 'node-a' }]);
    if (withPod) objects.pods.push(recordedPod('node-a', 'default/far', '10.244.20.70'));
    return objects;
  };

  it('a borrowed address is on the link at the node that has it', () => {
    expect(textsOf(borrowed('vxlan', true))['10.244.20.70/32']).toMatch(
      /^dev cali[0-9a-f]{11} proto boot\|80 scope link$/,
    );
  });

  it('a borrowed address has a route at every other node, including the owner of the block', () => {
    for (const node of ['node-b', 'node-c']) {
      expect(textsOf(borrowed('vxlan', true), node)['10.244.20.70/32']).toBe(
        'via 10.244.10.0 dev vxlan.calico proto boot onlink',
      );
      expect(textsOf(borrowed('none', true), node)['10.244.20.70/32']).toBe('via the next hop to 10.90.0.1 proto bird');
    }
  });

  it('a borrowed address without a living pod is announced by Felix, not by BIRD', () => {
    expect(textsOf(borrowed('vxlan', false), 'node-c')['10.244.20.70/32']).not.toContain('may be missing');
    expect(textsOf(borrowed('none', false), 'node-c')['10.244.20.70/32']).toContain('may be missing');
  });
});

it('no routes are expected to a node without an address', () => {
  const objects = recordedObjects({ mode: 'none', nodes: ['node-a'] });
  objects.nodes.push(recordedNode('node-b', 'none', false, { ip: undefined }));
  objects.blocks.push(recordedBlock('10.244.20.64/26', 'node-b'));
  expect(textsOf(objects)['10.244.20.64/26']).toBe(' (may be missing)');
});

it('blocks outside all pools and blocks of deleted nodes have no route', () => {
  const objects = recordedObjects({ mode: 'vxlan', nodes: ['node-a'] });
  objects.blocks.push(recordedBlock('192.0.2.0/26', 'node-a'), recordedBlock('10.244.80.0/26', 'gone'));
  expect(Object.keys(textsOf(objects))).toEqual(['10.244.10.0/26', '10.244.10.1/32', '10.244.10.2/32']);
});

it('Felix writes an MTU that is set', () => {
  const objects = recordedObjects({ mode: 'vxlan', nodes: ['node-a', 'node-b'] });
  objects.felixConfigurations.push(felixConfiguration({ vxlanMTU: 1400 }));
  const route = expectedRoutes('node-a', readNetwork(objects)).find(({ peer }) => peer === 'node-b');
  expect(route?.forms[0]?.mtu).toBe(1400);
});
