// Every operation with every refusal of the store, at each write, at many and at all of a kind: it ends with the correct
// result, and with the counts of the handles equal to what the blocks hold. Rules: docs/reference/ipam.md#retries.
// Here the store only refuses writes; other clients that really write are in test/model/. LONG=1 for more combinations.
import { describe, expect, it } from 'vitest';
import { type MemoryCall, MemoryDatastore, type MemoryFault } from '../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../src/datastore/stored-ipam.ts';
import { assignAddresses } from '../../src/ipam/assign/assign-addresses.ts';
import { assignIp } from '../../src/ipam/assign/assign-ip.ts';
import { autoAssign } from '../../src/ipam/assign/auto-assign.ts';
import { ensureBlock } from '../../src/ipam/assign/ensure-block.ts';
import type { IpamStore } from '../../src/ipam/ipam-store.ts';
import { releaseByHandle, releaseIps } from '../../src/ipam/release/release.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import {
  affinityTo,
  blockWith,
  handlesIn,
  handleWith,
  holders,
  inconsistencies,
  ipamConfig,
  node,
  pool,
} from '../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../support/program/world.ts';

const world = {
  clock: new TestClock('2025-12-01T00:00:00Z'),
  random: evenRandom,
};
const own = '10.0.0.0/29';
const lender = '10.0.0.8/29';
const nodes = [node('node-a'), node('node-b')];
const wide = [...nodes, pool('p4', '10.0.0.0/24', 29), pool('p6', 'fd00::/120', 125)];
const narrow = [...nodes, pool('p4', '10.0.0.0/28', 29)];
const mine = (state: 'pending' | 'confirmed' | 'pendingDeletion', ...held: (readonly [string, number])[]) => [
  blockWith(own, 'host:node-a', ...held),
  affinityTo('node-a', own, state),
  ...held.map(([handle, count]) => handleWith(handle, { [own]: count })),
];
const strict = ipamConfig({ strictAffinity: true });

interface Operation {
  readonly name: string;
  readonly objects: readonly KubeObject[];
  readonly run: (store: IpamStore) => Promise<unknown>;
  /** How many addresses the handle h holds after it. */
  readonly holds: number;
  /** It releases something, and not-found ends that: the store must answer so only if it is true. */
  readonly releases?: boolean;
}

const holder = { handle: 'h', secondary: { node: 'node-a' } };
const assign = (count: number) => (store: IpamStore) =>
  autoAssign(store, { node: 'node-a', version: 4, count, use: 'Workload', holder }, world);
const take = (address: string) => (store: IpamStore) =>
  assignIp(store, { address, node: 'node-a', handle: 'h' }, world);

const operations: readonly Operation[] = [
  { name: 'an assignment from three new blocks', objects: wide, run: assign(20), holds: 20 },
  {
    name: 'an assignment from the rest of an own block and a new one',
    objects: [...wide, ...mine('confirmed', ['h', 6])],
    run: assign(4),
    holds: 10,
  },
  { name: 'an assignment with a pending affinity', objects: [...wide, ...mine('pending')], run: assign(1), holds: 1 },
  {
    name: 'an assignment with an affinity marked for deletion',
    objects: [...wide, ...mine('pendingDeletion')],
    run: assign(1),
    holds: 1,
  },
  {
    name: 'an assignment with an affinity without its block',
    objects: [...wide, affinityTo('node-a', own, 'confirmed')],
    run: assign(1),
    holds: 1,
  },
  {
    name: 'an assignment with an affinity for the block of another node',
    objects: [
      ...wide,
      blockWith(own, 'host:node-b'),
      affinityTo('node-b', own, 'confirmed'),
      affinityTo('node-a', own, 'confirmed'),
    ],
    run: assign(1),
    holds: 1,
    releases: true,
  },
  {
    name: 'an assignment with an empty block of a pool that no longer selects the node',
    objects: [
      ...wide,
      pool('old', '10.1.0.0/24', 29, 'has(nothing)'),
      blockWith('10.1.0.0/29', 'host:node-a'),
      affinityTo('node-a', '10.1.0.0/29', 'confirmed'),
    ],
    run: assign(1),
    holds: 1,
    releases: true,
  },
  {
    name: 'an assignment of borrowed addresses',
    objects: [
      ...narrow,
      ...mine('confirmed', ['x', 8]),
      blockWith(lender, 'host:node-b', ['y', 2]),
      affinityTo('node-b', lender, 'confirmed'),
      handleWith('y', { [lender]: 2 }),
    ],
    run: assign(3),
    holds: 3,
  },
  { name: 'an assignment of a given address in a new block', objects: wide, run: take('10.0.0.77'), holds: 1 },
  {
    name: 'an assignment of a given address in an own block',
    objects: [...wide, ...mine('confirmed', ['h', 2]), strict],
    run: take('10.0.0.5'),
    holds: 3,
  },
  {
    name: 'an assignment of both families',
    objects: wide,
    run: (store) =>
      assignAddresses(
        store,
        { node: 'node-a', use: 'Workload', holder, ipv4: { count: 1 }, ipv6: { count: 9 } },
        world,
      ),
    holds: 10,
  },
  {
    name: 'a claim of a block without an address',
    objects: wide,
    run: (store) => ensureBlock(store, { node: 'node-a', version: 4 }, world),
    holds: 0,
  },
  {
    name: 'a release of addresses',
    objects: [...wide, ...mine('confirmed', ['h', 4])],
    run: (store) => releaseIps(store, [{ address: '10.0.0.0' }, { address: '10.0.0.2', handle: 'h' }]),
    holds: 2,
    releases: true,
  },
  {
    name: 'a release of a handle',
    objects: [...wide, ...mine('confirmed', ['h', 4], ['x', 1])],
    run: (store) => releaseByHandle(store, 'h'),
    holds: 0,
    releases: true,
  },
  {
    name: 'a release of the last address of a block without an owner',
    objects: [...wide, blockWith(own, undefined, ['h', 1]), handleWith('h', { [own]: 1 })],
    run: (store) => releaseIps(store, [{ address: '10.0.0.0' }]),
    holds: 0,
    releases: true,
  },
];

