// Reads the objects of one kind from a datastore, in the form that people see, and what the columns of a table need.
import { type Datastore, DatastoreError, getIfAny, type ListOptions, listAll } from '../../datastore/datastore.ts';
import { toV3 } from '../../resources/convert/v3.ts';
import {
  type Derivation,
  type DerivationSource,
  isOnCommandLine,
  type Kind,
  type Need,
  type RelatedObjects,
} from '../../resources/kind.ts';
import { findKind, kinds } from '../../resources/kinds.ts';
import type { KubeObject, ObjectMeta, ObjectRef } from '../../resources/object.ts';
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

  #derive(origin: DerivationSource, source: KubeObject): KubeObject | undefined {
    return origin.derive(source, { interfacePrefix: this.#interfacePrefix });
  }

  /** All objects of a namespace, or of all when it is undefined, page by page as the datastore returns them. */
  async *pages(namespace: string | undefined, selects: LabelTest = () => true): AsyncIterable<ObjectPage> {
    const options = { signal: this.#signal, namespace };
    // Calico's labels are in an annotation of the stored object: the server could not select by them.
    const isWanted = ({ metadata }: KubeObject): boolean => selects(metadata.labels ?? {});
    const { compare } = this.#kind;
    const all = this.#allPages(options);
    for await (const { items, resourceVersion } of compare === undefined ? all : sortedPage(all, compare)) {
      yield { items: items.filter(isWanted), resourceVersion };
    }
  }

  async *#allPages(options: ListOptions): AsyncIterable<ObjectPage> {
    const { derived } = this.#kind;
    if (derived !== undefined) {
      yield* this.#derivedPages(derived, options);
      if (!this.#storesDerived) return;
    }
    for await (const { items, resourceVersion } of this.#store.list(this.#kind, options)) {
      yield { items: items.map((item) => toV3(this.#kind, item)), resourceVersion };
    }
  }

  async *#pagesDerivedFrom(origin: DerivationSource, options: ListOptions): AsyncIterable<ObjectPage> {
    for await (const { items, resourceVersion } of this.#store.list(origin.from, options)) {
      yield { items: items.flatMap((source) => this.#derive(origin, source) ?? []), resourceVersion };
    }
  }

  /** One source is read page by page. Of several, the revision of the list is known only when all were read. */
  async *#derivedPages({ sources, fixed }: Derivation, options: ListOptions): AsyncIterable<ObjectPage> {
    const [only, ...others] = sources;
    if (only !== undefined && others.length === 0 && fixed === undefined) {
      yield* this.#pagesDerivedFrom(only, options);
      return;
    }
    const pages = sources.map((origin) => wholePage(this.#pagesDerivedFrom(origin, options)));
    const read = await Promise.all(pages);
    const items = [...read.flatMap((page) => page.items), ...(fixed?.() ?? [])];
    yield { items, resourceVersion: read.map(({ resourceVersion }) => resourceVersion).join('/') };
  }

  /** Errors: DatastoreError not-found, and whatever the store has. */
  async one(name: string, namespace: string | undefined): Promise<KubeObject> {
    const { derived } = this.#kind;
    const made = derived && (await this.#oneDerived(derived, { name, namespace }));
    if (made !== undefined) return made;
    const shown = toV3(this.#kind, await this.#stored({ name, namespace }));
    if (shown.metadata.name !== name) throw otherSpelling(this.#kind, { name, namespace }, shown.metadata.name);
    return shown;
  }

  /** The stored object that people call by this name. Errors: those of the store for the first of the names it may have. */
  async #stored({ name, namespace }: ObjectRef): Promise<KubeObject> {
    const options = { signal: this.#signal };
    const [first = name, ...others] = this.#kind.naming?.storedNames(name) ?? [name];
    try {
      return await this.#store.get(this.#kind, { name: first, namespace }, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      for (const other of others) {
        const found = await getIfAny(this.#store, this.#kind, { name: other, namespace }, options);
        if (found !== undefined) return found;
      }
      throw error;
    }
  }

  /**
   * The name of the object that is made from the object of this name, for a person who took one for the other: the
   * endpoint of a pod. Undefined for kinds that are not derived, and when there is none. Errors: those of the store.
   */
  async nameMadeFrom(name: string, namespace: string | undefined): Promise<string | undefined> {
    for (const origin of this.#kind.derived?.sources ?? []) {
      const source = await getIfAny(this.#store, origin.from, { name, namespace }, { signal: this.#signal });
      const made = source && this.#derive(origin, source);
      if (made !== undefined) return made.metadata.name;
    }
    return undefined;
  }

  /** The object of that name made from another one; undefined when only a stored one can have the name. */
  async #oneDerived({ sources, fixed, malformedName }: Derivation, ref: ObjectRef): Promise<KubeObject | undefined> {
    const always = fixed?.().find(({ metadata }) => metadata.name === ref.name);
    if (always !== undefined) return always;
    for (const origin of sources) {
      const sourceRef = origin.sourceOf(ref);
      if (sourceRef === undefined) continue;
      const source = await this.#store.get(origin.from, sourceRef, { signal: this.#signal }).catch((error: unknown) => {
        if (!(this.#storesDerived && isNotFound(error))) throw error;
        return undefined;
      });
      const made = source && this.#derive(origin, source);
      if (made?.metadata.name === ref.name) return made;
      if (this.#storesDerived) return undefined;
      const storeText = `${origin.from.api.plural} "${sourceRef.name}" not found`;
      throw new DatastoreError('not-found', '', { storeText });
    }
    if (this.#storesDerived) return undefined;
    throw new DatastoreError('not-found', '', { storeText: malformedName(ref.name) });
  }
}

/** All pages as one, with the revision of the first. */
async function wholePage(pages: AsyncIterable<ObjectPage>): Promise<ObjectPage> {
  const items: KubeObject[] = [];
  let revision: string | undefined;
  for await (const page of pages) {
    items.push(...page.items);
    revision ??= page.resourceVersion;
  }
  return { items, resourceVersion: revision ?? '' };
}

async function* sortedPage(
  pages: AsyncIterable<ObjectPage>,
  compare: NonNullable<Kind['compare']>,
): AsyncIterable<ObjectPage> {
  const { items, resourceVersion } = await wholePage(pages);
  yield { items: items.toSorted(compare), resourceVersion };
}

/** There is such an object, but people call it by another name: a policy `default.allow` that was created as `allow`. */
function otherSpelling({ kind }: Kind, { name, namespace }: ObjectRef, spelling: string): DatastoreError {
  const id = namespace === undefined ? name : `${namespace}/${name}`;
  return new DatastoreError('not-found', `${kind} ${id} does not exist`, {
    code: 'OTHER_SPELLING',
    hint: `the ${kind} is called ${spelling}`,
    storeText: `resource not found ${kind}(${id})`,
  });
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
