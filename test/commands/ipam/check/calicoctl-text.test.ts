import { describe, expect, it } from 'vitest';
import { calicoctlIpamCheckText } from '../../../../src/commands/ipam/check/calicoctl-text.ts';
import { calicoctlCheck } from '../../../../src/ipam-check/calicoctl-report/calicoctl-check.ts';
import { healthy, podHandle, type SnapshotBuilder } from '../../../support/clusters/snapshot-builder.ts';

/** One of each: leaked address, two owners, outside the pools, unallocated, leaked handle, missing handle, service. */
function broken(): SnapshotBuilder {
  const cluster = healthy();
  const secondary = { namespace: 'shop', pod: 'gone', node: 'node-a' };
  cluster.allocate(cluster.blockOf('10.60.0.0/29'), { handle_id: podHandle('9'), secondary });
  cluster.removeHandle(podHandle('9'));
  cluster.handle('k8s-pod-network.stray', { '10.60.0.0/29': 1 });
  const [a1, a2] = cluster.pods;
  if (a1) a1.addresses = ['10.60.0.1', '192.0.2.9'];
  if (a2) a2.addresses = ['10.60.0.2', '10.60.0.1', '10.60.0.14'];
  cluster.services.push({
    namespace: 'shop',
    name: 'web',
    uid: undefined,
    loadBalancer: true,
    deleting: false,
    loadBalancerClass: undefined,
    annotations: {},
    ingress: ['10.60.0.15'],
  });
  return cluster;
}

const kubeControllers = {
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'KubeControllersConfiguration',
  metadata: { name: 'default' },
  spec: { controllers: { loadBalancer: { assignIPs: 'AllServices' } } },
};

const text = (cluster: SnapshotBuilder, view: { showAll: boolean; showProblems: boolean }, configured = true) =>
  calicoctlIpamCheckText(calicoctlCheck({ snapshot: cluster.snapshot(configured ? { kubeControllers } : {}) }), view);

const h = (digit: string) => `k8s-pod-network.${digit.repeat(64)}`;
const stamp = 'timestamp=2026-01-01 00:00:00 +0000 UTC';

