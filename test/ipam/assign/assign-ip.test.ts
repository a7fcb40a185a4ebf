// One given address: in an own block, in that of another node, in a missing one, already assigned, outside all pools, and with conflicts.
import { expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { type AssignIpRequest, assignIp } from '../../../src/ipam/assign/assign-ip.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import {
  affinityTo,
  blocksIn,
  blockWith,
  handlesIn,
  inconsistencies,
  ipamConfig,
  node,
  pool,
} from '../../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../../support/program/world.ts';

const world = {
  clock: new TestClock('2025-12-01T00:00:00Z'),
  random: evenRandom,
};
const cidr = '10.0.0.0/29';
const base = [node('node-a'), node('node-b'), pool('pool-1', '10.0.0.0/24', 29)];
const owned = [...base, blockWith(cidr, 'host:node-b'), affinityTo('node-b', cidr, 'confirmed')];

function open(...objects: KubeObject[]) {
  const store = new MemoryDatastore(objects);
  return { store, assign: (request: AssignIpRequest) => assignIp(ipamStoreOf(store), request, world) };
}

it('assignIp claims the missing block of the address', async () => {
  const { store, assign } = open(...base);
  const done = await assign({ address: '10.0.0.5', node: 'node-a', handle: 'h', attributes: { k: 'v' } });
  expect(done.assigned).toEqual({ address: '10.0.0.5', block: cidr, pool: 'pool-1', borrowed: false });
  expect(blocksIn(store)[0]?.spec).toMatchObject({
    affinity: 'host:node-a',
    unallocated: [0, 1, 2, 3, 4, 6, 7],
    attributes: [{ handle_id: 'h', secondary: { k: 'v', node: 'node-a' } }],
  });
  expect(inconsistencies(store)).toEqual([]);
});

it('assignIp refuses an address in the block of another node with strict affinity, and borrows it without', async () => {
  const strict = open(...owned, ipamConfig({ strictAffinity: true }));
  await expect(strict.assign({ address: '10.0.0.1', node: 'node-a', handle: 'h' })).rejects.toThrow(
    'Block host affinity does not match',
  );
  expect(strict.store.writes).toBe(0);
  const { store, assign } = open(...owned, ipamConfig({ strictAffinity: false }));
  expect((await assign({ address: '10.0.0.1', node: 'node-a', handle: 'h' })).assigned.borrowed).toBe(true);
  expect(inconsistencies(store)).toEqual([]);
});

it('assignIp without a node assigns to the owner of the block', async () => {
  const { store, assign } = open(...owned);
  expect((await assign({ address: '10.0.0.1' })).node).toBe('node-b');
  expect(blocksIn(store)[0]?.spec.attributes).toEqual([{ secondary: { node: 'node-b' } }]);
  await expect(assign({ address: '10.0.0.9' })).rejects.toThrow('no node owns the block');
});

it('assignIp refuses an address that is already assigned, and does not count its handle', async () => {
  const { store, assign } = open(...owned);
  await assign({ address: '10.0.0.1', handle: 'h' });
  await expect(assign({ address: '10.0.0.1', handle: 'h' })).rejects.toThrow('Address already assigned in block');
  expect(handlesIn(store).map(({ spec }) => spec.block)).toEqual([{ [cidr]: 1 }]);
});

it('assignIp refuses an address outside all pools', async () => {
  await expect(open(...base).assign({ address: '1.1.1.1', node: 'node-a' })).rejects.toThrow(
    '1.1.1.1 is not in any enabled pool',
  );
});

it('assignIp succeeds after a conflict at any write, and the handle counts once', async () => {
  for (let at = 1; ; at++) {
    const { store, assign } = open(...base);
    store.faults = ({ nthWrite, op }) => (nthWrite === at && op !== 'create' ? 'conflict' : undefined);
    await assign({ address: '10.0.0.5', node: 'node-a', handle: 'h' });
    expect(inconsistencies(store)).toEqual([]);
    if (store.writes < at) break;
  }
});
