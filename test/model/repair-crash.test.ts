// Every repair primitive and release, interrupted before and after each of its writes, then repaired and run again.
// Whatever remains in between is a state that the primitives themselves repair, and no allocated address is ever freed.
import { describe, expect, it } from 'vitest';
import { DatastoreError } from '../../src/datastore/datastore.ts';
import { type MemoryCall, MemoryDatastore, type MemoryFault, StoreCrash } from '../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../src/datastore/stored-ipam.ts';
import { withSpec } from '../../src/ipam/block/block.ts';
import type { IpamStore } from '../../src/ipam/ipam-store.ts';
import { releaseByHandle, releaseInBlock, releaseIps } from '../../src/ipam/release/release.ts';
import { setHandleCount } from '../../src/ipam/repair/handle-repair.ts';
import {
  confirmNamedAffinity,
  createMissingAffinity,
  deleteEmptyBlock,
  dropNamedAffinity,
  finishTombstone,
  rebuildBlock,
  relabelNamedAffinity,
  releaseNamedAffinity,
} from '../../src/ipam/repair/primitives.ts';
import { noPrecondition } from '../../src/ipam/repair/repair-outcome.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import {
  affinitiesIn,
  affinityTo,
  blocksIn,
  blockWith,
  firstSequence,
  handlesIn,
  handleWith,
  holders,
  inconsistencies,
  marked,
  node,
  pool,
} from '../support/clusters/ipam-state.ts';

const cidr = '10.0.0.0/29';
const block = '10-0-0-0-29';
const affinity = 'node-a-10-0-0-0-29';
const held = blockWith(cidr, 'host:node-a', ['a', 2], ['b', 1]);
/** A node that does not exist, so no affinity is created for it. */
const goneOwner = 'host:node-x';
const handleA = handleWith('a', { [cidr]: 2 });
const handleB = handleWith('b', { [cidr]: 1 });
const confirmed = affinityTo('node-a', cidr, 'confirmed');
const addresses = [0, 1, 2].map((ordinal) => ({
  block,
  address: `10.0.0.${ordinal}`,
  handle: ordinal < 2 ? 'a' : 'b',
  sequenceNumber: firstSequence + (ordinal < 2 ? 0n : 1n),
}));

interface Scenario {
  readonly what: string;
  readonly objects: readonly KubeObject[];
  run(ipam: IpamStore, store: MemoryDatastore): Promise<unknown>;
  /** Handles whose addresses are released; all others must keep theirs at every moment. */
  readonly frees?: readonly string[];
  /** The number of objects at the end, by kind. */
  readonly end: { blocks: number; affinities: number; handles: number };
}

const revisionOf = (store: MemoryDatastore, name: string) =>
  affinitiesIn(store).find(({ metadata }) => metadata.name === name)?.metadata.resourceVersion;
const byName = (store: MemoryDatastore) => ({ affinity, resourceVersion: revisionOf(store, affinity) });
const setCount = (ipam: IpamStore, store: MemoryDatastore, name: string, handleId = name) => {
  const stored = handlesIn(store).find(({ metadata }) => metadata.name === name);
  const { uid, resourceVersion } = stored?.metadata ?? {};
  const blocks = blocksIn(store).map(({ metadata }) => metadata.name);
  return setHandleCount(ipam, { handle: name, handleId, uid, resourceVersion, blocks, lowers: true }, noPrecondition);
};

