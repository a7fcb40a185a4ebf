// Clusters unlike the usual one, each with its twin that is at fault: other IPAMs and networks, virtual machines, other node
// names, addresses of nodes, and what waits for an address.
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/ipam-check/evaluate.ts';
import type { Finding } from '../../src/ipam-check/finding.ts';
import type { IpamSnapshot, PodRecord, ServiceRecord } from '../../src/ipam-check/snapshot.ts';
import type { IPReservation } from '../../src/resources/kinds/ip-reservation.ts';
import type { KubeControllersConfiguration } from '../../src/resources/kinds/kube-controllers-configuration.ts';
import { healthy, podHandle, SnapshotBuilder } from '../support/clusters/snapshot-builder.ts';

const findings = (cluster: SnapshotBuilder, changes?: Partial<IpamSnapshot>): readonly Finding[] =>
  evaluate(cluster.snapshot(changes)).judgements.map(({ finding }) => finding);

/** `INV-54 error 10.60.0.3`, `INV-69 info dns-0`. */
const shown = (cluster: SnapshotBuilder, changes?: Partial<IpamSnapshot>): string[] =>
  findings(cluster, changes).map(({ id, severity, address, object }) => `${id} ${severity} ${address ?? object.name}`);

function pod(cluster: SnapshotBuilder, name: string, node: string, address: string, changes: Partial<PodRecord> = {}) {
  const template = healthy().pods[0] as PodRecord;
  cluster.pods.push({
    ...template,
    name,
    node,
    addresses: [address],
    containerId: undefined,
    wired: false,
    ...changes,
  });
}

describe('pods of another CNI plugin', () => {
  it('equal addresses on the bridges of two nodes are one note, not a conflict', () => {
    const cluster = healthy();
    pod(cluster, 'dns-0', 'node-a', '172.17.0.2');
    pod(cluster, 'dns-1', 'node-b', '172.17.0.2');
    expect(shown(cluster)).toEqual(['INV-69 info dns-0']);
    expect(findings(cluster)[0]?.related).toEqual([{ kind: 'Pod', namespace: 'shop', name: 'dns-1' }]);
  });

  it('two pods of Calico with one address outside of all pools are a conflict', () => {
    const cluster = healthy();
    pod(cluster, 'dns-0', 'node-a', '172.17.0.2', { wired: true });
    pod(cluster, 'dns-1', 'node-b', '172.17.0.2', { wired: true });
    expect(shown(cluster)).toEqual(['INV-56 error 172.17.0.2', 'INV-55 info 172.17.0.2']);
  });

  it('a policy-only cluster, with a pool over the network of the nodes and of the pods, has one note', () => {
    const cluster = new SnapshotBuilder();
    cluster.pool('vpc', '10.0.0.0/16', 26);
    cluster.node('node-a').addresses = ['10.0.0.10'];
    for (const n of [1, 2, 3]) pod(cluster, `web-${n}`, 'node-a', `10.0.0.2${n}`);
    expect(shown(cluster)).toEqual(['INV-69 info web-1']);
  });

  it('pods that Calico set up, in a cluster whose blocks were lost, are errors', () => {
    const cluster = new SnapshotBuilder();
    cluster.pool('pool-1', '10.60.0.0/24', 29);
    cluster.node('node-a');
    pod(cluster, 'web-1', 'node-a', '10.60.0.1', { wired: true });
    expect(shown(cluster)).toEqual(['INV-54 error 10.60.0.1']);
  });

  it('a pod that another plugin set up inside of a pool in use is an error: Calico can assign its address', () => {
    const cluster = healthy();
    pod(cluster, 'old-0', 'node-a', '10.60.0.77');
    expect(shown(cluster)).toEqual(['INV-54 error 10.60.0.77']);
  });
});

