import { describe, expect, it } from 'vitest';
import type { ServiceRecord } from '../../../src/ipam-check/snapshot.ts';
import { addressUsersOf, managedServices, objectOf } from '../../../src/ipam-check/view/address-users.ts';
import { CheckView } from '../../../src/ipam-check/view/check-view.ts';
import { formatIp, type IpAddress, parseIp } from '../../../src/net/ip.ts';
import { healthy, type SnapshotBuilder } from '../../support/clusters/snapshot-builder.ts';

const users = (cluster: SnapshotBuilder, address: string) =>
  addressUsersOf(new CheckView(cluster.snapshot()))
    .of(parseIp(address) as IpAddress)
    .map(objectOf);

const workload = (cluster: SnapshotBuilder, pod: string, address: string) =>
  cluster.workloads.push({
    namespace: 'shop',
    name: `node--a-k8s-${pod}-eth0`,
    node: 'node-a',
    pod,
    containerId: undefined,
    addresses: [address],
  });

describe('users of addresses', () => {
  it('pods and tunnels use addresses, finished and host-network pods do not', () => {
    const cluster = healthy();
    expect(users(cluster, '10.60.0.1')).toEqual([{ kind: 'Pod', namespace: 'shop', name: 'a-1' }]);
    expect(users(cluster, '10.60.0.8')).toEqual([{ kind: 'Node', name: 'node-b' }]);
    expect(users(cluster, '10.60.0.3')).toEqual([]);
    Object.assign(cluster.pods[0] ?? {}, { finished: true });
    Object.assign(cluster.pods[1] ?? {}, { hostNetwork: true });
    expect([...users(cluster, '10.60.0.1'), ...users(cluster, '10.60.0.2')]).toEqual([]);
  });

  it('a node counts once for an address that two of its tunnels share', () => {
    const cluster = healthy();
    Object.assign(cluster.nodes[0] ?? {}, {
      tunnels: { vxlanTunnelAddress: '10.60.0.0', ipipTunnelAddress: '10.60.0.0' },
    });
    expect(users(cluster, '10.60.0.0')).toEqual([{ kind: 'Node', name: 'node-a' }]);
  });

  it('a stored endpoint counts only when its pod does not list the same address', () => {
    const cluster = healthy();
    workload(cluster, 'a-1', '10.60.0.1');
    workload(cluster, 'a-2', '10.60.0.5');
    expect(users(cluster, '10.60.0.1')).toEqual([{ kind: 'Pod', namespace: 'shop', name: 'a-1' }]);
    expect(users(cluster, '10.60.0.5')).toEqual([
      { kind: 'WorkloadEndpoint', namespace: 'shop', name: 'node--a-k8s-a-2-eth0' },
    ]);
  });

  it('every used address is listed with its users', () => {
    const addressUsers = addressUsersOf(new CheckView(healthy().snapshot()));
    const entries = [...addressUsers.entries()].map(([ip, { length }]) => `${formatIp(ip)} ${length}`);
    expect(entries.sort()).toEqual(['10.60.0.0 1', '10.60.0.1 1', '10.60.0.2 1', '10.60.0.8 1', '10.60.0.9 1']);
  });
});

describe('services that Calico assigns addresses to', () => {
  const service = (changes: Partial<ServiceRecord>): ServiceRecord => ({
    namespace: 'shop',
    name: 'web',
    uid: undefined,
    loadBalancer: true,
    deleting: false,
    loadBalancerClass: undefined,
    annotations: {},
    ingress: [],
    ...changes,
  });
  const managed = (assignIPs: string | undefined, changes: Partial<ServiceRecord>) =>
    managedServices({
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'KubeControllersConfiguration',
      metadata: { name: 'default' },
      spec: { controllers: { loadBalancer: { assignIPs } } },
    })(service(changes));
  const asks = { annotations: { 'projectcalico.org/ipv4pools': '["pool-lb"]' } };

  it.each([
    ['AllServices', {}, true],
    [undefined, {}, true],
    ['AllServices', { loadBalancerClass: 'calico' }, true],
    ['AllServices', { loadBalancerClass: 'other' }, false],
    ['AllServices', { loadBalancer: false }, false],
    ['RequestedServicesOnly', {}, false],
    ['RequestedServicesOnly', asks, true],
    ['RequestedServicesOnly', { loadBalancerClass: 'calico' }, true],
    ['RequestedServicesOnly', { loadBalancer: false, deleting: false, ...asks }, false],
  ])('with assignIPs %s, a service %j is managed: %s', (assignIPs, changes, expected) => {
    expect(managed(assignIPs, changes)).toBe(expected);
  });

  it('no service is managed when the controller is not configured', () => {
    expect(managedServices(undefined)(service({}))).toBe(false);
  });
});
