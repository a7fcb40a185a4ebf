// Watches the objects of one kind in the form that people see, also those that are made from others.
import type { Datastore, WatchBatch, WatchEvent } from '../datastore/datastore.ts';
import { watchKind } from '../datastore/watch.ts';
import { toV3 } from '../resources/convert/v3.ts';
import type { Kind } from '../resources/kind.ts';
import type { KubeObject } from '../resources/object.ts';
import type { World } from '../world/world.ts';
import { interfacePrefix } from './object-reader.ts';

type WatchWorld = Pick<World, 'clock' | 'env' | 'signal'>;

/** A kind that is watched, and the objects that people see of its objects. */
interface Feed {
  readonly kind: Kind;
  show(stored: KubeObject): KubeObject | undefined;
}

export interface ObjectWatchOptions {
  readonly namespace: string | undefined;
  /** Which objects are reported; one that is no longer selected is reported as deleted. */
  selects(object: KubeObject): boolean;
}

function feedsOf(store: Datastore, kind: Kind, world: WatchWorld): Feed[] {
  const own: Feed = { kind, show: (stored) => toV3(kind, stored) };
  if (kind.derived === undefined) return [own];
  const options = { interfacePrefix: interfacePrefix(world) };
  const derived = kind.derived.sources.map(
    ({ from, derive }): Feed => ({ kind: from, show: (source) => derive(source, options) }),
  );
  return store.type === 'kubernetes' ? derived : [...derived, own];
}

/** What was last reported of each object of one feed. */
class Reported {
  readonly #shown = new Map<string, KubeObject>();

  /** The event for people; undefined when they see no change. */
  event({ type, object }: WatchEvent, shown: KubeObject | undefined): WatchEvent | undefined {
    const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    const before = this.#shown.get(key);
    if (type === 'deleted' || shown === undefined) {
      this.#shown.delete(key);
      return before && { type: 'deleted', object: shown ?? before };
    }
    this.#shown.set(key, shown);
    return { type: before === undefined ? 'added' : 'modified', object: shown };
  }
}

async function* feedBatches(
  store: Datastore,
  feed: Feed,
  { clock, signal }: WatchWorld,
  { namespace, selects }: ObjectWatchOptions,
): AsyncGenerator<WatchBatch> {
  const reported = new Reported();
  for await (const { events, ...rest } of watchKind(store, feed.kind, clock, { namespace, signal })) {
    const shownEvents = events.flatMap((event) => {
      const shown = feed.show(event.object);
      return reported.event(event, shown !== undefined && selects(shown) ? shown : undefined) ?? [];
    });
    yield { events: shownEvents, ...rest };
  }
}

/** Everything that the iterables yield, as it comes, with the number of the one that it is from. */
async function* merged<T>(iterables: readonly AsyncIterable<T>[]): AsyncGenerator<readonly [index: number, value: T]> {
  const iterators = iterables.map((iterable) => iterable[Symbol.asyncIterator]());
  const pending = new Map<number, Promise<readonly [number, IteratorResult<T>]>>();
  const ask = (index: number): void => {
    const next = iterators[index]?.next();
    if (next !== undefined)
      pending.set(
        index,
        next.then((result) => [index, result] as const),
      );
  };
  for (const index of iterators.keys()) ask(index);
  try {
    while (pending.size > 0) {
      const [index, { done, value }] = await Promise.race(pending.values());
      if (done === true) {
        pending.delete(index);
        continue;
      }
      ask(index);
      yield [index, value as T];
    }
  } finally {
    for (const waiting of pending.values()) waiting.catch(() => undefined);
  }
}

/**
 * The objects of a kind as people see them, then each change as it happens, until the signal is aborted.
 * Errors: those of the store; the reason of the signal.
 */
export async function* watchObjects(
  store: Datastore,
  kind: Kind,
  world: WatchWorld,
  options: ObjectWatchOptions,
): AsyncGenerator<WatchBatch> {
  const feeds = feedsOf(store, kind, world);
  const fixed = (kind.derived?.fixed?.() ?? []).filter(options.selects);
  const added = fixed.map((object) => ({ type: 'added', object }) as const);
  if (added.length > 0) yield { events: added, isInitial: true, isWhole: false };
  const incomplete = new Set(feeds.keys());
  for await (const [index, batch] of merged(feeds.map((feed) => feedBatches(store, feed, world, options)))) {
    if (batch.isWhole) incomplete.delete(index);
    yield { ...batch, isWhole: incomplete.size === 0 };
  }
}
