// Assigning to a node: own blocks, new ones, borrowed addresses; limits and pools; and concurrent writers at every step.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { assignIp } from '../../../src/ipam/assign/assign-ip.ts';
import { type AssignRequest, autoAssign, partialText } from '../../../src/ipam/assign/auto-assign.ts';
import { type Cidr, parseCidr } from '../../../src/net/cidr.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import {
  affinitiesIn,
  affinityTo,
  blocksIn,
  blockWith,
  firstSequence,
  handlesIn,
  handleWith,
  inconsistencies,
  ipamConfig,
  node,
  pool,
  reservation,
  withSpec,
} from '../../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../../support/program/world.ts';

const world = {
  clock: new TestClock('2025-12-01T00:00:00Z'),
  random: evenRandom,
};
const cidrs = (...texts: string[]) => texts.map((text) => parseCidr(text) as Cidr);
const nodes = [node('host-a'), node('host-b')];

function open(...objects: KubeObject[]) {
  const store = new MemoryDatastore(objects);
  const assign = (request: Partial<AssignRequest> = {}) =>
    autoAssign(
      ipamStoreOf(store),
      { node: 'host-a', version: 4, count: 1, use: 'Workload', holder: { secondary: { node: 'host-a' } }, ...request },
      world,
    );
  return { store, assign };
}
const addresses = ({ addresses: all }: { addresses: readonly { address: string }[] }) =>
  all.map(({ address }) => address);
const slash24 = pool('pool-1', '192.168.1.0/24', 26);

describe('sources of addresses', () => {
  it('autoAssign uses the own blocks in the order of their names', async () => {
    const own = ['10.0.0.64/26', '10.0.0.128/26'];
    const { assign } = open(
      ...nodes,
      pool('p', '10.0.0.0/24', 26),
      ...own.flatMap((cidr) => [blockWith(cidr, 'host:host-a'), affinityTo('host-a', cidr, 'confirmed')]),
    );
    expect(addresses(await assign())).toEqual(['10.0.0.128']);
  });

  it('autoAssign creates a block at the first position of the node with its affinity, and writes nothing else', async () => {
    const { store, assign } = open(node('node-a'), pool('p', '10.244.0.0/16', 26));
    const holder = { handle: 'H', secondary: { node: 'node-a' } };
    expect(addresses(await assign({ node: 'node-a', holder }))).toEqual(['10.244.174.128']);
    expect(store.calls.filter(({ nthWrite }) => nthWrite > 0).map(({ op, kind }) => `${op} ${kind}`)).toEqual([
      'create BlockAffinity',
      'create IPAMBlock',
      'update BlockAffinity',
      'create IPAMHandle',
      'update IPAMBlock',
    ]);
    expect(addresses(await assign({ node: 'node-a', holder }))).toEqual(['10.244.174.129']);
    const [{ spec }] = blocksIn(store) as [ReturnType<typeof blocksIn>[number]];
    const created = world.clock.nowNs();
    expect(spec.sequenceNumber).toBe(created + 2n);
    expect(spec.sequenceNumberForAllocation).toEqual({ 0: created, 1: created + 1n });
    expect(spec.attributes).toEqual([{ handle_id: 'H', secondary: { node: 'node-a' } }]);
    expect(handlesIn(store)[0]?.spec).toEqual({ handleID: 'H', block: { '10.244.174.128/26': 2 }, deleted: false });
    expect(inconsistencies(store)).toEqual([]);
  });

  it('autoAssign borrows when the node cannot claim another block', async () => {
    const { store, assign } = open(...nodes, pool('p', '10.0.0.0/25', 26));
    await assign();
    await assign({ node: 'host-b', holder: {} });
    const result = await assign({ count: 64 });
    expect(result.addresses.filter(({ borrowed }) => borrowed)).toHaveLength(1);
    expect(result.addresses).toHaveLength(64);
    expect(result.messages).toEqual([]);
    expect(affinitiesIn(store)).toHaveLength(2);
    expect(inconsistencies(store)).toEqual([]);
  });

  it('autoAssign does not borrow with strict affinity', async () => {
    const { assign } = open(...nodes, pool('p', '10.0.0.0/25', 26), ipamConfig({ strictAffinity: true }));
    await assign();
    await assign({ node: 'host-b', holder: {} });
    const result = await assign({ count: 64 });
    expect(result.addresses).toHaveLength(63);
    expect(result.messages).toEqual(['No more free affine blocks and strict affinity enabled']);
    expect(result.error).toBeUndefined();
  });

  it('autoAssign with strict affinity uses only the requested pool', async () => {
    const pools = [pool('a', '192.168.1.0/26', 26), pool('b', '192.168.1.64/26', 26)];
    const { assign } = open(...nodes, ...pools, ipamConfig({ strictAffinity: true }));
    const result = await assign({ count: 256, pools: cidrs('192.168.1.0/26') });
    expect(result.addresses).toHaveLength(64);
    expect(result.messages).toEqual(['No more free affine blocks and strict affinity enabled']);
  });

  it('autoAssign skips reserved addresses', async () => {
    const { assign } = open(...nodes, slash24, reservation('r', '192.168.1.0/25', '192.168.1.128/26', '192.168.1.193'));
    expect(addresses(await assign({ count: 2 }))).toEqual(['192.168.1.192', '192.168.1.194']);
  });

  it('autoAssign takes nothing from an overlapping block of another size', async () => {
    const { assign } = open(...nodes, pool('p', '10.0.0.0/28', 29), blockWith('10.0.0.0/28', 'host:host-b', ['x', 3]));
    const result = await assign();
    expect(result.addresses).toEqual([]);
    expect(result.messages).toEqual(['No IPs available in pools: [10.0.0.0/28]']);
  });
});