describe('text of calicoctl ipam check', () => {
  it('calicoctl ipam check prints a healthy cluster, without the load balancer controller', () => {
    expect(text(healthy(), { showAll: false, showProblems: false }, false)).toBe(`Checking IPAM for inconsistencies...

Loading all IPAM blocks...
Found 2 IPAM blocks.
 IPAM block 10.60.0.0/29 affinity=host:node-a:
 IPAM block 10.60.0.8/29 affinity=host:node-b:
IPAM blocks record 5 allocations.

Loading all IPAM pools...
  10.60.0.0/24
Found 1 active IP pools.

Loading all nodes.
Found 2 node tunnel IPs.

Loading all service load balancer IPs.
No configuration for LoadBalancer kubecontroller found, skipping service check

Loading all workload endpoints.
Found 3 workload IPs.
Workloads and nodes are using 5 IPs.

Loading all handles
Looking for top (up to 20) nodes by allocations...
  node-a has 3 allocations
  node-b has 2 allocations
Node with most allocations has 3; median is 2

Scanning for IPs that are allocated but not actually in use...
Found 0 IPs that are allocated in IPAM but not actually in use.
Scanning for IPs that are in use by a workload or node but not allocated in IPAM...
Found 0 in-use IPs that are not in active IP pools.
Found 0 in-use IPs that are in active IP pools but have no corresponding IPAM allocation.

Scanning for IPAM handles with no matching IPs...
Found 0 handles with no matching IPs (and 5 handles with matches).
Scanning for IPs with missing handle...
Found 0 handles mentioned in blocks with no matching handle resource.
Check complete; found 0 problems.
`);
  });

  it('calicoctl ipam check prints every kind of problem, with all addresses', () => {
    expect(text(broken(), { showAll: true, showProblems: false })).toBe(`Checking IPAM for inconsistencies...

Loading all IPAM blocks...
Found 2 IPAM blocks.
 IPAM block 10.60.0.0/29 affinity=host:node-a:
  10.60.0.0 allocated; attrs Main:vxlan-tunnel-addr-node-a Extra:node=node-a,type=vxlanTunnelAddress
  10.60.0.1 allocated; attrs Main:${h('1')} Extra:namespace=shop,node=node-a,pod=a-1,${stamp}
  10.60.0.2 allocated; attrs Main:${h('2')} Extra:namespace=shop,node=node-a,pod=a-2,${stamp}
  10.60.0.3 allocated; attrs Main:${h('9')} Extra:namespace=shop,node=node-a,pod=gone
 IPAM block 10.60.0.8/29 affinity=host:node-b:
  10.60.0.8 allocated; attrs Main:vxlan-tunnel-addr-node-b Extra:node=node-b,type=vxlanTunnelAddress
  10.60.0.9 allocated; attrs Main:${h('3')} Extra:namespace=shop,node=node-b,pod=b-1,${stamp}
IPAM blocks record 6 allocations.

Loading all IPAM pools...
  10.60.0.0/24
Found 1 active IP pools.

Loading all nodes.
  10.60.0.0 belongs to Node(node-a)
  10.60.0.8 belongs to Node(node-b)
Found 2 node tunnel IPs.

Loading all service load balancer IPs.
  10.60.0.15 belongs to web
Found 1 service load balancer(s).

Loading all workload endpoints.
  10.60.0.1 belongs to Workload(shop/node--a-k8s-a--1-eth0)
  192.0.2.9 belongs to Workload(shop/node--a-k8s-a--1-eth0)
  10.60.0.2 belongs to Workload(shop/node--a-k8s-a--2-eth0)
  10.60.0.1 belongs to Workload(shop/node--a-k8s-a--2-eth0)
  10.60.0.14 belongs to Workload(shop/node--a-k8s-a--2-eth0)
  10.60.0.9 belongs to Workload(shop/node--b-k8s-b--1-eth0)
Found 6 workload IPs.
Workloads and nodes are using 8 IPs.

Loading all handles
Looking for top (up to 20) nodes by allocations...
  node-a has 4 allocations
  node-b has 2 allocations
Node with most allocations has 4; median is 2

Scanning for IPs that are allocated but not actually in use...
  10.60.0.3 leaked; attrs Main:${h('9')} Extra:namespace=shop,node=node-a,pod=gone
Found 1 IPs that are allocated in IPAM but not actually in use.
Scanning for IPs that are in use by a workload or node but not allocated in IPAM...
  10.60.0.1 has multiple owners.
  10.60.0.14 in use by Workload(shop/node--a-k8s-a--2-eth0) and in active IPAM pool but has no IPAM allocation.
  10.60.0.15 in use by web and in active IPAM pool but has no IPAM allocation.
  192.0.2.9 in use by Workload(shop/node--a-k8s-a--1-eth0) is not in any active IP pool.
Found 1 in-use IPs that are not in active IP pools.
Found 2 in-use IPs that are in active IP pools but have no corresponding IPAM allocation.

Scanning for IPAM handles with no matching IPs...
  k8s-pod-network.stray doesn't have any active IPs.
Found 1 handles with no matching IPs (and 5 handles with matches).
Scanning for IPs with missing handle...
  ${h('9')} is in use in a block but doesn't exist.
Found 1 handles mentioned in blocks with no matching handle resource.
Check complete; found 5 problems.
`);
  });

  it('--show-problem-ips lists problems but neither all addresses nor stray handles', () => {
    const lines = text(broken(), { showAll: false, showProblems: true }).split('\n');
    expect(lines.filter((line) => line.startsWith('  '))).toEqual([
      '  10.60.0.0/24',
      '  node-a has 4 allocations',
      '  node-b has 2 allocations',
      `  10.60.0.3 leaked; attrs Main:${h('9')} Extra:namespace=shop,node=node-a,pod=gone`,
      '  10.60.0.1 has multiple owners.',
      '  10.60.0.14 in use by Workload(shop/node--a-k8s-a--2-eth0) and in active IPAM pool but has no IPAM allocation.',
      '  10.60.0.15 in use by web and in active IPAM pool but has no IPAM allocation.',
      '  192.0.2.9 in use by Workload(shop/node--a-k8s-a--1-eth0) is not in any active IP pool.',
      `  ${h('9')} is in use in a block but doesn't exist.`,
    ]);
  });

  it('calicoctl ipam check counts and lists an address twice that two overlapping blocks allocate', () => {
    const cluster = healthy();
    const secondary = { namespace: 'shop', pod: 'gone', node: 'node-a' };
    cluster.allocate(cluster.blockOf('10.60.0.0/29'), { handle_id: podHandle('9'), secondary });
    const wide = cluster.bareBlock('10.60.0.0/28', 'host:node-b');
    wide.spec.allocations[3] = wide.spec.attributes.push({ handle_id: 'wide' }) - 1;
    const lines = text(cluster, { showAll: false, showProblems: true }).split('\n');
    expect(lines).toContain('IPAM blocks record 7 allocations.');
    expect(lines.filter((line) => line.includes('leaked'))).toEqual([
      '  10.60.0.3 leaked; attrs Main:wide Extra:',
      `  10.60.0.3 leaked; attrs Main:${h('9')} Extra:namespace=shop,node=node-a,pod=gone`,
    ]);
    expect(lines).toContain('Found 1 IPs that are allocated in IPAM but not actually in use.');
  });

  it('calicoctl ipam check names allocations without owner or attributes, and ranks no node when nothing is allocated', () => {
    const cluster = healthy();
    const block = cluster.bareBlock('10.60.0.16/29');
    cluster.allocate(block, {});
    const lost = block.spec.unallocated.shift() ?? 0;
    block.spec.allocations[lost] = 9;
    const lines = text(cluster, { showAll: true, showProblems: false }).split('\n');
    expect(lines).toContain(' IPAM block 10.60.0.16/29 affinity=<none>:');
    expect(lines).toContain('  10.60.0.16 allocated; attrs Main:<none> Extra:');
    expect(lines).toContain('  10.60.0.17 allocated; attrs <missing>');
    expect(lines).toContain('   has 2 allocations');
    cluster.blocks.length = 0;
    expect(text(cluster, { showAll: false, showProblems: false })).toContain(
      'nodes by allocations...\n\nScanning for IPs that are allocated',
    );
  });

  it('calicoctl ipam check escapes control characters in names', () => {
    const cluster = healthy();
    cluster.allocate(cluster.bareBlock('10.60.0.16/29'), {
      handle_id: 'a\u001b[2J',
      secondary: { node: 'b\nFound 0' },
    });
    const shown = text(cluster, { showAll: true, showProblems: true });
    expect(shown).toContain('attrs Main:a\\e[2J Extra:node=b\\nFound 0');
    expect(shown).not.toContain('\u001b');
  });
});