describe('the host-local IPAM plugin', () => {
  function hostLocal(): SnapshotBuilder {
    const cluster = new SnapshotBuilder();
    cluster.pool('pool-1', '10.2.0.0/16', 26);
    cluster.node('node-a').podCIDRs = ['10.2.0.0/24'];
    cluster.node('node-b').podCIDRs = ['10.2.1.0/24'];
    for (const n of [2, 3, 4]) pod(cluster, `a-${n}`, 'node-a', `10.2.0.${n}`, { wired: true });
    for (const n of [2, 3, 4]) pod(cluster, `b-${n}`, 'node-b', `10.2.1.${n}`, { wired: true });
    return cluster;
  }

  it('pods with addresses of the podCIDR of their nodes are one note', () => {
    expect(shown(hostLocal())).toEqual(['INV-69 info a-2']);
  });

  it('tunnel addresses at the beginning of the podCIDR are sound', () => {
    const cluster = hostLocal();
    for (const [node, address] of [
      ['node-a', '10.2.0.1'],
      ['node-b', '10.2.1.1'],
    ] as const) {
      const record = cluster.nodes.find(({ name }) => name === node);
      if (record) record.tunnels = { vxlanTunnelAddress: address };
    }
    expect(shown(cluster)).toEqual(['INV-69 info a-2']);
  });

  it('entries that an upgrade copied by mistake are freed only for pods that are gone', () => {
    const cluster = hostLocal();
    const block = cluster.block('10.2.1.0/26', 'node-b');
    block.spec.unallocated.splice(0, 2);
    block.spec.unallocated.unshift(2, 0, 1);
    block.spec.unallocated.splice(3, 1);
    const secondary = { namespace: 'shop', node: 'node-b', timestamp: '2026-01-01 00:00:00 +0000 UTC' };
    cluster.allocate(block, { handle_id: podHandle('1'), secondary: { ...secondary, pod: 'b-2' } });
    block.spec.unallocated.splice(block.spec.unallocated.indexOf(9), 1);
    block.spec.unallocated.unshift(9);
    cluster.allocate(block, { handle_id: podHandle('2'), secondary: { ...secondary, pod: 'gone' } });
    expect(shown(cluster)).toEqual(['INV-53 warning 10.2.1.9', 'INV-69 info a-2']);
  });

  it('a lost allocation is an error, although block and address lie in the podCIDR of the node', () => {
    const cluster = healthy();
    for (const node of cluster.nodes) node.podCIDRs = [node.name === 'node-a' ? '10.60.0.0/29' : '10.60.0.8/29'];
    pod(cluster, 'lost-0', 'node-a', '10.60.0.5', { wired: true });
    expect(shown(cluster)).toEqual(['INV-54 error 10.60.0.5']);
  });
});

describe('pods on several networks', () => {
  it('an address that Multus reports for the pod and that is allocated to it is in use', () => {
    const cluster = healthy();
    const secondary = { namespace: 'shop', pod: 'a-1', node: 'node-a', timestamp: '2026-01-01 00:00:01 +0000 UTC' };
    const address = cluster.allocate(cluster.blockOf('10.60.0.0/29'), { handle_id: podHandle('1'), secondary });
    expect(shown(cluster)).toEqual([`INV-50 warning ${address}`]);
    const [first] = cluster.pods;
    if (first) first.otherAddresses = [address];
    expect(shown(cluster)).toEqual([]);
  });

  it('an address on another network that is allocated to another pod does not conflict', () => {
    const cluster = healthy();
    const [first] = cluster.pods;
    if (first) first.otherAddresses = ['10.60.0.2'];
    expect(shown(cluster)).toEqual([]);
  });
});

