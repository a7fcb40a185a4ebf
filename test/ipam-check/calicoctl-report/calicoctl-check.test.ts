import { describe, expect, it } from 'vitest';
import { calicoctlCheck } from '../../../src/ipam-check/calicoctl-report/calicoctl-check.ts';
import { calicoctlReportText } from '../../../src/ipam-check/calicoctl-report/calicoctl-report.ts';
import type { IpamSnapshot } from '../../../src/ipam-check/snapshot.ts';
import { healthy, podHandle, type SnapshotBuilder } from '../../support/clusters/snapshot-builder.ts';

const checked = (cluster: SnapshotBuilder, changes: Partial<IpamSnapshot> = {}) =>
  calicoctlCheck({ snapshot: cluster.snapshot(changes) });

describe('what calicoctl finds', () => {
  it('IPv6 tunnel addresses and the Windows reserve count as in use for calicoctl', () => {
    const cluster = healthy();
    cluster.pool('pool-6', 'fd60::/112', 125);
    const node = cluster.nodes[0];
    const address = cluster.allocate(cluster.block('fd60::/125', 'node-a'), {
      handle_id: 'vxlan-v6-tunnel-addr-node-a',
      secondary: { node: 'node-a', type: 'vxlanV6TunnelAddress' },
    });
    if (node) node.tunnels = { ...node.tunnels, vxlanV6TunnelAddress: address };
    cluster.block('10.60.0.16/29', 'node-b', true);
    const check = checked(cluster);
    expect(check.problems).toBe(0);
    expect(check.leaked).toEqual([]);
    expect(check.owners.get('10.60.0.16')).toEqual(['Reserved for Windows']);
    expect(check.missingHandles).toEqual([]);
  });

  it.each([
    ['a stopped machine', { handle_id: 'k8s-pod-network.vmi.vms.db1' }, 'VirtualMachine(vms/db1)'],
    ['a machine on another network', { handle_id: 'tenants.vmi.vms.db1' }, 'VirtualMachine(vms/db1)'],
    [
      'a machine with a hashed name',
      { handle_id: 'k8s-pod-network.vmi._4mYpQ' },
      'VirtualMachine(with the handle k8s-pod-network.vmi._4mYpQ)',
    ],
    [
      'a machine with a hashed name in lower case, whose launcher has ended',
      {
        handle_id: 'k8s-pod-network.vmi._4mypq',
        secondary: { namespace: 'vms', pod: 'virt-launcher-db1-abcde', node: 'node-a', 'vmi-name': 'db1' },
      },
      'VirtualMachine(vms/db1)',
    ],
    [
      'a machine whose launcher of another namespace is recorded',
      {
        handle_id: 'k8s-pod-network.vmi.vms.db1',
        secondary: { namespace: 'shop', pod: 'virt-launcher-db1-abcde', node: 'node-a' },
      },
      'VirtualMachine(vms/db1)',
    ],
    [
      'a machine that is being migrated',
      {
        handle_id: 'k8s-pod-network.vmi.vms.db1',
        secondary: {},
        alternateOwnerAttrs: { namespace: 'vms', pod: 'virt-launcher-db1-fghij', node: 'node-b' },
      },
      'VirtualMachine(vms/db1)',
    ],
  ])('the address of %s is in use, for both address families', (_, attribute, owner) => {
    const cluster = healthy();
    cluster.pool('pool-6', 'fd60::/112', 125);
    const addresses = ['10.60.0.16/29', 'fd60::/125'].map((cidr) =>
      cluster.allocate(cluster.block(cidr, 'node-a'), attribute),
    );
    const check = checked(cluster);
    expect(addresses.map((address) => check.owners.get(address))).toEqual([[owner], [owner]]);
    expect(check.leaked).toEqual([]);
    expect(JSON.parse(calicoctlReportText(check, 'v3.31.4')).allocations[addresses[1] ?? '']).toMatchObject([
      { inUse: true, owners: [owner] },
    ]);
  });

  it('a running virtual machine has its pod as its only owner', () => {
    const cluster = healthy();
    const address = cluster.allocate(cluster.block('10.60.0.16/29', 'node-a'), {
      handle_id: 'k8s-pod-network.vmi.shop.vm-1',
    });
    const [pod] = cluster.pods;
    if (pod) pod.addresses = [...pod.addresses, address];
    expect(checked(cluster).owners.get(address)).toEqual(['Workload(shop/node--a-k8s-a--1-eth0)']);
  });

  it('calicoctl compares handles as stored and counts half-deleted objects', () => {
    const cluster = healthy();
    const attribute = cluster.blockOf('10.60.0.0/29').spec.attributes[1];
    if (attribute) attribute.handle_id = `${podHandle('1')}\r\neth0`;
    cluster.blockOf('10.60.0.8/29').spec.deleted = true;
    cluster.handleOf(podHandle('2')).deleted = true;
    const check = checked(cluster);
    expect(check.blocks).toHaveLength(2);
    expect(check.leakedHandles.map(({ id }) => id)).toEqual([podHandle('1')]);
    expect(check.missingHandles).toEqual([`${podHandle('1')}\r\neth0`]);
    expect(check.handlesInUse).toBe(4);
  });

  it('calicoctl counts an address of a finished pod as leaked and one in a disabled pool as outside', () => {
    const cluster = healthy();
    const [a1, a2] = cluster.pods;
    if (a1) Object.assign(a1, { finished: true, phase: 'Succeeded' });
    if (a2) a2.addresses = ['10.60.0.2', '10.70.0.1'];
    cluster.pool('pool-off', '10.70.0.0/24', 29).spec.disabled = true;
    const check = checked(cluster);
    expect(check.leaked).toEqual(['10.60.0.1']);
    expect(check.suspects).toEqual([
      { address: '10.70.0.1', owners: ['Workload(shop/node--a-k8s-a--2-eth0)'], fault: 'outside' },
    ]);
    expect(check.pools).toEqual(['10.60.0.0/24']);
    expect(check.problems).toBe(2);
  });
});

