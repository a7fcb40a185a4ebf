// Ranges claimed for an owner: what is claimed, what is not and why, concurrent writers, and crashes.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { blocksToClaim, claimAffinity } from '../../../src/ipam/affinity/claim-by-hand.ts';
import { removeHost } from '../../../src/ipam/affinity/release-by-hand.ts';
import type { Owner } from '../../../src/ipam/block/block.ts';
import type { IpamStore } from '../../../src/ipam/ipam-store.ts';
import { formatCidr } from '../../../src/net/cidr.ts';
import type { IPPool } from '../../../src/resources/kinds/ip-pool.ts';
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
  node,
  pool,
} from '../../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../../support/program/world.ts';

const hostA: Owner = { type: 'host', name: 'host-a' };
const hostB: Owner = { type: 'host', name: 'host-b' };
const range = '192.168.1.0/24';
const quarters = ['192.168.1.0/26', '192.168.1.64/26', '192.168.1.128/26', '192.168.1.192/26'] as const;
const base = [pool('pool1', range, 26), node('host-a'), node('host-b')];

function world() {
  return { clock: new TestClock('2025-12-01T00:00:00Z'), random: evenRandom };
}

function open(...objects: readonly KubeObject[]) {
  const store = new MemoryDatastore([...base, ...objects]);
  const ipam = ipamStoreOf(store);
  const claim = (text: string, owner = hostA, through: IpamStore = ipam) =>
    claimAffinity(through, text, owner, world());
  return { store, ipam, claim };
}

const written = (store: MemoryDatastore) =>
  store.calls.filter(({ nthWrite }) => nthWrite > 0).map(({ op, kind }) => `${op} ${kind}`);
const ownersIn = (store: MemoryDatastore) => blocksIn(store).map(({ spec }) => [spec.cidr, spec.affinity]);

