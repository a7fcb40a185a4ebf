// Claims given up by range, by owner and by pool: what goes, what stays and why, others at the same time, and crashes.
import { describe, expect, test } from 'vitest';
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

describe('by range', () => {
  test('an empty block goes with its claim; one with addresses stays and is named', async () => {
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

  test('without mustBeEmpty the block keeps its addresses and loses its owner', async () => {
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

  test('nothing of another owner, be it only of another type', async () => {
    const { store, ipam } = open();
    expect(await releaseAffinity(ipam, third, hostA, any)).toEqual({ released: [], kept: [] });
    expect(await releaseAffinity(ipam, range, { type: 'virtual', name: 'host-a' }, any)).toEqual({
      ...{ released: [], kept: [] },
    });
    expect(store.writes).toBe(0);
  });

  test.each([
    ['10.0.0.0/27', 'The requested CIDR (10.0.0.0/27) is smaller than the minimum.'],
    ['10.1.0.0/24', 'The requested CIDR (10.1.0.0/24) is not within any configured pools.'],
    ['10.0.0.0', 'invalid CIDR "10.0.0.0"'],
  ])('%s is no range', async (text, message) => {
    const { store, ipam } = open();
    await expect(releaseAffinity(ipam, text, hostA, any)).rejects.toThrow(message);
    expect(store.writes).toBe(0);
  });

  test('an owner without a name is none', async () => {
    await expect(releaseAffinity(open().ipam, range, { type: 'host', name: '' }, any)).rejects.toThrow('missing owner');
  });

  test('of a pool that is gone, or whose blocks have another size now', async () => {
    const store = new MemoryDatastore([...start.slice(0, 2), pool('pool1', range, 28)]);
    expect((await releaseAffinity(ipamStoreOf(store), first, hostA, empty)).released).toEqual([first]);
    const gone = new MemoryDatastore(start.slice(0, 2));
    expect((await releaseAffinity(ipamStoreOf(gone), first, hostA, empty)).released).toEqual([first]);
    expect(gone.dump()).toEqual([]);
  });
});

describe('what a claim may be', () => {
  test.each([
    ['its block is missing', [affinityTo('host-a', first, 'confirmed')], []],
    [
      'its block is another’s',
      [
        blockWith(first, 'host:host-b'),
        affinityTo('host-b', first, 'confirmed'),
        affinityTo('host-a', first, 'pending'),
      ],
      [[first, 'host:host-b']],
    ],
    [
      'its block is nobody’s with addresses',
      [
        blockWith(first, undefined, ['a', 1]),
        handleWith('a', { [first]: 1 }),
        affinityTo('host-a', first, 'pendingDeletion'),
      ],
      [[first, undefined]],
    ],
    [
      'its block is nobody’s and empty',
      [blockWith(first, undefined), affinityTo('host-a', first, 'pendingDeletion')],
      [],
    ],
    ['only the block says so', [blockWith(first, 'host:host-a')], []],
    [
      'both are half-deleted',
      [marked(blockWith(first, 'host:host-a')), marked(affinityTo('host-a', first, 'confirmed'))],
      [],
    ],
    [
      'it has no labels and no type',
      [blockWith(first, 'host:host-a'), old(affinityTo('host-a', first, 'confirmed'))],
      [],
    ],
  ])('%s: the claim goes', async (_what, objects, left) => {
    const { store, ipam } = open(objects);
    expect((await releaseHostAffinities(ipam, hostA, empty)).kept).toEqual([]);
    expect(owners(store)).toEqual(left);
    expect(affinitiesIn(store).filter(({ spec }) => spec.node === 'host-a')).toEqual([]);
    expect(inconsistencies(store)).toEqual([]);
  });

  test('a block that only says so itself and holds addresses stays, or loses its owner', async () => {
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

  test('a half-deleted block with addresses, and a name that another owner has, are left to a person', async () => {
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

/** As old versions wrote it. */
function old(affinity: ReturnType<typeof affinityTo>): KubeObject {
  const { type: _type, ...spec } = affinity.spec;
  const { labels: _labels, ...metadata } = affinity.metadata;
  return { ...affinity, metadata, spec };
}

describe('by owner', () => {
  test('both families, IPv4 first; what stays does not keep the rest', async () => {
    const v6 = 'fd00::/122';
    const { store, ipam } = open([...start, blockWith(v6, 'host:host-a'), affinityTo('host-a', v6, 'pending')]);
    expect(await releaseHostAffinities(ipam, hostA, empty)).toEqual({
      released: [first, v6],
      kept: [{ cidr: second, why: "block '10.0.0.64/26' is not empty" }],
    });
    expect(inconsistencies(store)).toEqual([]);
  });

  test('what goes wrong with one block is told, the others go', async () => {
    const { store, ipam } = open();
    store.faults = (call) => (call.op === 'get' && call.name.endsWith('10-0-0-0-26') ? 'timeout-before' : undefined);
    const { released, kept } = await releaseHostAffinities(ipam, hostA, any);
    expect(released).toEqual([second]);
    expect(kept).toEqual([{ cidr: first, why: expect.stringContaining('no answer in time') }]);
  });

  test('a host that is removed owns nothing and its addresses stay', async () => {
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

describe('by pool', () => {
  const lb = 'virtual:load-balancer';

  test('claims of all owners, virtual ones too; addresses stay', async () => {
    const virtual = affinityTo('load-balancer', fourth, 'confirmed');
    virtual.spec.type = 'virtual';
    const other = '10.0.1.0/26';
    const { store, ipam } = open([
      ...start,
      blockWith(fourth, lb),
      virtual,
      blockWith(other, 'host:host-a'),
      affinityTo('host-a', other, 'confirmed'),
      // Two claims on one block: both go.
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

  test('a claim that is made meanwhile goes too; one that cannot go ends it', async () => {
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

describe.each(operations)('%s', (_name, operation, left) => {
  const ofHostA = (store: MemoryDatastore) =>
    blocksIn(store)
      .filter(({ spec }) => spec.affinity === 'host:host-a')
      .map(({ spec }) => spec.cidr);

  test('a conflict at any write is cured by what follows', async () => {
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

  test.each(['crash-before', 'crash-after'] as const)('%s any write, then repeated: clean', async (fault) => {
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
  });

  test('the node takes an address at any moment: no address is lost, and it finds the blocks it owns', async () => {
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

test('a claim that its owner confirms again before the block is written is given up anew, from its mark on', async () => {
  const { store, ipam } = open([blockWith(first, 'host:host-a'), affinityTo('host-a', first, 'confirmed')]);
  const others = ipamStoreOf(store);
  // Calls: two lists, the affinity, the block, the mark; then the block is marked.
  const beside = interrupted(ipam, 6, async () => {
    expect(affinitiesIn(store).map(({ spec }) => spec.state)).toEqual(['pendingDeletion']);
    const world = { clock: new TestClock('2025-12-01T00:00:00Z'), random: { uuid: () => '', float: () => 0 } };
    expect(await claimAffinity(others, first, hostA, world)).toEqual({ claimed: [first], failed: [] });
    expect(affinitiesIn(store).map(({ spec }) => spec.state)).toEqual(['confirmed']);
  });
  const before = store.writes;
  expect(await releaseAffinity(beside, first, hostA, empty)).toEqual({ released: [first], kept: [] });
  const after = store.calls.filter(({ nthWrite }) => nthWrite > before + 5).map(({ op, kind }) => `${op} ${kind}`);
  expect(after).toEqual([
    // Refused, for the owner touched the block.
    'update IPAMBlock',
    'update BlockAffinity',
    'update IPAMBlock',
    'delete IPAMBlock',
    'update BlockAffinity',
    'delete BlockAffinity',
  ]);
  expect(inconsistencies(store)).toEqual([]);
});

test('gives up when every write meets another', async () => {
  const { store, ipam } = open();
  store.faults = (call) => (call.kind === 'BlockAffinity' && call.nthWrite > 0 ? 'conflict' : undefined);
  const { released, kept } = await releaseHostAffinities(ipam, hostA, any);
  expect(released).toEqual([]);
  expect(kept.map(({ why }) => why)).toEqual([
    'Max retries hit - excessive concurrent IPAM requests',
    'Max retries hit - excessive concurrent IPAM requests',
  ]);
});
