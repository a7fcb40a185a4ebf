// The typed resource client: one interface over Kubernetes, a folder of manifests, and memory.
// Objects have the form in which a Kubernetes datastore holds them (crd.projectcalico.org/v1, core/v1).
import type { Kind } from '../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../resources/object.ts';
import { CalictlError, type ErrorDetails } from '../world/errors.ts';

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
  /** The store does not do this. */
  | 'unsupported'
  /** The store refused the content: 400, 422, malformed manifest. */
  | 'invalid'
  /** No answer, a broken one, or the time was up: whether a write happened is unknown. */
  | 'unavailable';

export class DatastoreError extends CalictlError {
  readonly reason: FailureReason;
  /** True when the kind itself is unknown to the server (CRD not installed). */
  readonly missingKind: boolean;
  /** The store's own words, as calicoctl prints them. */
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
  /** Deadline of this one call; the store's default when absent. */
  readonly timeoutMs?: number;
}

export interface ListOptions extends CallOptions {
  readonly namespace?: string | undefined;
  /**
   * `consistent` (default): what is stored now, in pages.
   * `scan`: the whole kind at once, possibly a moment old (the server's watch cache); pods, nodes and services
   * come with the fields of their reading types only. Whatever a decision rests on is read again with `get`.
   */
  readonly mode?: 'consistent' | 'scan';
  /** With `scan`: what is stored now, at the price of a slower beginning. */
  readonly current?: boolean;
  /** Kubernetes label selector text. */
  readonly labelSelector?: string;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  /** Revision of the list as a whole. */
  readonly resourceVersion: string;
  /** False when the list had to be restarted or continued at another revision: not one moment in time. */
  readonly atomic: boolean;
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
  /** When the objects were captured, if the store is a snapshot; undefined means now. */
  readonly capturedAt: Date | undefined;
  /** The folder itself, where the store is one. */
  readonly folder?: string;

  /** One object. Errors: not-found. */
  get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options?: CallOptions): Promise<T>;
  /** All objects of a kind in order of namespace and name, page by page as they arrive. */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncIterable<ListPage<T>>;
  /** Errors: already-exists, invalid. Answers the stored object with its revision. */
  create<T extends KubeObject>(kind: Kind<T>, object: T, options?: CallOptions): Promise<T>;
  /** Compare-and-swap on `metadata.resourceVersion`, which must be there. Errors: not-found, conflict, invalid. */
  update<T extends KubeObject>(kind: Kind<T>, object: T, options?: CallOptions): Promise<T>;
  /** Errors: not-found (also when the uid is another), conflict (the revision is another). */
  delete(kind: Kind, ref: ObjectRef, preconditions: DeletePreconditions, options?: CallOptions): Promise<void>;

  /**
   * Takes the lock that keeps repairs apart; waits for a dead holder's to run out.
   * Errors: RefusedError when another repair is alive, or when the caller has no right to the lock.
   */
  lockRepairs(options?: CallOptions): Promise<RepairLock>;
  close(): Promise<void>;
}

/** All objects of a kind at once, for callers that need the whole of it. Errors: those of `list`. */
export async function listAll<T extends KubeObject>(
  store: Datastore,
  kind: Kind<T>,
  options?: ListOptions,
): Promise<T[]> {
  const items: T[] = [];
  for await (const page of store.list(kind, options)) items.push(...page.items);
  return items;
}

/** The object, or undefined when there is none (the kind itself must exist). Errors: those of `get` but for that. */
export async function getIfAny<T extends KubeObject>(
  store: Datastore,
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