const scenarios: readonly Scenario[] = [
  {
    what: 'R1 of all addresses of a block',
    objects: [held, confirmed, handleA, handleB],
    run: (ipam) => releaseInBlock(ipam, block, addresses, noPrecondition),
    frees: ['a', 'b'],
    end: { blocks: 1, affinities: 1, handles: 0 },
  },
  {
    what: 'R1 of some addresses of a block without an owner',
    objects: [blockWith(cidr, undefined, ['a', 2], ['b', 1]), handleA, handleB],
    run: (ipam) => releaseInBlock(ipam, block, addresses.slice(0, 2), noPrecondition),
    frees: ['a'],
    end: { blocks: 1, affinities: 0, handles: 1 },
  },
  {
    what: 'R1 of all addresses of a block without an owner',
    objects: [blockWith(cidr, undefined, ['a', 2], ['b', 1]), handleA, handleB],
    run: (ipam) => releaseInBlock(ipam, block, addresses, noPrecondition),
    frees: ['a', 'b'],
    end: { blocks: 0, affinities: 0, handles: 0 },
  },
  {
    what: 'R1 of the addresses of a node that its pool no longer selects',
    objects: [pool('p', '10.0.0.0/24', 29, "zone == 'y'"), node('node-a'), held, confirmed, handleA, handleB],
    run: async (ipam, store) => {
      await releaseInBlock(ipam, block, addresses, noPrecondition);
      if (revisionOf(store, affinity) !== undefined) await releaseNamedAffinity(ipam, byName(store), noPrecondition);
    },
    frees: ['a', 'b'],
    end: { blocks: 0, affinities: 0, handles: 0 },
  },
  {
    what: 'a release by address',
    objects: [pool('p', '10.0.0.0/24', 29), held, confirmed, handleA, handleB],
    run: (ipam) => releaseIps(ipam, [{ address: '10.0.0.0' }, { address: '10.0.0.1' }]),
    frees: ['a'],
    end: { blocks: 1, affinities: 1, handles: 1 },
  },
  {
    what: 'a release by handle',
    objects: [held, confirmed, handleA, handleB],
    run: (ipam) => releaseByHandle(ipam, 'a'),
    frees: ['a'],
    end: { blocks: 1, affinities: 1, handles: 1 },
  },
  {
    what: 'R2 of a wrong free list',
    objects: [withSpec(held, { unallocated: [7, 7, 0, 40] }), confirmed, handleA, handleB],
    run: (ipam) => rebuildBlock(ipam, { block }, noPrecondition),
    end: { blocks: 1, affinities: 1, handles: 2 },
  },
  {
    what: 'R3 of a count that is too high',
    objects: [held, confirmed, handleWith('a', { [cidr]: 5, '10.9.9.0/29': 1 }), handleB],
    run: (ipam, store) => setCount(ipam, store, 'a'),
    end: { blocks: 1, affinities: 1, handles: 2 },
  },
  {
    what: 'R3 of a missing handle',
    objects: [held, confirmed, handleB],
    run: (ipam, store) => setCount(ipam, store, 'a'),
    end: { blocks: 1, affinities: 1, handles: 2 },
  },
  {
    what: 'R3 of a stray handle',
    objects: [held, confirmed, handleA, handleB, handleWith('stray', { [cidr]: 1 })],
    run: (ipam, store) => setCount(ipam, store, 'stray'),
    end: { blocks: 1, affinities: 1, handles: 2 },
  },
  {
    what: 'R4 of an affinity marked for deletion',
    objects: [held, affinityTo('node-a', cidr, 'pendingDeletion'), handleA, handleB],
    run: (ipam, store) => confirmNamedAffinity(ipam, byName(store), noPrecondition),
    end: { blocks: 1, affinities: 1, handles: 2 },
  },
  {
    what: 'R4 of a missing affinity',
    objects: [held, handleA, handleB],
    run: (ipam) => createMissingAffinity(ipam, { block, owner: 'host:node-a' }, noPrecondition),
    end: { blocks: 1, affinities: 1, handles: 2 },
  },
  {
    what: 'R4 of a half-deleted affinity',
    objects: [held, marked(confirmed), handleA, handleB],
    run: (ipam) => createMissingAffinity(ipam, { block, owner: 'host:node-a' }, noPrecondition),
    end: { blocks: 1, affinities: 1, handles: 2 },
  },
  {
    what: 'R5 of an affinity without a block',
    objects: [confirmed],
    run: (ipam, store) => dropNamedAffinity(ipam, byName(store), noPrecondition),
    end: { blocks: 0, affinities: 0, handles: 0 },
  },
  {
    what: 'R5 of an affinity for the block of another node',
    objects: [blockWith(cidr, 'host:node-b', ['a', 2]), affinityTo('node-b', cidr, 'confirmed'), confirmed, handleA],
    run: (ipam, store) => dropNamedAffinity(ipam, byName(store), noPrecondition),
    end: { blocks: 1, affinities: 1, handles: 1 },
  },
  {
    what: 'R6 of an empty block',
    objects: [blockWith(cidr, 'host:node-a'), confirmed],
    run: (ipam, store) => releaseNamedAffinity(ipam, byName(store), noPrecondition),
    end: { blocks: 0, affinities: 0, handles: 0 },
  },
  {
    what: 'R7 of a half-deleted block',
    objects: [marked(blockWith(cidr, undefined))],
    run: (ipam, store) =>
      finishTombstone(ipam, { kind: 'IPAMBlock', name: block, uid: blocksIn(store)[0]?.metadata.uid }, noPrecondition),
    end: { blocks: 0, affinities: 0, handles: 0 },
  },
  {
    what: 'R8 of an affinity without labels',
    objects: [
      held,
      { ...confirmed, metadata: { name: affinity }, spec: { ...confirmed.spec, type: undefined } },
      handleA,
      handleB,
    ],
    run: (ipam, store) => relabelNamedAffinity(ipam, byName(store), noPrecondition),
    end: { blocks: 1, affinities: 1, handles: 2 },
  },
  {
    what: 'R9 of an owned block without an affinity',
    objects: [blockWith(cidr, goneOwner)],
    run: (ipam) => deleteEmptyBlock(ipam, { block, owner: goneOwner }, noPrecondition),
    end: { blocks: 0, affinities: 0, handles: 0 },
  },
  {
    what: 'R9 of an empty block without an owner',
    objects: [blockWith(cidr, undefined)],
    run: (ipam) => deleteEmptyBlock(ipam, { block }, noPrecondition),
    end: { blocks: 0, affinities: 0, handles: 0 },
  },
];

