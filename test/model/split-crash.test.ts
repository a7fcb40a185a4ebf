// A split that is killed at any write, or loses a response: running it again ends with exactly the parts, and with every
// block and address unchanged.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore, type MemoryFault, StoreCrash } from '../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../src/datastore/stored-ipam.ts';
import { autoAssign } from '../../src/ipam/assign/auto-assign.ts';
import { planSplit, splitMark } from '../../src/ipam/pool/pool-split.ts';
import { applySplit, readForSplit, SplitStopped } from '../../src/ipam-live/split.ts';
import { cidrCovers, parseCidr } from '../../src/net/cidr.ts';
import { type IPPool, ipPool } from '../../src/resources/kinds/ip-pool.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { blocksIn, holders, inconsistencies, node, pool } from '../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../support/program/world.ts';

const world = { clock: new TestClock('2025-12-01T00:00:00Z'), random: evenRandom };

/** Three nodes with addresses in all parts of the pool, and another pool. */
async function inUse(): Promise<KubeObject[]> {
  const nodes = ['node-a', 'node-b', 'node-c'];
  const objects = [...nodes.map((name) => node(name)), pool('p', '10.0.0.0/26', 29), pool('q', '10.1.0.0/24', 26)];
  const store = new MemoryDatastore(objects);
  for (const name of nodes) {
    const holder = { handle: `of-${name}`, secondary: { node: name } };
    const cidr = parseCidr('10.0.0.0/26');
    const request = { node: name, version: 4, count: 11, use: 'Workload', holder, pools: cidr ? [cidr] : [] } as const;
    expect((await autoAssign(ipamStoreOf(store), request, world)).addresses).toHaveLength(11);
  }
  return store.dump();
}

async function split(store: MemoryDatastore, number: number, asCalicoctl: boolean): Promise<'done' | 'was done'> {
  const plan = planSplit(await readForSplit(store, {}), { name: 'p', number, asCalicoctl });
  if ('problem' in plan) throw new Error(plan.problem);
  if ('finished' in plan) return 'was done';
  expect(await applySplit(store, plan, {})).toEqual({ gone: true });
  return 'done';
}

const pools = (store: MemoryDatastore): IPPool[] =>
  store.dump().filter((object) => object.kind === 'IPPool') as IPPool[];
const others = (store: MemoryDatastore): KubeObject[] => store.dump().filter(({ kind }) => kind !== 'IPPool');

/** Expects exactly the parts, enabled and without a mark, with every block in one of them. */
function expectSplit(store: MemoryDatastore, number: number, before: readonly KubeObject[]): void {
  const [q, ...parts] = pools(store);
  expect(q?.metadata.name).toBe('q');
  expect(parts.map(({ metadata }) => metadata.name)).toEqual(Array.from({ length: number }, (_, i) => `split-p-${i}`));
  for (const { spec, metadata } of parts) {
    expect(spec).toMatchObject({ blockSize: 29, nodeSelector: 'all()' });
    expect(spec.disabled).toBeUndefined();
    expect(metadata.annotations).not.toHaveProperty(splitMark);
  }
  const cidrs = parts.map(({ spec }) => parseCidr(spec.cidr));
  for (const { spec } of blocksIn(store)) {
    const block = parseCidr(spec.cidr);
    expect(cidrs.filter((part) => part && block && cidrCovers(part, block))).toHaveLength(1);
  }
  expect(others(store)).toEqual(before.filter(({ kind }) => kind !== 'IPPool'));
  expect(holders(store).size).toBe(33);
  expect(inconsistencies(store)).toEqual([]);
}

/** One write to disable the pool, one per part, one to delete the pool. */
const writesOf = (number: number): number => number + 2;

const deaths: readonly MemoryFault[] = ['crash-before', 'crash-after', 'timeout-before', 'timeout-after', 'conflict'];