/** How the store may refuse a call. */
function refusals({ op }: MemoryCall, { releases = false }: Operation): MemoryFault[] {
  if (op === 'create') return ['already-exists', 'not-found'];
  if (op === 'update') return releases ? ['conflict'] : ['conflict', 'not-found'];
  return op === 'delete' ? ['conflict'] : [];
}

/** Runs the operation with faults. Returns the store, the addresses that handle h holds, and all inconsistencies. */
async function outcome(operation: Operation, faults: (call: MemoryCall) => MemoryFault | undefined) {
  const store = new MemoryDatastore(operation.objects, { faults });
  await operation.run(ipamStoreOf(store));
  const held = [...holders(store).values()].filter((handle) => handle === 'h');
  return { store, held: held.length, wrong: inconsistencies(store) };
}

describe.each(operations)('$name with refused writes', (operation) => {
  const { name } = operation;
  const right = { held: operation.holds, wrong: [] };

  it(`${name}: each write is refused once, in turn`, async () => {
    const plain = await outcome(operation, () => undefined);
    expect(plain).toMatchObject(right);
    for (let at = 1; at <= plain.store.writes; at++) {
      const { op, kind } = plain.store.calls.find(({ nthWrite }) => nthWrite === at) as MemoryCall;
      for (const fault of refusals({ op } as MemoryCall, operation)) {
        const done = await outcome(operation, ({ nthWrite }) => (nthWrite === at ? fault : undefined));
        expect({ at: `${fault} at ${op} ${kind}`, ...done }).toMatchObject(right);
        // At most everything once more, and in addition a pending affinity to confirm.
        expect(done.store.calls.length).toBeLessThanOrEqual(2 * plain.store.calls.length + 6);
      }
    }
  });

  it(`${name}: the first one to three attempts of every write are refused`, async () => {
    for (const until of [1, 2, 3]) {
      const attempts = new Map<string, number>();
      const done = await outcome(operation, (call) => {
        const [first] = refusals(call, operation);
        const key = `${call.op} ${call.kind} ${call.name}`;
        const attempt = (attempts.get(key) ?? 0) + 1;
        attempts.set(key, attempt);
        return attempt <= until ? first : undefined;
      });
      expect(done).toMatchObject(right);
    }
  });

  it(`${name}: a third of all writes is refused`, { timeout: 600_000 }, async () => {
    for (let seed = 1; seed <= (process.env['LONG'] ? 2000 : 10); seed++) {
      let state = seed;
      const done = await outcome(operation, (call) => {
        const possible = refusals(call, operation);
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state % 3 === 0 ? possible[(state >>> 8) % possible.length] : undefined;
      });
      expect({ seed, ...done }).toMatchObject(right);
    }
  });

  it(`${name}: one kind of write is always refused, the operation ends, and its result matches what is stored`, async () => {
    const plain = await outcome(operation, () => undefined);
    const writes = new Set(
      plain.store.calls.filter(({ nthWrite }) => nthWrite > 0).map(({ op, kind }) => `${op} ${kind}`),
    );
    for (const write of writes) {
      const store = new MemoryDatastore(operation.objects);
      let refused = 0;
      store.faults = (call) => {
        const [fault] = `${call.op} ${call.kind}` === write ? refusals(call, operation) : [];
        if (fault !== undefined) refused += 1;
        return fault;
      };
      const failure = await operation.run(ipamStoreOf(store)).then(reported, (error: Error) => error.message);
      expect([undefined, 'Max retries hit - excessive concurrent IPAM requests']).toContain(failure);
      // One loop of a hundred attempts, of which each may make two writes.
      expect(refused).toBeLessThanOrEqual(200);
      // An interrupted release leaves counts too high, never too low; an assignment leaves none wrong.
      expect({ write, tooLow: tooLow(store) }).toEqual({ write, tooLow: [] });
      const wrongCounts = inconsistencies(store).filter((sentence) => sentence.startsWith('handle '));
      if (!name.includes('release of')) expect({ write, wrongCounts }).toEqual({ write, wrongCounts: [] });
    }
  });
});

/** The error in a result, next to what was done. */
function reported(result: unknown): string | undefined {
  return (result as { error?: Error }).error?.message;
}

/** The handles that count less than the blocks hold of them. */
function tooLow(store: MemoryDatastore): string[] {
  const counts = handlesIn(store).map(({ metadata, spec }) => [metadata.name, Object.values(spec.block)] as const);
  const held = [...holders(store).values()];
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return [...new Set(held)].filter((handle) => {
    const counted = sum(counts.find(([name]) => name === handle)?.[1] ?? []);
    return counted < held.filter((other) => other === handle).length;
  });
}
