// Sequences of operations in a cluster, as observed with Calico's plugins and allocator: what is stored at the end.
import { expect, it } from 'vitest';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../src/datastore/stored-ipam.ts';
import { assignIp } from '../../src/ipam/assign/assign-ip.ts';
import { type AssignRequest, autoAssign, partialText } from '../../src/ipam/assign/auto-assign.ts';
import { releaseByHandle, releaseIps } from '../../src/ipam/release/release.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { affinitiesIn, blocksIn, handlesIn, inconsistencies, node, pool } from '../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../support/program/world.ts';

const clock = new TestClock('2025-12-01T00:00:00Z');
const world = { clock, random: evenRandom };
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

function open(...objects: KubeObject[]) {
  const store = new MemoryDatastore(objects);
  const ipam = ipamStoreOf(store);
  const assign = (name: string, request: Partial<AssignRequest> = {}) => {
    const holder = { secondary: { node: name } };
    return autoAssign(ipam, { node: name, version: 4, count: 1, use: 'Workload', holder, ...request }, world);
  };
  return { store, ipam, assign };
}
const firstOf = ({ addresses }: { addresses: readonly { address: string }[] }) => addresses[0]?.address;

it('a container is added twice and deleted once', async () => {
  const { store, ipam, assign } = open(node('node-a'), pool('p', '10.244.0.0/16', 26));
  const handle = 'k8s-pod-network.0123abcd';
  const holder = { handle, secondary: { node: 'node-a', pod: 'web', namespace: 'shop' } };
  expect(firstOf(await assign('node-a', { holder }))).toBe('10.244.174.128');
  expect(firstOf(await assign('node-a', { holder }))).toBe('10.244.174.129');
  expect(handlesIn(store).map(({ spec }) => spec.block)).toEqual([{ '10.244.174.128/26': 2 }]);

  const { released } = await releaseByHandle(ipam, handle);
  expect(released).toEqual(['10.244.174.128', '10.244.174.129']);
  const spec = blocksIn(store)[0]?.spec;
  expect(spec?.allocations).toEqual(Array.from({ length: 64 }, () => null));
  expect(spec?.unallocated).toEqual([...range(2, 63), 0, 1]);
  expect(Object.keys(spec?.sequenceNumberForAllocation ?? {})).toEqual(['0', '1']);
  expect(handlesIn(store)).toEqual([]);
  expect(affinitiesIn(store)).toHaveLength(1);
});

it('a pod is created again before its old container is deleted', async () => {
  const { store, ipam, assign } = open(node('node-a'), pool('p', '10.244.0.0/16', 26));
  const add = (container: string) => {
    const secondary = { node: 'node-a', pod: 'st-0', namespace: 'shop', timestamp: container };
    return assign('node-a', { holder: { handle: `k8s-pod-network.${container}`, secondary } });
  };
  const [old, current] = [firstOf(await add('a')), firstOf(await add('b'))];
  expect((await releaseByHandle(ipam, 'k8s-pod-network.a')).released).toEqual([old]);
  expect((await releaseByHandle(ipam, 'k8s-pod-network.a')).released).toEqual([]);
  expect(handlesIn(store).map(({ metadata }) => metadata.name)).toEqual(['k8s-pod-network.b']);
  expect((await releaseIps(ipam, [{ address: current ?? '', handle: 'k8s-pod-network.a' }])).released).toEqual([]);
  expect(inconsistencies(store)).toEqual([]);
});

it('twelve containers are added at once and deleted at once', async () => {
  const { store, ipam, assign } = open(node('node-a'), pool('p', '10.244.0.0/16', 26));
  const handles = range(1, 12).map((at) => `k8s-pod-network.${at}`);
  const added = await Promise.all(
    handles.map((handle) => assign('node-a', { holder: { handle, secondary: { node: 'node-a', timestamp: handle } } })),
  );
  expect(new Set(added.map(firstOf)).size).toBe(12);
  expect(inconsistencies(store)).toEqual([]);
  // All try the first block of the node; a second block is tolerated.
  expect(blocksIn(store).length).toBeLessThanOrEqual(2);
  await Promise.all(handles.map((handle) => releaseByHandle(ipam, handle)));
  expect(handlesIn(store)).toEqual([]);
  expect(blocksIn(store).every(({ spec }) => spec.unallocated.length === 64)).toBe(true);
});