describe('report file of calicoctl', () => {
  it('the report file has the fields, the order and the exact numbers that calicoctl reads', () => {
    const cluster = healthy();
    cluster.blocks.length = 0;
    cluster.handles.length = 0;
    cluster.pods.length = 0;
    const block = cluster.bareBlock('10.60.0.0/29', 'host:node-a');
    cluster.tunnel({ name: 'node-b', tunnels: {}, labels: {}, ready: true, addresses: [], podCIDRs: [] }, block);
    cluster.allocate(block, {
      handle_id: 'k8s-pod-network.a<b',
      secondary: {
        namespace: 'shop',
        pod: 'gone',
        node: 'node-a',
        timestamp: '2025-11-29 10:41:07.123456789 +0000 UTC',
      },
    });
    cluster.allocate(block, {});
    cluster.handles.length = 0;
    cluster.handle('stray', {}).uid = '01020304-0506-4708-a90a-0b0c0d0e0f10';
    cluster.handleOf('stray').resourceVersion = '77';
    const clusterInformation = {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'ClusterInformation',
      metadata: { name: 'default', resourceVersion: '12345' },
      spec: { clusterGUID: '4b1d6f0a9c3e48f7a2d50c6e71b89f35', clusterType: 'k8s,bgp,kdd', datastoreReady: false },
    };
    const text = calicoctlReportText(checked(cluster, { clusterInformation, locked: true }), 'v3.31.4');
    // The block was created at 2026-01-01T00:00:00Z. UID: the bits of each byte reversed, except in bytes 6 and 8.
    expect(text).toBe(`{
  "version": "v3.31.4",
  "clusterGUID": "4b1d6f0a9c3e48f7a2d50c6e71b89f35",
  "datastoreLocked": true,
  "clusterInformationRevision": "12345",
  "clusterType": "k8s,bgp,kdd",
  "allocations": {
    "10.60.0.0": [
      {
        "ip": "10.60.0.0",
        "handle": "vxlan-tunnel-addr-node-b",
        "sequenceNumber": 1767225600000000000,
        "node": "node-b",
        "type": "vxlanTunnelAddress",
        "inUse": true,
        "borrowed": true,
        "owners": [
          "Node(node-a)"
        ]
      }
    ],
    "10.60.0.1": [
      {
        "ip": "10.60.0.1",
        "handle": "k8s-pod-network.a\\u003cb",
        "sequenceNumber": 1767225600000000001,
        "pod": "gone",
        "namespace": "shop",
        "node": "node-a",
        "creationTimestamp": "2025-11-29 10:41:07.123456789 +0000 UTC",
        "inUse": false,
        "owners": null
      }
    ],
    "10.60.0.2": [
      {
        "ip": "10.60.0.2",
        "sequenceNumber": 1767225600000000002,
        "node": "node-a",
        "inUse": false,
        "owners": null
      }
    ]
  },
  "leakedHandles": [
    {
      "ID": "stray",
      "UID": "8040c020-a060-4710-a950-d030b070f008",
      "Revision": "77"
    }
  ]
}`);
  });

  it('the report file omits leakedHandles when there are none', () => {
    const report = JSON.parse(calicoctlReportText(checked(healthy()), 'v3.31.4'));
    expect(report).not.toHaveProperty('leakedHandles');
    expect(report.allocations['10.60.0.0'][0].owners).toEqual(['Node(node-a)']);
  });
});
