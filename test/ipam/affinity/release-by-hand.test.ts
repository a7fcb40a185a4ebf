// Affinities released by range, by owner and by pool: what is released, what is kept and why, concurrent writers, and crashes.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { claimAffinity } from '../../../src/ipam/affinity/claim-by-hand.ts';
import {
  releaseAffinity,
  releaseHostAffinities,
  releasePoolAffinities,
  removeHost,
} from '../../../src/ipam/affinity/release-by-hand.ts';
import { autoAssign } from '../../../src/ipam/assign/auto-assign.ts';
import type { Owner } from '../../../src/ipam/block/block.ts';
import type { IpamStore } from '../../../src/ipam/ipam-store.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import {
  affinitiesIn,
  affinityTo,
  blocksIn,
  blockWith,
  firstSequence,
  handleWith,
  holders,
  inconsistencies,
  interrupted,
  marked,
  node,
  pool,
} from '../../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../../support/program/world.ts';

const hostA: Owner = { type: 'host', name: 'host-a' };
const range = '10.0.0.0/24';
const [first, second, third, fourth] = ['10.0.0.0/26', '10.0.0.64/26', '10.0.0.128/26', '10.0.0.192/26'] as const;
const base = [pool('pool1', range, 26), node('host-a'), node('host-b')];
const empty = { mustBeEmpty: true };
const any = { mustBeEmpty: false };

/** host-a has an empty block and one with two addresses, host-b one with one. */
const start: readonly KubeObject[] = [
  blockWith(first, 'host:host-a'),
  affinityTo('host-a', first, 'confirmed'),
  blockWith(second, 'host:host-a', ['a', 2]),
  affinityTo('host-a', second, 'confirmed'),
  handleWith('a', { [second]: 2 }),
  blockWith(third, 'host:host-b', ['b', 1]),
  affinityTo('host-b', third, 'confirmed'),
  handleWith('b', { [third]: 1 }),
];

function open(objects: readonly KubeObject[] = start) {
  const store = new MemoryDatastore([...base, ...objects]);
  return { store, ipam: ipamStoreOf(store) };
}

const written = (store: MemoryDatastore) =>
  store.calls.filter(({ nthWrite }) => nthWrite > 0).map(({ op, kind }) => `${op} ${kind}`);
const owners = (store: MemoryDatastore) => blocksIn(store).map(({ spec }) => [spec.cidr, spec.affinity]);

