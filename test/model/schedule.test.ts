// The search for schedules itself: it finds the same endings as running every schedule one by one, and faults made on
// purpose.
import { describe, expect, it } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { ipamStoreOf } from '../../src/datastore/stored-ipam.ts';
import { touched, withSpec } from '../../src/ipam/block/block.ts';
import { assigned } from '../../src/ipam/block/block-assign.ts';
import { incrementHandle } from '../../src/ipam/handles.ts';
import { IntervalSet } from '../../src/net/interval-set.ts';
import type { IPAMBlock } from '../../src/resources/kinds/ipam-block.ts';
import { handleOf, holderOf } from '../support/clusters/shop-pods.ts';
import { type Failure, Judge, judgeAll, scopeOf } from '../support/interleaving/checks.ts';
import { runsAt, type SmallCluster, smallClusters } from '../support/interleaving/clusters.ts';
import {
  type Actor,
  assign,
  assignGiven,
  claimRangeFor,
  collect,
  releaseAddress,
  releaseEmptyBlock,
  releaseHandle,
} from '../support/interleaving/operations.ts';
import { endingText, everySchedule, explore, play } from './schedule.ts';

function clusterNamed(name: string): SmallCluster {
  const found = smallClusters.find((cluster) => cluster.name === name);
  if (found === undefined) throw new Error(`no cluster ${name}`);
  return found;
}

describe('explore compared with running every schedule', () => {
  const bare = clusterNamed('no block, a pool of one');
  const used = clusterNamed('a pool of one block, in use');
  const marked = clusterNamed('an empty block with an affinity marked for deletion');
  const cases: readonly (readonly [SmallCluster, readonly [Actor, Actor], boolean])[] = [
    [bare, [claimRangeFor('node-a'), claimRangeFor('node-b')], false],
    [bare, [assign('node-b', 'A'), releaseAddress], true],
    [used, [releaseAddress, releaseHandle], true],
    [used, [assignGiven('node-b', 'A', '10.0.0.2'), releaseAddress], false],
    [used, [releaseHandle, collect(used)], false],
    [used, [claimRangeFor('node-b'), releaseAddress], false],
    [marked, [releaseEmptyBlock, releaseAddress], true],
  ];
  it.each(
    cases.map(([cluster, actors, crashes]) => ({
      what: `${actors[0].name}, ${actors[1].name}`,
      cluster,
      actors,
      crashes,
    })),
  )(
    'explore finds the same endings as every schedule of $what',
    { timeout: 120_000 },
    async ({ cluster, actors, crashes }) => {
      const scope = scopeOf(cluster, actors);
      const found = new Set<string>();
      const onEnding = (ending: Parameters<typeof endingText>[0]): void => void found.add(endingText(ending));
      const totals = await explore(scope, { onEnding }, { crashes, losses: Number.POSITIVE_INFINITY });
      const expected = new Set<string>();
      let schedules = 0n;
      for await (const ending of everySchedule(scope, { crashes, direct: true })) {
        schedules += 1n;
        expected.add(endingText(ending));
      }
      expect([...found].sort()).toEqual([...expected].sort());
      expect(totals.schedules).toBe(schedules);
      expect(totals.runs).toBeLessThan(Number(schedules));
    },
  );

  it('explore finds the same endings when reads of kinds that no operation writes are also put in every order', async () => {
    const scope = scopeOf(bare, [releaseAddress, claimRangeFor('node-b')]);
    const found = new Set<string>();
    const onEnding = (ending: Parameters<typeof endingText>[0]): void => void found.add(endingText(ending));
    await explore(scope, { onEnding }, { crashes: false, losses: Number.POSITIVE_INFINITY });
    const expected = new Set<string>();
    for await (const ending of everySchedule(scope, { crashes: false, direct: false }))
      expected.add(endingText(ending));
    expect([...found].sort()).toEqual([...expected].sort());
  });
});

/** A faulty allocator: `write` stores the block that it has prepared. */
function brokenAssign(write: (store: Datastore, block: IPAMBlock) => Promise<unknown>): Actor {
  const assignsFor = { pod: 'new-A', node: 'node-a' };
  return {
    name: 'a broken allocator',
    assignsFor,
    async run(store) {
      const ipam = ipamStoreOf(store);
      const found = await ipam.blocks.get('10-0-0-0-30');
      if (!found.ok) return [];
      await incrementHandle(ipam, handleOf(assignsFor.pod), found.value.spec.cidr, 1);
      const { block, ordinals } = assigned(found.value, 1, holderOf(assignsFor, runsAt), IntervalSet.of([]));
      await write(store, touched(block));
      return ordinals.map((ordinal) => `10.0.0.${ordinal}`);
    },
    assigned: (result) => result as string[],
  };
}

describe('faults that only some schedules show', () => {
  const cluster = clusterNamed('a pool of one block, in use');
  const crashless = { crashes: false, losses: 2 };
  const allFailures = async (actors: readonly [Actor, Actor], crashes = false): Promise<readonly Failure[]> =>
    (await judgeAll(cluster, actors, { ...crashless, crashes })).failures;

  /** Ignores the revision it has read, so what others have stored since is lost. */
  const blind = brokenAssign(async (store, block) => {
    const { blocks } = ipamStoreOf(store);
    const now = await blocks.get(block.metadata.name);
    if (now.ok) await blocks.update({ ...block, metadata: now.value.metadata });
  });

  it('a write without the revision assigns an address twice', async () => {
    const failures = await allFailures([blind, assign('node-a', 'B')]);
    expect(failures.map(({ what }) => what)).toContain('10.0.0.2 was assigned to new-A and to new-B');
  });

  it('a write whose failure is ignored returns an address that is not allocated', async () => {
    const careless = brokenAssign((store, block) => ipamStoreOf(store).blocks.update(block));
    const failures = await allFailures([careless, releaseAddress]);
    expect(failures.map(({ what }) => what)).toContain('10.0.0.2 is used by new-A and allocated to no pod');
    expect(await allFailures([careless, claimRangeFor('node-b')])).toEqual([]);
  });

  it('a mark that its writer would remove remains when the writer crashes', async () => {
    const marking: Actor = {
      name: 'marks the block and removes the mark',
      async run(store) {
        const { blocks } = ipamStoreOf(store);
        const found = await blocks.get('10-0-0-0-30');
        const marked = found.ok ? await blocks.update(withSpec(found.value, { deleted: true })) : found;
        if (marked.ok) await blocks.update(withSpec(marked.value, { deleted: false }));
      },
    };
    const whats = async (crashes: boolean) =>
      (await allFailures([marking, claimRangeFor('node-b')], crashes)).map(({ what }) => what);
    expect(await whats(false)).toEqual([]);
    expect((await whats(true)).join('\n')).toMatch(/after a repair: INV-14/);
  });

  it('the schedule of a failure reproduces it', async () => {
    const actors = [blind, assign('node-a', 'B')] as const;
    const [failure] = await allFailures(actors);
    const judge = new Judge(cluster, actors);
    await judge.ending(await play(scopeOf(cluster, actors), failure?.schedule ?? []));
    expect(judge.failures.map(({ what }) => what)).toContain(failure?.what);
  });
});
