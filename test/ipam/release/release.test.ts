// Releasing addresses in a datastore: guards, handle counts, clean-up of blocks and affinities, concurrent writers.
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { touched } from '../../../src/ipam/block/block.ts';
import { assignedAt } from '../../../src/ipam/block/block-assign.ts';
import { incrementHandle } from '../../../src/ipam/handles.ts';
import { releaseByHandle, releaseInBlock, releaseIps } from '../../../src/ipam/release/release.ts';
import { noPrecondition } from '../../../src/ipam/repair/repair-outcome.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { UsageError } from '../../../src/world/errors.ts';
import {
  affinitiesIn,
  affinityTo,
  blocksIn,
  blockWith,
  firstSequence,
  handlesIn,
  handleWith,
  inconsistencies,
  interrupted,
  node,
  pool,
} from '../../support/clusters/ipam-state.ts';

const cidr = '10.0.0.0/29';
const base: readonly KubeObject[] = [pool('pool-1', '10.0.0.0/24', 29), node('node-a', { zone: 'x' })];
const twoPods: readonly KubeObject[] = [
  ...base,
  blockWith(cidr, 'host:node-a', ['a', 2], ['b', 1]),
  affinityTo('node-a', cidr, 'confirmed'),
  handleWith('a', { [cidr]: 2 }),
  handleWith('b', { [cidr]: 1 }),
];

let store: MemoryDatastore;
const open = (objects: readonly KubeObject[]) => {
  store = new MemoryDatastore(objects);
  return ipamStoreOf(store);
};
const onlyBlock = () => blocksIn(store)[0]?.spec;

