// Repairs of affinities: confirm, create, delete, release and relabel, alone and against a node that allocates meanwhile.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { claimAgain } from '../../../src/ipam/affinity/affinities.ts';
import { releaseBlockAffinity } from '../../../src/ipam/affinity/affinity-release.ts';
import { claimBlock } from '../../../src/ipam/affinity/claim-block.ts';
import { touched } from '../../../src/ipam/block/block.ts';
import { assigned } from '../../../src/ipam/block/block-assign.ts';
import type { IpamStore } from '../../../src/ipam/ipam-store.ts';
import {
  confirmNamedAffinity,
  createMissingAffinity,
  deleteEmptyBlock,
  dropNamedAffinity,
  relabelNamedAffinity,
  releaseNamedAffinity,
} from '../../../src/ipam/repair/primitives.ts';
import { noPrecondition } from '../../../src/ipam/repair/repair-outcome.ts';
import { type Cidr, parseCidr } from '../../../src/net/cidr.ts';
import { IntervalSet } from '../../../src/net/interval-set.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import {
  affinitiesIn,
  affinityTo,
  blocksIn,
  blockWith,
  firstSequence,
  handleWith,
  inconsistencies,
  interrupted,
  marked,
} from '../../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../../support/program/world.ts';

const cidr = '10.0.0.0/29';
const range = parseCidr(cidr) as Cidr;
const blockName = '10-0-0-0-29';
const name = 'node-a-10-0-0-0-29';
const held = blockWith(cidr, 'host:node-a', ['a', 1]);
const empty = blockWith(cidr, 'host:node-a');
const handle = handleWith('a', { [cidr]: 1 });

function open(...objects: readonly KubeObject[]) {
  const store = new MemoryDatastore(objects);
  const revision = () => affinitiesIn(store).find(({ metadata }) => metadata.name === name)?.metadata.resourceVersion;
  return { store, ipam: ipamStoreOf(store), action: { affinity: name, resourceVersion: revision() } };
}

const written = (store: MemoryDatastore) =>
  store.calls.filter(({ nthWrite }) => nthWrite > 0).map(({ op, kind }) => `${op} ${kind}`);

/** What a node does to assign an address of its block: confirm its affinity again if necessary, then write the block. */
async function allocate(ipam: IpamStore): Promise<boolean> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const block = await ipam.blocks.get(blockName);
    if (!block.ok || block.value.spec.deleted || block.value.spec.affinity !== 'host:node-a') return false;
    const affinity = await ipam.affinities.get(name);
    if (!affinity.ok || affinity.value.spec.deleted === 'true') return false;
    if (affinity.value.spec.state !== 'confirmed') {
      await claimAgain(ipam, affinity.value, block.value);
      continue;
    }
    const taken = assigned(block.value, 1, {}, IntervalSet.of([]));
    if ((await ipam.blocks.update(touched(taken.block))).ok) return true;
  }
  return false;
}

/** A promise and the function that resolves it. */
function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

