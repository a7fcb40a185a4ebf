// Owners of assignments: load balancers, namespaces that pools select, and Windows nodes with the reserve of their blocks.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { assignIp } from '../../../src/ipam/assign/assign-ip.ts';
import { type AssignRequest, autoAssign, partialText } from '../../../src/ipam/assign/auto-assign.ts';
import { parseCidr } from '../../../src/net/cidr.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import {
  affinitiesIn,
  blocksIn,
  handlesIn,
  inconsistencies,
  ipamConfig,
  node,
  pool,
  withSpec,
} from '../../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../../support/program/world.ts';

const world = {
  clock: new TestClock('2025-12-01T00:00:00Z'),
  random: evenRandom,
};
const strict = ipamConfig({ strictAffinity: true });

function open(...objects: KubeObject[]) {
  const store = new MemoryDatastore(objects);
  const ipam = ipamStoreOf(store);
  const assign = (request: Partial<AssignRequest>) =>
    autoAssign(ipam, { node: 'node-a', version: 4, count: 1, use: 'Workload', holder: {}, ...request }, world);
  return { store, ipam, assign };
}

describe('load balancers', () => {
  const services = withSpec(pool('lb', '172.16.0.0/24', 26), { allowedUses: ['LoadBalancer'] });
  const attributes = { service: 'web', namespace: 'shop', type: 'LoadBalancer' };
  const request = {
    node: 'load-balancer',
    use: 'LoadBalancer',
    holder: { handle: 'lb-1', secondary: attributes },
  } as const;

  it('a load balancer uses blocks of the virtual owner, and no node is read', async () => {
    const { store, assign } = open(services, pool('pods', '10.0.0.0/24', 26));
    const { addresses } = await assign(request);
    expect(addresses).toMatchObject([{ pool: 'lb', borrowed: false }]);
    expect(blocksIn(store)[0]?.spec).toMatchObject({
      affinity: 'virtual:load-balancer',
      attributes: [{ handle_id: 'lb-1', secondary: attributes }],
    });
    const [affinity] = affinitiesIn(store);
    expect(affinity?.metadata.name).toMatch(/^load-balancer-172-16-0-\d+-26$/);
    expect(affinity?.metadata.labels).toEqual({
      'projectcalico.org/affinity-type': 'virtual',
      'projectcalico.org/hostname-hash': 'TAU2RK2F2FG7MIS72DPZYC6FJ3U3BIWIDZAMUTQY7ZXMSKQZ5GSQ',
      'projectcalico.org/ip-version': '4',
    });
    expect(affinity?.spec).toMatchObject({ node: 'load-balancer', type: 'virtual', state: 'confirmed' });
    expect(store.calls.some(({ kind }) => kind === 'Node')).toBe(false);
    expect((await assign(request)).addresses[0]?.block).toBe(addresses[0]?.block);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('a load balancer takes a given address without a node among its attributes', async () => {
    const { store, ipam } = open(services);
    const given = { address: '172.16.0.70', use: 'LoadBalancer', handle: 'lb-1', attributes } as const;
    const done = await assignIp(ipam, given, world);
    expect(done).toMatchObject({ node: 'load-balancer', assigned: { block: '172.16.0.64/26', borrowed: false } });
    expect(blocksIn(store)[0]?.spec).toMatchObject({
      affinity: 'virtual:load-balancer',
      attributes: [{ handle_id: 'lb-1', secondary: attributes }],
    });
    expect(handlesIn(store)[0]?.spec.block).toEqual({ '172.16.0.64/26': 1 });
    expect(store.calls.some(({ kind }) => kind === 'Node')).toBe(false);
  });

  it('a load balancer takes nothing from pools of workloads, nor a node from pools of load balancers', async () => {
    const { store, ipam, assign } = open(node('node-a'), services, pool('pods', '10.0.0.0/24', 26));
    await expect(open(pool('pods', '10.0.0.0/24', 26)).assign(request)).rejects.toThrow(
      'cannot find a qualified ippool, no pools match the required use (LoadBalancer)',
    );
    await expect(assignIp(ipam, { address: '10.0.0.1', use: 'LoadBalancer' }, world)).rejects.toThrow(
      'IP address 10.0.0.1 is in IP pool "pods", which is not allowed for use "LoadBalancer" (allowedUses: [Workload Tunnel])',
    );
    await expect(assignIp(ipam, { address: '172.16.0.1', node: 'node-a', use: 'Tunnel' }, world)).rejects.toThrow(
      'which is not allowed for use "Tunnel" (allowedUses: [LoadBalancer])',
    );
    expect(store.writes).toBe(0);
    expect((await assign({ count: 2 })).addresses).toMatchObject([{ pool: 'pods' }, { pool: 'pods' }]);
  });

  it('a node named load-balancer is another owner', async () => {
    const both = withSpec(pool('p', '172.16.0.0/28', 29), { allowedUses: ['Workload', 'LoadBalancer'] });
    const { store, assign } = open(node('load-balancer'), both, strict);
    await assign(request);
    const result = await assign({ node: 'load-balancer', count: 8 });
    // The affinity of the first block has the name that the node would need; the second block is free.
    expect(result.addresses).toHaveLength(8);
    expect(
      blocksIn(store)
        .map(({ spec }) => spec.affinity)
        .sort(),
    ).toEqual(['host:load-balancer', 'virtual:load-balancer']);
    expect(inconsistencies(store)).toEqual([]);
  });
});

describe('namespaces', () => {
  const shop = withSpec(pool('shop', '10.1.0.0/24', 26), { namespaceSelector: "team == 'shop'" });
  const others = withSpec(pool('z-others', '10.2.0.0/24', 26), { namespaceSelector: "team != 'shop'" });

  it.each([
    [{ team: 'shop' }, 'shop'],
    [{ team: 'bank' }, 'z-others'],
    [{}, 'z-others'],
    [undefined, 'z-others'],
  ])('a namespace with the labels %j uses the pool %s', async (namespaceLabels, expected) => {
    const { assign } = open(node('node-a'), shop, others);
    expect((await assign({ namespaceLabels })).addresses).toMatchObject([{ pool: expected }]);
  });

  it('the namespace selector of a requested pool is ignored, and a block of another pool is kept', async () => {
    const { store, assign } = open(node('node-a'), shop, others);
    await assign({ namespaceLabels: { team: 'shop' } });
    const asked = parseCidr('10.1.0.0/24');
    expect((await assign({ pools: asked ? [asked] : [] })).addresses).toMatchObject([{ pool: 'shop' }]);
    await assign({});
    expect(blocksIn(store)).toHaveLength(2);
  });
});

describe('Windows nodes', () => {
  const windows = node('node-a', { 'kubernetes.io/os': 'windows' });

  it('a Windows node gets 60 of 64 addresses of a block, from the fourth on, and the reserve is reported', async () => {
    const { store, assign } = open(windows, strict, pool('p', '192.168.1.0/24', 26));
    const result = await assign({ count: 256 });
    expect(result.addresses).toHaveLength(240);
    expect(result.addresses.filter(({ address }) => /\.(0|1|2|63|64|127|128|191|192|255)$/.test(address))).toEqual([]);
    expect(partialText(result)).toBe(
      'Assigned 240 out of 256 requested IPv4 addresses; No more free affine blocks and strict affinity enabled; HostReservedAttr: windows-reserved-ipam-handle',
    );
    expect(blocksIn(store)[0]?.spec.attributes[0]).toEqual({
      handle_id: 'windows-reserved-ipam-handle',
      secondary: { note: 'windows host rsvd' },
    });
    expect(handlesIn(store)).toEqual([]);
  });

  it('a Windows node is refused without strict affinity, before any write', async () => {
    const { store, ipam, assign } = open(windows, pool('p', '192.168.1.0/24', 26));
    const refusal = 'global strict affinity should not be false for Windows node';
    await expect(assign({})).rejects.toThrow(refusal);
    await expect(assignIp(ipam, { address: '192.168.1.9', node: 'node-a' }, world)).rejects.toThrow(refusal);
    expect(store.writes).toBe(0);
  });

  it('a given address of a Windows node is in a block with the Windows reserve', async () => {
    const { store, ipam } = open(windows, strict, pool('p', '192.168.1.0/24', 26));
    await assignIp(ipam, { address: '192.168.1.9', node: 'node-a' }, world);
    expect(blocksIn(store)[0]?.spec.unallocated).toHaveLength(59);
    await expect(assignIp(ipam, { address: '192.168.1.1', node: 'node-a' }, world)).rejects.toThrow(
      'Address already assigned in block',
    );
  });

  const fine = pool('fine', '192.168.1.0/28', 30);
  const coarse = pool('coarse', '192.168.2.0/28', 29);
  it('a block with no address besides the Windows reserve is never claimed', async () => {
    const asked = parseCidr('192.168.1.0/28');
    await expect(open(windows, strict, fine).assign({})).rejects.toThrow('cannot find a qualified ippool');
    await expect(open(windows, strict, fine, coarse).assign({ pools: asked ? [asked] : [] })).rejects.toThrow(
      'the given pool (192.168.1.0/28) does not exist, or is not enabled',
    );
    const { store, assign } = open(windows, strict, fine, coarse);
    expect((await assign({ count: 9 })).addresses).toHaveLength(8);
    expect(blocksIn(store).map(({ spec }) => spec.cidr)).toEqual(['192.168.2.0/29', '192.168.2.8/29']);
  });
});
