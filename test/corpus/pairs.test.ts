// Two block faults at once: every planned repair can be applied, so after two runs of --fix nothing fixable is left.
import { describe, expect, test } from 'vitest';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { planRepairs } from '../../src/ipam-check/plan.ts';
import { check } from '../../src/ipam-live/check/check.ts';
import { repair } from '../../src/ipam-live/repair/repair.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { printJson } from '../../src/text/json.ts';
import { corpus, type DamagedCluster, healthyImage } from '../support/clusters/corpus.ts';
import { TestClock } from '../support/program/world.ts';

type Plain = Readonly<Record<string, unknown>>;

const place = ({ kind, metadata: { namespace, name } }: KubeObject): string => `${kind}/${namespace}/${name}`;
const byPlace = (objects: readonly KubeObject[]) => new Map(objects.map((object) => [place(object), object]));
const equal = (a: unknown, b: unknown): boolean => printJson([a] as never) === printJson([b] as never);
const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What both changes make of the base; where they contradict each other, the second one counts. */
function merged(base: unknown, first: unknown, second: unknown): unknown {
  if (first === undefined || second === undefined) return equal(second, base) ? first : second;
  if (equal(second, base)) return first;
  if (equal(first, base)) return second;
  if (isPlain(base) && isPlain(first) && isPlain(second)) {
    const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])];
    const fields = keys.map((key) => [key, merged(base[key], first[key], second[key])] as const);
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  }
  if (Array.isArray(base) && Array.isArray(first) && Array.isArray(second)) {
    if (first.length !== base.length || second.length !== base.length) return second;
    return base.map((value, at) => merged(value, first[at], second[at]));
  }
  return second;
}

const healthy = byPlace(healthyImage());

function both(first: DamagedCluster, second: DamagedCluster): KubeObject[] {
  const [one, two] = [byPlace(first.objects), byPlace(second.objects)];
  const places = [...new Set([...one.keys(), ...two.keys()])];
  const objects = places.map((at) => merged(healthy.get(at), one.get(at), two.get(at)));
  return objects.filter((object) => object !== undefined) as KubeObject[];
}

/** The corpus entries in which a block differs from the healthy image. */
const faults = corpus().filter(({ objects }) =>
  objects.some((object) => object.kind === 'IPAMBlock' && !equal(object, healthy.get(place(object)))),
);

/** What could still be repaired after two runs. */
async function fixableAfterTwoRuns(objects: readonly KubeObject[]): Promise<string[]> {
  const store = new MemoryDatastore(objects);
  const options = { clock: new TestClock('2026-06-01T00:00:00Z'), signal: new AbortController().signal };
  for (let run = 0; run < 2; run++) {
    await repair(store, await check(store, options), {
      ...options,
      selection: {},
      journal: { path: 'none', append: async () => undefined, close: async () => undefined },
      lock: undefined,
      goOn: async () => true,
    });
  }
  const { judgements } = await check(store, options);
  return planRepairs(judgements).map(({ finding: { id, object, address } }) => `${id} ${address ?? object.name}`);
}

test('the corpus has block faults to combine', () => expect(faults.length).toBeGreaterThan(20));

describe('two faults at once', () => {
  test.each(faults.map((fault, at) => [fault.name, fault, faults.slice(at + 1)] as const))(
    '%s and each later block fault: nothing fixable is left after two runs of --fix',
    async (_, first, others) => {
      const left: Record<string, string[]> = {};
      for (const second of others) {
        const fixable = await fixableAfterTwoRuns(both(first, second));
        if (fixable.length > 0) left[second.name] = fixable;
      }
      expect(left).toEqual({});
    },
    60_000,
  );
});

test('an address without a record that is in the free list too is freed in one run', async () => {
  const objects = structuredClone(healthyImage());
  const block = objects.find(({ metadata }) => metadata.name === '10-60-0-0-29') as KubeObject;
  const spec = block.spec as { allocations: (number | null)[]; unallocated: number[] };
  const [ordinal = 0] = spec.unallocated;
  spec.allocations[ordinal] = 99;
  const store = new MemoryDatastore(objects);
  const options = { clock: new TestClock('2026-06-01T00:00:00Z'), signal: new AbortController().signal };
  const first = await check(store, options);
  expect(planRepairs(first.judgements)).toHaveLength(1);
  await repair(store, first, {
    ...options,
    selection: {},
    journal: { path: 'none', append: async () => undefined, close: async () => undefined },
    lock: undefined,
    goOn: async () => true,
  });
  expect((await check(store, options)).judgements).toEqual([]);
});
