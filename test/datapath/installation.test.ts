// Which kind of installation is recognized from which evidence, and its line in a report; which nodes are not asked.
import { describe, expect, it } from 'vitest';
import { readNetwork } from '../../src/datapath/expected/read-network.ts';
import { tunnelDevices } from '../../src/datapath/expected/tunnels.ts';
import {
  type InstallationEvidence,
  installationText,
  recogniseInstallation,
} from '../../src/datapath/installation/installation.ts';
import { whyNotAsked } from '../../src/datapath/installation/not-asked.ts';
import type { CoreNode } from '../../src/resources/kinds/node-fields.ts';
import { answered, recordedNode, recordedObjects, recordedPod, stateOf } from '../support/recorded/network.ts';

const noSocket = answered(
  '',
  1,
  'Unable to connect to server control socket (/var/run/calico/bird.ctl): No such file or directory',
  ['birdcl'],
);
const bird = 'BIRD 1.6.8 ready.\nname     proto    table    state  since       info\n';
const calicoChains = '*filter\n:cali-FORWARD - [0:0]\nCOMMIT\n';
const links = (...names: string[]): string =>
  JSON.stringify(
    names.map((ifname, index) => ({ ifindex: index + 1, ifname, flags: ['UP'], linkinfo: { info_kind: 'veth' } })),
  );

const said = (evidence: InstallationEvidence): string => installationText(recogniseInstallation(evidence));

describe('recogniseInstallation', () => {
  it('VXLAN without BIRD in nftables, IPAM of Calico', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    const states = [
      stateOf('node-a', {
        'bird4-protocols': noSocket,
        nft: '{"nftables":[{"table":{"family":"ip","name":"calico"}},{"chain":{"family":"ip","table":"calico","name":"filter-FORWARD"}}]}',
      }),
    ];
    expect(said({ ...objects, network: readNetwork(objects), states })).toBe(
      'VXLAN without BIRD, nftables, Calico IPAM',
    );
  });

  it('IPIP CrossSubnet of both families with BIRD in iptables', () => {
    const objects = recordedObjects({ mode: 'ipip-crosssubnet', v6: true });
    const states = [stateOf('node-a', { 'bird4-protocols': bird, iptables: calicoChains })];
    expect(said({ ...objects, network: readNetwork(objects), states })).toBe(
      'IPIP CrossSubnet and no encapsulation with BIRD, IPv4 and IPv6, iptables, Calico IPAM',
    );
  });

  it('eBPF by its device alone, also where a few rules are in iptables', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    const states = [stateOf('node-a', { links: links('bpfin.cali'), iptables: calicoChains })];
    expect(recogniseInstallation({ ...objects, network: readNetwork(objects), states }).packetFilter).toBe('eBPF');
  });

  it.each([
    ['eni0123456789a', 'Amazon VPC CNI'],
    ['azvabcdef', 'Azure CNI'],
    ['gke12345', 'GKE'],
    ['veth123', 'another CNI plugin'],
  ])('policy only where no pool is and pods have no sign of Calico: %s is %s', (device, plugin) => {
    const objects = { ...recordedObjects({ mode: 'none' }), pools: [], blocks: [], affinities: [] };
    objects.pods = [recordedPod('node-a', 'shop/web', '10.0.1.77')];
    const network = readNetwork(objects);
    expect(said({ ...objects, network, states: [stateOf('node-a', { links: links(device) })] })).toBe(
      `policy only: ${plugin} connects pods`,
    );
    expect([network.unread, [...network.workloads.values()].flat().map(({ isCalicos }) => isCalicos)]).toEqual([
      [],
      [false],
    ]);
  });

  it('policy only with a pool that nothing uses needs no tunnel devices', () => {
    const objects = { ...recordedObjects({ mode: 'ipip' }), blocks: [], affinities: [] };
    for (const { metadata } of objects.nodes) metadata.annotations = {};
    objects.pods = [recordedPod('node-a', 'shop/web', '10.0.1.77')];
    expect(tunnelDevices('node-a', readNetwork(objects))).toEqual([]);
    expect(tunnelDevices('node-a', readNetwork(recordedObjects({ mode: 'ipip' }))).map(({ name }) => name)).toEqual([
      'tunl0',
    ]);
  });

  it("Canal has flannel's annotations on nodes and Calico's on pods", () => {
    const objects = { ...recordedObjects({ mode: 'none' }), pools: [], blocks: [], affinities: [] };
    const pod = recordedPod('node-a', 'shop/web', '10.42.1.5');
    objects.pods = [
      { ...pod, metadata: { ...pod.metadata, annotations: { 'cni.projectcalico.org/podIP': '10.42.1.5/32' } } },
    ];
    for (const { metadata } of objects.nodes)
      metadata.annotations = { 'flannel.alpha.coreos.com/backend-type': 'vxlan' };
    expect(said({ ...objects, network: readNetwork(objects), states: [] })).toBe(
      'Canal: flannel carries packets between nodes',
    );
  });

  it('what was not read is left out', () => {
    const { nodes, pools } = recordedObjects({ mode: 'vxlan' });
    expect(said({ nodes, pools, states: [] })).toBe('VXLAN');
    expect(said({ nodes, pools: [], states: [] })).toBe('no pool for pods');
  });
});

describe('whyNotAsked', () => {
  const labelled = (labels: Record<string, string>): CoreNode => {
    const node = recordedNode('node-a', 'vxlan');
    return { ...node, metadata: { ...node.metadata, labels } };
  };

  it.each([
    [{ 'kubernetes.io/os': 'windows' }, 'a Windows node'],
    [{ 'beta.kubernetes.io/os': 'windows' }, 'a Windows node'],
    [{ type: 'virtual-kubelet' }, 'a virtual kubelet'],
    [{ 'eks.amazonaws.com/compute-type': 'fargate' }, 'a Fargate node'],
    [{ 'kubernetes.io/os': 'linux', type: 'worker' }, undefined],
    [{}, undefined],
  ])('a node with the labels %j is %s', (labels, why) => {
    expect(whyNotAsked(labelled(labels))).toBe(why);
  });
});
