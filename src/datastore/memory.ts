// A datastore in memory, with conflicts, timeouts and crashes on demand: the allocator and repairs are tested on it.
import { inStoredForm } from '../resources/convert/v3.ts';
import { isNormal, normalise } from '../resources/int64.ts';
import { type CalicoApi, customResourceApi, type Kind, storedIn } from '../resources/kind.ts';
import { kindNamed, kindOf } from '../resources/kinds.ts';
import type { KubeObject, ObjectRef } from '../resources/object.ts';
import { deepCopy, frozen } from '../text/plain-values.ts';
import { RefusedError } from '../world/errors.ts';
import {
  type CallOptions,
  type Datastore,
  DatastoreError,
  type DeletePreconditions,
  type ListOptions,
  type ListPage,
  type RepairLock,
  type WriteOptions,
} from './datastore.ts';
import { labelSelector } from './label-selector.ts';
import {
  alreadyExists,
  asCreated,
  asUpdated,
  checkDelete,
  compareKeys,
  conflict,
  notFound,
  objectKey,
  refOf,
  revisionNumber,
} from './object-rules.ts';

export type MemoryOperation = 'get' | 'list' | 'create' | 'update' | 'delete';

/** A call, on which `faults` decides. */
export interface MemoryCall {
  readonly op: MemoryOperation;
  readonly kind: string;
  /** Empty for a list. */
  readonly name: string;
  /** 1 for the first call of the store, of any operation. */
  readonly nth: number;
  /** 1 for the first create, update or delete; 0 for a read. */
  readonly nthWrite: number;
}

/**
 * The first three are failures that the store reports, without any effect. `before`: the call has no effect; `after`: it
 * has, but the caller does not learn about it.
 */
export type MemoryFault =
  | 'conflict'
  | 'already-exists'
  | 'not-found'
  | 'timeout-before'
  | 'timeout-after'
  | 'crash-before'
  | 'crash-after';

/** The process "died": every later call of the same store throws this too. */
export class StoreCrash extends Error {
  constructor(call: MemoryCall) {
    super(`crash at call ${call.nth}: ${call.op} ${call.kind} ${call.name}`);
    this.name = 'StoreCrash';
  }
}

export interface MemoryOptions {
  readonly faults?: (call: MemoryCall) => MemoryFault | undefined;
  readonly now?: () => Date;
  readonly capturedAt?: Date;
  /** crd.projectcalico.org/v1 by default; the objects may have either form. */
  readonly calicoApi?: CalicoApi;
}

/**
 * Deterministic: revisions and uids are counters of the store, and the time is constant unless `now` is given. Returned
 * objects are the stored ones and are frozen; objects passed in are copied where they differ from the stored ones.
 */
export class MemoryDatastore implements Datastore {
  readonly type = 'memory';
  readonly description = 'memory';
  readonly calicoApi: CalicoApi;
  readonly capturedAt: Date | undefined;
  /** May be set, changed or removed between calls. */
  faults: ((call: MemoryCall) => MemoryFault | undefined) | undefined;
  /** Calls made so far, in order. */
  readonly calls: MemoryCall[] = [];
  /** Create, update and delete calls made so far. */
  writes = 0;
  readonly #now: () => Date;
  readonly #objects = new Map<Kind, Map<string, KubeObject>>();
  /** Sorted keys by kind; dropped when a key is added or removed. */
  readonly #keys = new Map<Kind, readonly string[]>();
  /** Lists by kind, and by namespace and selector; dropped when an object of the kind is written. */
  readonly #lists = new Map<Kind, Map<string, readonly KubeObject[]>>();
  #revision = 0n;
  #uids = 0;
  #crash: StoreCrash | undefined;
  #repairLocked = false;

