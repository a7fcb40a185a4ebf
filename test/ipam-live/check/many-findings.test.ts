// A repair of very many findings: memory does not grow with the repairs, lost responses are looked up, every write is journaled.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatastoreError } from '../../../src/datastore/datastore.ts';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { openJournal } from '../../../src/files/journal.ts';
import type { FixOutcome } from '../../../src/ipam-check/report.ts';
import { check } from '../../../src/ipam-live/check/check.ts';
import { type Repaired, repair } from '../../../src/ipam-live/repair/repair.ts';
import type { Progress } from '../../../src/world/progress.ts';
import { manyFaults } from '../../support/clusters/many-faults.ts';
import { TestClock } from '../../support/program/world.ts';

const long = process.env['LONG'] !== undefined;
const [strays, leaks] = long ? [10_000, 3_000] : [400, 130];
const findings = strays + leaks;
if (long) vi.setConfig({ testTimeout: 600_000 });
const clock = new TestClock('2026-06-01T00:00:00Z');
const never = new AbortController().signal;

let top = '';
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-many-'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

interface Fixed {
  readonly done: Repaired;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

interface FixOptions {
  readonly signal?: AbortSignal;
  readonly progress?: Progress;
  /** Called between the first check and the repair. */
  readonly onBegin?: () => void;
}

async function fix(store: MemoryDatastore, given: FixOptions = {}): Promise<Fixed> {
  const { signal = never, progress = (): void => undefined } = given;
  const options = { clock, signal, graceMs: 60_000, progress };
  const confirmed = await check(store, options);
  given.onBegin?.();
  const path = join(top, `journal-${Math.random()}.jsonl`);
  const journal = await openJournal(path, clock);
  const settings = { selection: {}, journal, lock: undefined, goOn: async () => true };
  const done = await repair(store, confirmed, { ...options, ...settings });
  await journal.close();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return { done, lines: lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>) };
}

function outcomes({ items }: Repaired): Partial<Record<FixOutcome, number>> {
  const count: Partial<Record<FixOutcome, number>> = {};
  for (const { outcome } of items) count[outcome] = (count[outcome] ?? 0) + 1;
  return count;
}

/** Every write has a line before it and a line after it. */
function expectComplete(lines: Fixed['lines'], writes: number): void {
  const phases = new Map<unknown, unknown[]>();
  for (const { write, phase } of lines) phases.set(write, [...(phases.get(write) ?? []), phase]);
  expect(phases.size).toBe(writes);
  expect([...phases.values()].filter((pair) => pair.join() !== 'before,after')).toEqual([]);
}

const left = async (store: MemoryDatastore): Promise<number> =>
  (await check(store, { clock, signal: never, graceMs: 60_000 })).judgements.length;

it('a repair of many findings reports each step, and leaves none', async () => {
  const store = new MemoryDatastore(manyFaults(strays, leaks));
  const reported: number[] = [];
  const { done, lines } = await fix(store, {
    progress: (text, steps) => {
      if (text !== 'repairing' || steps === undefined) return;
      expect(steps).toMatchObject({ total: findings, unit: 'repairs' });
      reported.push(steps.done);
    },
  });
  expect(outcomes(done)).toEqual({ applied: findings });
  expect(reported.at(-1)).toBe(findings);
  expect(reported.every((number, i) => number > (reported[i - 1] ?? 0))).toBe(true);
  // Handles are repaired one at a time, addresses one block at a time.
  expect(reported.length).toBeGreaterThan(strays);
  expectComplete(lines, store.writes);
  expect(await left(store)).toBe(0);
});

it('the memory of a repair does not grow with the number of repairs', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const [most, more] = long ? [strays, leaks] : [1_000, 300];
  const all = most + more;
  const store = new MemoryDatastore(manyFaults(most, more));
  const heap: number[] = [];
  const steps = [all / 4, all / 2, (all * 3) / 4, all];
  await fix(store, {
    progress: (text, reported) => {
      const number = text === 'repairing' ? (reported?.done ?? 0) : 0;
      // The calls that the store records for tests are not memory of the repair.
      store.calls.length = 0;
      const step = steps[heap.length];
      if (step === undefined || number < step) return;
      collect();
      heap.push(process.memoryUsage().heapUsed);
    },
  });
  expect(heap).toHaveLength(4);
  // Each repair leaves only its outcome: its journal lines alone would be a kilobyte.
  expect((heap[3] ?? 0) - (heap[0] ?? 0)).toBeLessThan(250_000 + 150 * all);
});