describe('R4: confirm or create an affinity', () => {
  it.each(['pending', 'pendingDeletion'] as const)(
    'R4 confirms an affinity that is %s by marking it pending, writing the block and confirming it',
    async (state) => {
      const { store, ipam, action } = open(held, handle, affinityTo('node-a', cidr, state));
      expect(await confirmNamedAffinity(ipam, action, noPrecondition)).toEqual({ outcome: 'applied' });
      expect(written(store)).toEqual(['update BlockAffinity', 'update IPAMBlock', 'update BlockAffinity']);
      expect(blocksIn(store)[0]?.spec).toEqual({ ...held.spec, sequenceNumber: firstSequence + 2n });
      expect(inconsistencies(store)).toEqual([]);
    },
  );

  it.each([
    ['the block is missing', [], 'conflict'],
    ['the block has another owner', [blockWith(cidr, 'host:node-b')], 'conflict'],
    ['the block has no owner', [blockWith(cidr, undefined, ['a', 1])], 'conflict'],
  ])('R4 writes nothing when %s', async (_why, blocks, outcome) => {
    const { store, ipam, action } = open(...blocks, affinityTo('node-a', cidr, 'pending'));
    expect((await confirmNamedAffinity(ipam, action, noPrecondition)).outcome).toBe(outcome);
    expect(store.writes).toBe(0);
  });

  it('R4 does not write an affinity that changed, is confirmed already or fails its precondition', async () => {
    const { store, ipam, action } = open(held, affinityTo('node-a', cidr, 'pending'));
    expect((await confirmNamedAffinity(ipam, { ...action, resourceVersion: '0' }, noPrecondition)).outcome).toBe(
      'conflict',
    );
    expect(await confirmNamedAffinity(ipam, action, async () => 'node is gone')).toEqual({
      outcome: 'skipped',
      detail: 'node is gone',
    });
    expect((await confirmNamedAffinity(ipam, { ...action, affinity: 'other' }, noPrecondition)).outcome).toBe(
      'skipped',
    );
    expect(store.writes).toBe(0);
    const confirmed = open(held, affinityTo('node-a', cidr, 'confirmed'));
    expect((await confirmNamedAffinity(confirmed.ipam, confirmed.action, noPrecondition)).outcome).toBe('skipped');
  });

  it('R4 creates a missing affinity with its name, labels and annotation', async () => {
    const { store, ipam } = open(held, handle);
    const outcome = await createMissingAffinity(ipam, { block: blockName, owner: 'host:node-a' }, noPrecondition);
    expect(outcome).toEqual({ outcome: 'applied' });
    expect(written(store)).toEqual(['create BlockAffinity', 'update IPAMBlock', 'update BlockAffinity']);
    const made = affinitiesIn(store)[0];
    const labels = {
      'projectcalico.org/affinity-type': 'host',
      'projectcalico.org/hostname-hash': 'PY3TQE2E3XMTETLM2MJO3UITKPFB27YUJ4T4E5XGPEJON3SM4QAA',
      'projectcalico.org/ip-version': '4',
    };
    expect(made?.metadata).toMatchObject({ name, labels });
    expect(made?.metadata.annotations).toEqual({
      'projectcalico.org/metadata': `{"creationTimestamp":null,"labels":${JSON.stringify(labels)}}`,
    });
    expect(made?.spec).toEqual({ state: 'confirmed', node: 'node-a', type: 'host', cidr, deleted: 'false' });
  });

  it('R4 completes the deletion of a half-deleted affinity first, and keeps another object with its name', async () => {
    const tombstone = open(held, handle, marked(affinityTo('node-a', cidr, 'pendingDeletion')));
    await createMissingAffinity(tombstone.ipam, { block: blockName, owner: 'host:node-a' }, noPrecondition);
    expect(inconsistencies(tombstone.store)).toEqual([]);
    const virtual = affinityTo('node-a', cidr, 'confirmed');
    virtual.spec.type = 'virtual';
    const taken = open(held, virtual);
    expect(
      (await createMissingAffinity(taken.ipam, { block: blockName, owner: 'host:node-a' }, noPrecondition)).outcome,
    ).toBe('conflict');
    expect(taken.store.writes).toBe(0);
  });
});

