// Any two operations at the same time, on small clusters: every order of their store calls, and a crash of either at any
// point. No address is assigned twice, none in use is freed, and one repair afterwards leaves no finding.
// LONG=1 for all clusters and more conflicts. A failure prints a value for SCHEDULE, which runs its schedule again.
import { afterAll, describe, expect, it } from 'vitest';
import { Judge, judgeAll, scopeOf } from '../support/interleaving/checks.ts';
import { leakedAddress, type SmallCluster, smallClusters } from '../support/interleaving/clusters.ts';
import {
  type Actor,
  assign,
  assignGiven,
  assignToHandle,
  claimRangeFor,
  collect,
  releaseAddress,
  releaseEmptyBlock,
  releaseHandle,
  releaseUnguarded,
  removeNodeA,
  repairAll,
} from '../support/interleaving/operations.ts';
import { type Extent, play } from './schedule.ts';

const isLong = Boolean(process.env['LONG']);

/** The actors of each operation; `who` distinguishes two actors. */
const operations: Readonly<Record<string, (who: string, cluster: SmallCluster) => readonly Actor[]>> = {
  assign: (who) => [assign('node-a', who), assign('node-b', who), assignGiven('node-a', who, leakedAddress)],
  'release by address': () => [releaseAddress, releaseUnguarded],
  'release by handle': () => [releaseHandle],
  claim: () => [claimRangeFor('node-a'), claimRangeFor('node-b')],
  'release affinity': () => [releaseEmptyBlock],
  'remove host': () => [removeNodeA],
  'garbage collection': (_who, cluster) => [collect(cluster)],
  '--fix': () => [repairAll],
};

const names = Object.keys(operations);
const pairs = names.flatMap((one, at) => names.slice(at).map((other) => ({ one, other })));

/** The many reads of a repair and the many writes of these operations make most of all schedules. */
const isLarge = (one: string, other: string): boolean =>
  other === '--fix' && ['remove host', 'garbage collection', '--fix'].includes(one);

/** The clusters for a pair: all with LONG, except for one pair with too many schedules. */
function clustersFor(one: string, other: string): readonly SmallCluster[] {
  return smallClusters.filter(({ isRoomy, isExtra, isWide }) => {
    if (one === 'remove host' && other === '--fix' && isWide) return false;
    return isLong || !(isExtra || (isRoomy && isLarge(one, other)));
  });
}

function actorsOf(one: string, other: string, cluster: SmallCluster): (readonly [Actor, Actor])[] {
  const ones = operations[one]?.('A', cluster) ?? [];
  const others = operations[other]?.('B', cluster) ?? [];
  // Two equal operations have each pair of actors once.
  const both = ones.flatMap((a, at) => others.slice(one === other ? at : 0).map((b) => [a, b] as const));
  const selected = both.filter(([a, b]) => isLong || b !== repairAll || !a.name.includes(leakedAddress));
  // A release without a handle may release the address that the other actor has just assigned.
  return selected.filter(([a, b]) => a.assignsFor === undefined || b !== releaseUnguarded);
}

const totals = { runs: 0, steps: 0, schedules: 0n };

/** All failures, one text each: what failed, and how to run it again. */
async function failuresOf(cluster: SmallCluster, actors: readonly [Actor, Actor], extent: Extent): Promise<string[]> {
  const { totals: added, failures } = await judgeAll(cluster, actors, extent);
  totals.runs += added.runs;
  totals.steps += added.steps;
  totals.schedules += added.schedules;
  return failures.map(({ what, schedule }) => {
    const again = { cluster: cluster.name, actors: actors.map(({ name }) => name), schedule };
    return `${what}\nSCHEDULE='${JSON.stringify(again)}'`;
  });
}

describe('every schedule of two operations', () => {
  it.each(pairs)('every schedule of $one and $other is correct', { timeout: 3_600_000 }, async ({ one, other }) => {
    const failures: string[] = [];
    const extent = { crashes: true, losses: isLong && !isLarge(one, other) ? 2 : 1 };
    for (const cluster of clustersFor(one, other)) {
      for (const actors of actorsOf(one, other, cluster)) failures.push(...(await failuresOf(cluster, actors, extent)));
    }
    expect(failures).toEqual([]);
  });

  it('every schedule of an assignment and a release by the handle that it assigns to is correct', async () => {
    const failures: string[] = [];
    for (const cluster of smallClusters.filter(({ living }) => living.size === 0)) {
      failures.push(
        ...(await failuresOf(cluster, [assignToHandle('node-a'), releaseHandle], { crashes: true, losses: 2 })),
      );
    }
    expect(failures).toEqual([]);
  });

  afterAll(() => {
    const { runs, steps, schedules } = totals;
    process.stdout.write(`interleavings: ${runs} runs, ${steps} store calls, for at least ${schedules} schedules\n`);
  });
});

const given = process.env['SCHEDULE'];
if (given !== undefined) {
  it('the schedule in SCHEDULE is correct', async () => {
    const again = JSON.parse(given) as { cluster: string; actors: readonly string[]; schedule: readonly string[] };
    const cluster = smallClusters.find(({ name }) => name === again.cluster) as SmallCluster;
    const [a, b] = ['A', 'B'].map((who, index) =>
      [...names.flatMap((name) => operations[name]?.(who, cluster) ?? []), assignToHandle('node-a')].find(
        ({ name }) => name === again.actors[index],
      ),
    );
    const judge = new Judge(cluster, [a as Actor, b as Actor]);
    const ending = await play(scopeOf(cluster, [a as Actor, b as Actor]), again.schedule);
    judge.moment(ending.objects, ending.schedule);
    await judge.ending(ending);
    expect(judge.failures.map(({ what }) => what)).toEqual([]);
  });
}
