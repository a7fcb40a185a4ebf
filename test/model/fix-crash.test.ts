// A repair that is killed at any write: the next repair completes it.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore, StoreCrash } from '../../src/datastore/memory.ts';
import type { Journal } from '../../src/files/journal.ts';
import { check } from '../../src/ipam-live/check/check.ts';
import { repair } from '../../src/ipam-live/repair/repair.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { type DamageName, damageOnce, damageRandomly } from '../support/clusters/damage.ts';
import { exampleFaults, exampleManualFaults, exampleObjects } from '../support/clusters/example-cluster.ts';
import { cluster, seeded } from '../support/clusters/seeded-cluster.ts';
import { TestClock } from '../support/program/world.ts';

const noJournal: Journal = { path: 'none', append: async () => undefined, close: async () => undefined };
const clock = (): TestClock => new TestClock('2026-06-01T00:00:00Z');
const never = new AbortController().signal;

const observing = { clock: clock(), signal: never, graceMs: 60_000 };

async function fix(store: MemoryDatastore): Promise<void> {
  const confirmed = await check(store, observing);
  await repair(store, confirmed, {
    ...observing,
    selection: {},
    journal: noJournal,
    lock: undefined,
    goOn: async () => true,
  });
}

async function faults(store: MemoryDatastore): Promise<string[]> {
  const { judgements } = await check(store, observing);
  return judgements
    .filter(({ finding }) => finding.stability === 'stable' && finding.severity !== 'info')
    .map(({ finding: { id, severity, address, object } }) => `${id} ${severity} ${address ?? object.name}`)
    .sort();
}

/** Addresses in use by pods of the objects, which no repair may free. */
function allocatedInUse(objects: readonly KubeObject[]): Set<string> {
  const used = new Set<string>();
  for (const { kind, spec, status } of objects) {
    if (kind !== 'Pod' || (spec as { hostNetwork?: boolean }).hostNetwork) continue;
    const { phase, podIP } = status as { phase?: string; podIP?: string };
    if (phase === 'Running' && podIP !== undefined) used.add(podIP);
  }
  return used;
}

function allocated(objects: readonly KubeObject[]): Set<string> {
  const addresses = new Set<string>();
  for (const object of objects) {
    if (object.kind !== 'IPAMBlock') continue;
    const spec = object.spec as { cidr: string; allocations: (number | null)[] };
    const [base = '', prefix] = spec.cidr.split('/');
    const octets = base.split('.').map(Number);
    expect(Number(prefix)).toBeGreaterThanOrEqual(24);
    spec.allocations.forEach((index, ordinal) => {
      if (index !== null) addresses.add([...octets.slice(0, 3), (octets[3] ?? 0) + ordinal].join('.'));
    });
  }
  return addresses;
}

/** Kills a repair of these objects at each of its writes, completes it with a second one, and returns the number of writes. */
async function everyKill(
  objects: () => KubeObject[],
  how: 'crash-after' | 'crash-before' | 'timeout-after',
): Promise<number> {
  const whole = new MemoryDatastore(objects());
  await fix(whole);
  const left = await faults(whole);
  const heldBefore = allocated(objects());
  const inUse = [...allocatedInUse(objects())].filter((address) => heldBefore.has(address));
  let writes = 0;
  for (let kill = 1; ; kill += 1) {
    let died = false;
    const store = new MemoryDatastore(objects(), {
      faults: ({ nthWrite }) => {
        if (nthWrite !== kill) return undefined;
        died = true;
        return how;
      },
    });
    await fix(store).catch((error: unknown) => {
      if (!(error instanceof StoreCrash)) throw error;
    });
    if (!died) break;
    writes += 1;
    const survivor = new MemoryDatastore(store.dump());
    await fix(survivor);
    expect(await faults(survivor), `killed at write ${kill}`).toEqual(left);
    const held = allocated(survivor.dump());
    for (const address of inUse) expect(held, `${address}, killed at write ${kill}`).toContain(address);
  }
  return writes;
}

describe('repairs that are killed', () => {
  for (const how of ['crash-after', 'crash-before', 'timeout-after'] as const) {
    it(`a repair of the example that is killed at any write with ${how} is completed by the next one`, async () => {
      const store = new MemoryDatastore(exampleObjects());
      expect(await faults(store)).toEqual(exampleFaults);
      await fix(store);
      expect(await faults(store)).toEqual(exampleManualFaults);
      expect(await everyKill(exampleObjects, how)).toBeGreaterThan(12);
    });
  }

  const repairable: readonly DamageName[] = [
    'leak',
    'finishedPod',
    'strayHandle',
    'missingHandle',
    'lostOrdinal',
    'pendingAffinity',
    'missingAffinity',
    'orphanBlock',
  ];
  for (const name of repairable) {
    it(`a repair of ${name} that is killed at any write is completed by the next one`, async () => {
      const broken = (): KubeObject[] => {
        const whole = cluster({ seed: 3, nodes: 2, podsPerNode: 4 });
        expect(damageOnce(name, whole, seeded(5))).toBeDefined();
        return whole.objects;
      };
      expect(await faults(new MemoryDatastore(broken()))).not.toEqual([]);
      expect(await everyKill(broken, 'crash-after')).toBeGreaterThan(0);
    });
  }

  const seeds = process.env['LONG'] ? 200 : 12;
  it(`a repair of ${seeds} clusters with several kinds of damage that is killed at any write is completed by the next one`, async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const broken = (): KubeObject[] => {
        const whole = cluster({ seed, nodes: 3, podsPerNode: 4, borrowed: 0.2 });
        damageRandomly(whole, seed, 6, repairable);
        return whole.objects;
      };
      await everyKill(broken, 'crash-after');
    }
  }, 600_000);
});