/** The repairs of everything incomplete, in the order of a check: R7, R2, R8, R4, R5, R3, R9. */
async function repairAll(ipam: IpamStore, store: MemoryDatastore): Promise<void> {
  for (const { kind, metadata, spec } of store.dump()) {
    const { deleted } = (spec ?? {}) as { deleted?: boolean | string };
    if (deleted !== true && deleted !== 'true') continue;
    const { name, uid } = metadata;
    await finishTombstone(
      ipam,
      { kind: kind as 'IPAMBlock' | 'BlockAffinity' | 'IPAMHandle', name, uid },
      noPrecondition,
    );
  }
  for (const { metadata } of blocksIn(store)) await rebuildBlock(ipam, { block: metadata.name }, noPrecondition);
  for (const { metadata } of affinitiesIn(store)) {
    await relabelNamedAffinity(
      ipam,
      { affinity: metadata.name, resourceVersion: metadata.resourceVersion },
      noPrecondition,
    );
  }
  for (const { metadata, spec } of affinitiesIn(store)) {
    const owner = blocksIn(store).find((candidate) => candidate.spec.cidr === spec.cidr)?.spec.affinity;
    const action = { affinity: metadata.name, resourceVersion: metadata.resourceVersion };
    if (owner !== `${spec.type}:${spec.node}`) await dropNamedAffinity(ipam, action, noPrecondition);
    else if (spec.state !== 'confirmed') await confirmNamedAffinity(ipam, action, noPrecondition);
  }
  for (const { metadata, spec } of blocksIn(store)) {
    const hasAffinity = affinitiesIn(store).some((affinity) => affinity.spec.cidr === spec.cidr);
    if (!spec.affinity || hasAffinity) continue;
    const action = { block: metadata.name, owner: spec.affinity };
    await (spec.affinity === goneOwner ? deleteEmptyBlock : createMissingAffinity)(ipam, action, noPrecondition);
  }
  const named = blocksIn(store).flatMap(({ spec }) => spec.attributes.map(({ handle_id }) => handle_id ?? ''));
  for (const name of new Set([...handlesIn(store).map(({ metadata }) => metadata.name), ...named])) {
    if (name !== '') await setCount(ipam, store, name);
  }
  for (const { metadata, spec } of blocksIn(store)) {
    if (!spec.affinity) await deleteEmptyBlock(ipam, { block: metadata.name }, noPrecondition);
  }
}

