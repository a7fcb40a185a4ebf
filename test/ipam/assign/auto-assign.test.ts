// Assigning to a node: own blocks, new ones, borrowed ones; limits and pools; and other writers at every step.
import { describe, expect, test } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
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
  node,
  pool,
} from '../../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../../support/program/world.ts';

const world = {
  clock: new TestClock('2025-12-01T00:00:00Z'),
  random: evenRandom,
};
const cidrs = (...texts: string[]) => texts.map((text) => parseCidr(text) as Cidr);
const withSpec = (object: KubeObject, spec: object): KubeObject => ({
  ...object,
  spec: { ...(object.spec as object), ...spec },
});
const config = (spec: object): KubeObject => ({
  ...{ apiVersion: 'crd.projectcalico.org/v1', kind: 'IPAMConfig', metadata: { name: 'default' } },
  spec: { strictAffinity: false, autoAllocateBlocks: true, ...spec },
});
const reservation = (...reservedCIDRs: string[]): KubeObject => ({
  ...{ apiVersion: 'crd.projectcalico.org/v1', kind: 'IPReservation', metadata: { name: 'r' } },
  spec: { reservedCIDRs },
});
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

describe('where addresses come from', () => {
  test('own blocks in order of their names', async () => {
    const own = ['10.0.0.64/26', '10.0.0.128/26'];
    const { assign } = open(
      ...nodes,
      pool('p', '10.0.0.0/24', 26),
      ...own.flatMap((cidr) => [blockWith(cidr, 'host:host-a'), affinityTo('host-a', cidr, 'confirmed')]),
    );
    expect(addresses(await assign())).toEqual(['10.0.0.128']);
  });

  test('a new block at the start of the node, with its claim, and nothing else is written', async () => {
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

  test('borrowed when the node can claim nothing more', async () => {
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

  test('not borrowed with strict affinity', async () => {
    const { assign } = open(...nodes, pool('p', '10.0.0.0/25', 26), config({ strictAffinity: true }));
    await assign();
    await assign({ node: 'host-b', holder: {} });
    const result = await assign({ count: 64 });
    expect(result.addresses).toHaveLength(63);
    expect(result.messages).toEqual(['No more free affine blocks and strict affinity enabled']);
    expect(result.error).toBeUndefined();
  });

  test('strict: of the pool asked for, and no further', async () => {
    const { assign } = open(
      ...[
        ...nodes,
        pool('a', '192.168.1.0/26', 26),
        pool('b', '192.168.1.64/26', 26),
        config({ strictAffinity: true }),
      ],
    );
    const result = await assign({ count: 256, pools: cidrs('192.168.1.0/26') });
    expect(result.addresses).toHaveLength(64);
    expect(result.messages).toEqual(['No more free affine blocks and strict affinity enabled']);
  });

  test('not what is reserved', async () => {
    const { assign } = open(...nodes, slash24, reservation('192.168.1.0/25', '192.168.1.128/26', '192.168.1.193'));
    expect(addresses(await assign({ count: 2 }))).toEqual(['192.168.1.192', '192.168.1.194']);
  });

  test('not from an overlapping block of another size', async () => {
    const { assign } = open(...nodes, pool('p', '10.0.0.0/28', 29), blockWith('10.0.0.0/28', 'host:host-b', ['x', 3]));
    const result = await assign();
    expect(result.addresses).toEqual([]);
    expect(result.messages).toEqual(['No IPs available in pools: [10.0.0.0/28]']);
  });
});

describe('limits', () => {
  test.each([
    [1, 64],
    [2, 128],
  ])('%i blocks a node', async (limit, count) => {
    const { assign } = open(...nodes, slash24, config({ maxBlocksPerHost: limit }));
    const result = await assign({ count: 256 });
    expect(result.addresses).toHaveLength(count);
    expect(result.error?.message).toBe('cannot allocate new block due to per host block limit');
    expect(partialText(result)).toBe(
      `Assigned ${count} out of 256 requested IPv4 addresses; Need to allocate an IPAM block but could not - limit of ${limit} blocks reached for this node`,
    );
  });

  test('a pool that is used up', async () => {
    const { assign } = open(...nodes, slash24);
    const result = await assign({ count: 257, pools: cidrs('192.168.1.0/24') });
    expect(result.addresses).toHaveLength(256);
    expect(result.messages).toEqual(['No IPs available in pools: [192.168.1.0/24]']);
    expect(result.error).toBeUndefined();
  });

  test('two pools, the second after the first', async () => {
    const { assign } = open(...nodes, slash24, pool('pool-2', '192.168.2.0/24', 26));
    const got = [await assign(), await assign({ count: 300 }), await assign({ count: 300 })];
    expect(got.map((result) => result.addresses.length)).toEqual([1, 300, 211]);
    expect(new Set(got.flatMap(addresses)).size).toBe(512);
  });

  test('the sentence with all its parts', () => {
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
  test('a node that does not exist: nothing is written', async () => {
    const { store, assign } = open(slash24);
    await expect(assign()).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' });
    expect(store.writes).toBe(0);
  });

  const tunnel = withSpec(pool('t', '192.168.3.0/24', 26), { allowedUses: ['Tunnel'] });
  test.each<[string, KubeObject, string[]]>([
    [
      'the given pool (10.1.0.0/16) does not exist, or is not enabled',
      withSpec(pool('d', '10.1.0.0/16', 26), { disabled: true }),
      ['10.1.0.0/16'],
    ],
    ['cannot find a qualified ippool, no pools match the required use (Workload)', tunnel, ['192.168.3.0/24']],
    ['provided IPv4 IPPools list contains one or more IPv6 IPPools', tunnel, ['fd00::/64']],
  ])('%s', async (message, object, pools) => {
    const { store, assign } = open(...nodes, slash24, object);
    await expect(assign({ pools: cidrs(...pools) })).rejects.toThrow(message);
    expect(store.writes).toBe(0);
  });

  test('selectors count unless the pool is asked for', async () => {
    const { assign } = open(...nodes, slash24, pool('other', '192.168.2.0/24', 26, 'has(nothing)'));
    expect((await assign({ count: 300 })).addresses).toHaveLength(256);
    expect(addresses(await assign({ pools: cidrs('192.168.2.0/24') }))[0]).toMatch(/^192\.168\.2\./);
  });

  test('an empty block of a pool that no longer selects the node is given up', async () => {
    const cidr = '192.168.2.0/26';
    const { store, assign } = open(
      ...[...nodes, slash24, pool('other', '192.168.2.0/24', 26, 'has(nothing)')],
      ...[blockWith(cidr, 'host:host-a'), affinityTo('host-a', cidr, 'confirmed')],
    );
    await assign();
    expect(blocksIn(store).map(({ spec }) => spec.cidr)).not.toContain(cidr);
    expect(inconsistencies(store)).toEqual([]);
  });
});

describe('claims that are not as they should be', () => {
  const mine = '192.168.1.0/26';
  test('one on a block of somebody else is deleted', async () => {
    const { store, assign } = open(
      ...[...nodes, slash24, blockWith(mine, 'host:host-b'), affinityTo('host-b', mine, 'confirmed')],
      affinityTo('host-a', mine, 'confirmed'),
    );
    expect((await assign()).addresses).toMatchObject([{ borrowed: false }]);
    expect(inconsistencies(store)).toEqual([]);
  });

  test.each(['pendingDeletion', 'pending'] as const)('one that is %s is confirmed over the block', async (state) => {
    const { store, assign } = open(
      ...nodes,
      slash24,
      blockWith(mine, 'host:host-a'),
      affinityTo('host-a', mine, state),
    );
    expect(addresses(await assign())).toEqual(['192.168.1.0']);
    expect(blocksIn(store)[0]?.spec.sequenceNumber).toBe(firstSequence + 2n);
    expect(inconsistencies(store)).toEqual([]);
  });

  test('one without its block gets it', async () => {
    const { store, assign } = open(...nodes, slash24, affinityTo('host-a', mine, 'confirmed'));
    expect(addresses(await assign())).toEqual(['192.168.1.0']);
    expect(inconsistencies(store)).toEqual([]);
  });
});

test('a handle counts what it got of each block', async () => {
  const cidr = '192.168.1.0/26';
  const { store, assign } = open(
    ...[...nodes, slash24, blockWith(cidr, 'host:host-a', ['x', 63]), affinityTo('host-a', cidr, 'confirmed')],
    handleWith('x', { [cidr]: 63 }),
  );
  await assign({ count: 3, holder: { handle: 'h' } });
  expect(handlesIn(store).find(({ metadata }) => metadata.name === 'h')?.spec.block).toEqual({
    '192.168.1.0/26': 1,
    [blocksIn(store).find(({ spec }) => spec.cidr !== cidr)?.spec.cidr ?? '']: 2,
  });
  expect(inconsistencies(store)).toEqual([]);
});

describe('others at the same time', () => {
  test('a conflict at any write is cured by what follows', async () => {
    for (let at = 1; ; at++) {
      const { store, assign } = open(...nodes, slash24);
      store.faults = ({ nthWrite, op }) => (nthWrite === at && op !== 'create' ? 'conflict' : undefined);
      const result = await assign({ count: 65, holder: { handle: 'h' } });
      expect(result.addresses).toHaveLength(65);
      expect(inconsistencies(store)).toEqual([]);
      if (store.writes < at) break;
    }
  });

  test('many at once on two nodes', async () => {
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