it('a borrowed address has its node in its attributes, and the block stays with its owner', async () => {
  const { store, assign } = open(node('host-a'), node('host-b'), pool('p', '10.0.0.0/25', 26));
  await assign('host-a');
  await assign('host-b');
  const { addresses } = await assign('host-a', { count: 64 });
  const [borrowed] = addresses.filter((address) => address.borrowed);
  const lender = blocksIn(store).find(({ spec }) => spec.cidr === borrowed?.block)?.spec;
  expect(lender?.affinity).toBe('host:host-b');
  expect(lender?.attributes).toEqual([{ secondary: { node: 'host-b' } }, { secondary: { node: 'host-a' } }]);
  expect(affinitiesIn(store).map(({ spec }) => spec.node)).toEqual(['host-a', 'host-b']);
});

it('IPv6 has the same limit of blocks per node', async () => {
  const { assign } = open(node('host-a'), pool('p', 'fd00::/120', 122));
  const result = await assign('host-a', { version: 6, count: 256, maxBlocks: 1 });
  expect(result.addresses).toHaveLength(64);
  expect(result.error?.message).toBe('cannot allocate new block due to per host block limit');
  expect(partialText(result)).toBe(
    'Assigned 64 out of 256 requested IPv6 addresses; Need to allocate an IPAM block but could not - limit of 1 blocks reached for this node',
  );
});

it('the limit of blocks holds although another node fills each new block before it is read', async () => {
  const { store, ipam, assign } = open(node('host-a'), node('host-b'), pool('p', '10.0.0.0/24', 29));
  // Whenever host-a has created a block, host-b borrows all of it.
  const rival = async (cidr: string): Promise<void> => {
    for (const last of range(0, 7)) {
      const address = cidr.replace(/\.(\d+)\/29$/, (_, base) => `.${Number(base) + last}`);
      await assignIp(ipam, { address, node: 'host-b' }, world);
    }
  };
  const contested = {
    ...ipam,
    blocks: {
      ...ipam.blocks,
      create: async (block: Parameters<typeof ipam.blocks.create>[0]) => {
        const created = await ipam.blocks.create(block);
        if (created.ok) await rival(block.spec.cidr);
        return created;
      },
    },
  };
  const request = { node: 'host-a', version: 4, count: 1, use: 'Workload', holder: {}, maxBlocks: 3 } as const;
  const result = await autoAssign(contested, request, world);
  expect(result.addresses).toEqual([]);
  expect(result.error?.message).toBe('cannot allocate new block due to per host block limit');
  expect(affinitiesIn(store)).toHaveLength(3);
  expect(inconsistencies(store)).toEqual([]);
  expect((await assign('host-a')).addresses).toHaveLength(1);
});

it('addresses outside the pools or in no block can be neither assigned nor released', async () => {
  const { store, ipam } = open(node('node-a'), pool('p', '10.244.0.0/16', 26));
  await expect(assignIp(ipam, { address: '1.1.1.1', node: 'node-a' }, world)).rejects.toThrow(
    '1.1.1.1 is not in any enabled pool',
  );
  const addresses = ['1.1.1.1', '10.244.9.9'].map((address) => ({ address }));
  expect((await releaseIps(ipam, addresses)).unallocated).toEqual(['1.1.1.1', '10.244.9.9']);
  expect(store.writes).toBe(0);
});

it('an affinity hidden by its missing labels is found again when its block is tried', async () => {
  const { store, ipam } = open(node('node-a'), pool('p', '10.244.0.0/24', 26));
  const request = { node: 'node-a', version: 4, count: 1, use: 'Workload', holder: {} } as const;
  await autoAssign(ipam, request, world);
  const [affinity] = affinitiesIn(store);
  if (affinity === undefined) throw new Error('no affinity');
  const hidden = { ...affinity, metadata: { ...affinity.metadata, labels: {} } };
  expect(await ipam.affinities.update(hidden)).toMatchObject({ ok: true });
  expect(await ipam.affinitiesOf({ type: 'host', name: 'node-a' }, 4)).toEqual([]);
  const { addresses } = await autoAssign(ipam, request, world);
  expect(addresses).toMatchObject([{ address: '10.244.0.129', borrowed: false }]);
  expect(blocksIn(store).map(({ spec }) => spec.cidr)).toEqual(['10.244.0.128/26']);
});
