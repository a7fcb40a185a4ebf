// Simulations compared with the allocator on a real store, round by round; other block sizes computed by hand. No input is changed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { type Assignment, autoAssign } from '../../../src/ipam/assign/auto-assign.ts';
import { compareBlockSizes } from '../../../src/ipam/capacity/block-size-comparison.ts';
import type { IpamLists } from '../../../src/ipam/capacity/ipam-lists.ts';
import { type SimulationPlan, simulate } from '../../../src/ipam/capacity/simulation.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import {
  affinityTo,
  blocksIn,
  blockWith,
  ipamConfig,
  ipamListsOf,
  node,
  pool,
  reservation,
  withSpec,
} from '../../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../../support/program/world.ts';

fc.configureGlobal({ seed: 20260103 });

const pause = async (): Promise<void> => undefined;
const plan = (nodes: number, podsPerNode: number): SimulationPlan => ({
  ipVersion: 4,
  nodes,
  podsPerNode,
  labels: {},
  pools: [],
});

/** The contents of a store, deeply frozen. */
function frozenLists(store: MemoryDatastore): IpamLists {
  const freeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null)
      for (const member of Object.values(Object.freeze(value))) freeze(member);
    return value;
  };
  return ipamListsOf(freeze(store.dump()));
}

const world = { clock: new TestClock('2026-01-01T00:00:00Z'), random: evenRandom };
type Answer = Pick<Assignment, 'addresses' | 'messages'>;
const assign = (store: MemoryDatastore, name: string, count: number): Promise<Answer> =>
  autoAssign(
    ipamStoreOf(store),
    { node: name, version: 4, count, use: 'Workload', holder: { secondary: { node: name } } },
    world,
  ).catch((error: Error) => ({ addresses: [], messages: [error.message] }));

/** The same by brute force: one pod per call and node in each round, until the allocator refuses a node. */
async function bruteForce(objects: readonly KubeObject[], nodes: number, podsPerNode: number) {
  const names = Array.from({ length: nodes }, (_, index) => `new-node-${index + 1}`);
  const store = new MemoryDatastore([...objects, ...names.map((name) => node(name))]);
  const before = blocksIn(store).length;
  const placedOf = new Map(names.map((name) => [name, 0]));
  let borrowed = 0;
  let firstBreak: object | undefined;
  for (let round = 1; round <= podsPerNode; round += 1) {
    for (const name of names) {
      const had = placedOf.get(name) as number;
      if (had < round - 1) continue;
      const { addresses, messages } = await assign(store, name, 1);
      borrowed += addresses.filter((one) => one.borrowed).length;
      if (addresses.length === 1) placedOf.set(name, round);
      else {
        const placedBefore = [...placedOf.values()].reduce((a, b) => a + b);
        firstBreak ??= { node: name, pod: round, placedBefore, message: messages.join('; ') };
      }
    }
  }
  const placed = [...placedOf.values()].reduce((a, b) => a + b);
  return {
    requested: nodes * podsPerNode,
    placed,
    borrowed,
    tunnelAddresses: 0,
    blocksMade: blocksIn(store).length - before,
    nodesShort: [...placedOf.values()].filter((count) => count < podsPerNode).length,
    ...(firstBreak && { firstBreak }),
  };
}