describe('names of nodes', () => {
  it('a CNI plugin with the short host name is one error, and nothing of its node is taken for gone', () => {
    const cluster = healthy();
    const [node] = cluster.nodes;
    if (node) node.name = 'node-a.example.com';
    for (const one of cluster.pods) if (one.node === 'node-a') one.node = 'node-a.example.com';
    expect(shown(cluster)).toEqual(['INV-70 error node-a.example.com']);
    expect(findings(cluster)[0]?.repair?.automatic).toBe(false);
  });

  it('a node that is gone, with its pods, is one that is gone', () => {
    const cluster = healthy();
    cluster.removeNode('node-a');
    cluster.pods.splice(0, 2);
    const found = shown(cluster);
    expect(found).toContain('INV-62 warning 10.60.0.1');
    expect(found.filter((line) => line.startsWith('INV-70'))).toEqual([]);
  });
});

describe('virtual machines', () => {
  function migrated(): { cluster: SnapshotBuilder; address: string } {
    const cluster = healthy();
    const of = (node: string, name: string) => ({ namespace: 'shop', node, pod: name, 'vmi-name': 'db1' });
    const address = cluster.allocate(cluster.blockOf('10.60.0.0/29'), {
      handle_id: 'k8s-pod-network.vmi.shop.db1',
      secondary: of('node-a', 'virt-launcher-db1-a'),
      alternateOwnerAttrs: of('node-b', 'virt-launcher-db1-b'),
    });
    pod(cluster, 'virt-launcher-db1-b', 'node-b', address, { wired: true });
    return { cluster, address };
  }

  it('owners that were not swapped after a migration are reported, and the address is kept', () => {
    const { cluster, address } = migrated();
    expect(shown(cluster)).toEqual([`INV-58 warning ${address}`]);
    expect(findings(cluster)[0]?.repair).toMatchObject({ automatic: false });
  });

  it('two owners during a migration are sound', () => {
    const { cluster, address } = migrated();
    pod(cluster, 'virt-launcher-db1-a', 'node-a', address, { wired: true });
    expect(shown(cluster)).toEqual([]);
  });
});

describe('addresses of nodes', () => {
  it('a pod with the address of a node is a conflict, and the pod is to be restarted', () => {
    const cluster = healthy();
    cluster.pool('lan', '192.0.2.0/24', 26).spec.assignmentMode = 'Manual';
    for (const node of cluster.nodes) node.addresses = [node.name === 'node-a' ? '192.0.2.11' : '192.0.2.12'];
    pod(cluster, 'clash-0', 'node-a', '192.0.2.12', { wired: true });
    const clash = findings(cluster).find(({ id }) => id === 'INV-56');
    expect(clash).toMatchObject({ severity: 'error', address: '192.0.2.12' });
    expect(clash?.repair?.summary).toContain('restart shop/clash-0');
  });

  it('a load balancer at the address of a node does not conflict with it', () => {
    const cluster = healthy();
    cluster.pool('lan', '192.0.2.0/24', 26).spec.disabled = true;
    for (const node of cluster.nodes) node.addresses = ['192.0.2.11'];
    cluster.services.push(service('web', { ingress: ['192.0.2.11'] }));
    expect(shown(cluster, { kubeControllers: controllers(undefined) })).toEqual([]);
  });

  it('an enabled pool that contains a node is reported, a disabled or reserved one is not', () => {
    const cluster = healthy();
    for (const node of cluster.nodes) node.addresses = [node.name === 'node-a' ? '192.0.2.11' : '192.0.2.12'];
    const lan = cluster.pool('lan', '192.0.0.0/16', 26);
    expect(shown(cluster)).toEqual(['INV-73 warning lan']);
    const reserved = [{ metadata: { name: 'nodes' }, spec: { reservedCIDRs: ['192.0.2.0/24'] } }] as IPReservation[];
    expect(shown(cluster, { reservations: reserved })).toEqual([]);
    lan.spec.disabled = true;
    expect(shown(cluster)).toEqual([]);
  });
});

function service(name: string, changes: Partial<ServiceRecord> = {}): ServiceRecord {
  return {
    namespace: 'shop',
    name,
    uid: name,
    loadBalancer: true,
    deleting: false,
    loadBalancerClass: undefined,
    annotations: {},
    ingress: [],
    ...changes,
  };
}

