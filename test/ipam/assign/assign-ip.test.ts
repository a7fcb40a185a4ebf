// One given address: in an own, a foreign, a missing block, held already, outside all pools, and under conflicts.
import { expect, test } from 'vitest';
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
const config = (strictAffinity: boolean): KubeObject => ({
  ...{ apiVersion: 'crd.projectcalico.org/v1', kind: 'IPAMConfig', metadata: { name: 'default' } },
  spec: { strictAffinity, autoAllocateBlocks: true },
});

function open(...objects: KubeObject[]) {
  const store = new MemoryDatastore(objects);
  return { store, assign: (request: AssignIpRequest) => assignIp(ipamStoreOf(store), request, world) };
}

test('a block that is missing is claimed', async () => {
  const { store, assign } = open(...base);
  const done = await assign({ address: '10.0.0.5', node: 'node-a', handle: 'h', attributes: { k: 'v' } });
  expect(done.assigned).toEqual({ address: '10.0.0.5', block: cidr, pool: 'pool-1', borrowed: false });
  expect(blocksIn(store)[0]?.spec).toMatchObject({
    ...{ affinity: 'host:node-a', unallocated: [0, 1, 2, 3, 4, 6, 7] },
    attributes: [{ handle_id: 'h', secondary: { k: 'v', node: 'node-a' } }],
  });
  expect(inconsistencies(store)).toEqual([]);
});

test('a foreign block: refused with strict affinity, borrowed without', async () => {
  const strict = open(...owned, config(true));
  await expect(strict.assign({ address: '10.0.0.1', node: 'node-a', handle: 'h' })).rejects.toThrow(
    'Block host affinity does not match',
  );
  expect(strict.store.writes).toBe(0);
  const { store, assign } = open(...owned, config(false));
  expect((await assign({ address: '10.0.0.1', node: 'node-a', handle: 'h' })).assigned.borrowed).toBe(true);
  expect(inconsistencies(store)).toEqual([]);
});

test('without a node: for the owner of the block', async () => {
  const { store, assign } = open(...owned);
  expect((await assign({ address: '10.0.0.1' })).node).toBe('node-b');
  expect(blocksIn(store)[0]?.spec.attributes).toEqual([{ secondary: { node: 'node-b' } }]);
  await expect(assign({ address: '10.0.0.9' })).rejects.toThrow('no node owns the block');
});

test('twice: the second is told, and its handle is not counted', async () => {
  const { store, assign } = open(...owned);
  await assign({ address: '10.0.0.1', handle: 'h' });
  await expect(assign({ address: '10.0.0.1', handle: 'h' })).rejects.toThrow('Address already assigned in block');
  expect(handlesIn(store).map(({ spec }) => spec.block)).toEqual([{ [cidr]: 1 }]);
});

test('outside all pools', async () => {
  await expect(open(...base).assign({ address: '1.1.1.1', node: 'node-a' })).rejects.toThrow(
    'The provided IP address is not in a configured pool',
  );
});

test('a conflict at any write is cured by what follows, and the handle counts once', async () => {
  for (let at = 1; ; at++) {
    const { store, assign } = open(...base);
    store.faults = ({ nthWrite, op }) => (nthWrite === at && op !== 'create' ? 'conflict' : undefined);
    await assign({ address: '10.0.0.5', node: 'node-a', handle: 'h' });
    expect(inconsistencies(store)).toEqual([]);
    if (store.writes < at) break;
  }
});
