// Faults between nodes: one address on two of them, subnets that disagree.
import { describe, expect, it } from 'vitest';
import { readNetwork } from '../../../src/datapath/expected/read-network.ts';
import { crossNodeFindings, samePodAddresses } from '../../../src/datapath/routes/cross-node.ts';
import {
  changedRecording,
  type MutableObjects,
  recordedNode,
  recordedObjects,
  recordedPod,
  stateOf,
} from '../../support/recorded/network.ts';

function factTexts(objects: MutableObjects, states: Parameters<typeof crossNodeFindings>[1] = []): string[] {
  return crossNodeFindings(readNetwork(objects), states).map(({ id, node, peer }) => `${id} ${node} ${peer}`);
}

it('a healthy cluster has no findings between nodes', () => {
  expect(factTexts(recordedObjects({ mode: 'vxlan-crosssubnet', v6: true }))).toEqual([]);
});

describe('subnets that disagree', () => {
  const wider = (mode: 'vxlan' | 'vxlan-crosssubnet'): MutableObjects => {
    const objects = recordedObjects({ mode, nodes: ['node-a', 'node-b'] });
    objects.nodes[1] = recordedNode('node-b', mode, false, { ip: '10.90.0.2' });
    return objects;
  };

  it('subnets that disagree matter only to pools with CrossSubnet', () => {
    expect(factTexts(wider('vxlan-crosssubnet'))).toEqual(['F43 node-a node-b']);
    expect(factTexts(wider('vxlan'))).toEqual([]);
  });

  it('subnets of different length that agree are not a finding', () => {
    const objects = recordedObjects({ mode: 'vxlan-crosssubnet' });
    objects.nodes[2] = recordedNode('node-c', 'vxlan-crosssubnet', false, { ip: '10.90.1.3/25' });
    expect(factTexts(objects)).toEqual([]);
  });
});

it('two nodes with the same address are a finding', () => {
  const objects = recordedObjects({ mode: 'vxlan', nodes: ['node-a', 'node-b'] });
  objects.nodes[1] = recordedNode('node-b', 'vxlan', false, { ip: '10.90.0.1/24' });
  expect(factTexts(objects)).toEqual(['F51 node-a node-b']);
});

describe('one pod address twice', () => {
  it('two pods with the same address are a finding', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    objects.pods.push(recordedPod('node-b', 'default/copy', '10.244.10.1'));
    expect(factTexts(objects)).toEqual(['F50 node-a node-b']);
    const network = readNetwork(objects);
    const [web, nginx] = network.workloads.get('node-a') ?? [];
    expect([web, nginx].map((pod) => samePodAddresses(network, pod).length)).toEqual([1, 0]);
  });

  it('a pod that is ending may share its address', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    const copy = recordedPod('node-b', 'default/copy', '10.244.10.1');
    objects.pods.push({ ...copy, metadata: { ...copy.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(factTexts(objects)).toEqual([]);
  });

  it('one pod address in the routes of two nodes is one finding', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    const routes4 = changedRecording('node-b.vxlan-borrowed.route4.details.json', (all) =>
      all.map((one) => (one['dst'] === '10.244.20.66' ? { ...one, dst: '10.244.10.1' } : one)),
    );
    const states = [stateOf('node-a', { routes4: 'node-a.vxlan.route4.details.json' }), stateOf('node-b', { routes4 })];
    expect(factTexts(objects, states)).toEqual(['F50 node-a node-b']);
    objects.pods.push(recordedPod('node-b', 'default/copy', '10.244.10.1'));
    expect(factTexts(objects, states)).toEqual(['F50 node-a node-b']);
  });
});
