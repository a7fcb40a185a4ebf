// Reads the objects of one kind from a datastore, in the form that people see, and what the columns of a table need.
import { type Datastore, DatastoreError, getIfAny, listAll } from '../../datastore/datastore.ts';
import { toV3 } from '../../resources/convert/v3.ts';
import { type Derivation, isOnCommandLine, type Kind, type Need, type RelatedObjects } from '../../resources/kind.ts';
import { findKind, kinds } from '../../resources/kinds.ts';
import type { KubeObject, ObjectMeta } from '../../resources/object.ts';
import { UsageError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import type { ObjectPage } from './query-result.ts';

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

/** Errors: UsageError for a word that is not the name of a kind. */
export function kindOfWord(word: string, isKnown: (kind: Kind) => boolean = () => true): Kind {
  const kind = findKind(word);
  if (kind !== undefined && isKnown(kind)) return kind;
  const known = kinds.filter(isOnCommandLine).map(({ aliases }) => aliases[0]);
  throw new UsageError(`resource type '${word}' is not supported`, `kinds are ${known.join(', ')}`, 'UNKNOWN_KIND');
}

function isNotFound(error: unknown): boolean {
  return error instanceof DatastoreError && error.reason === 'not-found';
}

/** Reads one kind in the form that people see. */
export class Reader {
  readonly #store: Datastore;
  readonly #kind: Kind;
  readonly #signal: AbortSignal;
  readonly #interfacePrefix: string;

  constructor(store: Datastore, kind: Kind, world: World) {
    this.#store = store;
    this.#kind = kind;
    this.#signal = world.signal;
    this.#interfacePrefix = world.env['FELIX_INTERFACEPREFIX']?.split(',')[0] || 'cali';
  }

  /** In a Kubernetes datastore objects of derived kinds are made from others only; elsewhere some are stored too. */
  get #storesDerived(): boolean {
    return this.#store.type !== 'kubernetes';
  }

  #derive(derivation: Derivation, source: KubeObject): KubeObject | undefined {
    return derivation.derive(source, { interfacePrefix: this.#interfacePrefix });
  }

  /** All objects of a namespace, or of all when it is undefined, page by page as the datastore returns them. */
  async *pages(namespace: string | undefined, selects: LabelTest = () => true): AsyncIterable<ObjectPage> {
    const options = { signal: this.#signal, namespace };
    // Calico's labels are in an annotation of the stored object: the server could not select by them.
    const isWanted = ({ metadata }: KubeObject): boolean => selects(metadata.labels ?? {});
    const { derived } = this.#kind;
    if (derived !== undefined) {
      for await (const { items, resourceVersion } of this.#store.list(derived.from, options)) {
        const made = items.flatMap((source) => this.#derive(derived, source) ?? []);
        yield { items: made.filter(isWanted), resourceVersion };
      }
      if (!this.#storesDerived) return;
    }
    for await (const { items, resourceVersion } of this.#store.list(this.#kind, options)) {
      yield { items: items.map((item) => toV3(this.#kind, item)).filter(isWanted), resourceVersion };
    }
  }

  /** Errors: DatastoreError not-found, and whatever the store has. */
  async one(name: string, namespace: string | undefined): Promise<KubeObject> {
    const { derived } = this.#kind;
    const made = derived && (await this.#oneDerived(derived, name, namespace));
    if (made !== undefined) return made;
    return toV3(this.#kind, await this.#store.get(this.#kind, { name, namespace }, { signal: this.#signal }));
  }

  /**
   * The name of the object that is made from the object of this name, for a person who took one for the other: the
   * endpoint of a pod. Undefined for kinds that are not derived, and when there is none. Errors: those of the store.
   */
  async nameMadeFrom(name: string, namespace: string | undefined): Promise<string | undefined> {
    const { derived } = this.#kind;
    if (derived === undefined) return undefined;
    const source = await getIfAny(this.#store, derived.from, { name, namespace }, { signal: this.#signal });
    return source && this.#derive(derived, source)?.metadata.name;
  }

  /** The object of that name made from another one; undefined when only a stored one can have the name. */
  async #oneDerived(derived: Derivation, name: string, namespace: string | undefined): Promise<KubeObject | undefined> {
    const sourceName = derived.sourceName(name);
    if (sourceName === undefined) {
      if (this.#storesDerived) return undefined;
      throw new DatastoreError('not-found', '', { storeText: derived.malformedName });
    }
    const ref = { name: sourceName, namespace };
    const source = await this.#store.get(derived.from, ref, { signal: this.#signal }).catch((error: unknown) => {
      if (!(this.#storesDerived && isNotFound(error))) throw error;
      return undefined;
    });
    const made = source && this.#derive(derived, source);
    if (made?.metadata.name === name) return made;
    if (this.#storesDerived) return undefined;
    const storeText = `${derived.from.api.plural} "${sourceName}" not found`;
    throw new DatastoreError('not-found', '', { storeText });
  }
}

/** A copy for another cluster: without what this one gave the object. */
export function stripped(object: KubeObject): KubeObject {
  const own = ['namespace', 'uid', 'resourceVersion', 'deletionTimestamp', 'deletionGracePeriodSeconds'];
  const kept = Object.entries(object.metadata).filter(([field]) => !own.includes(field));
  const metadata = { ...Object.fromEntries(kept), creationTimestamp: null } as ObjectMeta;
  return { ...object, metadata };
}

/**
 * Reads what the columns of a table need, all at once.
 * Errors: those of listing; an object that is needed by name and cannot be read is `unreadable`, which its column shows.
 */
export async function relatedObjects(
  store: Datastore,
  needs: readonly Need[],
  signal: AbortSignal,
): Promise<RelatedObjects> {
  const lists = new Map<Kind, readonly KubeObject[]>();
  const named = new Map<string, KubeObject | 'unreadable' | undefined>();
  const key = ({ kind }: Kind, name: string): string => `${kind}/${name}`;
  const read = async ({ kind, name }: Need): Promise<void> => {
    if (name === undefined) {
      lists.set(kind, await listAll(store, kind, { signal }));
    } else {
      const object = await store
        .get(kind, { name }, { signal })
        .catch((error: unknown) => (isNotFound(error) ? undefined : ('unreadable' as const)));
      named.set(key(kind, name), object);
    }
  };
  await Promise.all(needs.map(read));
  const none: readonly never[] = [];
  return {
    all: <T extends KubeObject>(kind: Kind<T>) => (lists.get(kind) ?? none) as readonly T[],
    one: <T extends KubeObject>(kind: Kind<T>, name: string) =>
      named.get(key(kind, name)) as T | 'unreadable' | undefined,
  };
}
