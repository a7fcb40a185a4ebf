// Watching the objects of one kind: what there is, then each change. A store that has no watch of its own is listed again.
import type { Kind } from '../resources/kind.ts';
import type { KubeObject } from '../resources/object.ts';
import { sameValue } from '../text/plain-values.ts';
import type { Clock } from '../world/world.ts';
import type { Datastore, WatchBatch, WatchEvent, WatchOptions } from './datastore.ts';
import { objectKey } from './object-rules.ts';

/** How often a store without a watch is listed. */
const listEveryMs = 1000;

/** The objects that a watcher knows, and what a new list of them changes. */
export class KnownObjects<T extends KubeObject> {
  readonly #kind: Kind<T>;
  #objects = new Map<string, T>();

  constructor(kind: Kind<T>) {
    this.#kind = kind;
  }

  /** Takes over one change. Returns the event; undefined for what is known already. */
  apply(type: WatchEvent['type'], object: T): WatchEvent<T> | undefined {
    const key = objectKey(this.#kind, object.metadata);
    const known = this.#objects.get(key);
    if (type === 'deleted') {
      this.#objects.delete(key);
      return known && { type, object };
    }
    // A file that was edited by hand may have its old revision.
    if (known !== undefined && sameValue(known, object)) return undefined;
    this.#objects.set(key, object);
    return { type: known === undefined ? 'added' : 'modified', object };
  }

  /** Takes over a whole list: what it lacks was deleted. */
  replace(list: readonly T[]): WatchEvent<T>[] {
    const keys = new Set(list.map((object) => objectKey(this.#kind, object.metadata)));
    const gone = [...this.#objects].filter(([key]) => !keys.has(key)).map(([, object]) => object);
    const events = gone.flatMap((object) => this.apply('deleted', object) ?? []);
    return [...events, ...list.flatMap((object) => this.apply('added', object) ?? [])];
  }
}

/**
 * The objects that there are, then their changes as they happen, until the signal is aborted.
 * Errors: those of `list`; the reason of the signal.
 */
export function watchKind<T extends KubeObject>(
  store: Datastore,
  kind: Kind<T>,
  clock: Clock,
  options: WatchOptions = {},
): AsyncIterable<WatchBatch<T>> {
  return store.watch?.(kind, options) ?? watchByListing(store, kind, clock, options);
}

async function* watchByListing<T extends KubeObject>(
  store: Datastore,
  kind: Kind<T>,
  clock: Clock,
  options: WatchOptions,
): AsyncGenerator<WatchBatch<T>> {
  const known = new KnownObjects(kind);
  for (let isInitial = true; ; isInitial = false) {
    const list: T[] = [];
    // A directory that had objects may lose its last one.
    for await (const { items } of store.list(kind, { ...options, orEmpty: !isInitial })) list.push(...items);
    const events = known.replace(list);
    if (isInitial || events.length > 0) yield { events, isInitial, isWhole: true };
    await clock.sleep(listEveryMs, options.signal);
  }
}