describe('release by range', () => {
  it('releasing a range deletes empty blocks with their affinities, and reports blocks with addresses as kept', async () => {
    const { store, ipam } = open();
    expect(await releaseAffinity(ipam, range, hostA, empty)).toEqual({
      released: [first],
      kept: [{ cidr: second, why: "block '10.0.0.64/26' is not empty" }],
    });
    expect(written(store)).toEqual([
      'update BlockAffinity',
      'update IPAMBlock',
      'delete IPAMBlock',
      'update BlockAffinity',
      'delete BlockAffinity',
    ]);
    expect(owners(store)).toEqual([
      [third, 'host:host-b'],
      [second, 'host:host-a'],
    ]);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('releasing a range without mustBeEmpty keeps the addresses of a block and removes its owner', async () => {
    const { store, ipam } = open();
    const held = holders(store);
    expect(await releaseAffinity(ipam, second, hostA, any)).toEqual({ released: [second], kept: [] });
    const block = blocksIn(store).find(({ spec }) => spec.cidr === second);
    expect(block?.spec).not.toHaveProperty('affinity');
    expect(block?.spec.sequenceNumber).toBe(firstSequence + 2n);
    expect(holders(store)).toEqual(held);
    expect(affinitiesIn(store).map(({ spec }) => spec.cidr)).toEqual([first, third]);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('releasing a range leaves the blocks of another owner, even one with the same name and another type', async () => {
    const { store, ipam } = open();
    expect(await releaseAffinity(ipam, third, hostA, any)).toEqual({ released: [], kept: [] });
    const nothing = { released: [], kept: [] };
    expect(await releaseAffinity(ipam, range, { type: 'virtual', name: 'host-a' }, any)).toEqual(nothing);
    expect(store.writes).toBe(0);
  });

  it.each([
    ['10.0.0.0/27', '10.0.0.0/27 is smaller than one block'],
    ['10.1.0.0/24', '10.1.0.0/24 is not within any pool'],
    ['10.0.0.0', 'invalid CIDR "10.0.0.0"'],
  ])('releasing the range %s is an error', async (text, message) => {
    const { store, ipam } = open();
    await expect(releaseAffinity(ipam, text, hostA, any)).rejects.toThrow(message);
    expect(store.writes).toBe(0);
  });

  it('releasing for an owner without a name is an error', async () => {
    await expect(releaseAffinity(open().ipam, range, { type: 'host', name: '' }, any)).rejects.toThrow('missing owner');
  });

  it('a block is released when its pool is gone or has another block size now', async () => {
    const store = new MemoryDatastore([...start.slice(0, 2), pool('pool1', range, 28)]);
    expect((await releaseAffinity(ipamStoreOf(store), first, hostA, empty)).released).toEqual([first]);
    const gone = new MemoryDatastore(start.slice(0, 2));
    expect((await releaseAffinity(ipamStoreOf(gone), first, hostA, empty)).released).toEqual([first]);
    expect(gone.dump()).toEqual([]);
  });
});

describe('affinities that are released', () => {
  it.each([
    ['its block is missing', [affinityTo('host-a', first, 'confirmed')], []],
    [
      'its block has another owner',
      [
        blockWith(first, 'host:host-b'),
        affinityTo('host-b', first, 'confirmed'),
        affinityTo('host-a', first, 'pending'),
      ],
      [[first, 'host:host-b']],
    ],
    [
      'its block has no owner but addresses',
      [
        blockWith(first, undefined, ['a', 1]),
        handleWith('a', { [first]: 1 }),
        affinityTo('host-a', first, 'pendingDeletion'),
      ],
      [[first, undefined]],
    ],
    [
      'its block has no owner and is empty',
      [blockWith(first, undefined), affinityTo('host-a', first, 'pendingDeletion')],
      [],
    ],
    ['it is recorded only in the block', [blockWith(first, 'host:host-a')], []],
    [
      'it and its block are half-deleted',
      [marked(blockWith(first, 'host:host-a')), marked(affinityTo('host-a', first, 'confirmed'))],
      [],
    ],
    [
      'it has no labels and no type',
      [blockWith(first, 'host:host-a'), old(affinityTo('host-a', first, 'confirmed'))],
      [],
    ],
  ])('an affinity is released when %s', async (_what, objects, left) => {
    const { store, ipam } = open(objects);
    expect((await releaseHostAffinities(ipam, hostA, empty)).kept).toEqual([]);
    expect(owners(store)).toEqual(left);
    expect(affinitiesIn(store).filter(({ spec }) => spec.node === 'host-a')).toEqual([]);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('a block without an affinity that has addresses is kept, or loses its owner without mustBeEmpty', async () => {
    const objects = [blockWith(first, 'host:host-a', ['a', 1]), handleWith('a', { [first]: 1 })];
    const kept = open(objects);
    expect((await releaseHostAffinities(kept.ipam, hostA, empty)).kept).toEqual([
      { cidr: first, why: "block '10.0.0.0/26' is not empty" },
    ]);
    expect(kept.store.writes).toBe(0);
    const { store, ipam } = open(objects);
    expect((await releaseHostAffinities(ipam, hostA, any)).released).toEqual([first]);
    expect(written(store)).toEqual([
      'create BlockAffinity',
      'update BlockAffinity',
      'update IPAMBlock',
      'update BlockAffinity',
      'delete BlockAffinity',
    ]);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('a half-deleted block with addresses, and an affinity of another owner with the name, are left to a person', async () => {
    const held = marked(blockWith(first, 'host:host-a', ['a', 1]));
    const { store, ipam } = open([
      held,
      affinityTo('host-a', first, 'confirmed'),
      blockWith(fourth, 'virtual:host-a'),
      affinityTo('host-a', fourth, 'confirmed'),
    ]);
    const why = 'the block is marked as deleted but still has allocated addresses';
    expect((await releaseAffinity(ipam, first, hostA, any)).kept).toEqual([{ cidr: first, why }]);
    expect((await releaseHostAffinities(ipam, { type: 'virtual', name: 'host-a' }, any)).kept).toEqual([
      { cidr: fourth, why: 'an affinity of another owner has its name' },
    ]);
    expect(store.writes).toBe(0);
    const alone = open([held]);
    expect((await releaseAffinity(alone.ipam, first, hostA, any)).kept).toEqual([{ cidr: first, why }]);
  });
});

/** The affinity as old versions of Calico wrote it. */
function old(affinity: ReturnType<typeof affinityTo>): KubeObject {
  const { type: _type, ...spec } = affinity.spec;
  const { labels: _labels, ...metadata } = affinity.metadata;
  return { ...affinity, metadata, spec };
}

describe('release by owner', () => {
  it('releasing an owner covers both families, IPv4 first, and continues after a block that is kept', async () => {
    const v6 = 'fd00::/122';
    const { store, ipam } = open([...start, blockWith(v6, 'host:host-a'), affinityTo('host-a', v6, 'pending')]);
    expect(await releaseHostAffinities(ipam, hostA, empty)).toEqual({
      released: [first, v6],
      kept: [{ cidr: second, why: "block '10.0.0.64/26' is not empty" }],
    });
    expect(inconsistencies(store)).toEqual([]);
  });

  it('releasing an owner reports an error with one block and continues with the others', async () => {
    const { store, ipam } = open();
    store.faults = (call) => (call.op === 'get' && call.name.endsWith('10-0-0-0-26') ? 'timeout-before' : undefined);
    const { released, kept } = await releaseHostAffinities(ipam, hostA, any);
    expect(released).toEqual([second]);
    expect(kept).toEqual([{ cidr: first, why: expect.stringContaining('no answer in time') }]);
  });

  it('removing a host releases all its blocks and keeps their addresses', async () => {
    const { store, ipam } = open();
    const held = holders(store);
    expect(await removeHost(ipam, hostA)).toEqual({ released: [first, second], kept: [] });
    expect(owners(store)).toEqual([
      [third, 'host:host-b'],
      [second, undefined],
    ]);
    expect(holders(store)).toEqual(held);
    expect(inconsistencies(store)).toEqual([]);
  });
});

describe('release by pool', () => {
  const lb = 'virtual:load-balancer';

  it('releasing a pool covers the affinities of all owners, virtual ones too, and keeps the addresses', async () => {
    const virtual = affinityTo('load-balancer', fourth, 'confirmed');
    virtual.spec.type = 'virtual';
    const other = '10.0.1.0/26';
    const { store, ipam } = open([
      ...start,
      blockWith(fourth, lb),
      virtual,
      blockWith(other, 'host:host-a'),
      affinityTo('host-a', other, 'confirmed'),
      // Two affinities for one block: both are released.
      affinityTo('host-b', second, 'pending'),
    ]);
    const held = holders(store);
    const { released, kept } = await releasePoolAffinities(ipam, range);
    expect([...released].sort()).toEqual([first, third, fourth, second].sort());
    expect(kept).toEqual([]);
    expect(owners(store)).toEqual([
      [third, undefined],
      [second, undefined],
      [other, 'host:host-a'],
    ]);
    expect(affinitiesIn(store).map(({ spec }) => spec.cidr)).toEqual([other]);
    expect(holders(store)).toEqual(held);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('releasing a pool includes an affinity created at the same time, and ends at one that cannot be released', async () => {
    const { store, ipam } = open([
      ...start,
      marked(blockWith(fourth, 'host:host-b', ['b', 1])),
      affinityTo('host-b', fourth, 'confirmed'),
    ]);
    let lists = 0;
    const mine: IpamStore = {
      ...ipam,
      affinities: {
        ...ipam.affinities,
        list: async () => {
          lists += 1;
          if (lists === 2) await assignTo(ipam, 'host-a');
          return ipam.affinities.list();
        },
      },
    };
    const { kept } = await releasePoolAffinities(mine, range);
    expect(lists).toBe(3);
    expect(kept.map(({ cidr }) => cidr)).toEqual([fourth]);
    expect(affinitiesIn(store).map(({ spec }) => spec.cidr)).toEqual([fourth]);
  });
});

const assignTo = (ipam: IpamStore, name: string) =>
  autoAssign(
    ipam,
    { node: name, version: 4, count: 1, use: 'Workload', holder: { handle: 'n', secondary: { node: name } } },
    { clock: new TestClock('2025-12-01T00:00:00Z'), random: evenRandom },
  );

const operations: readonly [string, (ipam: IpamStore) => Promise<unknown>, readonly string[]][] = [
  ['releaseAffinity, empty blocks', (ipam) => releaseAffinity(ipam, range, hostA, empty), [second]],
  ['releaseAffinity, any block', (ipam) => releaseAffinity(ipam, range, hostA, any), []],
  ['releaseHostAffinities', (ipam) => releaseHostAffinities(ipam, hostA, empty), [second]],
  ['removeHost', (ipam) => removeHost(ipam, hostA), []],
  ['releasePoolAffinities', (ipam) => releasePoolAffinities(ipam, range), []],
];

describe.each(operations)('%s with concurrent writers and crashes', (name, operation, left) => {
  const ofHostA = (store: MemoryDatastore) =>
    blocksIn(store)
      .filter(({ spec }) => spec.affinity === 'host:host-a')
      .map(({ spec }) => spec.cidr);

  it(`${name} succeeds after a conflict at any write`, async () => {
    for (let at = 1; ; at++) {
      const { store, ipam } = open();
      const held = holders(store);
      store.faults = (call) => (call.nthWrite === at ? 'conflict' : undefined);
      await operation(ipam);
      expect(ofHostA(store)).toEqual(left);
      expect(holders(store)).toEqual(held);
      expect(inconsistencies(store)).toEqual([]);
      if (store.writes < at) break;
    }
  });

  it.each(['crash-before', 'crash-after'] as const)(
    `${name}, repeated after a %s at any write, leaves no inconsistency`,
    async (fault) => {
      for (let at = 1; ; at++) {
        const { store, ipam } = open();
        const held = holders(store);
        store.faults = (call) => (call.nthWrite === at ? fault : undefined);
        const crashed = await operation(ipam).then(
          () => false,
          () => true,
        );
        const after = new MemoryDatastore(store.dump());
        expect(holders(after)).toEqual(held);
        await operation(ipamStoreOf(after));
        expect(ofHostA(after)).toEqual(left);
        expect(holders(after)).toEqual(held);
        expect(inconsistencies(after)).toEqual([]);
        if (!crashed) break;
      }
    },
  );

  it(`${name} loses no address while the node assigns one at any moment`, async () => {
    for (let at = 1; ; at++) {
      const { store, ipam } = open();
      const held = holders(store).size;
      const mine = interrupted(ipam, at, async () => {
        expect((await assignTo(ipam, 'host-a')).addresses).toHaveLength(1);
      });
      await operation(mine);
      const interruptedIt = mine.calls() >= at;
      expect(holders(store).size).toBe(held + (interruptedIt ? 1 : 0));
      expect(inconsistencies(store)).toEqual([]);
      if (!interruptedIt) break;
    }
  });
});

it('an affinity that its owner confirms again during the release is marked and released again', async () => {
  const { store, ipam } = open([blockWith(first, 'host:host-a'), affinityTo('host-a', first, 'confirmed')]);
  const others = ipamStoreOf(store);
  // Calls: two lists, the affinity, the block, the mark of the affinity; then the block is marked.
  const concurrent = interrupted(ipam, 6, async () => {
    expect(affinitiesIn(store).map(({ spec }) => spec.state)).toEqual(['pendingDeletion']);
    const world = { clock: new TestClock('2025-12-01T00:00:00Z'), random: { uuid: () => '', float: () => 0 } };
    expect(await claimAffinity(others, first, hostA, world)).toEqual({ claimed: [first], failed: [] });
    expect(affinitiesIn(store).map(({ spec }) => spec.state)).toEqual(['confirmed']);
  });
  const before = store.writes;
  expect(await releaseAffinity(concurrent, first, hostA, empty)).toEqual({ released: [first], kept: [] });
  const after = store.calls.filter(({ nthWrite }) => nthWrite > before + 5).map(({ op, kind }) => `${op} ${kind}`);
  expect(after).toEqual([
    // Refused, because the owner wrote the block.
    'update IPAMBlock',
    'update BlockAffinity',
    'update IPAMBlock',
    'delete IPAMBlock',
    'update BlockAffinity',
    'delete BlockAffinity',
  ]);
  expect(inconsistencies(store)).toEqual([]);
});

it('releasing reports the affinities as kept when every write is a conflict', async () => {
  const { store, ipam } = open();
  store.faults = (call) => (call.kind === 'BlockAffinity' && call.nthWrite > 0 ? 'conflict' : undefined);
  const { released, kept } = await releaseHostAffinities(ipam, hostA, any);
  expect(released).toEqual([]);
  expect(kept.map(({ why }) => why)).toEqual([
    'Max retries hit - excessive concurrent IPAM requests',
    'Max retries hit - excessive concurrent IPAM requests',
  ]);
});
