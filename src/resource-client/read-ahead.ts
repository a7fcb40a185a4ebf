// Objects that a command is going to write, read by lists where it names many of a kind: one request for hundreds instead of
// one for each. What is written is still decided by the revision that was read.
import { type Datastore, DatastoreError } from '../datastore/datastore.ts';
import { notFound, objectKey } from '../datastore/object-rules.ts';
import { type CalicoApi, type Kind, storedIn, v3ApiVersion } from '../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../resources/object.ts';

/** An object that is going to be written. */
export interface Expected {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** A page of a list takes a server about as long as this many single objects; fewer are not worth a list. */
const objectsPerPage = 20;

/** What the lists of one kind showed. */
interface Listing {
  readonly objects: Map<string, KubeObject>;
  /** True when all objects were listed: what is not among them did not exist. */
  readonly isWhole: boolean;
}

/** The expected objects of one kind. */
class Group {
  /** Keys under which they may be stored. Each is answered from the list once. */
  readonly keys = new Set<string>();
  readonly namespaces = new Set<string | undefined>();
  count = 0;
  listing: Promise<Listing> | undefined;

  /** The namespace that holds all of them; undefined when there are several, or none. */
  get namespace(): string | undefined {
    return this.namespaces.size === 1 ? [...this.namespaces][0] : undefined;
  }
}

/** The names under which this API may hold the object that people call by this name. */
export function storedNames(kind: Kind, name: string, calicoApi: CalicoApi): readonly string[] {
  // In projectcalico.org/v3 every object is stored under the name that people see.
  return (calicoApi === v3ApiVersion ? undefined : kind.naming?.storedNames(name)) ?? [name];
}

export class ReadAhead {
  readonly #store: Datastore;
  readonly #signal: AbortSignal;
  readonly #groups = new Map<Kind, Group>();

  /** Lists nothing yet: a kind is listed when the first of its objects is read. */
  constructor(store: Datastore, signal: AbortSignal, expected: readonly Expected[]) {
    this.#store = store;
    this.#signal = signal;
    // Other stores read one object as fast as a list.
    if (store.type !== 'kubernetes') return;
    for (const { kind, object } of expected) {
      const { name, namespace } = object.metadata;
      if (kind.namespaced && !namespace) continue;
      const group = this.#groups.get(kind) ?? new Group();
      this.#groups.set(kind, group);
      group.count += 1;
      group.namespaces.add(kind.namespaced ? namespace : undefined);
      for (const stored of storedNames(kind, name, store.calicoApi))
        group.keys.add(objectKey(kind, { name: stored, namespace }));
    }
    for (const [kind, { count }] of this.#groups) if (count < objectsPerPage) this.#groups.delete(kind);
  }

  /**
   * One stored object, the first time as the list of its kind showed it, and as it is now from then on.
   * Errors: those of the store; not-found also for what the list did not have.
   */
  async get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef): Promise<T> {
    const group = this.#groups.get(kind);
    const key = objectKey(kind, ref);
    if (group?.keys.has(key)) {
      group.listing ??= this.#list(kind, group);
      group.keys.delete(key);
      const { objects, isWhole } = await group.listing;
      const found = objects.get(key);
      objects.delete(key);
      if (found !== undefined) return found as T;
      if (isWhole) throw notFound(storedIn(kind, this.#store.calicoApi), ref);
    }
    return this.#store.get(kind, ref, { signal: this.#signal });
  }

  /**
   * True when there was no such object, under any of its names, as the list of its kind showed. Not an error for each of
   * thousands of new objects.
   */
  async isAbsent(kind: Kind, { name, namespace }: ObjectRef): Promise<boolean> {
    const group = this.#groups.get(kind);
    if (group === undefined) return false;
    const names = storedNames(kind, name, this.#store.calicoApi);
    const keys = names.map((stored) => objectKey(kind, { name: stored, namespace }));
    if (!keys.every((key) => group.keys.has(key))) return false;
    group.listing ??= this.#list(kind, group);
    const { objects, isWhole } = await group.listing;
    if (!isWhole || keys.some((key) => objects.has(key))) return false;
    for (const key of keys) group.keys.delete(key);
    return true;
  }

  /** Reads pages while they are cheaper than reading the objects one by one. */
  async #list(kind: Kind, { keys, namespace, count }: Group): Promise<Listing> {
    const wanted = new Set(keys);
    const objects = new Map<string, KubeObject>();
    let pagesLeft = Math.floor(count / objectsPerPage);
    try {
      for await (const { items, continues } of this.#store.list(kind, { namespace, signal: this.#signal })) {
        for (const item of items) {
          const key = objectKey(kind, item.metadata);
          if (wanted.has(key)) objects.set(key, item);
        }
        if (continues && --pagesLeft === 0) return { objects, isWhole: false };
      }
    } catch (error) {
      // A user may have the right to read objects and not to list them; what else is wrong, reading the objects will tell.
      if (!(error instanceof DatastoreError)) throw error;
      return { objects, isWhole: false };
    }
    return { objects, isWhole: true };
  }
}
