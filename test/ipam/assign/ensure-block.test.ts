// Ensuring that a node owns a block: none yet, a full one, no free one, and none allowed.
import { expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { ensureBlock } from '../../../src/ipam/assign/ensure-block.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import {
  affinitiesIn,
  affinityTo,
  blocksIn,
  blockWith,
  handleWith,
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
const nodes = [node('node-a'), node('node-b')];

function open(...objects: KubeObject[]) {
  const store = new MemoryDatastore([...nodes, ...objects]);
  const ensure = (version: 4 | 6 = 4) => ensureBlock(ipamStoreOf(store), { node: 'node-a', version }, world);
  return { store, ensure };
}

it('ensureBlock claims one block, once, and assigns no address', async () => {
  const { store, ensure } = open(pool('p', '10.0.0.0/24', 26));
  expect([await ensure(), await ensure()]).toEqual(['10.0.0.128/26', '10.0.0.128/26']);
  expect(blocksIn(store)[0]?.spec.allocations.every((index) => index === null)).toBe(true);
  expect(affinitiesIn(store)).toHaveLength(1);
  expect(inconsistencies(store)).toEqual([]);
});

it('ensureBlock claims an IPv6 block from an IPv6 pool', async () => {
  const { ensure } = open(pool('p', '10.0.0.0/24', 26), pool('p6', '::/120', 122));
  expect(await ensure(6)).toBe('::80/122');
});

it('ensureBlock accepts a full block, and one at the limit of blocks', async () => {
  const full = '10.0.0.0/29';
  const one = [
    blockWith(full, 'host:node-a', ['h', 8]),
    affinityTo('node-a', full, 'confirmed'),
    handleWith('h', { [full]: 8 }),
  ];
  const { store, ensure } = open(pool('p', '10.0.0.0/24', 29), ...one, ipamConfig({ maxBlocksPerHost: 1 }));
  expect(await ensure()).toBe(full);
  expect(store.writes).toBe(0);
  const other = open(pool('a', '10.0.0.0/29', 29), pool('b', '10.0.1.0/29', 29), ipamConfig({ maxBlocksPerHost: 1 }));
  expect(await other.ensure()).toBe('10.0.0.0/29');
});

it('ensureBlock creates the Windows reserve for a Windows node', async () => {
  const windows = node('node-w', { 'kubernetes.io/os': 'windows' });
  const store = new MemoryDatastore([windows, ipamConfig({ strictAffinity: true }), pool('p', '10.0.0.0/24', 26)]);
  await ensureBlock(ipamStoreOf(store), { node: 'node-w', version: 4 }, world);
  expect(blocksIn(store)[0]?.spec.unallocated).toHaveLength(60);
});

it.each<[string, KubeObject[]]>([
  ['No Free Blocks', [blockWith('10.0.0.0/29', 'host:node-b'), affinityTo('node-b', '10.0.0.0/29', 'confirmed')]],
  ['failed to find or claim a block', [ipamConfig({ strictAffinity: true, autoAllocateBlocks: false })]],
])('ensureBlock writes nothing when it fails with: %s', async (message, objects) => {
  const { store, ensure } = open(pool('p', '10.0.0.0/29', 29), ...objects);
  await expect(ensure()).rejects.toThrow(message);
  expect(store.writes).toBe(0);
});
