// The v3 Node of a Kubernetes node, and back. Expectations were printed by calicoctl 3.31.4.
import { describe, expect, it } from 'vitest';
import { nodeFromV3, nodeToV3 } from '../../../src/resources/convert/node-v3.ts';
import { toV3 } from '../../../src/resources/convert/v3.ts';
import type { Kind } from '../../../src/resources/kind.ts';
import type { CoreNode } from '../../../src/resources/kinds/node-fields.ts';
import { kindNamed } from '../../../src/resources/kinds.ts';

const uid = '0f1e2d3c-4b5a-4697-8899-a0b1c2d3e4f5';

const node = (annotations: Record<string, string>, more: Partial<CoreNode> = {}): CoreNode => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'n1',
    uid,
    resourceVersion: '12',
    creationTimestamp: '2025-06-15T15:00:00Z',
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, text]) => [`projectcalico.org/${key}`, text]),
    ),
  },
  ...more,
});

const full = node(
  {
    IPv4Address: '10.0.0.1/24',
    IPv6Address: 'fd00::1/64',
    ASNumber: '1.10',
    IPv4IPIPTunnelAddr: '10.1.1.1',
    RouteReflectorClusterID: '1.2.3.4',
    IPv4VXLANTunnelAddr: '10.1.1.2',
    VXLANTunnelMACAddr: '66:aa:bb:cc:dd:ee',
    IPv6VXLANTunnelAddr: 'fd00::2',
    VXLANTunnelMACAddrV6: '66aa.bbcc.ddee',
    IPv4WireguardInterfaceAddr: '10.1.1.3',
    IPv6WireguardInterfaceAddr: 'fd00::3',
    WireguardPublicKey: 'k4',
    WireguardPublicKeyV6: 'k6',
    Interfaces: '[{"name":"eth0","addresses":["10.0.0.1","fd00::1","10.0.0.1/32"]},{"name":"e1"}]',
    labels: '{"own":"3","a":"9"}',
    annotations: '{"d":"4"}',
  },
  {
    spec: { podCIDR: '10.2.0.0/24', podCIDRs: ['10.2.0.0/24'] },
    status: {
      addresses: [
        { type: 'InternalIP', address: '10.0.0.1' },
        { type: 'Hostname', address: 'n1' },
        { type: 'ExternalIP', address: '8.8.8.8' },
      ],
    },
  },
);
full.metadata.labels = { a: '1', b: '2' };

it('nodeToV3 reads every Calico field of a node from its annotations', () => {
  expect(nodeToV3(full)).toEqual({
    apiVersion: 'projectcalico.org/v3',
    kind: 'Node',
    metadata: {
      name: 'n1',
      uid,
      resourceVersion: '12',
      creationTimestamp: '2025-06-15T15:00:00Z',
      labels: { own: '3', a: '1', b: '2' },
      annotations: { d: '4', 'projectcalico.org/kube-labels': '{"a":"1","b":"2"}' },
    },
    spec: {
      bgp: {
        asNumber: 65546,
        ipv4Address: '10.0.0.1/24',
        ipv6Address: 'fd00::1/64',
        ipv4IPIPTunnelAddr: '10.1.1.1',
        routeReflectorClusterID: '1.2.3.4',
      },
      ipv4VXLANTunnelAddr: '10.1.1.2',
      vxlanTunnelMACAddr: '66:aa:bb:cc:dd:ee',
      ipv6VXLANTunnelAddr: 'fd00::2',
      vxlanTunnelMACAddrV6: '66aa.bbcc.ddee',
      orchRefs: [{ nodeName: 'n1', orchestrator: 'k8s' }],
      wireguard: { interfaceIPv4Address: '10.1.1.3', interfaceIPv6Address: 'fd00::3' },
      addresses: [
        { address: '10.0.0.1/24', type: 'CalicoNodeIP' },
        { address: 'fd00::1/64', type: 'CalicoNodeIP' },
        { address: '10.0.0.1', type: 'InternalIP' },
        { address: '8.8.8.8', type: 'ExternalIP' },
      ],
      interfaces: [{ name: 'eth0', addresses: ['10.0.0.1', 'fd00::1'] }, { name: 'e1' }],
    },
    status: { wireguardPublicKey: 'k4', wireguardPublicKeyV6: 'k6', podCIDRs: ['10.2.0.0/24'] },
  });
});

describe('nodeToV3 with invalid annotations', () => {
  const spec = (annotations: Record<string, string>) =>
    toV3(kindNamed('Node') as Kind, node(annotations)).spec as Record<string, unknown>;

  it.each([
    { IPv4Address: 'bad' },
    { IPv4Address: '10.0.0.256' },
    { IPv4Address: '010.0.0.1/24' },
    { IPv4Address: 'fd00::1/64' },
    { IPv6Address: '10.0.0.1/24' },
    { ASNumber: '4294967296' },
    { ASNumber: '1.65536' },
    { ASNumber: '-1' },
    { IPv4VXLANTunnelAddr: 'fd00::9' },
    { IPv6WireguardInterfaceAddr: '10.0.0.2' },
    { RouteReflectorClusterID: 'fd00::1' },
    { VXLANTunnelMACAddr: '66:aa:bb:cc:dd' },
    { VXLANTunnelMACAddr: '66:aa-bb:cc:dd:ee' },
    { Interfaces: 'not json' },
    { Interfaces: '{"x":1}' },
    { Interfaces: '[]' },
  ])('ignores the invalid annotation %j', (annotations) =>
    expect(Object.keys(spec(annotations))).toEqual(['orchRefs']),
  );

  it('takes AS number 0 and the largest one', () => {
    expect(spec({ ASNumber: '4294967295' })['bgp']).toEqual({ asNumber: 4294967295 });
    expect(spec({ ASNumber: '0' })['bgp']).toEqual({ asNumber: 0 });
  });

  it('ignores labels and annotations that are not maps of strings', () => {
    const { metadata } = nodeToV3(node({ labels: 'bad', annotations: '{"a":1}' }));
    expect(metadata.labels).toBeUndefined();
    expect(metadata.annotations).toEqual({ 'projectcalico.org/kube-labels': 'null' });
  });
});

describe('nodeFromV3', () => {
  it('writes back what was read and changes nothing else on the node', () => {
    const kubelet = { ...full, status: { ...full.status, capacity: { pods: '110' } } };
    const back = nodeFromV3(nodeToV3(kubelet), kubelet);
    expect(back.metadata.annotations).toEqual({
      ...kubelet.metadata.annotations,
      'projectcalico.org/ASNumber': '65546',
      'projectcalico.org/Interfaces': '[{"name":"eth0","addresses":["10.0.0.1","fd00::1"]},{"name":"e1"}]',
      'projectcalico.org/labels': '{"own":"3"}',
    });
    expect({ ...back, metadata: null }).toEqual({ ...kubelet, metadata: null });
    expect(back.metadata.labels).toEqual(kubelet.metadata.labels);
  });

  it('removes the annotations of fields that the v3 Node no longer has', () => {
    const v3 = nodeToV3(full);
    const back = nodeFromV3({ ...v3, spec: {}, status: {} }, full);
    expect(Object.keys(back.metadata.annotations ?? {}).sort()).toEqual([
      'projectcalico.org/annotations',
      'projectcalico.org/labels',
    ]);
  });

  it('makes a Kubernetes node from an exported v3 Node that reads the same', () => {
    const v3 = nodeToV3(full);
    expect(nodeToV3(nodeFromV3(v3))).toEqual(v3);
  });
});