describe('a simulation', () => {
  it('a simulation gives the result of the allocator with one pod after the other', async () => {
    const broke = { limit: 0, empty: 0, never: 0, borrowed: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          prefix: fc.constantFrom(26, 27, 28),
          strict: fc.boolean(),
          limit: fc.constantFrom(0, 0, 1, 2),
          before: fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 3 }),
          reserved: fc.array(fc.nat(31), { maxLength: 6 }),
          nodes: fc.integer({ min: 1, max: 5 }),
          pods: fc.integer({ min: 1, max: 20 }),
        }),
        async ({ prefix, strict, limit, before, reserved, nodes, pods }) => {
          const first = new MemoryDatastore([
            pool('p-0', `10.0.0.0/${prefix}`, 29),
            pool('p-1', '10.0.1.0/29', 30),
            ...before.map((_, index) => node(`old-${index}`)),
            ipamConfig({ strictAffinity: strict, ...(limit > 0 ? { maxBlocksPerHost: limit } : {}) }),
            reservation('r', ...reserved.map((last) => `10.0.0.${last}`)),
          ]);
          for (const [index, count] of before.entries()) await assign(first, `old-${index}`, count);
          const done = await simulate(frozenLists(first), plan(nodes, pods), pause);
          expect(done).toEqual(await bruteForce(first.dump(), nodes, pods));
          const why = done.firstBreak?.message ?? '';
          broke[why === '' ? 'never' : why.startsWith('Need') ? 'limit' : 'empty'] += 1;
          if (done.borrowed > 0) broke.borrowed += 1;
        },
      ),
      { numRuns: process.env['LONG'] === '1' ? 600 : 60 },
    );
    expect(Math.min(...Object.values(broke))).toBeGreaterThan(3);
  }, 300_000);

  it('a simulation gives the same result for the same question', async () => {
    const lists = frozenLists(new MemoryDatastore([pool('p', '10.0.0.0/26', 32), node('host-a')]));
    const once = await simulate(lists, plan(3, 30), pause);
    expect(await simulate(lists, plan(3, 30), pause)).toEqual(once);
    expect(once.firstBreak?.message).toBe(
      'Need to allocate an IPAM block but could not - limit of 20 blocks reached for this node',
    );
    expect(once.placed).toBe(60);
  });

  it('a large simulation runs in groups and places as many pods', async () => {
    const lists = frozenLists(new MemoryDatastore([pool('p', '10.0.0.0/21', 26)]));
    // 2048 addresses for 100 nodes with 30 pods each: 32 nodes get a block, the others borrow.
    const done = await simulate(lists, plan(100, 30), pause);
    expect(done).toMatchObject({ requested: 3000, placed: 2048, blocksMade: 32 });
    expect(done.firstBreak).toMatchObject({ placedBefore: 2048, message: 'No IPs available in pools: [10.0.0.0/21]' });
  });

  it('a simulation keeps the names of existing nodes, and takes a tunnel address for each new one', async () => {
    const vxlan = withSpec(pool('p', '10.0.0.0/29', 30), { vxlanMode: 'Always' });
    const lists = frozenLists(new MemoryDatastore([vxlan, node('new-node-1'), ipamConfig({ strictAffinity: true })]));
    expect(await simulate(lists, plan(2, 4), pause)).toEqual({
      requested: 8,
      placed: 6,
      borrowed: 0,
      tunnelAddresses: 2,
      blocksMade: 2,
      nodesShort: 2,
      firstBreak: {
        node: 'new-node-2',
        pod: 4,
        placedBefore: 6,
        message: 'No more free affine blocks and strict affinity enabled',
      },
    });
  });

  it('a simulation reports that no pool selects the new nodes', async () => {
    const lists = frozenLists(new MemoryDatastore([pool('p', '10.0.0.0/26', 26, "zone == 'b'"), node('host-a')]));
    const none = await simulate(lists, plan(2, 1), pause);
    expect(none).toMatchObject({ placed: 0, nodesShort: 2 });
    expect(none.firstBreak).toMatchObject({ pod: 1, message: 'no configured Calico pools for node new-node-1' });
    const labelled = await simulate(lists, { ...plan(2, 1), labels: { zone: 'b' } }, pause);
    expect(labelled).toMatchObject({ placed: 2, nodesShort: 0 });
    expect(await compareBlockSizes(lists, plan(2, 1), undefined, pause)).toEqual([]);
  });

  it('a simulation ends when its pause rejects', async () => {
    const lists = frozenLists(new MemoryDatastore([pool('p', '10.0.0.0/16', 26)]));
    const ended = simulate(lists, plan(60, 10), () => Promise.reject(new Error('enough')));
    await expect(ended).rejects.toThrow('enough');
  });
});

describe('other block sizes', () => {
  it('a comparison of block sizes starts with empty pools and assigns the present addresses first', async () => {
    // Two blocks of 64, of which host-a owns one: the first new node gets the other, the second none.
    const lists = frozenLists(
      new MemoryDatastore([
        pool('p', '10.0.0.0/25', 26),
        node('host-a'),
        ipamConfig({ strictAffinity: true }),
        blockWith('10.0.0.0/26', 'host:host-a', ['h', 3]),
        affinityTo('host-a', '10.0.0.0/26', 'confirmed'),
      ]),
    );
    const runs = await compareBlockSizes(lists, plan(2, 20), undefined, pause);
    const summary = runs.map(({ blockSizes, current, assignedAgain, placed, blocksMade }) => [
      blockSizes['p'],
      current,
      assignedAgain,
      placed,
      blocksMade,
    ]);
    expect(summary).toEqual([
      [26, true, 3, 20, 1],
      [25, false, 3, 0, 0],
      [27, false, 3, 40, 2],
    ]);
    expect(runs[1]?.firstBreak).toMatchObject({ node: 'new-node-1', pod: 1 });
  });

  it('a comparison of block sizes tries the sizes that the pool allows, or the requested one', async () => {
    const sizes = async (blockSize: number, cidr: string, asked?: number) => {
      const lists = frozenLists(new MemoryDatastore([pool('p', cidr, blockSize)]));
      return (await compareBlockSizes(lists, plan(1, 1), asked, pause)).map((one) => one.blockSizes['p']);
    };
    expect(await sizes(20, '10.0.0.0/16')).toEqual([20, 21]);
    expect(await sizes(32, '10.0.0.0/26')).toEqual([32, 31]);
    expect(await sizes(26, '10.0.0.0/26')).toEqual([26, 27]);
    expect(await sizes(26, '10.0.0.0/16', 28)).toEqual([26, 28]);
    expect(await sizes(26, '10.0.0.0/16', 26)).toEqual([26]);
  });

  it('a comparison of block sizes assigns addresses without a node to the owner of their block, and addresses of missing nodes', async () => {
    const lists = frozenLists(
      new MemoryDatastore([pool('p', '10.0.0.0/24', 26), blockWith('10.0.0.0/26', 'host:gone', ['h', 5])]),
    );
    expect(await compareBlockSizes(lists, plan(1, 1), 27, pause)).toMatchObject([
      { assignedAgain: 5, notAssignedAgain: 0 },
      { assignedAgain: 5, notAssignedAgain: 0 },
    ]);
  });
});
