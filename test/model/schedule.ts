// Every interleaving of the single store calls of two operations, with a crash of either at any point. Schedules that reach
// the same state (the place of each operation and the stored objects) continue in the same way, which is run once.
import type { Datastore } from '../../src/datastore/datastore.ts';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { answerOf, type Operation, type Place, Process, Run, type Settled } from './schedule-process.ts';
import { StateStore, type Stored, textOf, writtenKinds } from './schedule-store.ts';

export interface Scope {
  readonly objects: readonly KubeObject[];
  readonly operations: readonly [Operation, Operation];
  /** The creation time of new objects. */
  readonly now: Date;
}

export type Outcome = Settled | 'died';

/** The end of a schedule: both operations have ended. */
export interface Ending {
  readonly objects: readonly KubeObject[];
  readonly outcomes: readonly [Outcome, Outcome];
  /** The steps in order; `play` runs them again. */
  readonly schedule: readonly string[];
}

export interface Totals {
  /** Runs from the beginning to an end, or to a state that an earlier run continued from. */
  readonly runs: number;
  /** Calls made over all runs. */
  readonly steps: number;
  readonly states: number;
  /** The schedules that the runs represent: the paths through the states. */
  readonly schedules: bigint;
}

const names = ['A', 'B'] as const;

interface State {
  readonly places: readonly [Place | 'died', Place | 'died'];
  readonly stored: Stored;
}

export interface Watcher {
  /** Called once for each set of stored objects, with a schedule that leads to it. */
  readonly onStored?: (objects: readonly KubeObject[], schedule: readonly string[]) => void;
  /** Called once for each ending, with a schedule that leads to it. */
  readonly onEnding: (ending: Ending) => Promise<void> | void;
}

export interface Extent {
  /** Includes the schedules in which one operation crashes at some point. */
  readonly crashes: boolean;
  /**
   * Two operations can have conflicts as long as they retry. One that has lost this many writes to the other runs alone
   * from then on, to its end or crash.
   */
  readonly losses: number;
}

/** Runs all schedules. */
export async function explore(scope: Scope, watcher: Watcher, { crashes, losses }: Extent): Promise<Totals> {
  const initial = new MemoryDatastore(scope.objects, { now: () => scope.now }).dump();
  const fixed = initial.filter(({ kind }) => !writtenKinds.has(kind));
  const direct = new MemoryDatastore(fixed, { now: () => scope.now });
  const processes = scope.operations.map((operation) => new Process(operation, direct, writtenKinds));
  const store = new StateStore(scope.now);
  const counts = new Map<string, bigint>();
  const seen = new Set<string>();
  const schedule: string[] = [];
  let runs = 0;
  let steps = 0;

  const objectsOf = (stored: Stored): KubeObject[] => [
    ...fixed,
    ...[...stored.values()].flatMap(({ object }) => object ?? []),
  ];
  const visit = async (state: State): Promise<bigint> => {
    const stored = store.key(state.stored);
    const key = `${state.places.map((place) => (place === 'died' ? 'x' : place.id)).join()};${stored}`;
    const known = counts.get(key);
    if (known !== undefined) {
      runs += 1;
      return known;
    }
    if (!seen.has(stored)) {
      seen.add(stored);
      watcher.onStored?.(objectsOf(state.stored), schedule);
    }
    let count = 0n;
    const active = ([0, 1] as const).filter((index) => isActive(state.places[index]));
    const tired = active.find((index) => (state.places[index] as Place).lost >= losses);
    for (const index of tired === undefined ? active : [tired]) {
      const place = state.places[index] as Place;
      if (place.calls.length === 0) throw new Error(`operation ${names[index]} waits for something other than a call`);
      for (const call of place.calls) {
        const { answer, text, stored: next } = await store.call(state.stored, call, `${index} ${place.id} ${call.id}`);
        const after = await (processes[index] as Process).after(place, call, answer, text);
        steps += 1;
        schedule.push(`${names[index]} ${call.id}`);
        count += await visit({ places: replaced(state.places, index, after), stored: next });
        schedule.pop();
      }
      if (!crashes || state.places.includes('died')) continue;
      schedule.push(`${names[index]} dies`);
      count += await visit({ places: replaced(state.places, index, 'died'), stored: state.stored });
      schedule.pop();
    }
    if (count === 0n) {
      count = 1n;
      runs += 1;
      const outcomes = state.places.map((place) => (place === 'died' ? place : (place.settled as Settled)));
      await watcher.onEnding({
        objects: objectsOf(state.stored),
        outcomes: outcomes as [Outcome, Outcome],
        schedule: [...schedule],
      });
    }
    counts.set(key, count);
    return count;
  };
  const places = [await (processes[0] as Process).start(), await (processes[1] as Process).start()] as const;
  const schedules = await visit({ places, stored: store.initial(initial) });
  return { runs, steps, states: counts.size, schedules };
}

