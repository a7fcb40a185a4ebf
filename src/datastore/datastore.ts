// The typed resource client: one interface over Kubernetes, a folder of manifests, and memory.
// Objects have the form in which the store holds them: Calico's that of `calicoApi`, others that of their own API (core/v1).
import type { CalicoApi, Kind } from '../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../resources/object.ts';
import { CalictlError, type ErrorDetails, type RefusedError } from '../world/errors.ts';

export type DatastoreType = 'kubernetes' | 'folder' | 'memory';

/** Why a call failed, whatever the store. */
export type FailureReason =
  /** No such object (or kind: missingKind below). */
  | 'not-found'
  | 'already-exists'
  /** The revision or uid that the call named is no longer the stored one. */
  | 'conflict'
  /** The store refused the caller: 401 or 403. */
  | 'unauthorized'
  /** The store cannot do this. */
  | 'unsupported'
  /** The store refused the content: 400, 422, malformed manifest. */
  | 'invalid'
  /** No response, a broken one, or a timeout: whether a write took effect is unknown. */
  | 'unavailable';

export class DatastoreError extends CalictlError {
  readonly reason: FailureReason;
  /** True when the server does not know the kind (CRD not installed). */
  readonly missingKind: boolean;
  /** The store's own message, which calicoctl prints. */
  readonly storeText: string | undefined;

  constructor(
    reason: FailureReason,
    message: string,
    details: Partial<ErrorDetails> & { missingKind?: boolean; storeText?: string | undefined } = {},
  ) {
    super(message, { code: `DATASTORE_${reason.toUpperCase().replaceAll('-', '_')}`, ...details });
    this.reason = reason;
    this.missingKind = details.missingKind ?? false;
    this.storeText = details.storeText;
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Deadline of this call; by default that of the store. */
  readonly timeoutMs?: number;
}

export interface WriteOptions extends CallOptions {
  /** All checks of the store are made, and nothing is written. The revision of what comes back means nothing. */
  readonly dryRun?: boolean;
  /** Once aborted, a write that the server is too busy for is not sent again; one that it has is finished, unlike by `signal`. */
  readonly stop?: AbortSignal | undefined;
}

export interface UpdateOptions extends WriteOptions {
  /**
   * Kubernetes lets Calico write nodes and pods through their status only: there the call changes annotations, labels and
   * the status of the object, and nothing else. Other stores have no such door, and write the object as it is.
   */
  readonly subresource?: 'status';
}

export interface ListOptions extends CallOptions {
  readonly namespace?: string | undefined;
  /**
   * `consistent` (default): what is stored now, in pages.
   * `scan`: the whole kind at once, possibly slightly stale (the server's watch cache); pods, nodes and services
   * have only the fields of their types. Whatever a decision rests on must be read again with `get`.
   */
  readonly mode?: 'consistent' | 'scan';
  /** Also in pages pods and nodes have only the fields of their types, which a server sends and a client reads faster. */
  readonly typed?: boolean;
  /** With `scan`: what is stored now; the first items take longer to arrive. */
  readonly current?: boolean;
  /** A Kubernetes label selector. */
  readonly labelSelector?: string;
  /** For what is written: a folder without any manifest is one without objects, where it is an error for readers. */
  readonly orEmpty?: boolean;
  /** For callers that ask for `holdings`: what a folder holds besides its unreadable files, which are errors otherwise. */
  readonly partial?: boolean;
}

/** What a folder of manifests can know about its own completeness: it may be a dump of some kinds, or of some namespaces. */
export interface Holdings {
  /** Files that may hold objects of any kind and cannot be read: `dump/pods.yaml: a named pipe, not a file`. */
  readonly unreadable: readonly string[];
  /** Kinds of which the folder certainly holds all objects, also when that is none: those that a snapshot saved. */
  readonly complete: ReadonlySet<string>;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  /** Revision of the list as a whole. */
  readonly resourceVersion: string;
  /** False when the list was restarted or continued at another revision: it does not show a single point in time. */
  readonly atomic: boolean;
  /** True when the store knows that there is another page. */
  readonly continues?: boolean;
}

export interface WatchEvent<T extends KubeObject = KubeObject> {
  readonly type: 'added' | 'modified' | 'deleted';
  /** As it is now; of a deleted object, as it was last. */
  readonly object: T;
}

export interface WatchBatch<T extends KubeObject = KubeObject> {
  readonly events: readonly WatchEvent<T>[];
  /** True for the objects that there were when the watch began; `isWhole` with the last of them. */
  readonly isInitial: boolean;
  readonly isWhole: boolean;
}

export interface WatchOptions extends CallOptions {
  readonly namespace?: string | undefined;
}

/** Annotations to set, and what must still be true of the object for that. */
export interface StatusAnnotations extends DeletePreconditions {
  readonly annotations: Readonly<Record<string, string>>;
}

/** What must still be true of the stored object for a delete to happen. */
export interface DeletePreconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** Keeps two repairs of one datastore apart. */
export interface RepairLock {
  /** Aborted when the lock was lost: stop writing. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface Datastore {
  readonly type: DatastoreType;
  /** For people, without secrets: `kubernetes at https://10.0.0.1:6443`, `folder ./dump`. */
  readonly description: string;
  /**
   * The API in which the store keeps Calico's objects. All that it hands out have this apiVersion. Writes take both forms
   * and store this one; `fromV3` of resources/convert makes it from the form that people write.
   */
  readonly calicoApi: CalicoApi;
  /** Why objects of Calico cannot be written, which every write of them throws; absent when they can. */
  readonly readOnly?: RefusedError | undefined;
  /** True where a migration to projectcalico.org/v3 is under way or prepared: its CRDs are installed and not in use yet. */
  readonly isBeforeMigration?: boolean | undefined;
  /** When the objects were captured, if the store is a snapshot; undefined means now. */
  readonly capturedAt: Date | undefined;
  /** The folder itself, where the store is one, and the bundle that it was unpacked from. */
  readonly folder?: string;
  readonly bundle?: string | undefined;