describe('what is claimed', () => {
  it('a free block is claimed with a pending affinity, the block and the confirmed affinity', async () => {
    const { store, claim } = open();
    expect(await claim('192.168.1.64/26')).toEqual({ claimed: ['192.168.1.64/26'], failed: [] });
    expect(written(store)).toEqual(['create BlockAffinity', 'create IPAMBlock', 'update BlockAffinity']);
    expect(blocksIn(store)[0]?.spec).toEqual({
      ...blockWith('192.168.1.64/26', 'host:host-a').spec,
      sequenceNumber: BigInt(Date.parse('2025-12-01T00:00:00Z')) * 1_000_000n,
    });
    expect(affinitiesIn(store)[0]?.spec).toEqual(affinityTo('host-a', '192.168.1.64/26', 'confirmed').spec);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('a range is claimed except for the block of another host, without an error', async () => {
    const { store, claim } = open(
      blockWith('192.168.1.64/26', 'host:host-b'),
      affinityTo('host-b', '192.168.1.64/26', 'confirmed'),
    );
    expect(await claim(range)).toEqual({
      claimed: ['192.168.1.0/26', '192.168.1.128/26', '192.168.1.192/26'],
      failed: [{ cidr: '192.168.1.64/26', why: 'it belongs to host:host-b' }],
    });
    expect(inconsistencies(store)).toEqual([]);
  });

  it('blocks that the owner already has are claimed, and written only if their affinity is not confirmed', async () => {
    const { store, claim } = open(
      blockWith('192.168.1.0/26', 'host:host-a'),
      affinityTo('host-a', '192.168.1.0/26', 'confirmed'),
      blockWith('192.168.1.64/26', 'host:host-a'),
      affinityTo('host-a', '192.168.1.64/26', 'pendingDeletion'),
      blockWith('192.168.1.128/26', 'host:host-a'),
    );
    expect((await claim('192.168.1.0/26')).claimed).toEqual(['192.168.1.0/26']);
    expect(store.writes).toBe(1);
    expect((await claim(range)).claimed).toEqual(quarters);
    expect(inconsistencies(store)).toEqual([]);
    expect(blocksIn(store).find(({ spec }) => spec.cidr === quarters[1])?.spec.sequenceNumber).toBe(firstSequence + 1n);
  });

  it('blocks without an owner, with an overlap, or half-deleted with addresses are not claimed', async () => {
    const { store, claim } = open(
      blockWith('192.168.1.0/26', undefined, ['a', 1]),
      handleWith('a', { '192.168.1.0/26': 1 }),
      blockWith('192.168.1.64/28', 'host:host-b', ['b', 1]),
      handleWith('b', { '192.168.1.64/28': 1, '192.168.1.128/26': 1 }),
      affinityTo('host-b', '192.168.1.64/28', 'confirmed'),
      marked(blockWith('192.168.1.128/26', 'host:host-b', ['b', 1])),
    );
    const before = blocksIn(store);
    expect(await claim('192.168.1.0/25')).toEqual({
      claimed: [],
      failed: [
        { cidr: '192.168.1.0/26', why: 'it exists and has no owner' },
        { cidr: '192.168.1.64/26', why: 'it would overlap the block 192.168.1.64/28' },
      ],
    });
    expect((await claim('192.168.1.128/26')).failed).toEqual([
      { cidr: '192.168.1.128/26', why: 'it is marked as deleted but still has allocated addresses' },
    ]);
    expect(blocksIn(store)).toEqual(before);
  });

  it('a half-deleted block and a half-deleted affinity are replaced by the claim', async () => {
    const { store, claim } = open(
      marked(blockWith('192.168.1.0/26', 'host:host-b')),
      marked(affinityTo('host-a', '192.168.1.0/26', 'pendingDeletion')),
    );
    expect((await claim('192.168.1.0/26')).claimed).toEqual(['192.168.1.0/26']);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('a block is not claimed when an affinity of another type of owner has the name', async () => {
    const { store, claim } = open(affinityTo('load-balancer', '192.168.1.0/26', 'confirmed'));
    const { claimed, failed } = await claim('192.168.1.0/26', { type: 'virtual', name: 'load-balancer' });
    expect(claimed).toEqual([]);
    expect(failed).toEqual([{ cidr: '192.168.1.0/26', why: 'an affinity of another owner has its name' }]);
    expect(blocksIn(store)).toEqual([]);
  });

  it('a claimed block of a Windows node has the Windows reserve', async () => {
    const { store, claim } = open(node('win', { 'kubernetes.io/os': 'windows' }));
    await claim('192.168.1.0/26', { type: 'host', name: 'win' });
    const { allocations } = blocksIn(store)[0]?.spec ?? { allocations: [] };
    expect(allocations.flatMap((index, ordinal) => (index === null ? [] : [ordinal]))).toEqual([0, 1, 2, 63]);
  });

  it('an IPv6 range is claimed in the same way', async () => {
    const { store, claim } = open(pool('pool6', 'fd00::/120', 122));
    expect((await claim('fd00::/121')).claimed).toEqual(['fd00::/122', 'fd00::40/122']);
    expect(affinitiesIn(store)[0]?.metadata.labels).toMatchObject({ 'projectcalico.org/ip-version': '6' });
  });
});

describe('ranges that cannot be claimed', () => {
  it.each([
    ['192.168.1.0/27', '192.168.1.0/27 is smaller than one block'],
    ['10.1.0.0/24', '10.1.0.0/24 is not within any enabled pool'],
    ['192.168.0.0/23', '192.168.0.0/23 is not within any enabled pool'],
    ['192.168.1.0/16', '192.168.0.0/16 is not within any enabled pool'],
    ['192.168.1.0', 'invalid CIDR "192.168.1.0"'],
    ['192.168.1.0/33', 'invalid CIDR "192.168.1.0/33"'],
  ])('claiming the range %s is an error', async (text, message) => {
    const { store, claim } = open();
    await expect(claim(text)).rejects.toThrow(message);
    expect(store.writes).toBe(0);
  });

  it('a range in a disabled pool cannot be claimed', async () => {
    const disabled = { ...pool('p', '10.2.0.0/24', 26), spec: { cidr: '10.2.0.0/24', blockSize: 26, disabled: true } };
    const { claim } = open(disabled);
    await expect(claim('10.2.0.0/26')).rejects.toThrow('10.2.0.0/26 is not within any enabled pool');
  });

  it('an owner without a name cannot claim', async () => {
    await expect(open().claim(range, { type: 'host', name: '' })).rejects.toThrow('missing owner');
  });

  it('the blocks of a huge range are counted without being created', () => {
    const { blocks, count } = blocksToClaim('fd00::/48', [pool('p', 'fd00::/48', 122) as IPPool]);
    expect(count).toBe(2n ** 74n);
    const [first] = blocks;
    expect(first && formatCidr(first)).toBe('fd00::/122');
  });
});

describe('claims with concurrent writers', () => {
  it('a claim succeeds after a conflict at any write', async () => {
    const starts: readonly KubeObject[][] = [
      [],
      [blockWith(quarters[0], 'host:host-a'), affinityTo('host-a', quarters[0], 'pending')],
      [marked(blockWith(quarters[0], 'host:host-a')), marked(affinityTo('host-a', quarters[0], 'pendingDeletion'))],
    ];
    for (const start of starts) {
      for (let at = 1; ; at++) {
        const { store, claim } = open(...start);
        store.faults = (call) => (call.nthWrite === at ? 'conflict' : undefined);
        expect((await claim('192.168.1.0/25')).claimed).toEqual([quarters[0], quarters[1]]);
        expect(inconsistencies(store)).toEqual([]);
        if (store.writes < at) break;
      }
    }
  });

  it('two hosts that claim one range at the same time: each block has one owner and its affinity', async () => {
    for (let at = 1; ; at++) {
      const { store, ipam, claim } = open();
      let theirs: readonly string[] = [];
      const mine = interrupted(ipam, at, async () => {
        theirs = (await claim('192.168.1.0/25', hostB)).claimed;
      });
      const { claimed, failed } = await claim('192.168.1.0/25', hostA, mine);
      expect(inconsistencies(store)).toEqual([]);
      const ends = [...claimed.map((cidr) => [cidr, 'host:host-a']), ...theirs.map((cidr) => [cidr, 'host:host-b'])];
      expect(ownersIn(store)).toEqual(ends.sort());
      expect(failed.map(({ cidr }) => cidr)).toEqual(theirs);
      if (mine.calls() < at) break;
    }
  });

  it('two processes that claim one block for the same host both succeed', async () => {
    for (let at = 1; ; at++) {
      const { store, ipam, claim } = open();
      const mine = interrupted(ipam, at, async () => {
        expect((await claim(quarters[0])).claimed).toEqual([quarters[0]]);
      });
      expect((await claim(quarters[0], hostA, mine)).claimed).toEqual([quarters[0]]);
      expect(inconsistencies(store)).toEqual([]);
      if (mine.calls() < at) break;
    }
  });

  it('a block that another host releases at any moment of the claim is claimed', async () => {
    const theirs = [blockWith(quarters[0], 'host:host-b'), affinityTo('host-b', quarters[0], 'confirmed')];
    for (let at = 1; ; at++) {
      const { store, ipam, claim } = open(...theirs);
      const mine = interrupted(ipam, at, async () => {
        await removeHost(ipam, hostB);
      });
      const { claimed } = await claim(quarters[0], hostA, mine);
      expect(inconsistencies(store)).toEqual([]);
      if (mine.calls() < at) break;
      expect(claimed).toEqual([quarters[0]]);
      expect(ownersIn(store)).toEqual([[quarters[0], 'host:host-a']]);
    }
  });

  it('a claim ends with an error when every write is a conflict', async () => {
    const { store, claim } = open();
    store.faults = (call) => (call.kind === 'IPAMBlock' && call.nthWrite > 0 ? 'conflict' : undefined);
    await expect(claim(quarters[0])).rejects.toMatchObject({ code: 'IPAM_CONFLICT' });
  });
});

describe('interrupted claims', () => {
  it.each(['crash-before', 'crash-after'] as const)(
    'a claim repeated after a %s at any write leaves no inconsistency',
    async (fault) => {
      for (let at = 1; ; at++) {
        const { store, claim } = open(marked(blockWith(quarters[1], 'host:host-a')));
        store.faults = (call) => (call.nthWrite === at ? fault : undefined);
        const crashed = await claim('192.168.1.0/25').then(
          () => false,
          () => true,
        );
        const after = new MemoryDatastore(store.dump());
        const again = await claimAffinity(ipamStoreOf(after), '192.168.1.0/25', hostA, world());
        expect(again).toEqual({ claimed: [quarters[0], quarters[1]], failed: [] });
        expect(inconsistencies(after)).toEqual([]);
        if (!crashed) break;
      }
    },
  );
});
