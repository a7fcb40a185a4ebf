// Objects as people see them, in projectcalico.org/v3: read, created, updated, applied and deleted by the rules of Calico's
// own client. Rules: docs/reference/resource-writes.md.
import { type Datastore, DatastoreError, type WriteOptions } from '../datastore/datastore.ts';
import { alreadyExists } from '../datastore/object-rules.ts';
import { fromV3, toV3 } from '../resources/convert/v3.ts';
import { withDefaults, withDefaultsOnly } from '../resources/defaults.ts';
import { omitEmpty } from '../resources/field-order.ts';
import { type CalicoApi, customResourceApi, type Kind } from '../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../resources/object.ts';
import { defaulted } from '../resources/rules/rules.ts';
import { sameValue } from '../text/plain-values.ts';
import type { World } from '../world/world.ts';
import { nameOf } from './client-error.ts';
import { droppedText } from './dropped-fields.ts';
import { type KindRules, rulesOf } from './kind-rules.ts';
import { asNew, asReplacement, keepsOwn, requireNew, requireStored } from './metadata.ts';
import { checkName, checkObject, checkWrite } from './object-checks.ts';
import { type LabelTest, type ObjectPage, ObjectReader, type ReadObject } from './object-reader.ts';
import { pendingDeletion } from './pending-deletion.ts';
import { PlannedObjects } from './planned-objects.ts';
import { type Expected, ReadAhead } from './read-ahead.ts';
import { refuseWrite } from './refusals.ts';

export type ClientWorld = Pick<World, 'clock' | 'random' | 'env' | 'signal'>;

export interface ClientOptions {
  /**
   * Writes what calicoctl writes: an update also when nothing changes, without the status that a manifest leaves out; a
   * pool is deleted although its addresses are in use; a revision does not keep an object from being deleted.
   */
  readonly asCalicoctl?: boolean;
  /** Writes nothing: `client` asks the datastore only what is stored, `server` lets it check each write too. */
  readonly dryRun?: 'client' | 'server' | undefined;
  /** What is going to be written: many objects of a kind are then read by a list, not one by one. */
  readonly expected?: readonly Expected[];
  /** Takes sentences for people about written objects: fields that the datastore did not keep. */
  readonly note?: (line: string) => Promise<void>;
}

export type Outcome = 'created' | 'updated' | 'unchanged';

/** What `apply` did, and the object as it is stored now; `previous`: as it was, unless it is new. */
export interface Applied {
  readonly outcome: Outcome;
  readonly object: KubeObject;
  readonly previous?: KubeObject;
}

export interface DeleteOptions {
  /** The revision that the stored object must have. */
  readonly resourceVersion?: string | undefined;
  /** Deletes a pool although its addresses are in use. */
  readonly force?: boolean;
}

/** What is left of a deleted object, as sentences for people. */
export interface Deleted {
  readonly left: readonly string[];
}

/** How often an update without a revision is tried when other clients write the object, and the time between. */
const updateAttempts = 5;
const conflictPauseMs = 1000;

export class ResourceClient {
  readonly #store: Datastore;
  readonly #world: ClientWorld;
  readonly #options: ClientOptions;
  readonly #planned = new PlannedObjects();
  readonly #ahead: ReadAhead;
  readonly #rulesOfKinds = new Map<Kind, KindRules>();

  constructor(store: Datastore, world: ClientWorld, options: ClientOptions = {}) {
    this.#store = store;
    this.#world = world;
    this.#options = options;
    this.#ahead = new ReadAhead(store, world.signal, options.expected ?? []);
  }

  /** All objects of a namespace, or of all when it is undefined, page by page as the datastore returns them. */
  pages(kind: Kind, namespace: string | undefined, selects: LabelTest = () => true): AsyncIterable<ObjectPage> {
    return this.#reader(kind).pages(namespace, selects);
  }

