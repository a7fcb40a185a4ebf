// Objects as people see them, in projectcalico.org/v3: read, created, updated, applied and deleted by the rules of Calico's
// own client.
import { type Datastore, DatastoreError, type DeletePreconditions } from '../datastore/datastore.ts';
import { fromV3, toV3 } from '../resources/convert/v3.ts';
import type { Kind } from '../resources/kind.ts';
import { type KubeObject, type ObjectRef, qualifiedName } from '../resources/object.ts';
import { sameValue } from '../text/plain-values.ts';
import type { World } from '../world/world.ts';
import { asNew, asReplacement } from './metadata.ts';
import { type LabelTest, type ObjectPage, ObjectReader } from './object-reader.ts';

export type ClientWorld = Pick<World, 'clock' | 'random' | 'env' | 'signal'>;

/** What `apply` did, and the object as it is stored now. */
export interface Applied {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly object: KubeObject;
}

/** How often an update without a revision is tried when other clients write the object, and the time between. */
const updateAttempts = 5;
const conflictPauseMs = 1000;

export class ResourceClient {
  readonly #store: Datastore;
  readonly #world: ClientWorld;

  constructor(store: Datastore, world: ClientWorld) {
    this.#store = store;
    this.#world = world;
  }

  /** All objects of a namespace, or of all when it is undefined, page by page as the datastore returns them. */
  pages(kind: Kind, namespace: string | undefined, selects: LabelTest = () => true): AsyncIterable<ObjectPage> {
    return this.#reader(kind).pages(namespace, selects);
  }

  /** One object. Errors: DatastoreError not-found, and those of the store. */
  one(kind: Kind, ref: ObjectRef): Promise<KubeObject> {
    return this.#reader(kind).one(ref);
  }

  /**
   * The name of the object that is made from the object of this name, for a person who took one for the other: the
   * endpoint of a pod. Undefined for kinds that are not derived, and when there is none. Errors: those of the store.
   */
  nameMadeFrom(kind: Kind, ref: ObjectRef): Promise<string | undefined> {
    return this.#reader(kind).nameMadeFrom(ref);
  }

  /**
   * Creates an object. Of its metadata only name, namespace, labels and annotations are kept. Returns what is stored.
   * Errors: already-exists; invalid for a revision, a missing name or a missing namespace; those of the store.
   */
  async create(kind: Kind, shown: KubeObject): Promise<KubeObject> {
    requireNew(kind, shown);
    const created = asNew(shown, { uid: this.#world.random.uuid(), now: this.#world.clock.now() });
    return toV3(kind, await this.#store.create(kind, fromV3(kind, created)));
  }

  /**
   * Replaces a stored object. With a revision in its metadata the stored one must have the same; without, the update is
   * tried again while other clients write the object. Labels and annotations that it does not list are removed, all other
   * metadata stay. Returns what is stored. Errors: not-found, conflict, those of the store.
   */
  async update(kind: Kind, shown: KubeObject): Promise<KubeObject> {
    return (await this.#replace(kind, shown)).object;
  }

  /** Creates the object, or updates the stored one if it differs. Errors: those of `create` and `update`. */
  async apply(kind: Kind, shown: KubeObject): Promise<Applied> {
    const { resourceVersion: _, ...metadata } = shown.metadata;
    try {
      return { outcome: 'created', object: await this.create(kind, { ...shown, metadata }) };
    } catch (error) {
      const exists =
        error instanceof DatastoreError && (error.reason === 'already-exists' || error.reason === 'unsupported');
      if (!exists) throw error;
      return this.#replace(kind, shown);
    }
  }

  /** Deletes an object. Errors: not-found, conflict when the stored revision is another one, those of the store. */
  async delete(
    kind: Kind,
    ref: ObjectRef,
    preconditions: Pick<DeletePreconditions, 'resourceVersion'> = {},
  ): Promise<void> {
    await this.#store.delete(kind, ref, preconditions);
  }

  #reader(kind: Kind): ObjectReader {
    return new ObjectReader(this.#store, kind, this.#world);
  }

  async #replace(kind: Kind, shown: KubeObject): Promise<Applied> {
    const { name, namespace, resourceVersion } = shown.metadata;
    for (let attempt = 1; ; attempt++) {
      const stored = await this.one(kind, { name, namespace });
      if (resourceVersion && resourceVersion !== stored.metadata.resourceVersion) {
        throw new DatastoreError(
          'conflict',
          `${kind.kind} ${qualifiedName({ name, namespace })} was changed in the meantime`,
          {
            hint: 'Read it again and repeat the change.',
          },
        );
      }
      const wanted = asReplacement(shown, stored);
      const written = fromV3(kind, wanted);
      // One of them may spell out defaults that the other leaves out.
      if (sameValue(toV3(kind, written), stored)) return { outcome: 'unchanged', object: stored };
      try {
        const object = toV3(kind, await this.#store.update(kind, written));
        return { outcome: 'updated', object };
      } catch (error) {
        const again = error instanceof DatastoreError && error.reason === 'conflict' && !resourceVersion;
        if (!again || attempt === updateAttempts) throw error;
        await this.#world.clock.sleep(conflictPauseMs, this.#world.signal);
      }
    }
  }
}

/** Errors: invalid, in the words of Calico's client too. */
function requireNew(kind: Kind, { metadata }: KubeObject): void {
  const refuse = (message: string, storeText: string): never => {
    throw new DatastoreError('invalid', message, { storeText });
  };
  const { name, namespace, generateName, resourceVersion } = metadata;
  if (!name) {
    const generated = generateName ? ' (GenerateName is not supported)' : '';
    refuse(
      `${kind.kind} without metadata.name`,
      `error with field Metadata.Name = '' (field must be set for a Create request${generated})`,
    );
  }
  if (resourceVersion) {
    refuse(
      `${kind.kind} ${name} has a metadata.resourceVersion, which a new object must not have`,
      `error with field Metadata.ResourceVersion = '${resourceVersion}' (field must not be set for a Create request)`,
    );
  }
  if (kind.namespaced && !namespace) {
    refuse(
      `${kind.kind} ${name} without metadata.namespace`,
      'error with field Metadata.Namespace (namespace is not specified on namespaced resource)',
    );
  }
}