const controllers = (loadBalancer: object | undefined): KubeControllersConfiguration =>
  ({ metadata: { name: 'default' }, spec: { controllers: { loadBalancer } } }) as KubeControllersConfiguration;

describe('services that wait for an address', () => {
  function withPool(): SnapshotBuilder {
    const cluster = healthy();
    cluster.pool('lb', '172.30.0.0/24', 26).spec.allowedUses = ['LoadBalancer'];
    return cluster;
  }
  const serving = { kubeControllers: controllers({ assignIPs: 'AllServices' }) };

  it('a service that the controller may be about to serve is not reported', () => {
    const cluster = withPool();
    cluster.services.push(service('web'));
    expect(shown(cluster, serving)).toEqual([]);
  });

  it('without a controller it is a note, and with a request to Calico a warning', () => {
    const cluster = withPool();
    cluster.services.push(service('web'), service('asks', { loadBalancerClass: 'calico' }));
    expect(shown(cluster, { kubeControllers: controllers(undefined) })).toEqual([
      'INV-71 warning asks',
      'INV-71 info web',
    ]);
  });

  it('services of another load balancer, and all where Calico has no pool for them, are not Calico’s', () => {
    const cluster = healthy();
    cluster.services.push(service('web'), service('cloud', { loadBalancerClass: 'example.com/lb' }));
    expect(shown(cluster, { kubeControllers: controllers(undefined) })).toEqual([]);
  });

  it.each([
    ['172.31.0.9', 'which is in no pool'],
    ['10.60.0.20', 'pool pool-1, which is for Workload and Tunnel only'],
    ['10.60.0.1', 'which is allocated to pod shop/a-1'],
    ['elsewhere', 'which is not an address'],
  ])('a request for %s is reported: %s', (address, why) => {
    const cluster = withPool();
    const annotations = { 'projectcalico.org/loadBalancerIPs': JSON.stringify([address]) };
    cluster.services.push(service('web', { annotations }));
    expect(shown(cluster, serving)).toEqual(['INV-71 warning web']);
    expect(findings(cluster, serving)[0]?.evidence.join()).toContain(why);
  });

  it('a request for a free address of the pool is not reported', () => {
    const cluster = withPool();
    const annotations = { 'projectcalico.org/loadBalancerIPs': '["172.30.0.9"]' };
    cluster.services.push(service('web', { annotations }));
    expect(shown(cluster, serving)).toEqual([]);
  });
});

describe('pods that wait for an address', () => {
  const waiting: Partial<PodRecord> = { addresses: [], phase: 'Pending' };

  it('a pod that may be getting its address is not reported', () => {
    const cluster = healthy();
    pod(cluster, 'new-0', 'node-a', '', waiting);
    expect(shown(cluster)).toEqual([]);
  });

  it('a requested pool that does not exist or is disabled is reported, unless another one gives addresses', () => {
    const cluster = healthy();
    cluster.pool('old', '10.61.0.0/24', 26).spec.disabled = true;
    pod(cluster, 'pin-0', 'node-a', '', { ...waiting, pools: [['old']] });
    pod(cluster, 'pin-1', 'node-a', '', { ...waiting, pools: [['pool-7']] });
    pod(cluster, 'pin-2', 'node-a', '', { ...waiting, pools: [['old', '10.60.0.0/24']] });
    expect(shown(cluster)).toEqual(['INV-72 warning pin-0', 'INV-72 warning pin-1']);
  });

  it('a node that no pool selects is reported', () => {
    const cluster = healthy();
    for (const { spec } of cluster.pools) spec.nodeSelector = 'kubernetes.io/hostname == "node-a"';
    pod(cluster, 'new-0', 'node-b', '', waiting);
    expect(shown(cluster)).toContain('INV-72 warning new-0');
  });
});
