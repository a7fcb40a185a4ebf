// The allocator compared with a simple model: whatever several nodes assign and release, in turn or at once, no address is
// assigned twice, none is lost, and the allocation records are consistent. LONG=1 for more sequences.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../src/datastore/stored-ipam.ts';
import { assignIp } from '../../src/ipam/assign/assign-ip.ts';
import { autoAssign } from '../../src/ipam/assign/auto-assign.ts';
import { structureProblems } from '../../src/ipam/block/block-structure.ts';
import { releaseByHandle, releaseIps } from '../../src/ipam/release/release.ts';
import { blocksIn, inconsistencies, node, pool } from '../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../support/program/world.ts';

const world = {
  clock: new TestClock('2025-12-01T00:00:00Z'),
  random: evenRandom,
};
const nodeName = fc.constantFrom('node-a', 'node-b', 'node-c');
const handle = fc.constantFrom('h1', 'h2', 'h3', 'h4');
const step = fc.oneof(
  fc.record({ do: fc.constant('assign' as const), node: nodeName, handle, count: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ do: fc.constant('claim' as const), node: nodeName, handle, last: fc.nat(31) }),
  fc.record({ do: fc.constant('release' as const), last: fc.nat(31) }),
  fc.record({ do: fc.constant('releaseHandle' as const), handle }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const numRuns = process.env['LONG'] ? 20_000 : 300;

it('assigning, claiming and releasing in any order, one or two at once, matches the model', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 2 }), { maxLength: 12 }), async (rounds) => {
      const nodes = ['node-a', 'node-b', 'node-c'].map((name) => node(name));
      const store = new MemoryDatastore([...nodes, pool('p', '10.0.0.0/27', 29)]);
      const ipam = ipamStoreOf(store);
      /** Address to handle. */
      const held = new Map<string, string>();
      const take = (address: string, by: string): void => {
        expect(held.has(address)).toBe(false);
        held.set(address, by);
      };
      const run = async (action: Step): Promise<() => void> => {
        if (action.do === 'assign') {
          const { count, handle: by } = action;
          const holder = { handle: by, secondary: { node: action.node } };
          const request = { node: action.node, version: 4, count, use: 'Workload', holder } as const;
          const { addresses } = await autoAssign(ipam, request, world);
          return () => {
            for (const { address } of addresses) take(address, by);
            if (rounds.every((round) => round.length === 1))
              expect(addresses.length).toBe(Math.min(count, 32 - held.size + addresses.length));
          };
        }
        if (action.do === 'claim') {
          const { node: name, handle: by } = action;
          const request = { address: `10.0.0.${action.last}`, node: name, handle: by };
          const done = await assignIp(ipam, request, world).catch((error: Error) => {
            expect(error.message).toBe('Address already assigned in block');
          });
          return () => (done ? take(done.assigned.address, by) : undefined);
        }
        const { released } =
          action.do === 'release'
            ? await releaseIps(ipam, [{ address: `10.0.0.${action.last}` }])
            : await releaseByHandle(ipam, action.handle);
        return () => {
          for (const address of released) held.delete(address);
        };
      };
      for (const round of rounds) {
        const settle = await Promise.all(round.map(run));
        const releases = round.filter(({ do: what }) => what.startsWith('release')).length;
        // An address may be released and assigned in the same round, in either order: the store decides.
        const isOpen = releases === 1 && round.length === 2;
        if (!isOpen) for (const each of settle) each();
        const blocks = blocksIn(store);
        for (const block of blocks) expect(structureProblems(block)).toEqual([]);
        expect(inconsistencies(store)).toEqual([]);
        const stored = new Map<string, string>();
        for (const { spec } of blocks) {
          const base = Number(/\.(\d+)\//.exec(spec.cidr)?.[1]);
          spec.allocations.forEach((index, ordinal) => {
            if (index !== null) stored.set(`10.0.0.${base + ordinal}`, spec.attributes[index]?.handle_id ?? '');
          });
        }
        if (isOpen) {
          held.clear();
          for (const [address, by] of stored) held.set(address, by);
        }
        expect([...held].sort()).toEqual([...stored].sort());
      }
    }),
    { numRuns },
  );
});