describe('a write whose response is lost', () => {
  it('a write whose response is lost counts as made when it is stored', async () => {
    const faults = ({ nthWrite }: { nthWrite: number }) =>
      nthWrite % 50 === 49 ? ('timeout-after' as const) : undefined;
    const store = new MemoryDatastore(manyFaults(strays, leaks), { faults });
    const { done, lines } = await fix(store);
    expect(store.writes).toBeGreaterThan(2 * strays);
    expect(outcomes(done)).toEqual({ applied: findings });
    expect(done.confirmed.judgements).toEqual([]);
    expectComplete(lines, store.writes);
    expect(lines.filter(({ outcome }) => outcome === 'unknown')).toEqual([]);
    store.faults = undefined;
    expect(await left(store)).toBe(0);
  });

  it('a write whose response is lost counts as failed when it is not stored, and its finding remains', async () => {
    const lost = new Set<string>();
    const faults = ({ nthWrite, name, kind, op }: { nthWrite: number; name: string; kind: string; op: string }) => {
      if (kind !== 'IPAMHandle' || op !== 'update' || nthWrite % 50 !== 49) return undefined;
      lost.add(name);
      return 'timeout-before' as const;
    };
    const store = new MemoryDatastore(manyFaults(strays, 0), { faults });
    const { done, lines } = await fix(store);
    expect(lost.size).toBeGreaterThan(3);
    expect(outcomes(done)).toEqual({ applied: strays - lost.size, failed: lost.size });
    const failed = done.items.filter(({ outcome }) => outcome === 'failed');
    expect(new Set(failed.map(({ finding }) => finding.object.name))).toEqual(lost);
    expect(new Set(done.confirmed.judgements.map(({ finding }) => finding.object.name))).toEqual(lost);
    expect(failed.every(({ detail }) => detail?.includes('no answer'))).toBe(true);
    expectComplete(lines, store.writes);
    expect(lines.filter(({ outcome }) => outcome === 'unknown')).toHaveLength(lost.size);
  });
});

describe('interrupted repairs', () => {
  it.each([
    // Two writes per handle, 32 handles at a time.
    ['handles', strays, 0, 64],
    // 32 blocks at a time: one write each, and two for the handle of each of their addresses.
    ['addresses', 0, leaks, 32 * (1 + 2 * 64)],
  ] as const)('an interrupted repair of %s completes what it began and skips the rest', async (_, most, more, last) => {
    const stop = new AbortController();
    const store = new MemoryDatastore(manyFaults(most, more));
    store.faults = ({ nthWrite }) => {
      if (nthWrite === 101) stop.abort();
      return undefined;
    };
    const { done, lines } = await fix(store, { signal: stop.signal });
    const { applied = 0, skipped = 0, ...others } = outcomes(done);
    expect(others).toEqual({});
    expect(applied + skipped).toBe(most + more);
    expect(applied).toBeGreaterThan(40);
    expect(store.writes - 101).toBeLessThan(last);
    expectComplete(lines, store.writes);
    expect(done.isChecked).toBe(false);
    // The remaining findings are those in the store: no repair is incomplete, and no repaired finding is listed.
    store.faults = undefined;
    expect(done.confirmed.judgements).toHaveLength(skipped);
    expect(await left(store)).toBe(skipped);
  });

  it.each([1, 2, 3, 5, 8, 13, 21, 34, 55, 89])(
    'a repair interrupted at call %d leaves nothing incomplete',
    async (nth) => {
      const stop = new AbortController();
      const store = new MemoryDatastore(manyFaults(20, 20));
      const { done } = await fix(store, {
        signal: stop.signal,
        onBegin: () => {
          const before = store.calls.length;
          store.faults = (call) => {
            if (call.nth === before + nth) stop.abort();
            return undefined;
          };
        },
      });
      expect(stop.signal.aborted).toBe(true);
      store.faults = undefined;
      const { applied = 0, ...others } = outcomes(done);
      expect(Object.keys(others).filter((outcome) => outcome !== 'skipped')).toEqual([]);
      expect(done.confirmed.judgements).toHaveLength(40 - applied);
      expect(await left(store)).toBe(40 - applied);
    },
  );
});

it('a repair whose last check fails still reports what was repaired', async () => {
  const store = new MemoryDatastore(manyFaults(20, 5));
  store.faults = ({ op }) => (op === 'list' && store.writes > 0 ? 'timeout-before' : undefined);
  const { done } = await fix(store);
  expect(outcomes(done)).toEqual({ applied: 25 });
  expect(done.isChecked).toBe(false);
  expect(done.uncheckable).toBeInstanceOf(DatastoreError);
  expect(done.confirmed.judgements).toEqual([]);
});