describe('limits', () => {
  it.each([
    [1, 64],
    [2, 128],
  ])('autoAssign stops at the limit of %i blocks per node with %i addresses', async (limit, count) => {
    const { assign } = open(...nodes, slash24, ipamConfig({ maxBlocksPerHost: limit }));
    const result = await assign({ count: 256 });
    expect(result.addresses).toHaveLength(count);
    expect(result.error?.message).toBe('cannot allocate new block due to per host block limit');
    expect(partialText(result)).toBe(
      `Assigned ${count} out of 256 requested IPv4 addresses; Need to allocate an IPAM block but could not - limit of ${limit} blocks reached for this node`,
    );
  });

  it('autoAssign assigns the whole of an exhausted pool', async () => {
    const { assign } = open(...nodes, slash24);
    const result = await assign({ count: 257, pools: cidrs('192.168.1.0/24') });
    expect(result.addresses).toHaveLength(256);
    expect(result.messages).toEqual(['No IPs available in pools: [192.168.1.0/24]']);
    expect(result.error).toBeUndefined();
  });

  it('autoAssign uses a second pool after the first is exhausted', async () => {
    const { assign } = open(...nodes, slash24, pool('pool-2', '192.168.2.0/24', 26));
    const got = [await assign(), await assign({ count: 300 }), await assign({ count: 300 })];
    expect(got.map((result) => result.addresses.length)).toEqual([1, 300, 211]);
    expect(new Set(got.flatMap(addresses)).size).toBe(512);
  });

  it('the message about a partial assignment has all its parts in order', () => {
    const messages = [
      'Need to allocate an IPAM block but could not - limit of 20 blocks reached for this node',
      'No IPs available in pools: [192.168.0.0/24 192.168.1.0/24]',
    ];
    const hostReserved = 'windows-reserved-ipam-handle';
    expect(partialText({ version: 4, requested: 1, addresses: [], messages, hostReserved })).toBe(
      'Assigned 0 out of 1 requested IPv4 addresses; Need to allocate an IPAM block but could not - limit of 20 blocks reached for this node; No IPs available in pools: [192.168.0.0/24 192.168.1.0/24]; HostReservedAttr: windows-reserved-ipam-handle',
    );
  });
});