function isActive(place: Place | 'died'): boolean {
  return place !== 'died' && place.settled === undefined;
}

function replaced(places: State['places'], index: 0 | 1, place: Place | 'died'): State['places'] {
  return index === 0 ? [place, places[1]] : [places[0], place];
}

/** Runs one schedule on one store from the beginning: `pick` returns the next of the possible steps. */
async function runOne(
  scope: Scope,
  pick: (possible: readonly string[]) => string,
  options: { readonly crashes: boolean; readonly direct: boolean },
): Promise<Ending> {
  const store = new MemoryDatastore(scope.objects, { now: () => scope.now });
  const direct: Datastore | undefined = options.direct ? store : undefined;
  const runs: (Run | 'died')[] = [];
  for (const operation of scope.operations) runs.push(await Run.start(operation, direct, writtenKinds));
  const schedule: string[] = [];
  for (;;) {
    const possible = new Map<string, () => Promise<void>>();
    for (const [index, run] of runs.entries()) {
      if (run === 'died' || run.settled !== undefined) continue;
      for (const call of run.calls) {
        possible.set(`${names[index]} ${call.id}`, async () => run.answer(call.id, await answerOf(call, store)));
      }
      if (!options.crashes || runs.includes('died')) continue;
      possible.set(`${names[index]} dies`, async () => {
        runs[index] = 'died';
      });
    }
    if (possible.size === 0) break;
    const picked = pick([...possible.keys()]);
    const step = possible.get(picked);
    if (step === undefined) throw new Error(`not possible after ${schedule.length} steps: ${picked}`);
    schedule.push(picked);
    await step();
  }
  const outcomes = runs.map((run) => (run === 'died' ? run : (run.settled as Settled)));
  return { objects: store.dump(), outcomes: outcomes as [Outcome, Outcome], schedule };
}

/** Runs the schedule of an ending again, on one store. */
export function play(scope: Scope, schedule: readonly string[]): Promise<Ending> {
  let step = 0;
  return runOne(scope, () => schedule[step++] ?? '', { crashes: true, direct: true });
}

/** Runs all schedules one by one, each from its beginning: slow, to compare `explore` with. */
export async function* everySchedule(
  scope: Scope,
  options: { readonly crashes: boolean; readonly direct: boolean },
): AsyncGenerator<Ending> {
  const taken: { index: number; of: number }[] = [];
  for (;;) {
    let depth = 0;
    yield await runOne(
      scope,
      (possible) => {
        taken[depth] ??= { index: 0, of: possible.length };
        const choice = possible[(taken[depth] as { index: number }).index] as string;
        depth += 1;
        return choice;
      },
      options,
    );
    for (let last = taken.at(-1); last !== undefined; last = taken.at(-1)) {
      last.index += 1;
      if (last.index < last.of) break;
      taken.pop();
    }
    if (taken.length === 0) return;
  }
}

/** An ending as text, without what depends on the order of independent writes. */
export function endingText({ objects, outcomes }: Pick<Ending, 'objects' | 'outcomes'>): string {
  const plain = objects
    .filter(({ kind }) => writtenKinds.has(kind))
    .map(({ metadata: { uid: _uid, resourceVersion: _revision, ...metadata }, ...object }) => ({
      ...object,
      metadata,
    }));
  plain.sort((a, b) => (textOf([a.kind, a.metadata.name]) < textOf([b.kind, b.metadata.name]) ? -1 : 1));
  return textOf([
    plain,
    outcomes.map((outcome) => (typeof outcome === 'object' && 'error' in outcome ? outcome.error.message : outcome)),
  ]);
}
