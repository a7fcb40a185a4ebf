// The repairs R2, R3 and R7, and the counts of handles.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { withSpec } from '../../../src/ipam/block/block.ts';
import { decrementHandle, incrementHandle } from '../../../src/ipam/handles.ts';
import { setHandleCount } from '../../../src/ipam/repair/handle-repair.ts';
import { finishTombstone, rebuildBlock } from '../../../src/ipam/repair/primitives.ts';
import { noPrecondition } from '../../../src/ipam/repair/repair-outcome.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import {
  affinityTo,
  blocksIn,
  blockWith,
  firstSequence,
  handlesIn,
  handleWith,
  inconsistencies,
  interrupted,
  marked,
} from '../../support/clusters/ipam-state.ts';

const cidr = '10.0.0.0/29';
const block = '10-0-0-0-29';
const affinity = affinityTo('node-a', cidr, 'confirmed');
const held = blockWith(cidr, 'host:node-a', ['a', 1], ['b', 2]);
const handles = [handleWith('a', { [cidr]: 1 }), handleWith('b', { [cidr]: 2 })];

function open(...objects: readonly KubeObject[]) {
  const store = new MemoryDatastore(objects);
  return { store, ipam: ipamStoreOf(store) };
}

describe('R2: rebuild the allocation records of a block', () => {
  const lossy = withSpec(held, { unallocated: [7, 5, 0, 5] });

  it('R2 writes the corrected records once, and raises the sequence number by one', async () => {
    const { store, ipam } = open(lossy, affinity, ...handles);
    expect(await rebuildBlock(ipam, { block }, noPrecondition)).toEqual({ outcome: 'applied' });
    expect(store.writes).toBe(1);
    expect(blocksIn(store)[0]?.spec.unallocated).toEqual([7, 5, 3, 4, 6]);
    expect(blocksIn(store)[0]?.spec.sequenceNumber).toBe(firstSequence + 3n);
    expect(inconsistencies(store)).toEqual([]);
    expect((await rebuildBlock(ipam, { block }, noPrecondition)).outcome).toBe('skipped');
    expect(store.writes).toBe(1);
  });

  it('R2 frees only the lost ordinals that the caller knows to be unused', async () => {
    const { store, ipam } = open(lossy, affinity, ...handles);
    expect((await rebuildBlock(ipam, { block, lost: [3, 4] }, noPrecondition)).outcome).toBe('conflict');
    expect(store.writes).toBe(0);
    expect(await rebuildBlock(ipam, { block, lost: [3, 4, 6] }, noPrecondition)).toEqual({ outcome: 'applied' });
    expect(blocksIn(store)[0]?.spec.unallocated).toEqual([7, 5, 3, 4, 6]);
  });

  it('R2 starts again from what another client wrote', async () => {
    const { store, ipam } = open(lossy, affinity, ...handles);
    const mine = interrupted(ipam, 2, async () => {
      const found = await ipam.blocks.get(block);
      if (found.ok) await ipam.blocks.update(withSpec(found.value, { unallocated: [6] }));
    });
    await rebuildBlock(mine, { block }, noPrecondition);
    expect(blocksIn(store)[0]?.spec.unallocated).toEqual([6, 3, 4, 5, 7]);
  });

  it.each([
    [
      'an attribute is missing and no address is known to be unused',
      { allocations: [9, 1, 1, null, null, null, null, null] },
    ],
    ['allocations are missing that cannot be proved free', { allocations: [0, 1, 1], unallocated: [3] }],
    ['it is marked as deleted', { deleted: true, unallocated: [] }],
  ])('R2 leaves the block unchanged when %s', async (_what, change) => {
    const { store, ipam } = open(withSpec(held, change));
    expect((await rebuildBlock(ipam, { block }, noPrecondition)).outcome).toBe('conflict');
    expect(store.writes).toBe(0);
  });

  it.each([null, undefined, 0, {}, 'x'])('R2 rebuilds a free list that is %j', async (unallocated) => {
    const { store, ipam } = open(withSpec(held, { unallocated: unallocated as never }), affinity, ...handles);
    expect(await rebuildBlock(ipam, { block }, noPrecondition)).toEqual({ outcome: 'applied' });
    expect(blocksIn(store)[0]?.spec.unallocated).toEqual([3, 4, 5, 6, 7]);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('R2 frees an allocation without its attribute that is known to be unused', async () => {
    const broken = withSpec(held, { allocations: [9, 1, 1, null, null, null, null, null] });
    const { store, ipam } = open(broken, affinity, handleWith('b', { [cidr]: 2 }));
    expect((await rebuildBlock(ipam, { block, unused: [0] }, noPrecondition)).outcome).toBe('applied');
    expect(blocksIn(store)[0]?.spec.unallocated).toEqual([3, 4, 5, 6, 7, 0]);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('R2 does not write only to merge equal attributes, nor when its precondition fails', async () => {
    const equal = withSpec(held, { attributes: [{ handle_id: 'a' }, { handle_id: 'a' }] });
    const { store, ipam } = open(equal);
    expect((await rebuildBlock(ipam, { block }, noPrecondition)).outcome).toBe('skipped');
    const other = open(lossy);
    expect(await rebuildBlock(other.ipam, { block }, async () => 'no')).toEqual({ outcome: 'skipped', detail: 'no' });
    expect(store.writes + other.store.writes).toBe(0);
  });
});

describe('R3: set the counts of a handle', () => {
  const over = handleWith('a', { [cidr]: 3, '10.9.9.0/29': 1 });
  const action = (store: MemoryDatastore, lowers: boolean, name = 'a') => {
    const stored = handlesIn(store).find(({ metadata }) => metadata.name === name);
    const { uid, resourceVersion } = stored?.metadata ?? {};
    return { handle: name, handleId: name, uid, resourceVersion, blocks: [block, '10-9-9-0-29'], lowers };
  };
  const counts = (store: MemoryDatastore) =>
    Object.fromEntries(handlesIn(store).map(({ metadata, spec }) => [metadata.name, spec.block]));

  it('R3 lowers a count at the resource version that was judged', async () => {
    const { store, ipam } = open(held, over);
    expect((await setHandleCount(ipam, action(store, true), noPrecondition)).outcome).toBe('applied');
    expect(counts(store)).toEqual({ a: { [cidr]: 1 } });
    expect((await setHandleCount(ipam, action(store, true), noPrecondition)).outcome).toBe('skipped');
  });

  it.each([2n ** 64n, '1', null, 1.5, {}])('R3 writes no nonsense for a count of %s', async (count) => {
    const odd = handleWith('a', { [cidr]: count as never });
    const { store, ipam } = open(held, affinity, odd);
    const action = { handle: 'a', handleId: 'a', uid: undefined, blocks: [block], lowers: false };
    await setHandleCount(ipam, { ...action, resourceVersion: 'another' }, noPrecondition);
    const written = handlesIn(store)[0]?.spec.block[cidr];
    expect([1, count]).toContain(written);
  });

  it.each(['', 'x', true, { block: 'x' }, { block: [1] }])(
    'R3 leaves a handle with the spec %j to a person',
    async (spec) => {
      const { store, ipam } = open(held, affinity, { ...handleWith('a', {}), spec: spec as never });
      const action = { handle: 'a', handleId: 'a', uid: undefined, blocks: [block], lowers: false };
      const outcome = await setHandleCount(ipam, { ...action, resourceVersion: 'another' }, noPrecondition);
      expect(outcome.outcome).toBe('conflict');
      expect(store.writes).toBe(0);
    },
  );

  it('R3 raises a count, and lowers none when it may not', async () => {
    const { store, ipam } = open(held, handleWith('b', { [cidr]: 1, '10.9.9.0/29': 1 }));
    expect((await setHandleCount(ipam, action(store, false, 'b'), noPrecondition)).outcome).toBe('applied');
    expect(counts(store)).toEqual({ b: { [cidr]: 2, '10.9.9.0/29': 1 } });
    expect((await setHandleCount(ipam, action(store, false, 'b'), noPrecondition)).outcome).toBe('skipped');
  });

  it('R3 creates a missing handle with the ID as spelled in the block', async () => {
    const { store, ipam } = open(blockWith(cidr, 'host:node-a', ['K8s.Pod', 2]));
    const missing = { ...action(store, false, 'k8s.pod'), handleId: 'K8s.Pod' };
    expect((await setHandleCount(ipam, missing, noPrecondition)).outcome).toBe('applied');
    expect(handlesIn(store)[0]?.metadata.name).toBe('k8s.pod');
    expect(handlesIn(store)[0]?.spec).toEqual({ handleID: 'K8s.Pod', block: { [cidr]: 2 }, deleted: false });
  });

  it('R3 deletes a stray handle with two requests besides reading its blocks', async () => {
    const { store, ipam } = open(held, handleWith('stray', { [cidr]: 1 }));
    const handle = handlesIn(store)[0];
    expect((await setHandleCount(ipam, action(store, true, 'stray'), noPrecondition, { handle })).outcome).toBe(
      'applied',
    );
    expect(handlesIn(store)).toEqual([]);
    const requests = store.calls.filter(({ kind }) => kind === 'IPAMHandle').map(({ op }) => op);
    expect(requests).toEqual(['update', 'delete']);
  });

  it('R3 reads blocks through the given reader', async () => {
    const { store, ipam } = open(held, handleWith('stray', { [cidr]: 1 }));
    await setHandleCount(ipam, action(store, true, 'stray'), noPrecondition, { block: async () => held });
    expect(store.calls.some(({ kind }) => kind === 'IPAMBlock')).toBe(false);
  });

  it('R3 never lowers a handle that an allocator raised at the same time', async () => {
    for (let at = 1; ; at++) {
      const { store, ipam } = open(held, handleWith('stray', { [cidr]: 1 }));
      let raised = false;
      const mine = interrupted(ipam, at, async () => {
        await incrementHandle(ipam, 'stray', cidr, 1);
        raised = true;
      });
      const { outcome } = await setHandleCount(mine, action(store, true, 'stray'), noPrecondition);
      if (raised) expect(counts(store)['stray']?.[cidr]).toBeGreaterThanOrEqual(1);
      else expect(outcome).toBe('applied');
      if (mine.calls() < at) break;
    }
  });

  it('R3 only raises the counts of a handle that changed, and leaves a half-deleted one to R7', async () => {
    const { store, ipam } = open(held, handleWith('b', { [cidr]: 1, '10.9.9.0/29': 1 }));
    const old = { ...action(store, true, 'b'), resourceVersion: '0' };
    expect((await setHandleCount(ipam, old, noPrecondition)).detail).toContain('none lowered');
    expect(counts(store)).toEqual({ b: { [cidr]: 2, '10.9.9.0/29': 1 } });
    expect((await setHandleCount(ipam, old, noPrecondition)).outcome).toBe('conflict');
    const dying = open(held, marked(handleWith('a', { [cidr]: 3 })));
    expect((await setHandleCount(dying.ipam, action(dying.store, true), noPrecondition)).outcome).toBe('conflict');
    expect(dying.store.writes).toBe(0);
  });

  it('R3 writes nothing when its precondition fails', async () => {
    const { store, ipam } = open(held, over);
    expect((await setHandleCount(ipam, action(store, true), async () => 'in use')).detail).toBe('in use');
    expect(store.writes).toBe(0);
  });
});

describe('R7: complete a deletion', () => {
  const kinds = [
    ['IPAMBlock', marked(blockWith(cidr, undefined))],
    ['BlockAffinity', marked(affinityTo('node-a', cidr, 'pendingDeletion'))],
    ['IPAMHandle', marked(handleWith('a', { [cidr]: 1 }))],
  ] as const;
  const uidOf = (store: MemoryDatastore) => store.dump()[0]?.metadata.uid;

  it.each(kinds)('R7 deletes a half-deleted %s with one read and one delete', async (kind, tombstone) => {
    const { store, ipam } = open(tombstone);
    const action = { kind, name: tombstone.metadata.name, uid: uidOf(store) };
    expect(await finishTombstone(ipam, action, noPrecondition)).toEqual({ outcome: 'applied' });
    expect(store.calls.map(({ op }) => op)).toEqual(['get', 'delete']);
    expect(store.dump()).toEqual([]);
    expect((await finishTombstone(ipam, action, noPrecondition)).outcome).toBe('skipped');
  });

  it('R7 keeps a new object of the name, an object that is not half-deleted, and a block with addresses', async () => {
    const other = open(marked(handleWith('a', {})));
    const notIt = { kind: 'IPAMHandle', name: 'a', uid: 'another' } as const;
    expect((await finishTombstone(other.ipam, notIt, noPrecondition)).outcome).toBe('skipped');
    const live = open(handleWith('a', { [cidr]: 1 }));
    const alive = { kind: 'IPAMHandle', name: 'a', uid: uidOf(live.store) } as const;
    expect((await finishTombstone(live.ipam, alive, noPrecondition)).outcome).toBe('conflict');
    const full = open(marked(held));
    const addresses = { kind: 'IPAMBlock', name: block, uid: uidOf(full.store) } as const;
    expect((await finishTombstone(full.ipam, addresses, noPrecondition)).outcome).toBe('conflict');
    expect(other.store.writes + live.store.writes + full.store.writes).toBe(0);
  });

  it('R7 succeeds when another client completes the deletion first', async () => {
    const { store, ipam } = open(marked(handleWith('a', {})));
    const mine = interrupted(ipam, 2, async () => {
      const found = await ipam.handles.get('a');
      if (found.ok) await ipam.handles.remove(found.value);
    });
    const action = { kind: 'IPAMHandle', name: 'a', uid: uidOf(store) } as const;
    expect((await finishTombstone(mine, action, noPrecondition)).outcome).toBe('applied');
  });
});

describe('handle counts', () => {
  it('a handle is created at the first count and deleted at the last', async () => {
    const { store, ipam } = open();
    await incrementHandle(ipam, 'K8s.Pod', cidr, 1);
    await incrementHandle(ipam, 'K8s.Pod', '10.0.0.8/29', 2);
    expect(handlesIn(store)[0]?.spec).toMatchObject({ handleID: 'K8s.Pod', block: { [cidr]: 1, '10.0.0.8/29': 2 } });
    await decrementHandle(ipam, 'K8s.Pod', cidr, 1);
    expect(handlesIn(store)[0]?.spec.block).toEqual({ '10.0.0.8/29': 2 });
    await decrementHandle(ipam, 'K8s.Pod', '10.0.0.8/29', 2);
    expect(store.dump()).toEqual([]);
  });

  it('lowering a count that does not exist is not an error', async () => {
    const { store, ipam } = open(handleWith('a', { [cidr]: 1 }));
    await decrementHandle(ipam, 'missing', cidr, 1);
    await decrementHandle(ipam, 'a', '10.0.0.8/29', 1);
    expect(store.writes).toBe(0);
    await decrementHandle(ipam, 'a', cidr, 5);
    expect(store.dump()).toEqual([]);
  });

  it('concurrent changes of a handle lose no count', async () => {
    const { store, ipam } = open();
    await Promise.all(Array.from({ length: 8 }, () => incrementHandle(ipam, 'a', cidr, 1)));
    expect(handlesIn(store)[0]?.spec.block).toEqual({ [cidr]: 8 });
    await Promise.all(Array.from({ length: 8 }, () => decrementHandle(ipam, 'a', cidr, 1)));
    expect(store.dump()).toEqual([]);
  });

  it('a handle from a list saves a read, and is read again when it has changed', async () => {
    const { store, ipam } = open(handleWith('a', { [cidr]: 3 }));
    const listed = handlesIn(store)[0];
    await decrementHandle(ipam, 'a', cidr, 1, { listed });
    expect(store.calls.map(({ op }) => op)).toEqual(['update']);
    await decrementHandle(ipam, 'a', cidr, 1, { listed });
    expect(handlesIn(store)[0]?.spec.block).toEqual({ [cidr]: 1 });
  });
});