describe('R5: delete an affinity', () => {
  it.each([
    ['missing', []],
    ['owned by another node', [blockWith(cidr, 'host:node-b'), affinityTo('node-b', cidr, 'confirmed')]],
    ['without an owner', [blockWith(cidr, undefined, ['a', 1]), handle]],
  ])('R5 deletes an affinity whose block is %s', async (_what, others) => {
    const { store, ipam, action } = open(...others, affinityTo('node-a', cidr, 'confirmed'));
    const before = blocksIn(store);
    expect(await dropNamedAffinity(ipam, action, noPrecondition)).toEqual({ outcome: 'applied' });
    expect(written(store)).toEqual(['update BlockAffinity', 'update BlockAffinity', 'delete BlockAffinity']);
    expect(blocksIn(store)).toEqual(before);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('R5 keeps an affinity whose block confirms it', async () => {
    const { store, ipam, action } = open(held, affinityTo('node-a', cidr, 'pendingDeletion'));
    expect((await dropNamedAffinity(ipam, action, noPrecondition)).outcome).toBe('conflict');
    expect(store.writes).toBe(0);
  });

  it('R5 keeps an affinity that its node completes at the same time', async () => {
    for (let at = 1; ; at++) {
      const { store, ipam, action } = open(affinityTo('node-a', cidr, 'pending'));
      const mine = interrupted(ipam, at, async () => {
        // The node continues its claim with the affinity it has read: pending by compare-and-swap, then the block.
        const affinity = await ipam.affinities.get(name);
        if (!affinity.ok || affinity.value.spec.deleted === 'true') return;
        const pending = await ipam.affinities.update({
          ...affinity.value,
          spec: { ...affinity.value.spec, state: 'pending' },
        });
        if (!pending.ok) return;
        await ipam.blocks.create(empty);
        await ipam.affinities.update({ ...pending.value, spec: { ...pending.value.spec, state: 'confirmed' } });
      });
      await dropNamedAffinity(mine, action, noPrecondition);
      // In either order there must never be a block without the affinity of its owner.
      expect(inconsistencies(store)).toEqual([]);
      if (mine.calls() < at) break;
    }
  });
});

describe('R6: release an affinity and its block', () => {
  it('R6 marks the affinity, deletes the block and then the affinity', async () => {
    const { store, ipam, action } = open(empty, affinityTo('node-a', cidr, 'confirmed'));
    expect(await releaseNamedAffinity(ipam, action, noPrecondition)).toEqual({ outcome: 'applied' });
    expect(written(store)).toEqual([
      'update BlockAffinity',
      'update IPAMBlock',
      'delete IPAMBlock',
      'update BlockAffinity',
      'delete BlockAffinity',
    ]);
    expect(store.dump()).toEqual([]);
  });

  it('R6 keeps a block with addresses unchanged', async () => {
    const { store, ipam, action } = open(held, handle, affinityTo('node-a', cidr, 'confirmed'));
    const outcome = await releaseNamedAffinity(ipam, action, noPrecondition);
    expect(outcome).toEqual({ outcome: 'conflict', detail: "block '10.0.0.0/29' is not empty" });
    expect(store.writes).toBe(0);
  });

  it('R6 without mustBeEmpty keeps the addresses of the block and removes its owner', async () => {
    const { store, ipam } = open(held, handle, affinityTo('node-a', cidr, 'confirmed'));
    const affinity = await ipam.affinities.get(name);
    if (!affinity.ok) throw new Error('no affinity');
    expect(await releaseBlockAffinity(ipam, affinity.value, { mustBeEmpty: false }, noPrecondition)).toEqual({
      outcome: 'applied',
    });
    const { affinity: _owner, ...rest } = held.spec;
    expect(blocksIn(store)[0]?.spec).toEqual({ ...rest, sequenceNumber: firstSequence + 2n });
    expect(affinitiesIn(store)).toEqual([]);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('R6 deletes only the affinity when its block is missing or has another owner', async () => {
    const missing = open(affinityTo('node-a', cidr, 'pendingDeletion'));
    expect((await releaseNamedAffinity(missing.ipam, missing.action, noPrecondition)).outcome).toBe('applied');
    expect(missing.store.dump()).toEqual([]);
    const foreign = open(
      blockWith(cidr, 'host:node-b'),
      affinityTo('node-b', cidr, 'confirmed'),
      affinityTo('node-a', cidr, 'confirmed'),
    );
    await releaseNamedAffinity(foreign.ipam, foreign.action, noPrecondition);
    expect(inconsistencies(foreign.store)).toEqual([]);
    expect(blocksIn(foreign.store)).toHaveLength(1);
  });

  it('R6 against a node that assigns an address at any moment: the address is kept, or none was assigned', async () => {
    for (let at = 1; ; at++) {
      const { store, ipam, action } = open(empty, affinityTo('node-a', cidr, 'confirmed'));
      let took = false;
      const mine = interrupted(ipam, at, async () => {
        took = await allocate(ipam);
      });
      const { outcome } = await releaseNamedAffinity(mine, action, noPrecondition);
      expect(inconsistencies(store)).toEqual([]);
      expect(blocksIn(store).some(({ spec }) => spec.allocations[0] !== null)).toBe(took);
      expect(outcome).toBe(took ? 'conflict' : 'applied');
      if (mine.calls() < at) break;
    }
  });
});

describe('R9: delete an empty block', () => {
  it('R9 deletes an empty block without an owner', async () => {
    const { store, ipam } = open(blockWith(cidr, undefined));
    expect(await deleteEmptyBlock(ipam, { block: blockName }, noPrecondition)).toEqual({ outcome: 'applied' });
    expect(store.dump()).toEqual([]);
    expect((await deleteEmptyBlock(ipam, { block: blockName }, noPrecondition)).outcome).toBe('skipped');
  });

  it.each([
    ['an owner', empty],
    ['an unreadable owner', { ...empty, spec: { ...empty.spec, affinity: 'nonsense' } }],
    ['addresses', blockWith(cidr, undefined, ['a', 1])],
    ['a deletion in progress', marked(blockWith(cidr, undefined))],
  ])('R9 keeps a block with %s', async (_what, block) => {
    const { store, ipam } = open(block);
    expect((await deleteEmptyBlock(ipam, { block: blockName }, noPrecondition)).outcome).toBe('conflict');
    expect(store.writes).toBe(0);
  });

  it('R9 deletes an empty block of the expected owner that has no affinity', async () => {
    const { store, ipam } = open(empty);
    const action = { block: blockName, owner: 'host:node-a' };
    expect((await deleteEmptyBlock(ipam, { ...action, owner: 'host:node-b' }, noPrecondition)).outcome).toBe(
      'conflict',
    );
    expect(store.writes).toBe(0);
    expect(await deleteEmptyBlock(ipam, action, noPrecondition)).toEqual({ outcome: 'applied' });
    expect(written(store)).toEqual(['update IPAMBlock', 'delete IPAMBlock']);
    expect(store.dump()).toEqual([]);
  });

  it.each([
    ['an affinity of its owner, in any state', [empty, affinityTo('node-a', cidr, 'pendingDeletion')]],
    ['addresses', [held, handle]],
    ['no owner any more', [blockWith(cidr, undefined)]],
  ])('R9 for an expected owner keeps a block with %s', async (_what, objects) => {
    const { store, ipam } = open(...objects);
    const action = { block: blockName, owner: 'host:node-a' };
    expect((await deleteEmptyBlock(ipam, action, noPrecondition)).outcome).toBe('conflict');
    expect(store.writes).toBe(0);
  });

  it('R9 ignores the affinity of another owner and a half-deleted affinity of its own', async () => {
    const others = open(empty, affinityTo('node-b', cidr, 'confirmed'));
    const own = open(empty, marked(affinityTo('node-a', cidr, 'confirmed')));
    for (const { store, ipam } of [others, own]) {
      expect((await deleteEmptyBlock(ipam, { block: blockName, owner: 'host:node-a' }, noPrecondition)).outcome).toBe(
        'applied',
      );
      expect(blocksIn(store)).toEqual([]);
    }
  });

  it('R9 deletes no address of a node that claims the block at the same time, in any interleaving', async () => {
    const world = {
      clock: new TestClock('2026-01-01T00:00:00Z'),
      random: evenRandom,
    };
    const take = async (store: IpamStore): Promise<boolean> => {
      const block = await claimBlock(store, { type: 'host', name: 'node-a' }, range, world);
      if (typeof block === 'string') return false;
      const taken = assigned(block, 1, {}, IntervalSet.of([]));
      return (await store.blocks.update(touched(taken.block))).ok;
    };
    const ends = new Set<string>();
    // The node begins just before one call of the repair, makes some calls, and makes the rest after the repair has ended.
    for (let at = 1, reached = true; reached; at++) {
      for (let steps = 0; steps <= 6; steps++) {
        const { store, ipam } = open(empty);
        const ended = signal();
        const paused = signal();
        let taking: Promise<boolean> | undefined;
        const nodes = interrupted(ipam, steps + 1, () => {
          paused.give();
          return ended.given;
        });
        const mine = interrupted(ipam, at, async () => {
          taking = take(nodes).finally(paused.give);
          await paused.given;
        });
        const { outcome } = await deleteEmptyBlock(mine, { block: blockName, owner: 'host:node-a' }, noPrecondition);
        ended.give();
        const took = await (taking ?? false);
        expect(blocksIn(store).some(({ spec }) => spec.allocations[0] !== null)).toBe(took);
        if (took) expect(inconsistencies(store)).toEqual([]);
        if (outcome !== 'applied') expect(took).toBe(true);
        ends.add(`${outcome} ${took}`);
        reached = mine.calls() >= at;
      }
    }
    expect([...ends].sort()).toEqual(['applied false', 'applied true', 'conflict true']);
  });
});

describe('R8: relabel an affinity', () => {
  const right = affinityTo('node-a', cidr, 'confirmed');
  const others = { ...right.metadata, labels: { app: 'kept' }, annotations: { note: 'kept' } };
  const bare = { ...right, metadata: others, spec: { state: 'confirmed', node: 'node-a', cidr, deleted: 'false' } };

  it('R8 sets type and labels in the object and in its annotation with one write, and keeps the rest', async () => {
    const { store, ipam, action } = open(held, bare, handle);
    expect(await relabelNamedAffinity(ipam, action, noPrecondition)).toEqual({ outcome: 'applied' });
    expect(written(store)).toEqual(['update BlockAffinity']);
    const [stored] = affinitiesIn(store);
    expect(stored?.spec).toEqual(right.spec);
    expect(stored?.metadata.labels).toEqual({ app: 'kept', ...right.metadata.labels });
    expect(stored?.metadata.annotations).toEqual({ note: 'kept', ...right.metadata.annotations });
    expect(inconsistencies(store)).toEqual([]);
  });

  it('R8 keeps the other content of the annotation', async () => {
    const annotations = { 'projectcalico.org/metadata': '{"generation":7,"labels":{"app":"kept"}}' };
    const { store, ipam, action } = open(empty, { ...bare, metadata: { ...others, annotations } });
    await relabelNamedAffinity(ipam, action, noPrecondition);
    const text = affinitiesIn(store)[0]?.metadata.annotations?.['projectcalico.org/metadata'] ?? '';
    expect(JSON.parse(text)).toEqual({ generation: 7, labels: { app: 'kept', ...right.metadata.labels } });
  });

  it('R8 skips a valid affinity and refuses one with a wrong name', async () => {
    const fine = open(empty, right);
    expect((await relabelNamedAffinity(fine.ipam, fine.action, noPrecondition)).outcome).toBe('skipped');
    const misnamed = open(empty, { ...bare, spec: { ...bare.spec, cidr: '10.0.0.8/29' } });
    expect((await relabelNamedAffinity(misnamed.ipam, misnamed.action, noPrecondition)).outcome).toBe('conflict');
    expect(fine.store.writes + misnamed.store.writes).toBe(0);
  });

  it('R8 is a conflict when the affinity was changed, and is skipped when its precondition fails', async () => {
    const { store, ipam, action } = open(empty, bare);
    const mine = interrupted(ipam, 2, async () => {
      const found = await ipam.affinities.get(name);
      if (found.ok) await ipam.affinities.update({ ...found.value, spec: { ...found.value.spec, state: 'pending' } });
    });
    expect((await relabelNamedAffinity(mine, action, noPrecondition)).outcome).toBe('conflict');
    expect(affinitiesIn(store)[0]?.spec.state).toBe('pending');
    expect((await relabelNamedAffinity(ipam, action, noPrecondition)).outcome).toBe('conflict');
    const refused = open(empty, bare);
    expect(await relabelNamedAffinity(refused.ipam, refused.action, async () => 'no')).toEqual({
      outcome: 'skipped',
      detail: 'no',
    });
    expect(refused.store.writes).toBe(0);
  });
});