function keptHolders(store: MemoryDatastore, frees: readonly string[]): string[] {
  return [...holders(store)]
    .filter(([, handle]) => !frees.includes(handle))
    .map(([place, handle]) => `${place} ${handle}`);
}

/** Runs a scenario with a fault at one write; undefined if it makes fewer writes. */
async function interrupt(
  scenario: Scenario,
  fault: MemoryFault,
  nthWrite: number,
): Promise<MemoryDatastore | undefined> {
  let hit = false;
  const faults = (call: MemoryCall): MemoryFault | undefined => {
    if (call.nthWrite !== nthWrite) return undefined;
    hit = true;
    return fault;
  };
  const store = new MemoryDatastore(scenario.objects, { faults });
  const ended = await scenario.run(ipamStoreOf(store), store).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if (!hit) return undefined;
  if ('error' in ended && !(ended.error instanceof StoreCrash || ended.error instanceof DatastoreError))
    throw ended.error;
  return new MemoryDatastore(store.dump());
}

function expectEnd(store: MemoryDatastore, { end }: Scenario): void {
  expect(inconsistencies(store)).toEqual([]);
  const counts = {
    blocks: blocksIn(store).length,
    affinities: affinitiesIn(store).length,
    handles: handlesIn(store).length,
  };
  expect(counts).toEqual(end);
}

describe.each(scenarios)('$what', (scenario) => {
  const { what } = scenario;
  const kept = keptHolders(new MemoryDatastore(scenario.objects), scenario.frees ?? []);

  it(`${what}: uninterrupted, it leaves nothing to do`, async () => {
    const store = new MemoryDatastore(scenario.objects);
    await scenario.run(ipamStoreOf(store), store);
    expectEnd(store, scenario);
    const { writes } = store;
    await scenario.run(ipamStoreOf(store), store);
    expect(store.writes).toBe(writes);
  });

  const faults: readonly MemoryFault[] = ['crash-after', 'crash-before', 'timeout-after', 'timeout-before', 'conflict'];
  it.each(faults)(
    `${what}: after %s at each write, held addresses stay, and a repair or repetition completes it`,
    async (fault) => {
      let interrupted = 0;
      for (let nthWrite = 1; ; nthWrite++) {
        const left = await interrupt(scenario, fault, nthWrite);
        if (left === undefined) break;
        interrupted += 1;
        const state = left.dump();
        expect(keptHolders(left, scenario.frees ?? [])).toEqual(kept);

        const again = new MemoryDatastore(state);
        await scenario.run(ipamStoreOf(again), again);
        await repairAll(ipamStoreOf(again), again);
        expectEnd(again, scenario);
        expect(keptHolders(again, scenario.frees ?? [])).toEqual(kept);

        const fixed = new MemoryDatastore(state);
        await repairAll(ipamStoreOf(fixed), fixed);
        expect(inconsistencies(fixed)).toEqual([]);
        await scenario.run(ipamStoreOf(fixed), fixed);
        await repairAll(ipamStoreOf(fixed), fixed);
        expectEnd(fixed, scenario);
      }
      expect(interrupted).toBeGreaterThan(0);
    },
  );
});
