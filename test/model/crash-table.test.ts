// Every operation that writes more than once, cut off before and after each of its writes: nothing is assigned twice,
// the check finds what docs/reference/ipam.md#stops-between-writes says and no more, and a repair, or the operation
// itself when it is repeated, leaves all in order. LONG=1 cuts off more operations one after the other.
import { describe, expect, it } from 'vitest';
import { type MemoryCall, MemoryDatastore, type MemoryFault, StoreCrash } from '../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../src/datastore/stored-ipam.ts';
import type { Finding } from '../../src/ipam-check/finding.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { CalictlError } from '../../src/world/errors.ts';
import { pick, seeded } from '../support/clusters/seeded-cluster.ts';
import { cutAssignments } from '../support/crash/assignments.ts';
import {
  atOnce,
  findings,
  isCounted,
  lineOf,
  longAfter,
  misallocated,
  outline,
  problemsOfFilling,
  problemsOfRepair,
  repaired,
  withCurrentPods,
  withTimes,
} from '../support/crash/checks.ts';
import { cutClaims } from '../support/crash/claims.ts';
import { cutAt, type PodOf, type SmallCluster } from '../support/crash/clusters.ts';
import type { CutOperation } from '../support/crash/operation.ts';
import { cutReleases } from '../support/crash/releases.ts';
import { cutRepairs } from '../support/crash/repairs.ts';

/** By row, what a check finds and what the same fault breaks too. Row 3 is in order; row 6 is for callers of others. */
const rows: Readonly<Record<number, readonly string[]>> = {
  1: ['INV-29'],
  2: ['INV-32', 'INV-28'],
  4: ['INV-45', 'INV-47'],
  5: ['INV-53', 'INV-50'],
  7: ['INV-45', 'INV-47', 'INV-48'],
  8: ['INV-14'],
  9: ['INV-52'],
  10: ['INV-34'],
  11: ['INV-33', 'INV-28'],
  12: ['INV-33', 'INV-29'],
  13: ['INV-30', 'INV-33'],
  14: ['INV-30'],
};

const cutOperations = [...cutAssignments, ...cutClaims, ...cutReleases, ...cutRepairs];
const faults = ['crash-before', 'crash-after', 'timeout-before', 'timeout-after'] as const;
const taker: PodOf = { pod: 'new', node: 'node-a' };
const again: PodOf = { pod: 'again', node: 'node-a' };
const shortKinds: Readonly<Record<string, string>> = {
  IPAMBlock: 'block',
  BlockAffinity: 'claim',
  IPAMHandle: 'handle',
};

interface Cut extends SmallCluster {
  /** The writes that it came to, the cut one too. */
  readonly writes: readonly string[];
}

function textOf(objects: readonly KubeObject[]): string {
  return JSON.stringify(objects, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}

/** What an operation leaves with a fault at one of its writes: objects with the times of their writes, pods that live. */
async function cut(
  { run, handsOut }: CutOperation,
  { objects, living }: SmallCluster,
  { fault, nthWrite, by = taker }: { fault?: MemoryFault; nthWrite?: number; by?: PodOf } = {},
): Promise<Cut> {
  const before = new MemoryDatastore(objects).dump();
  const store = new MemoryDatastore(before, { now: () => cutAt });
  const writes: string[] = [];
  let state = textOf(before);
  const seeWhatItDid = (): void => {
    const now = textOf(store.dump());
    if (now === state && writes.length > 0) writes.push(`${writes.pop()}, in vain`);
    state = now;
  };
  store.faults = (call: MemoryCall) => {
    if (call.nthWrite === 0) return undefined;
    seeWhatItDid();
    writes.push(`${call.op} ${shortKinds[call.kind] ?? call.kind}`);
    return call.nthWrite === nthWrite ? fault : undefined;
  };
  const now = new Map(living);
  try {
    const result = await run(ipamStoreOf(store), by, store);
    // Whoever has died has learnt of no address.
    if (!fault?.startsWith('crash')) for (const address of handsOut?.(result) ?? []) now.set(address, by);
  } catch (error) {
    if (fault === undefined || !(error instanceof StoreCrash || error instanceof CalictlError)) throw error;
  }
  seeWhatItDid();
  return { objects: withCurrentPods(withTimes(store.dump(), before), now), living: now, writes };
}

/** What the check finds when every guard has run out, against the rows of the last write that had an effect. */
function problemsOfCheck(
  { cures = [], writes }: CutOperation,
  found: readonly Finding[],
  { last, crash }: { last: number; crash: boolean },
): string[] {
  const named = (writes[last - 1]?.slice(1) ?? []) as readonly number[];
  const allowed = new Set([...cures, ...named.flatMap((row) => rows[row] ?? [])]);
  const tooMuch = found
    .filter(({ id, also }) => ![id, ...also].every((one) => allowed.has(one)))
    .map((finding) => `found long after: ${[lineOf(finding), ...finding.also].join(' ')}`);
  const broken = new Set(found.flatMap(({ id, also }) => [id, ...also] as string[]));
  const unseen = crash ? named.filter((row) => !rows[row]?.some((id) => broken.has(id))) : [];
  return [...tooMuch, ...unseen.map((row) => `nothing found long after for row ${row}`)];
}

/**
 * Right after the cut nothing new counts, for the operation may still be going on; but for handles that count too much
 * and were not written for long: nobody is about to take an address under them.
 */
async function problemsAtOnce({ cluster }: CutOperation, { objects }: Cut): Promise<string[]> {
  const before = new Set((await findings(cluster.objects, atOnce)).map(lineOf));
  const counted = (await findings(objects, atOnce)).filter(isCounted);
  const written = new Set(objects.flatMap(({ metadata }) => (metadata.managedFields ? [metadata.name] : [])));
  return counted
    .filter(({ id, object }) => written.has(object.name) || !rows[7]?.includes(id))
    .map(lineOf)
    .filter((line) => !before.has(line))
    .map((line) => `found at once: ${line}`);
}

/** The end without the pods that took addresses. */
const withoutTakers = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replace(/ (?:new|again)\b/g, ''));