describe.each([2, 4, 8])('a split into %i parts', (number) => {
  it(`a split into ${number} parts writes what its plan says`, async () => {
    const before = await inUse();
    const store = new MemoryDatastore(before);
    expect(await split(store, number, false)).toBe('done');
    expectSplit(store, number, before);
    const writes = store.calls.filter(({ nthWrite }) => nthWrite > 0).map(({ op, name }) => `${op} ${name}`);
    const creates = Array.from({ length: number }, (_, index) => `create split-p-${index}`);
    expect(writes).toEqual(['update p', ...creates, 'delete p']);
  });

  it.each(deaths)(
    `a split into ${number} parts, repeated after %s at each write, ends with the parts`,
    async (fault) => {
      const before = await inUse();
      for (let kill = 1; kill <= writesOf(number); kill += 1) {
        const store = new MemoryDatastore(before, {
          faults: ({ nthWrite }) => (nthWrite === kill ? fault : undefined),
        });
        const first = split(store, number, false);
        if (fault.startsWith('crash')) await expect(first).rejects.toThrow(StoreCrash);
        else await expect(first).rejects.toThrow(SplitStopped);
        // Either the pool or all its parts exist at any time.
        const left = pools(store);
        expect(left.some(({ metadata }) => metadata.name === 'p') || left.length === number + 1).toBe(true);
        const again = new MemoryDatastore(store.dump());
        const gone = kill === writesOf(number) && fault.endsWith('after');
        expect(await split(again, number, false)).toBe(gone ? 'was done' : 'done');
        expectSplit(again, number, before);
      }
    },
  );

  it(`a split into ${number} parts, killed at each write and at each write of the repetition, ends with the parts`, async () => {
    const before = await inUse();
    for (let kill = 1; kill < writesOf(number); kill += 1) {
      const store = new MemoryDatastore(before, {
        faults: (call) => (call.nthWrite === kill ? 'crash-after' : undefined),
      });
      await expect(split(store, number, true)).rejects.toThrow(StoreCrash);
      const left = writesOf(number) - kill;
      for (let second = 1; second <= left; second += 1) {
        const again = new MemoryDatastore(store.dump(), {
          faults: (call) => (call.nthWrite === second ? 'crash-before' : undefined),
        });
        await expect(split(again, number, true)).rejects.toThrow(StoreCrash);
        const third = new MemoryDatastore(again.dump());
        expect(await split(third, number, false)).toBe('done');
        expectSplit(third, number, before);
      }
    }
  });
});

describe('splits with concurrent writers', () => {
  /** Runs a split in which another client writes just before the nth write. */
  async function interrupted(
    at: number,
    otherWrite: (store: MemoryDatastore) => Promise<unknown>,
  ): Promise<MemoryDatastore> {
    const store = new MemoryDatastore(await inUse());
    const update = store.update.bind(store);
    const create = store.create.bind(store);
    const remove = store.delete.bind(store);
    let writes = 0;
    const turn = async (): Promise<void> => {
      writes += 1;
      if (writes === at) await otherWrite(store);
    };
    store.update = async (...args) => turn().then(() => update(...args));
    store.create = async (...args) => turn().then(() => create(...args));
    store.delete = async (...args) => turn().then(() => remove(...args));
    await expect(split(store, 2, false)).rejects.toThrow(SplitStopped);
    expect(writes).toBeGreaterThanOrEqual(at);
    return store;
  }
  const edit = async (store: MemoryDatastore, name: string, spec: object): Promise<void> => {
    const found = await store.get(ipPool, { name });
    await store.update(ipPool, { ...found, spec: { ...found.spec, ...spec } });
  };

  it('a split does not disable a pool that changed after it was read', async () => {
    const store = await interrupted(1, (other) => edit(other, 'p', { natOutgoing: true }));
    expect(pools(store).map(({ metadata, spec }) => [metadata.name, spec.disabled, spec.natOutgoing])).toEqual([
      ['p', undefined, true],
      ['q', undefined, undefined],
    ]);
  });

  it('a split does not delete a pool that changed after it was disabled', async () => {
    const store = await interrupted(4, (other) => edit(other, 'p', { natOutgoing: true }));
    expect(pools(store).map(({ metadata }) => metadata.name)).toEqual(['p', 'q', 'split-p-0', 'split-p-1']);
  });

  it('a split does not delete a pool when a part was deleted or changed', async () => {
    const gone = await interrupted(3, async (other) => {
      const { uid } = (await other.get(ipPool, { name: 'split-p-0' })).metadata;
      await MemoryDatastore.prototype.delete.call(other, ipPool, { name: 'split-p-0' }, { uid });
    });
    expect(pools(gone).map(({ metadata }) => metadata.name)).toEqual(['p', 'q', 'split-p-1']);
    const going = await interrupted(3, async (other) => {
      const found = await other.get(ipPool, { name: 'split-p-0' });
      const metadata = { ...found.metadata, deletionTimestamp: '2025-12-01T00:00:00Z' };
      await other.update(ipPool, { ...found, metadata });
    });
    expect(pools(going).map(({ metadata }) => metadata.name)).toContain('p');
    const changed = await interrupted(3, (other) => edit(other, 'split-p-0', { disabled: true }));
    expect(pools(changed).map(({ metadata }) => metadata.name)).toEqual(['p', 'q', 'split-p-0', 'split-p-1']);
  });

  it('a split uses a part that another split created with the same content', async () => {
    const before = await inUse();
    const store = new MemoryDatastore(before);
    const reading = await readForSplit(store, {});
    const plan = planSplit(reading, { name: 'p', number: 2, asCalicoctl: false });
    if (!('parts' in plan)) throw new Error('no plan');
    for (const { pool: part } of plan.parts) await store.create(ipPool, part);
    expect(await applySplit(store, plan, {})).toEqual({ gone: true });
    expectSplit(store, 2, before);
  });
});