  /** One object. Errors: not-found. */
  get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options?: CallOptions): Promise<T>;
  /** All objects of a kind in order of namespace and name, page by page as they arrive. */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncIterable<ListPage<T>>;
  /**
   * All objects of a kind, then each change as it happens, until the signal is aborted; absent for stores that must be
   * listed again, as `watchKind` does. Errors: those of `list`; the reason of the signal.
   */
  watch?<T extends KubeObject>(kind: Kind<T>, options?: WatchOptions): AsyncIterable<WatchBatch<T>>;
  /** Returns the stored object with its revision. Errors: already-exists, invalid. */
  create<T extends KubeObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Compare-and-swap on `metadata.resourceVersion`, which is required. Errors: not-found, conflict, invalid. */
  update<T extends KubeObject>(kind: Kind<T>, object: T, options?: UpdateOptions): Promise<T>;
  /**
   * Sets annotations by one patch of the object's status: the only write of pods that a CNI plugin has the right to. With
   * the revision and uid in `change` it is a compare-and-swap, without them it cannot conflict. Kubernetes only.
   * Errors: not-found (also when the uid differs), conflict.
   */
  annotateStatus?(kind: Kind, ref: ObjectRef, change: StatusAnnotations, options?: CallOptions): Promise<void>;
  /** Errors: not-found (also when the uid differs), conflict (the revision differs). */
  delete(kind: Kind, ref: ObjectRef, preconditions: DeletePreconditions, options?: WriteOptions): Promise<void>;

  /** What is known to be missing; absent for a store that holds every object of its cluster. */
  holdings?(options?: CallOptions): Promise<Holdings>;

  /**
   * Takes the lock that prevents concurrent repairs; waits until that of a dead holder expires.
   * Errors: RefusedError when another repair is alive, or when the caller has no right to the lock.
   */
  lockRepairs(options?: CallOptions): Promise<RepairLock>;
  close(): Promise<void>;
}

/** All objects of a kind at once, for callers that need all of them. Errors: those of `list`. */
export async function listAll<T extends KubeObject>(
  store: Datastore,
  kind: Kind<T>,
  options?: ListOptions,
): Promise<T[]> {
  const items: T[] = [];
  for await (const page of store.list(kind, options)) items.push(...page.items);
  return items;
}

/** The object, or undefined when it does not exist (its kind must exist). Other errors: those of `get`. */
export async function getIfAny<T extends KubeObject>(
  store: Pick<Datastore, 'get'>,
  kind: Kind<T>,
  ref: ObjectRef,
  options?: CallOptions,
): Promise<T | undefined> {
  try {
    return await store.get(kind, ref, options);
  } catch (error) {
    if (error instanceof DatastoreError && error.reason === 'not-found' && !error.missingKind) return undefined;
    throw error;
  }
}
