// Reads the objects of one kind from a datastore in the form that people see, also those that are made from others.
import { type Datastore, DatastoreError, getIfAny, type ListOptions } from '../datastore/datastore.ts';
import { toV3 } from '../resources/convert/v3.ts';
import type { CalicoApi, Derivation, DerivationSource, Kind } from '../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../resources/object.ts';
import type { World } from '../world/world.ts';
import { storedNames } from './read-ahead.ts';

/** Some of the objects of a list, in the form in which people see them. */
export interface ObjectPage {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
}

/** One object, and what the datastore holds of it. */
export interface ReadObject {
  readonly shown: KubeObject;
  /** The object as it is stored; absent when it is derived from another one. */
  readonly stored?: KubeObject;
  /** What it is derived from. */
  readonly origin?: DerivationSource;
  readonly source?: KubeObject;
}

export type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

/** Prefix of the interfaces of workloads, from which the names of those of derived endpoints are made. */
export function interfacePrefix({ env }: Pick<World, 'env'>): string {
  return env['FELIX_INTERFACEPREFIX']?.split(',')[0] || 'cali';
}

export class ObjectReader {
  readonly #store: Datastore;
  readonly #kind: Kind;
  readonly #signal: AbortSignal;
  readonly #interfacePrefix: string;
  readonly #ahead: Pick<Datastore, 'get'>;

  /** `ahead` answers for single objects that are stored: what was listed before, or the store itself. */
  constructor(
    store: Datastore,
    kind: Kind,
    world: Pick<World, 'env' | 'signal'>,
    ahead: Pick<Datastore, 'get'> = store,
  ) {
    this.#store = store;
    this.#ahead = ahead;
    this.#kind = kind;
    this.#signal = world.signal;
    this.#interfacePrefix = interfacePrefix(world);
  }

  /** In a Kubernetes datastore objects of derived kinds are made from others only; elsewhere some are stored too. */
  get #storesDerived(): boolean {
    return this.#store.type !== 'kubernetes';
  }

  #derive(origin: DerivationSource, source: KubeObject): KubeObject | undefined {
    return origin.derive(source, { interfacePrefix: this.#interfacePrefix });
  }

  /** All objects of a namespace, or of all when it is undefined, page by page as the datastore returns them. */
  async *pages(namespace: string | undefined, selects: LabelTest): AsyncIterable<ObjectPage> {
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
    for await (const { items, resourceVersion } of this.#store.list(origin.from, { ...options, typed: true })) {
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
    const items = [...(fixed?.() ?? []), ...read.flatMap((page) => page.items)];
    yield { items, resourceVersion: read.map(({ resourceVersion }) => resourceVersion).join('/') };
  }

  /** Errors: DatastoreError not-found, in words for an object to delete if it is one, and whatever the store has. */
  async one(ref: ObjectRef, { isDeleted = false } = {}): Promise<ReadObject> {
    const { derived } = this.#kind;
    const made = derived && (await this.#oneDerived(derived, ref, isDeleted));
    if (made !== undefined) return made;
    const stored = await this.#stored(ref);
    const shown = toV3(this.#kind, stored);
    if (shown.metadata.name !== ref.name) throw otherSpelling(this.#kind, ref, shown.metadata.name);
    return { shown, stored };
  }

  /** The stored object that people call by this name. Errors: those of the store for the first of the names it may have. */
  async #stored(ref: ObjectRef): Promise<KubeObject> {
    const { calicoApi } = this.#store;
    const found = this.#storedIn(calicoApi, ref);
    await found.catch(() => undefined);
    // A folder learns its API when it is read first.
    return this.#store.calicoApi === calicoApi ? found : this.#storedIn(this.#store.calicoApi, ref);
  }

  async #storedIn(calicoApi: CalicoApi, { name, namespace }: ObjectRef): Promise<KubeObject> {
    const options = { signal: this.#signal };
    const [first = name, ...others] = storedNames(this.#kind, name, calicoApi);
    try {
      return await this.#ahead.get(this.#kind, { name: first, namespace }, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      for (const other of others) {
        const found = await getIfAny(this.#ahead, this.#kind, { name: other, namespace }, options);
        if (found !== undefined) return found;
      }
      throw error;
    }
  }

  /**
   * The name of the object that is made from the object of this name, for a person who took one for the other: the
   * endpoint of a pod. Undefined for kinds that are not derived, and when there is none. Errors: those of the store.
   */
  async nameMadeFrom(ref: ObjectRef): Promise<string | undefined> {
    for (const origin of this.#kind.derived?.sources ?? []) {
      const source = await getIfAny(this.#store, origin.from, ref, { signal: this.#signal });
      const made = source && this.#derive(origin, source);
      if (made !== undefined) return made.metadata.name;
    }
    return undefined;
  }

  /** The object of that name made from another one; undefined when only a stored one can have the name. */
  async #oneDerived(
    { sources, fixed, malformedName }: Derivation,
    ref: ObjectRef,
    isDeleted: boolean,
  ): Promise<ReadObject | undefined> {
    const always = fixed?.().find(({ metadata }) => metadata.name === ref.name);
    if (always !== undefined) return { shown: always };
    for (const origin of sources) {
      const sourceRef = origin.sourceOf(ref);
      if (sourceRef === undefined) continue;
      const source = await this.#store.get(origin.from, sourceRef, { signal: this.#signal }).catch((error: unknown) => {
        if (!(this.#storesDerived && isNotFound(error))) throw error;
        return undefined;
      });
      const made = source && this.#derive(origin, source);
      if (source !== undefined && made?.metadata.name === ref.name) return { shown: made, origin, source };
      if (this.#storesDerived) return undefined;
      // There is such a pod, but its endpoint has another name.
      throw new DatastoreError('not-found', '', { storeText: '<nil>' });
    }
    if (this.#storesDerived) return undefined;
    const { text: storeText, isWhole = false } = malformedName(ref.name, isDeleted);
    throw new DatastoreError('not-found', '', { storeText, ...(isWhole && { code: 'MALFORMED_NAME' }) });
  }
}

/** All pages as one, with the revision of the list. */
async function wholePage(pages: AsyncIterable<ObjectPage>): Promise<ObjectPage> {
  const items: KubeObject[] = [];
  let resourceVersion = '';
  for await (const page of pages) {
    items.push(...page.items);
    // Servers may send it with the last page only.
    resourceVersion ||= page.resourceVersion;
  }
  return { items, resourceVersion };
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

function isNotFound(error: unknown): boolean {
  return error instanceof DatastoreError && error.reason === 'not-found';
}
