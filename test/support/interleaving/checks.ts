// What must be true for every schedule, at every moment and at its end. Failures contain the schedule, so that it can be
// run again.
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { addressOf, allocatedOrdinals, handleOf as handleIn } from '../../../src/ipam/block/block.ts';
import { structureProblems } from '../../../src/ipam/block/block-structure.ts';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { type Ending, type Extent, endingText, explore, type Scope, type Totals } from '../../model/schedule.ts';
import { inconsistencies } from '../clusters/ipam-state.ts';
import { handleOf, type PodOf } from '../clusters/shop-pods.ts';
import { podObject, runsAt, type SmallCluster } from './clusters.ts';
import { type Actor, faults, fix, objectsFor } from './operations.ts';

/** After every minimum age. */
const longAfter = new Date(runsAt.getTime() + 86_400_000);

export interface Failure {
  readonly what: string;
  readonly schedule: readonly string[];
}

/** Every allocated address, with its handles. */
function allocationsIn(objects: readonly KubeObject[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const object of objects) {
    if (object.kind !== 'IPAMBlock') continue;
    const block = object as IPAMBlock;
    for (const ordinal of allocatedOrdinals(block)) {
      const address = addressOf(block, ordinal);
      found.set(address, [...(found.get(address) ?? []), handleIn(block, ordinal) ?? '']);
    }
  }
  return found;
}

/** Addresses that are not allocated to exactly the pod that uses them. */
function wrongHolders(objects: readonly KubeObject[], users: ReadonlyMap<string, PodOf>): string[] {
  const allocations = allocationsIn(objects);
  return [...users].flatMap(([address, { pod }]) => {
    const handles = allocations.get(address) ?? [];
    const right = handles.length === 1 && handles[0] === handleOf(pod);
    return right ? [] : [`${address} is used by ${pod} and allocated to ${handles.join(' and ') || 'no pod'}`];
  });
}

export function scopeOf(cluster: SmallCluster, actors: readonly [Actor, Actor]): Scope {
  return { objects: objectsFor(cluster, actors), operations: [actors[0].run, actors[1].run], now: runsAt };
}

/** Judges the schedules of one scope. Equal final states are judged once. */
export class Judge {
  readonly failures: Failure[] = [];
  readonly #cluster: SmallCluster;
  readonly #actors: readonly [Actor, Actor];
  readonly #judged = new Set<string>();
  readonly #sound = new WeakSet<KubeObject>();

  constructor(cluster: SmallCluster, actors: readonly [Actor, Actor]) {
    this.#cluster = cluster;
    this.#actors = actors;
  }

  /** At every moment: the allocation records of all blocks are consistent, and living pods have their addresses. */
  moment(objects: readonly KubeObject[], schedule: readonly string[]): void {
    for (const object of objects) {
      if (object.kind !== 'IPAMBlock' || this.#sound.has(object)) continue;
      this.#sound.add(object);
      for (const { id } of structureProblems(object as IPAMBlock))
        this.#fail(`${object.metadata.name}: ${id}`, schedule);
    }
    for (const what of wrongHolders(objects, this.#cluster.living)) this.#fail(what, schedule);
  }

  /** At the end: assigned addresses are held; later, one repair leaves no finding. */
  async ending(ending: Ending): Promise<void> {
    const text = endingText(ending);
    if (this.#judged.has(text)) return;
    this.#judged.add(text);
    const { objects, outcomes, schedule } = ending;
    const users = new Map(this.#cluster.living);
    for (const [index, outcome] of outcomes.entries()) {
      const { name, assigned, assignsFor, mayFail } = this.#actors[index] as Actor;
      if (outcome === 'died') continue;
      if ('error' in outcome) {
        if (!mayFail?.test(outcome.error.message)) this.#fail(`${name}: ${outcome.error.message}`, schedule);
        continue;
      }
      if (assigned === undefined || assignsFor === undefined) continue;
      for (const address of assigned(outcome.result)) {
        const user = users.get(address);
        if (user !== undefined) this.#fail(`${address} was assigned to ${user.pod} and to ${assignsFor.pod}`, schedule);
        users.set(address, assignsFor);
      }
    }
    for (const what of wrongHolders(objects, users)) this.#fail(what, schedule);
    for (const what of await leftAfterRepair(withPods(objects, users), users)) this.#fail(what, schedule);
  }

  #fail(what: string, schedule: readonly string[]): void {
    this.failures.push({ what, schedule: [...schedule] });
  }
}

/** The cluster later: the pods with an address run, the others are deleted. */
function withPods(objects: readonly KubeObject[], users: ReadonlyMap<string, PodOf>): KubeObject[] {
  const pods = [...users].map(([address, user]) => podObject(user, address));
  return [...objects.filter(({ kind }) => kind !== 'Pod'), ...pods];
}

/** A block with its sequence numbers counted from 0: a repair depends only on their order. */
function ranked(object: KubeObject): KubeObject {
  if (object.kind !== 'IPAMBlock') return object;
  const { spec } = object as IPAMBlock;
  const { sequenceNumber = 0n, sequenceNumberForAllocation } = spec;
  const held = Object.entries(sequenceNumberForAllocation ?? {});
  const order = [...new Set([sequenceNumber, ...held.map(([, sequence]) => sequence)])].sort((a, b) =>
    a < b ? -1 : 1,
  );
  const rank = (sequence: bigint): number => order.indexOf(sequence);
  const ranks = held.map(([ordinal, sequence]) => [ordinal, rank(sequence)]);
  return { ...object, spec: { ...spec, sequenceNumber: rank(sequenceNumber), sequenceNumberForAllocation: ranks } };
}

const known = new Map<string, Promise<string[]>>();

/** The problems that remain after an uninterrupted repair. Equal clusters are repaired once. */
function leftAfterRepair(objects: readonly KubeObject[], users: ReadonlyMap<string, PodOf>): Promise<string[]> {
  const standing = objects.filter(({ kind }) => kind === 'IPAMConfig' || kind === 'IPPool' || kind === 'Pod');
  const others = standing.map(({ metadata, spec, status }) => [metadata.name, spec, status]);
  const key = `${endingText({ objects: objects.map(ranked), outcomes: ['died', 'died'] })} ${JSON.stringify(others)}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const left = (async () => {
    const store = new MemoryDatastore(objects, { now: () => longAfter });
    await fix(store, longAfter);
    return [
      ...(await faults(store, longAfter)).map((fault) => `after a repair: ${fault}`),
      ...inconsistencies(store).map((fault) => `after a repair: ${fault}`),
      ...wrongHolders(store.dump(), users).map((fault) => `after a repair: ${fault}`),
    ];
  })();
  known.set(key, left);
  return left;
}

/** All schedules of two actors in a cluster, judged. */
export async function judgeAll(
  cluster: SmallCluster,
  actors: readonly [Actor, Actor],
  extent: Extent,
): Promise<{ totals: Totals; failures: readonly Failure[] }> {
  const judge = new Judge(cluster, actors);
  const totals = await explore(
    scopeOf(cluster, actors),
    {
      onStored: (objects, schedule) => judge.moment(objects, schedule),
      onEnding: (ending) => judge.ending(ending),
    },
    extent,
  );
  return { totals, failures: judge.failures };
}