/** The same once more, by another pod where it takes addresses: it comes to the same end, whatever the first left. */
async function problemsOfRepeat(operation: CutOperation, first: Cut, wanted: number): Promise<string[]> {
  let done: Cut;
  try {
    done = await cut(operation, first, { by: again });
  } catch (error) {
    if (!(error instanceof CalictlError)) throw error;
    if (!operation.mayRefuse?.test(error.message)) return [`repeated: ${error.message}`];
    done = await cut(operation, { ...first, objects: (await repaired(first.objects)).dump() }, { by: again });
  }
  const problems = await problemsOfRepair(done.objects, done.living);
  const store = new MemoryDatastore(done.objects);
  problems.push(...misallocated(store, done.living));
  for (const [address, by] of first.living)
    if (done.living.get(address) !== by) problems.push(`${address} given again`);
  const given = done.living.size - first.living.size;
  if (given !== wanted) problems.push(`${given} of ${wanted} addresses given`);
  const end = withoutTakers(outline(operation.leavesToRepair ? await repaired(done.objects) : store));
  if (end.join() !== withoutTakers(operation.ends).join()) problems.push(`ends with ${end.join(', ')}`);
  return problems.map((text) => `repeated: ${text}`);
}

describe.each(cutOperations)('$what', (operation) => {
  const { what, cluster, writes, ends } = operation;

  it('$what without interruption makes the expected writes', async () => {
    const done = await cut(operation, cluster);
    expect.soft(done.writes).toEqual(writes.map(([write]) => write));
    expect.soft(outline(new MemoryDatastore(done.objects))).toEqual(ends);
    expect(await problemsOfRepair(done.objects, done.living)).toEqual([]);
  });

  it('$what interrupted at each write leaves what the table says', async () => {
    const wanted = (await cut(operation, cluster)).living.size - cluster.living.size;
    const judged = new Map<string, { found: readonly Finding[]; problems: readonly string[] }>();
    const failures: string[] = [];
    for (const [index, [write]] of writes.entries()) {
      for (const fault of faults) {
        // What the store refuses has no effect that an answer could be missing to.
        if (fault.endsWith('after') && write.endsWith('in vain')) continue;
        const left = await cut(operation, cluster, { fault, nthWrite: index + 1 });
        const text = textOf(left.objects);
        const { found, problems } = judged.get(text) ?? {
          found: (await findings(left.objects, longAfter)).filter(isCounted),
          problems: [
            ...misallocated(new MemoryDatastore(left.objects), left.living),
            ...(await problemsAtOnce(operation, left)),
            ...(await problemsOfFilling(left.objects, left.living)),
            ...(await problemsOfRepair(left.objects, left.living)),
            ...(await problemsOfRepeat(operation, left, wanted)),
          ],
        };
        judged.set(text, { found, problems });
        const at = { last: fault.endsWith('after') ? index + 1 : index, crash: fault.startsWith('crash') };
        for (const problem of [...problemsOfCheck(operation, found, at), ...problems])
          failures.push(`${what}, ${fault} at write ${index + 1}, ${write}: ${problem}`);
      }
    }
    expect(failures).toEqual([]);
  });
});

const chains = process.env['LONG'] ? 2000 : 40;

it(`three operations in a row, each interrupted at a random write, ${chains} times`, {
  timeout: 600_000,
}, async () => {
  const failures: string[] = [];
  for (let seed = 1; seed <= chains; seed += 1) {
    const random = seeded(seed);
    let left = pick(random, cutOperations).cluster;
    const story: string[] = [];
    for (const step of [1, 2, 3]) {
      const operation = pick(random, cutOperations);
      const fault = pick(random, faults);
      const nthWrite = 1 + Math.floor(random() * 6);
      story.push(`${operation.what}, ${fault} at write ${nthWrite}`);
      left = await cut(operation, left, { fault, nthWrite, by: { pod: `new-${step}`, node: 'node-a' } });
    }
    const problems = [
      ...misallocated(new MemoryDatastore(left.objects), left.living),
      ...(await problemsOfFilling(left.objects, left.living)),
      ...(await problemsOfRepair(left.objects, left.living)),
    ];
    for (const problem of problems) failures.push(`seed ${seed}: ${story.join('; ')}: ${problem}`);
  }
  expect(failures).toEqual([]);
});