describe('releasing by address', () => {
  it('releasing addresses frees them, lowers the count of their handle and deletes an empty handle', async () => {
    const ipam = open(twoPods);
    const result = await releaseIps(ipam, [{ address: '10.0.0.1' }, { address: '10.0.0.0', handle: 'a' }]);
    expect(result).toEqual({ released: ['10.0.0.0', '10.0.0.1'], unallocated: [], failed: [] });
    expect(handlesIn(store).map(({ spec }) => spec)).toEqual([{ handleID: 'b', block: { [cidr]: 1 }, deleted: false }]);
    expect(onlyBlock()?.unallocated).toEqual([3, 4, 5, 6, 7, 0, 1]);
    expect(onlyBlock()?.sequenceNumber).toBe(firstSequence + 3n);
    expect(inconsistencies(store)).toEqual([]);
  });

  it.each([
    ['handle', { address: '10.0.0.2', handle: 'a' }],
    ['sequence number', { address: '10.0.0.2', sequenceNumber: 7n }],
  ])('a wrong %s fails all requests for the block, and nothing is written', async (guard, wrong) => {
    const ipam = open(twoPods);
    const result = await releaseIps(ipam, [{ address: '10.0.0.0', handle: 'a', sequenceNumber: firstSequence }, wrong]);
    expect(result.released).toEqual([]);
    expect(result.failed.map(({ addresses }) => addresses)).toEqual([['10.0.0.0', '10.0.0.2']]);
    expect(result.failed[0]?.error.message).toContain(`the given ${guard}`);
    expect(store.writes).toBe(0);
  });

  it('the last of two requests for one address is used', async () => {
    const ipam = open(twoPods);
    const result = await releaseIps(ipam, [
      { address: '10.0.0.0', handle: 'wrong' },
      { address: '10.0.0.0', handle: 'a' },
    ]);
    expect(result.released).toEqual(['10.0.0.0']);
    expect(inconsistencies(store)).toEqual([]);
  });

  it.each(['10.0.0.5', '10.0.0.200', '1.1.1.1'])(
    'releasing %s, which is not allocated, writes nothing',
    async (address) => {
      const ipam = open(twoPods);
      expect(await releaseIps(ipam, [{ address }])).toEqual({ released: [], unallocated: [address], failed: [] });
      expect(store.writes).toBe(0);
    },
  );

  it.each(['', 'nonsense', '10.0.0.0/29'])('releasing %j, which is not an address, is an error', async (address) => {
    await expect(releaseIps(open(twoPods), [{ address }])).rejects.toThrow(UsageError);
  });

  it('releasing finds a block outside all pools, and one without the block size of its pool', async () => {
    const stray = blockWith('172.16.0.0/30', undefined, ['s', 2]);
    const small = blockWith('10.0.0.64/30', undefined, ['t', 1]);
    const ipam = open([
      ...base,
      stray,
      small,
      handleWith('s', { '172.16.0.0/30': 2 }),
      handleWith('t', { '10.0.0.64/30': 1 }),
    ]);
    const result = await releaseIps(ipam, [{ address: '172.16.0.1' }, { address: '10.0.0.64' }]);
    expect(result.released).toEqual(['172.16.0.1', '10.0.0.64']);
    expect(blocksIn(store).map(({ spec }) => spec.cidr)).toEqual(['172.16.0.0/30']);
  });

  it('releasing the last address of a block without an owner deletes the block', async () => {
    const ipam = open([...base, blockWith(cidr, undefined, ['a', 1]), handleWith('a', { [cidr]: 1 })]);
    await releaseIps(ipam, [{ address: '10.0.0.0' }]);
    expect(blocksIn(store)).toEqual([]);
    expect(handlesIn(store)).toEqual([]);
  });

  it('releasing an address of a handle that counts too little succeeds and leaves the handle consistent', async () => {
    const ipam = open([...twoPods.filter(({ metadata }) => metadata.name !== 'a'), handleWith('a', { [cidr]: 1 })]);
    await releaseIps(ipam, [{ address: '10.0.0.0' }]);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('releasing starts again when another client writes the block, and respects its changes', async () => {
    for (let at = 1; ; at++) {
      const other = open(twoPods);
      const mine = interrupted(other, at, async () => {
        await releaseIps(other, [{ address: '10.0.0.0' }]);
      });
      const result = await releaseIps(mine, [{ address: '10.0.0.0' }, { address: '10.0.0.2' }]);
      expect(result.failed).toEqual([]);
      expect(result.released).toContain('10.0.0.2');
      expect(inconsistencies(store)).toEqual([]);
      if (mine.calls() < at) break;
    }
  });
});

describe('the affinity after a release', () => {
  const unselected = [
    pool('pool-1', '10.0.0.0/24', 29, "zone == 'y'"),
    node('node-a', { zone: 'x' }),
    blockWith(cidr, 'host:node-a', ['a', 1], ['b', 1]),
    affinityTo('node-a', cidr, 'confirmed'),
    handleWith('a', { [cidr]: 1 }),
    handleWith('b', { [cidr]: 1 }),
  ];

  it('releasing the last address also releases the block when the pool no longer selects the node', async () => {
    const ipam = open(unselected);
    await releaseIps(ipam, [{ address: '10.0.0.0' }]);
    expect(affinitiesIn(store)).toHaveLength(1);
    await releaseIps(ipam, [{ address: '10.0.0.1' }]);
    expect(affinitiesIn(store)).toEqual([]);
    expect(blocksIn(store)).toEqual([]);
  });

  it.each([
    ['the pool selects the node', [...unselected.slice(1), pool('pool-1', '10.0.0.0/24', 29)]],
    ['the selector is invalid', [...unselected.slice(1), pool('pool-1', '10.0.0.0/24', 29, 'zone ==')]],
    ['the pool does not exist', unselected.slice(1)],
    ['the node does not exist', unselected.filter(({ kind }) => kind !== 'Node')],
  ])('releasing the last address keeps the affinity when %s', async (_why, objects) => {
    await releaseIps(open(objects), [{ address: '10.0.0.0' }, { address: '10.0.0.1' }]);
    expect(affinitiesIn(store)).toHaveLength(1);
    expect(blocksIn(store)).toHaveLength(1);
  });
});

describe('releasing by handle', () => {
  it('releasing a handle frees all its addresses, and keeps the sequence entries', async () => {
    const second = '10.0.0.8/29';
    const ipam = open([
      ...base,
      blockWith(cidr, 'host:node-a', ['K8s.Pod', 2]),
      blockWith(second, undefined, ['K8s.Pod', 1]),
      affinityTo('node-a', cidr, 'confirmed'),
      handleWith('K8s.Pod', { [cidr]: 2, [second]: 1 }),
    ]);
    const result = await releaseByHandle(ipam, 'K8s.Pod\r\neth0');
    expect(result).toEqual({ found: true, released: ['10.0.0.0', '10.0.0.1', '10.0.0.8'] });
    expect(inconsistencies(store)).toEqual([]);
    expect(Object.keys(onlyBlock()?.sequenceNumberForAllocation ?? {})).toEqual(['0', '1']);
  });

  it('releasing an unknown handle frees nothing', async () => {
    expect(await releaseByHandle(open(twoPods), 'c')).toEqual({ found: false, released: [] });
  });
});

describe('R1: release addresses of a block', () => {
  const request = (ordinal: number, handle: string | undefined, sequenceNumber: bigint) => ({
    block: '10-0-0-0-29',
    address: `10.0.0.${ordinal}`,
    handle,
    sequenceNumber,
  });
  const first = request(0, 'a', firstSequence);
  const second = request(1, 'a', firstSequence);
  const third = request(2, 'b', firstSequence + 1n);

  beforeEach(() => open(twoPods));

  it('R1 frees several addresses of a block with one write', async () => {
    const ipam = ipamStoreOf(store);
    const outcomes = await releaseInBlock(ipam, '10-0-0-0-29', [second, third, first], noPrecondition);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'applied']);
    expect(store.calls.filter(({ op, kind }) => op === 'update' && kind === 'IPAMBlock')).toHaveLength(1);
    expect(onlyBlock()?.unallocated).toEqual([3, 4, 5, 6, 7, 0, 1, 2]);
    expect(handlesIn(store)).toEqual([]);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('R1 skips addresses of other allocations, free ones and those that fail their precondition, and frees the rest', async () => {
    const ipam = ipamStoreOf(store);
    const outcomes = await releaseInBlock(
      ipam,
      '10-0-0-0-29',
      [
        request(0, 'b', firstSequence),
        request(1, 'a', firstSequence + 5n),
        third,
        request(5, 'c', firstSequence),
        request(9, 'c', firstSequence),
      ],
      noPrecondition,
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['conflict', 'conflict', 'applied', 'skipped', 'conflict']);
    expect(outcomes[0]?.detail).toBe('the given handle (b) does not match (a) when attempting to release IP');
    expect(handlesIn(store).map(({ spec }) => spec.handleID)).toEqual(['a']);
  });

  it('R1 checks the precondition of each address just before the write', async () => {
    const outcomes = await releaseInBlock(ipamStoreOf(store), '10-0-0-0-29', [first, third], async ({ address }) => {
      expect(store.writes).toBe(0);
      return address === '10.0.0.0' ? 'pod shop/cart uses it' : undefined;
    });
    expect(outcomes).toEqual([{ outcome: 'skipped', detail: 'pod shop/cart uses it' }, { outcome: 'applied' }]);
    expect(onlyBlock()?.unallocated).toEqual([3, 4, 5, 6, 7, 2]);
  });

  it('R1 writes nothing when every precondition fails', async () => {
    await releaseInBlock(ipamStoreOf(store), '10-0-0-0-29', [first], async () => 'in use');
    expect(store.writes).toBe(0);
  });

  it('R1 releases an allocation without a handle only when no handle is expected', async () => {
    const anonymous = blockWith(cidr, 'host:node-a', ['x', 1]);
    anonymous.spec.attributes[0] = { secondary: { node: 'node-a' } };
    const ipam = open([...base, anonymous, affinityTo('node-a', cidr, 'confirmed')]);
    const wrong = await releaseInBlock(ipam, '10-0-0-0-29', [request(0, 'x', firstSequence)], noPrecondition);
    expect(wrong[0]?.outcome).toBe('conflict');
    const right = await releaseInBlock(ipam, '10-0-0-0-29', [request(0, undefined, firstSequence)], noPrecondition);
    expect(right[0]?.outcome).toBe('applied');
  });

  it('R1 keeps an address that is reassigned between the precondition and the write', async () => {
    for (let at = 1; ; at++) {
      const other = open(twoPods);
      const mine = interrupted(other, at, async () => {
        await releaseByHandle(other, 'a');
        await incrementHandle(other, 'new', cidr, 1);
        const block = await other.blocks.get('10-0-0-0-29');
        if (!block.ok) throw new Error('no block');
        const taken = assignedAt(block.value, 0, { handle: 'new' });
        if (taken === undefined) throw new Error('not free');
        await other.blocks.update(touched(taken));
      });
      // The other client may come when the block is written and only the handle remains.
      const outcomes = await releaseInBlock(mine, '10-0-0-0-29', [first, second, third], noPrecondition);
      expect(outcomes).toHaveLength(3);
      if (mine.calls() < at) break;
      expect(onlyBlock()?.allocations[0]).not.toBeNull();
      expect(handlesIn(store).map(({ spec }) => spec.handleID)).toContain('new');
    }
  });

  it('R1 skips the addresses of a missing block', async () => {
    const outcomes = await releaseInBlock(open(base), '10-0-0-0-29', [first], noPrecondition);
    expect(outcomes).toEqual([{ outcome: 'skipped', detail: 'already free: its block is gone' }]);
  });
});