  /** One object. Errors: DatastoreError not-found, and those of the store. */
  async one(kind: Kind, ref: ObjectRef): Promise<KubeObject> {
    return (await this.#reader(kind).one(ref)).shown;
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
   * Errors: already-exists; unsupported for what Calico's clients do not create; invalid for a revision, a missing name or
   * namespace, and what the rules of the kind forbid; those of the store.
   */
  async create(kind: Kind, shown: KubeObject): Promise<KubeObject> {
    const { name, namespace } = shown.metadata;
    refuseWrite(this.#store, kind, 'create', { name, namespace }, ['asked']);
    await this.#rules(kind).beforeCreate?.(shown);
    refuseWrite(this.#store, kind, 'create', { name, namespace }, ['written']);
    const complete = completed(kind, shown, this.#store.calicoApi, this.#options);
    await this.#rules(kind).beforeWrite?.(complete);
    await checkObject(this.#store, kind, complete, { ...this.#options, planned: this.#planned });
    checkName(this.#store, kind, complete);
    requireNew(kind, complete);
    refuseWrite(this.#store, kind, 'create', { name: complete.metadata.name, namespace }, ['sent']);
    const object = asNew(complete, { uid: this.#world.random.uuid(), now: this.#world.clock.now() });
    const stored = fromV3(kind, object, this.#store.calicoApi);
    if (this.#options.dryRun === 'client') return this.#wouldWrite(kind, await this.#wouldCreate(kind, object));
    const made = await this.#store.create(kind, stored, this.#writing());
    await this.#noteDropped(kind, shown.metadata, stored, made);
    return this.#wouldWrite(kind, toV3(kind, made));
  }

  /**
   * Replaces a stored object. With a revision in its metadata the stored one must have the same; without, the update is
   * tried again while other clients write the object. Labels and annotations that it does not list are removed, all other
   * metadata stay. Returns what is stored. Errors: not-found, conflict, unsupported, invalid, those of the store.
   */
  async update(kind: Kind, shown: KubeObject): Promise<KubeObject> {
    return (await this.#replace(kind, shown)).object;
  }

  /**
   * Replaces a stored object by this one with all of its metadata, as calicoctl does with an object that it patched: it must
   * have the revision of the stored one. Returns what is stored. Errors: those of `update`.
   */
  async updateWhole(kind: Kind, shown: KubeObject): Promise<KubeObject> {
    return (await this.#replace(kind, shown, undefined, true)).object;
  }

  /** Creates the object, or updates the stored one if it differs. Errors: those of `create` and `update`. */
  async apply(kind: Kind, shown: KubeObject): Promise<Applied> {
    const { resourceVersion: _, ...metadata } = shown.metadata;
    const { name, namespace } = metadata;
    refuseWrite(this.#store, kind, 'apply', { name, namespace }, ['asked']);
    // calicoctl creates first; its checks of new objects come before it looks for one.
    const found = this.#options.asCalicoctl ? undefined : await this.#find(kind, { name, namespace });
    try {
      if (found === undefined) {
        return { outcome: 'created', object: await this.create(kind, { ...shown, metadata }) };
      }
    } catch (error) {
      const exists =
        error instanceof DatastoreError &&
        (error.reason === 'already-exists' || error.reason === 'unsupported' || error.code === 'WRITE_REFUSED');
      if (!exists) throw error;
    }
    return this.#replace(kind, shown, found);
  }

  /**
   * Deletes an object, with what Calico does before: a pool is disabled and its blocks lose their owners, a tier must be
   * empty, of an endpoint the addresses are taken from its pod. Returns what is left behind.
   * Errors: not-found; conflict when the stored revision is another one; unsupported; RefusedError for a pool with
   * addresses in use; those of the store.
   */
  async delete(kind: Kind, ref: ObjectRef, options: DeleteOptions = {}): Promise<Deleted> {
    refuseWrite(this.#store, kind, 'delete', ref, ['asked']);
    if (!ref.name && kind.derived === undefined) throw new DatastoreError('invalid', 'resource name may not be empty');
    const found = await this.#reader(kind).one(ref, { isDeleted: true });
    const { asCalicoctl, dryRun } = this.#options;
    const rules = this.#rules(kind);
    const compares = !asCalicoctl || rules.comparesRevision || found.source !== undefined;
    const resourceVersion = compares ? options.resourceVersion : undefined;
    if (resourceVersion && resourceVersion !== found.shown.metadata.resourceVersion) throw conflict(kind, ref);
    await rules.beforeDelete?.(found.shown);
    if (rules.remove !== undefined && found.stored !== undefined) {
      const left = await rules.remove(found.stored, { force: options.force === true || asCalicoctl === true });
      return { left };
    }
    if (dryRun !== 'client') await this.#remove(kind, ref, found, resourceVersion);
    const { stored } = found;
    const mayWait = dryRun === undefined && !asCalicoctl && stored?.metadata.finalizers?.length;
    return { left: mayWait ? await pendingDeletion(this.#store, kind, stored, found.shown.metadata) : [] };
  }

  #reader(kind: Kind): ObjectReader {
    return new ObjectReader(this.#store, kind, this.#world, this.#ahead);
  }

  #rules(kind: Kind): KindRules {
    const known = this.#rulesOfKinds.get(kind);
    if (known !== undefined) return known;
    const rules = rulesOf(kind, {
      store: this.#store,
      world: this.#world,
      planned: this.#planned,
      options: this.#options,
    });
    this.#rulesOfKinds.set(kind, rules);
    return rules;
  }

  #writing(): WriteOptions {
    return { stop: this.#world.signal, ...(this.#options.dryRun !== undefined && { dryRun: true }) };
  }

  /** The object that was written, which a dry run remembers for what comes after it. */
  #wouldWrite(kind: Kind, object: KubeObject): KubeObject {
    if (this.#options.dryRun !== undefined) this.#planned.add(kind, object);
    return object;
  }

  async #find(kind: Kind, ref: ObjectRef): Promise<ReadObject | undefined> {
    if (!ref.name || (await this.#ahead.isAbsent(kind, ref))) return undefined;
    try {
      return await this.#reader(kind).one(ref);
    } catch (error) {
      if (error instanceof DatastoreError && error.reason === 'not-found' && !error.missingKind) return undefined;
      throw error;
    }
  }

  async #wouldCreate(kind: Kind, object: KubeObject): Promise<KubeObject> {
    const { name, namespace } = object.metadata;
    if ((await this.#find(kind, { name, namespace })) === undefined) return object;
    throw alreadyExists(kind, { name, namespace });
  }

  /** `read` is what was found just now. `isWhole`: the metadata are those of `shown`. */
  async #replace(kind: Kind, shown: KubeObject, read?: ReadObject, isWhole = false): Promise<Applied> {
    const { name, namespace, resourceVersion } = shown.metadata;
    const ref = { name, namespace };
    refuseWrite(this.#store, kind, 'update', ref, ['asked']);
    // Of an object that is derived from another, the name must fit its values before it can be found by it.
    if (isWhole && kind.derived !== undefined) checkWrite(kind, shown, this.#options);
    for (let attempt = 1; ; attempt++) {
      const found = attempt === 1 && read !== undefined ? read : await this.#reader(kind).one(ref);
      if (resourceVersion && resourceVersion !== found.shown.metadata.resourceVersion) throw conflict(kind, ref);
      refuseWrite(this.#store, kind, 'update', ref, ['written']);
      const complete = completed(kind, shown, this.#store.calicoApi, this.#options);
      await this.#rules(kind).beforeWrite?.(complete);
      await checkObject(this.#store, kind, complete, {
        ...this.#options,
        planned: this.#planned,
        stored: found.shown,
      });
      if (isWhole) requireStored(kind, complete, this.#store.calicoApi);
      if (this.#options.asCalicoctl) checkName(this.#store, kind, complete);
      refuseWrite(this.#store, kind, 'update', ref, ['sent']);
      try {
        const wanted = isWhole ? complete : asReplacement(complete, found.shown, this.#options);
        return await this.#write(kind, wanted, found);
      } catch (error) {
        const isConflict = error instanceof DatastoreError && error.reason === 'conflict';
        const again = isConflict && !resourceVersion && !isWhole;
        if (!again || attempt === updateAttempts) throw error;
        await this.#world.clock.sleep(conflictPauseMs, this.#world.signal);
      }
    }
  }

  /** Writes what replaces the object that was found, at its revision. Errors: those of the store. */
  async #write(kind: Kind, wanted: KubeObject, found: ReadObject): Promise<Applied> {
    const { shown, stored } = found;
    if (stored === undefined) throw derivedObject(kind, wanted.metadata, found);
    const isShared = kind.codec?.onto !== undefined;
    const written = isShared
      ? (kind.codec?.onto?.(wanted, stored) ?? wanted)
      : keepsOwn(fromV3(kind, wanted, this.#store.calicoApi), stored);
    // One of them may spell out defaults that the other leaves out.
    const result = toV3(kind, written);
    if (sameValue(result, shown) && !this.#options.asCalicoctl) {
      return { outcome: 'unchanged', object: shown, previous: shown };
    }
    const options = { ...this.#writing(), ...(isShared && { subresource: 'status' as const }) };
    if (this.#options.dryRun === 'client') {
      return { outcome: 'updated', object: this.#wouldWrite(kind, result), previous: shown };
    }
    const updated = await this.#store.update(kind, written, options);
    if (!isShared) await this.#noteDropped(kind, shown.metadata, written, updated);
    return { outcome: 'updated', object: this.#wouldWrite(kind, toV3(kind, updated)), previous: shown };
  }

  async #noteDropped(kind: Kind, ref: ObjectRef, sent: KubeObject, kept: KubeObject): Promise<void> {
    const text = droppedText(kind, ref, sent, kept);
    if (text !== undefined) await this.#options.note?.(text);
  }

  async #remove(kind: Kind, ref: ObjectRef, found: ReadObject, resourceVersion: string | undefined): Promise<void> {
    const { stored, origin, source } = found;
    if (stored !== undefined) {
      const { name, namespace, uid } = stored.metadata;
      await this.#store.delete(kind, { name, namespace }, { uid, resourceVersion }, this.#writing());
    } else if (origin?.withdrawn !== undefined && source !== undefined) {
      const options = { ...this.#writing(), subresource: 'status' as const };
      await this.#store.update(origin.from, origin.withdrawn(source), options);
    } else {
      throw derivedObject(kind, ref, found);
    }
  }
}

/**
 * The object with everything that Calico's client fills in, and without what it leaves out. calicoctl checks and writes
 * fields of Calico 2 as they are given.
 */
function completed(kind: Kind, shown: KubeObject, calicoApi: CalicoApi, { asCalicoctl }: ClientOptions): KubeObject {
  const filled = asCalicoctl ? withDefaultsOnly(kind, shown) : withDefaults(kind, shown);
  const complete = omitEmpty(kind, defaulted(kind, filled), calicoApi);
  if (calicoApi === customResourceApi || shown.status !== undefined) return complete;
  // In projectcalico.org/v3 a status is written by itself.
  const { status: _, ...written } = complete;
  return written;
}

/** The error for a write of an object that exists only as long as the one that it is derived from. */
function derivedObject(kind: Kind, ref: ObjectRef, { origin, source }: ReadObject): DatastoreError {
  const name = nameOf(kind, ref);
  if (origin === undefined || source === undefined) {
    return new DatastoreError('unsupported', `${name} is built into Calico`, {
      hint: 'It cannot be changed or deleted.',
    });
  }
  return new DatastoreError('unsupported', `${name} is derived from ${nameOf(origin.from, source.metadata)}`, {
    hint: `Change the ${origin.from.kind} instead; the ${kind.kind} follows it.`,
  });
}

function conflict(kind: Kind, ref: ObjectRef): DatastoreError {
  return new DatastoreError('conflict', `${nameOf(kind, ref)} was changed in the meantime`, {
    hint: 'Read it again and repeat the change.',
  });
}