  constructor(objects: readonly KubeObject[] = [], options: MemoryOptions = {}) {
    this.faults = options.faults;
    this.#now = options.now ?? (() => beginning);
    this.capturedAt = options.capturedAt;
    this.calicoApi = options.calicoApi ?? customResourceApi;
    for (const { metadata } of objects) {
      const revision = revisionNumber(metadata.resourceVersion);
      if (revision !== undefined && revision > this.#revision) this.#revision = revision;
      const uid = OWN_UID.exec(metadata.uid ?? '')?.[1];
      if (uid !== undefined) this.#uids = Math.max(this.#uids, Number.parseInt(uid, 16));
    }
    for (const object of objects) this.#seed(object);
  }

  get<T extends KubeObject>(asked: Kind<T>, ref: ObjectRef, options?: CallOptions): Promise<T> {
    const kind = storedIn(asked, this.calicoApi);
    return this.#call('get', kind, ref.name, options, () => {
      const stored = this.#of(kind).get(objectKey(kind, ref));
      if (stored === undefined) throw notFound(kind, ref);
      return stored as T;
    });
  }

  async *list<T extends KubeObject>(asked: Kind<T>, options: ListOptions = {}): AsyncGenerator<ListPage<T>> {
    const kind = storedIn(asked, this.calicoApi);
    yield this.#call('list', kind, '', options, () => {
      const items = this.#listed(kind, options) as readonly T[];
      return { items: [...items], resourceVersion: String(this.#revision), atomic: true };
    });
  }

  async create<T extends KubeObject>(asked: Kind<T>, given: T, options?: WriteOptions): Promise<T> {
    const kind = storedIn(asked, this.calicoApi);
    const object = inStoredForm(asked, given, this.calicoApi);
    const ref = refOf(kind, object);
    return await this.#call('create', kind, ref.name, options, () => {
      const key = objectKey(kind, ref);
      if (this.#of(kind).has(key)) throw alreadyExists(kind, ref);
      const first = { uid: this.#nextUid(), resourceVersion: this.#nextRevision(), now: this.#now() };
      const created = normalise(kind, asCreated(object, first));
      return options?.dryRun ? created : this.#put(kind, key, created);
    });
  }

  async update<T extends KubeObject>(asked: Kind<T>, given: T, options?: WriteOptions): Promise<T> {
    const kind = storedIn(asked, this.calicoApi);
    const object = inStoredForm(asked, given, this.calicoApi);
    const ref = refOf(kind, object);
    return await this.#call('update', kind, ref.name, options, () => {
      const key = objectKey(kind, ref);
      const stored = this.#of(kind).get(key);
      if (stored === undefined) throw notFound(kind, ref);
      const normal = isNormal(kind, object) ? object : normalise(kind, deepCopy(object));
      const updated = asUpdated(kind, normal, stored, () => this.#nextRevision());
      if (updated === undefined) return stored as T;
      return options?.dryRun ? updated : this.#put(kind, key, updated);
    });
  }

  async delete(asked: Kind, ref: ObjectRef, preconditions: DeletePreconditions, options?: WriteOptions): Promise<void> {
    const kind = storedIn(asked, this.calicoApi);
    await this.#call('delete', kind, ref.name, options, () => {
      const key = objectKey(kind, ref);
      const stored = this.#of(kind).get(key);
      if (stored === undefined) throw notFound(kind, ref);
      checkDelete(kind, stored, preconditions);
      if (options?.dryRun) return;
      this.#of(kind).delete(key);
      this.#keys.delete(kind);
      this.#lists.delete(kind);
      this.#nextRevision();
    });
  }

  async lockRepairs(): Promise<RepairLock> {
    if (this.#repairLocked) throw new RefusedError('another repair of this datastore is running', 'REPAIR_LOCKED');
    this.#repairLocked = true;
    return {
      lost: new AbortController().signal,
      release: async () => {
        this.#repairLocked = false;
      },
    };
  }

  async close(): Promise<void> {}

  /** Copies of all objects, sorted by kind and name: a store made of them continues where this one stopped. */
  dump(): KubeObject[] {
    return [...this.#objects]
      .sort(([a], [b]) => compareKeys(a.kind, b.kind))
      .flatMap(([kind]) => this.#sorted(kind))
      .map((object) => deepCopy(object));
  }

  async #call<R>(
    op: MemoryOperation,
    kind: Kind,
    name: string,
    options: CallOptions | undefined,
    run: () => R,
  ): Promise<R> {
    options?.signal?.throwIfAborted();
    if (this.#crash !== undefined) throw this.#crash;
    const isWrite = op !== 'get' && op !== 'list';
    if (isWrite) this.writes++;
    const call = { op, kind: kind.kind, name, nth: this.calls.length + 1, nthWrite: isWrite ? this.writes : 0 };
    this.calls.push(call);
    const fault = this.faults?.(call);
    if (fault === 'conflict') throw conflict(kind, { name });
    if (fault === 'already-exists') throw alreadyExists(kind, { name });
    if (fault === 'not-found') throw notFound(kind, { name });
    if (fault === 'timeout-before') throw timeout(call);
    if (fault === 'crash-before') throw this.#crashed(call);
    // Other callers run between the request and its effect, as with a real server.
    await Promise.resolve();
    const result = run();
    if (fault === 'timeout-after') throw timeout(call);
    if (fault === 'crash-after') throw this.#crashed(call);
    return result;
  }

  /** The objects of a kind, sorted by their keys. */
  #sorted(kind: Kind): KubeObject[] {
    const objects = this.#objects.get(kind) ?? new Map<string, KubeObject>();
    let keys = this.#keys.get(kind);
    if (keys === undefined) {
      keys = [...objects.keys()].sort(compareKeys);
      this.#keys.set(kind, keys);
    }
    return keys.map((key) => objects.get(key) as KubeObject);
  }

  /** The objects of a kind that match, sorted by their keys. */
  #listed(kind: Kind, { namespace, labelSelector: text = '' }: ListOptions): readonly KubeObject[] {
    const lists = this.#lists.get(kind) ?? new Map<string, readonly KubeObject[]>();
    this.#lists.set(kind, lists);
    const question = namespace === undefined ? text : `${namespace}\0${text}`;
    const known = lists.get(question);
    if (known !== undefined) return known;
    const selected = labelSelector(text);
    const found = this.#sorted(kind).filter(
      ({ metadata }) => (namespace === undefined || metadata.namespace === namespace) && selected(metadata.labels),
    );
    lists.set(question, found);
    return found;
  }

  #crashed(call: MemoryCall): StoreCrash {
    this.#crash = new StoreCrash(call);
    return this.#crash;
  }

  #seed(object: KubeObject): void {
    const known = kindOf(object.apiVersion, object.kind) ?? kindNamed(object.kind);
    if (known === undefined) throw new DatastoreError('invalid', `unknown kind ${object.kind}`);
    const kind = storedIn(known, this.calicoApi);
    const stored = deepCopy(inStoredForm(known, object, this.calicoApi));
    const ref = refOf(kind, stored);
    const key = objectKey(kind, ref);
    if (this.#of(kind).has(key)) throw alreadyExists(kind, ref);
    stored.metadata.uid ??= this.#nextUid();
    stored.metadata.resourceVersion ??= this.#nextRevision();
    this.#put(kind, key, normalise(kind, stored));
  }

  #put<T extends KubeObject>(kind: Kind<T>, key: string, object: T): T {
    const stored = frozen(object);
    const objects = this.#of(kind);
    if (!objects.has(key)) this.#keys.delete(kind);
    this.#lists.delete(kind);
    objects.set(key, stored);
    return stored;
  }

  #of(kind: Kind): Map<string, KubeObject> {
    const known = this.#objects.get(kind);
    if (known !== undefined) return known;
    const fresh = new Map<string, KubeObject>();
    this.#objects.set(kind, fresh);
    return fresh;
  }

  #nextRevision(): string {
    this.#revision++;
    return String(this.#revision);
  }

  #nextUid(): string {
    this.#uids++;
    return `00000000-0000-4000-8000-${this.#uids.toString(16).padStart(12, '0')}`;
  }
}

/** The time in a store without a clock. */
const beginning = new Date('2025-01-01T00:00:00Z');

/** A uid that a memory store generated. */
const OWN_UID = /^00000000-0000-4000-8000-([0-9a-f]{12})$/;

function timeout(call: MemoryCall): DatastoreError {
  return new DatastoreError('unavailable', `no answer in time: ${call.op} ${call.kind} ${call.name}`);
}