describe('pools and nodes', () => {
  it('autoAssign writes nothing for a node that does not exist', async () => {
    const { store, assign } = open(slash24);
    await expect(assign()).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' });
    expect(store.writes).toBe(0);
  });

  const tunnel = withSpec(pool('t', '192.168.3.0/24', 26), { allowedUses: ['Tunnel'] });
  it.each<[string, KubeObject, string[]]>([
    [
      'the given pool (10.1.0.0/16) does not exist, or is not enabled',
      withSpec(pool('d', '10.1.0.0/16', 26), { disabled: true }),
      ['10.1.0.0/16'],
    ],
    ['cannot find a qualified ippool, no pools match the required use (Workload)', tunnel, ['192.168.3.0/24']],
    ['provided IPv4 IPPools list contains one or more IPv6 IPPools', tunnel, ['fd00::/64']],
  ])('autoAssign writes nothing when it fails with: %s', async (message, object, pools) => {
    const { store, assign } = open(...nodes, slash24, object);
    await expect(assign({ pools: cidrs(...pools) })).rejects.toThrow(message);
    expect(store.writes).toBe(0);
  });

  const condition = (status: string) => ({
    conditions: [
      { type: 'Allocatable', status, reason: 'CIDROverlap', message: 'overlaps pool-1', lastTransitionTime: null },
    ],
  });
  const kept = pool('kept', '10.1.0.0/16', 26);
  it.each<[string, KubeObject]>([
    ['disabled', withSpec(kept, { disabled: true })],
    ['being deleted', { ...kept, metadata: { ...kept.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['not allocatable', { ...kept, status: condition('False') }],
  ])(
    'nothing is assigned from a pool that is %s, not even on request, and its blocks can still be released',
    async (_, object) => {
      const cidr = '10.1.0.0/26';
      const own = [blockWith(cidr, 'host:host-a'), affinityTo('host-a', cidr, 'confirmed')];
      const { assign } = open(...nodes, slash24, object, ...own);
      const all = addresses(await assign({ count: 300 }));
      expect(all).toHaveLength(256);
      expect(all.filter((address) => address.startsWith('10.1.'))).toEqual([]);
      const asked = open(...nodes, slash24, object, ...own);
      await expect(asked.assign({ pools: cidrs('10.1.0.0/16') })).rejects.toThrow('does not exist, or is not enabled');
      const one = { address: '10.1.0.7', node: 'host-a' };
      await expect(assignIp(ipamStoreOf(asked.store), one, world)).rejects.toThrow(
        '10.1.0.7 is not in any enabled pool',
      );
      expect(asked.store.writes).toBe(0);
    },
  );

  it('addresses are assigned from a pool that the controller calls allocatable', async () => {
    const { assign } = open(...nodes, { ...kept, status: condition('True') });
    expect(addresses(await assign())[0]).toMatch(/^10\.1\./);
  });

  it('node selectors are ignored for a requested pool', async () => {
    const { assign } = open(...nodes, slash24, pool('other', '192.168.2.0/24', 26, 'has(nothing)'));
    expect((await assign({ count: 300 })).addresses).toHaveLength(256);
    expect(addresses(await assign({ pools: cidrs('192.168.2.0/24') }))[0]).toMatch(/^192\.168\.2\./);
  });

  it('autoAssign releases an empty block of a pool that no longer selects the node', async () => {
    const cidr = '192.168.2.0/26';
    const { store, assign } = open(
      ...nodes,
      slash24,
      pool('other', '192.168.2.0/24', 26, 'has(nothing)'),
      blockWith(cidr, 'host:host-a'),
      affinityTo('host-a', cidr, 'confirmed'),
    );
    await assign();
    expect(blocksIn(store).map(({ spec }) => spec.cidr)).not.toContain(cidr);
    expect(inconsistencies(store)).toEqual([]);
  });
});

describe('inconsistent affinities', () => {
  const mine = '192.168.1.0/26';
  it('autoAssign deletes an affinity for a block of another node', async () => {
    const { store, assign } = open(
      ...nodes,
      slash24,
      blockWith(mine, 'host:host-b'),
      affinityTo('host-b', mine, 'confirmed'),
      affinityTo('host-a', mine, 'confirmed'),
    );
    expect((await assign()).addresses).toMatchObject([{ borrowed: false }]);
    expect(inconsistencies(store)).toEqual([]);
  });

  it.each(['pendingDeletion', 'pending'] as const)(
    'autoAssign confirms an affinity that is %s by writing its block',
    async (state) => {
      const { store, assign } = open(
        ...nodes,
        slash24,
        blockWith(mine, 'host:host-a'),
        affinityTo('host-a', mine, state),
      );
      expect(addresses(await assign())).toEqual(['192.168.1.0']);
      expect(blocksIn(store)[0]?.spec.sequenceNumber).toBe(firstSequence + 2n);
      expect(inconsistencies(store)).toEqual([]);
    },
  );

  it('autoAssign creates the missing block of an affinity', async () => {
    const { store, assign } = open(...nodes, slash24, affinityTo('host-a', mine, 'confirmed'));
    expect(addresses(await assign())).toEqual(['192.168.1.0']);
    expect(inconsistencies(store)).toEqual([]);
  });
});

it('a handle counts the addresses it has in each block', async () => {
  const cidr = '192.168.1.0/26';
  const { store, assign } = open(
    ...nodes,
    slash24,
    blockWith(cidr, 'host:host-a', ['x', 63]),
    affinityTo('host-a', cidr, 'confirmed'),
    handleWith('x', { [cidr]: 63 }),
  );
  await assign({ count: 3, holder: { handle: 'h' } });
  expect(handlesIn(store).find(({ metadata }) => metadata.name === 'h')?.spec.block).toEqual({
    '192.168.1.0/26': 1,
    [blocksIn(store).find(({ spec }) => spec.cidr !== cidr)?.spec.cidr ?? '']: 2,
  });
  expect(inconsistencies(store)).toEqual([]);
});

describe('assignments with concurrent writers', () => {
  it('autoAssign succeeds after a conflict at any write', async () => {
    for (let at = 1; ; at++) {
      const { store, assign } = open(...nodes, slash24);
      store.faults = ({ nthWrite, op }) => (nthWrite === at && op !== 'create' ? 'conflict' : undefined);
      const result = await assign({ count: 65, holder: { handle: 'h' } });
      expect(result.addresses).toHaveLength(65);
      expect(inconsistencies(store)).toEqual([]);
      if (store.writes < at) break;
    }
  });

  it('many assignments at once on two nodes give different addresses', async () => {
    const { store, assign } = open(...nodes, pool('p', '10.0.0.0/26', 29));
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        assign({ node: at % 2 ? 'host-a' : 'host-b', count: 3, holder: { handle: `h${at % 5}` } }),
      ),
    );
    expect(new Set(results.flatMap(addresses)).size).toBe(36);
    expect(inconsistencies(store)).toEqual([]);
  });
});
