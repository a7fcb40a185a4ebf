// The cost of an assignment: exactly the calls that the rules need, whatever the size of the cluster.
import { expect, it } from 'vitest';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../src/datastore/stored-ipam.ts';
import { assignAddresses } from '../../src/ipam/assign/assign-addresses.ts';
import { assignIp } from '../../src/ipam/assign/assign-ip.ts';
import { autoAssign } from '../../src/ipam/assign/auto-assign.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { affinityTo, blockWith, handleWith, node, pool } from '../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../support/program/world.ts';

const world = {
  clock: new TestClock('2025-12-01T00:00:00Z'),
  random: evenRandom,
};
const cidr = '10.0.0.0/26';
const base = [node('node-a'), pool('p4', '10.0.0.0/16', 26), pool('p6', 'fd00::/112', 122)];
const withBlock = [...base, blockWith(cidr, 'host:node-a'), affinityTo('node-a', cidr, 'confirmed')];

/** The calls of one assignment to node-a, sorted, because some of them run at the same time. */
async function cost(objects: readonly KubeObject[], handle?: string): Promise<string[]> {
  const store = new MemoryDatastore(objects);
  const holder = { handle, secondary: { node: 'node-a' } };
  const request = { node: 'node-a', version: 4, count: 1, use: 'Workload', holder } as const;
  expect((await autoAssign(ipamStoreOf(store), request, world)).addresses).toHaveLength(1);
  return callsOf(store);
}
const callsOf = (store: MemoryDatastore): string[] => store.calls.map(({ op, kind }) => `${op} ${kind}`).sort();

const rules = ['get IPAMConfig', 'get Node', 'list BlockAffinity', 'list IPPool', 'list IPReservation'];
const claim = ['list IPAMBlock', 'create BlockAffinity', 'create IPAMBlock', 'update BlockAffinity'];
const sorted = (...calls: string[]): string[] => calls.sort();

it('the first assignment of a node costs ten calls, eleven with a handle', async () => {
  expect(await cost(base)).toEqual(sorted(...rules, ...claim, 'update IPAMBlock'));
  expect(await cost(base, 'h')).toEqual(sorted(...rules, ...claim, 'create IPAMHandle', 'update IPAMBlock'));
});

it('an assignment from an own block costs seven calls, eight with a new handle, ten with an existing one', async () => {
  const own = [...rules, 'get IPAMBlock', 'update IPAMBlock'];
  expect(await cost(withBlock)).toEqual(sorted(...own));
  expect(await cost(withBlock, 'h')).toEqual(sorted(...own, 'create IPAMHandle'));
  const held = blockWith(cidr, 'host:node-a', ['h', 1]);
  const claimed = [...base, held, affinityTo('node-a', cidr, 'confirmed'), handleWith('h', { [cidr]: 1 })];
  expect(await cost(claimed, 'h')).toEqual(sorted(...own, 'create IPAMHandle', 'get IPAMHandle', 'update IPAMHandle'));
});

it('an assignment costs the same in a cluster of a thousand nodes, whose affinities are not read', async () => {
  const others = Array.from({ length: 1000 }, (_, at) => {
    const block = `10.0.${1 + (at >> 2)}.${(at & 3) * 64}/26`;
    return [blockWith(block, `host:node-${at}`), affinityTo(`node-${at}`, block, 'confirmed')];
  }).flat();
  const store = new MemoryDatastore([...withBlock, ...others]);
  const ipam = ipamStoreOf(store);
  expect(await ipam.affinitiesOf({ type: 'host', name: 'node-a' }, 4)).toHaveLength(1);
  expect(await cost([...withBlock, ...others], 'h')).toHaveLength(8);
});

it('an assignment of both families costs the calls of each, and two for their shared handle', async () => {
  const store = new MemoryDatastore(base);
  const holder = { handle: 'h', secondary: { node: 'node-a' } };
  const request = { node: 'node-a', use: 'Workload', holder, ipv4: { count: 1 }, ipv6: { count: 1 } } as const;
  await assignAddresses(ipamStoreOf(store), request, world);
  expect(store.calls).toHaveLength(11 + 11 + 2);
});

it('assigning a given address costs six calls in an existing block, ten in a new one', async () => {
  const of = async (objects: readonly KubeObject[]): Promise<string[]> => {
    const store = new MemoryDatastore(objects);
    await assignIp(ipamStoreOf(store), { address: '10.0.0.5', node: 'node-a', handle: 'h' }, world);
    return callsOf(store);
  };
  const both = ['get Node', 'list IPPool', 'get IPAMConfig', 'get IPAMBlock', 'create IPAMHandle', 'update IPAMBlock'];
  expect(await of(withBlock)).toEqual(sorted(...both));
  expect(await of(base)).toEqual(
    sorted(...both, 'list IPAMBlock', 'create BlockAffinity', 'create IPAMBlock', 'update BlockAffinity'),
  );
});
