// Both families at once: IPv4 first, and what an error of either family leaves assigned.
import { expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { type AddressesRequest, assignAddresses } from '../../../src/ipam/assign/assign-addresses.ts';
import { type Cidr, parseCidr } from '../../../src/net/cidr.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { blocksIn, handlesIn, inconsistencies, ipamConfig, node, pool } from '../../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../../support/program/world.ts';

const world = {
  clock: new TestClock('2025-12-01T00:00:00Z'),
  random: evenRandom,
};
const p4 = pool('p4', '10.0.0.0/28', 29);
const p6 = pool('p6', 'fd00::/120', 125);
const oneEach = { ipv4: { count: 1 }, ipv6: { count: 1 } };
const noMoreThan = (maxBlocksPerHost: number) => ipamConfig({ strictAffinity: true, maxBlocksPerHost });

function open(...objects: KubeObject[]) {
  const store = new MemoryDatastore([node('node-a'), ...objects]);
  const holder = { handle: 'h', secondary: { node: 'node-a' } };
  const assign = (wanted: Pick<AddressesRequest, 'ipv4' | 'ipv6'>) =>
    assignAddresses(ipamStoreOf(store), { node: 'node-a', use: 'Workload', holder, ...wanted }, world);
  return { store, assign };
}

it('both families share one handle with a block of each', async () => {
  const { store, assign } = open(p4, p6);
  const { assignments, error } = await assign(oneEach);
  expect(error).toBeUndefined();
  expect(assignments.map(({ version, addresses }) => [version, addresses.length])).toEqual([
    [4, 1],
    [6, 1],
  ]);
  const blocks = assignments.flatMap(({ addresses }) => addresses.map(({ block }) => block));
  expect(handlesIn(store).map(({ spec }) => spec.block)).toEqual([
    Object.fromEntries(blocks.map((block) => [block, 1])),
  ]);
  expect(inconsistencies(store)).toEqual([]);
});

it.each([{ ipv4: { count: 1 } }, { ipv4: { count: 1 }, ipv6: { count: 0 } }])(
  'a request for %j assigns only IPv4',
  async (wanted) => {
    const { assign } = open(p4);
    expect((await assign(wanted)).assignments).toMatchObject([{ version: 4, addresses: [{ pool: 'p4' }] }]);
  },
);

it('a request for IPv6 only assigns only IPv6', async () => {
  const { assign } = open(p4, p6);
  expect((await assign({ ipv6: { count: 2 } })).assignments).toMatchObject([{ version: 6, requested: 2 }]);
});

it('an IPv4 error ends the assignment before IPv6, with or without addresses', async () => {
  const none = open(p6);
  await expect(none.assign(oneEach)).rejects.toThrow('cannot find a qualified ippool');
  expect(none.store.writes).toBe(0);
  const some = open(p4, p6, noMoreThan(1));
  const { assignments, error } = await some.assign({ ipv4: { count: 9 }, ipv6: { count: 1 } });
  expect(assignments).toMatchObject([{ version: 4, requested: 9 }]);
  expect(assignments[0]?.addresses).toHaveLength(8);
  expect(error?.message).toBe('cannot allocate new block due to per host block limit');
  expect(blocksIn(some.store).map(({ spec }) => spec.cidr)).toEqual([assignments[0]?.addresses[0]?.block]);
});

it('fewer IPv4 addresses than requested are not an error, and IPv6 is assigned', async () => {
  const { assign } = open(p4, p6);
  const { assignments, error } = await assign({ ipv4: { count: 17 }, ipv6: { count: 1 } });
  expect(assignments.map(({ addresses }) => addresses.length)).toEqual([16, 1]);
  expect(error).toBeUndefined();
});

it('an IPv6 error is returned together with the assigned IPv4 addresses', async () => {
  const { store, assign } = open(p4);
  const { assignments, error } = await assign(oneEach);
  expect(assignments).toMatchObject([{ version: 4, addresses: [{ pool: 'p4' }] }]);
  expect(error?.message).toBe('cannot find a qualified ippool');
  expect(inconsistencies(store)).toEqual([]);
});

it('pools of the wrong family are an error, reported before any write for IPv4', async () => {
  const pools = (text: string) => [parseCidr(text) as Cidr];
  const { store, assign } = open(p4, p6);
  await expect(assign({ ...oneEach, ipv4: { count: 1, pools: pools('fd00::/120') } })).rejects.toThrow(
    'provided IPv4 IPPools list contains one or more IPv6 IPPools',
  );
  expect(store.writes).toBe(0);
  const { assignments, error } = await assign({ ...oneEach, ipv6: { count: 1, pools: pools('10.0.0.0/28') } });
  expect(assignments).toHaveLength(1);
  expect(error?.message).toBe('provided IPv6 IPPools list contains one or more IPv4 IPPools');
});
