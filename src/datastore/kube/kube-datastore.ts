// A Kubernetes API server as a datastore: Calico's custom resources and the core kinds.
import type { KubeConnection } from '../../connect/kube-connection.ts';
import type { Kind } from '../../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../../resources/object.ts';
import { parseJson, printJson } from '../../text/json.ts';
import type { World } from '../../world/world.ts';
import {
  type CallOptions,
  type Datastore,
  DatastoreError,
  type DeletePreconditions,
  type ListOptions,
  type ListPage,
  type RepairLock,
} from '../datastore.ts';
import { refOf } from '../object-rules.ts';
import { Deadline } from './deadline.ts';
import { KubeHttp, type KubeRequest } from './kube-http.ts';
import { completed, KubeList } from './kube-list.ts';
import { lockByLease } from './repair-lease.ts';
import { type RequestSubject, statusError, statusOf } from './status-error.ts';
import { invalidResponse } from './transport-error.ts';

/** Long enough for a server under load, short enough for a user who waits. */
const callTimeoutMs = 30_000;
const listTimeoutMs = 60_000;

/** A datastore on a connection; nothing is sent before the first call. */
export function openKube(
  connection: KubeConnection,
  world: Pick<World, 'clock' | 'random' | 'self' | 'signal'>,
): Datastore {
  return new KubeDatastore(connection, world);
}

class KubeDatastore implements Datastore {
  readonly type = 'kubernetes';
  readonly description: string;
  readonly capturedAt = undefined;
  readonly #connection: KubeConnection;
  readonly #world: Pick<World, 'clock' | 'random' | 'self' | 'signal'>;
  readonly #http: KubeHttp;
  /** Kinds that were written through this store: scans of them must show its own writes. */
  readonly #written = new Set<string>();

  constructor(connection: KubeConnection, world: Pick<World, 'clock' | 'random' | 'self' | 'signal'>) {
    this.#connection = connection;
    this.#world = world;
    this.#http = new KubeHttp(connection, world);
    this.description = `kubernetes at ${connection.server.origin}`;
  }

  async get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options: CallOptions = {}): Promise<T> {
    const subject = { verb: 'get', kind, ref } as const;
    const path = objectPath(kind, ref);
    return this.#object(kind, await this.#call(subject, { method: 'GET', path }, this.#reading(options)));
  }

  list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): AsyncIterable<ListPage<T>> {
    const path = collectionPath(kind, options.namespace);
    // Every iteration lists again.
    const pages = () => {
      const fromCache = options.mode === 'scan' && options.current !== true && !this.#written.has(kind.kind);
      const timeoutMs = options.timeoutMs ?? listTimeoutMs;
      return new KubeList(this.#http, kind, path, { ...this.#reading(options), timeoutMs, fromCache }).pages();
    };
    return { [Symbol.asyncIterator]: pages };
  }

  async create<T extends KubeObject>(kind: Kind<T>, object: T, options: CallOptions = {}): Promise<T> {
    const ref = refOf(kind, object);
    const path = collectionPath(kind, ref.namespace);
    const body = printJson(object);
    return this.#object(kind, await this.#call({ verb: 'create', kind, ref }, { method: 'POST', path, body }, options));
  }

  async update<T extends KubeObject>(kind: Kind<T>, object: T, options: CallOptions = {}): Promise<T> {
    const ref = refOf(kind, object);
    if (!object.metadata.resourceVersion) {
      throw new DatastoreError('invalid', `${kind.kind} ${ref.name}: an update needs metadata.resourceVersion`);
    }
    const path = objectPath(kind, ref);
    const body = printJson(object);
    return this.#object(kind, await this.#call({ verb: 'update', kind, ref }, { method: 'PUT', path, body }, options));
  }

  async delete(
    kind: Kind,
    ref: ObjectRef,
    preconditions: DeletePreconditions,
    options: CallOptions = {},
  ): Promise<void> {
    const { uid, resourceVersion } = preconditions;
    const body = printJson({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } });
    const path = objectPath(kind, ref);
    await this.#call({ verb: 'delete', kind, ref }, { method: 'DELETE', path, body }, options);
  }

  lockRepairs(options: CallOptions = {}): Promise<RepairLock> {
    return lockByLease(this, this.#world, options);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  /** Reads are aborted by the program's signal; a write that was started finishes, unless the caller's signal aborts it. */
  #reading<O extends CallOptions>(options: O): O {
    return { ...options, signal: options.signal ?? this.#world.signal };
  }

  async #call(subject: RequestSubject, request: Omit<KubeRequest, 'deadline'>, options: CallOptions): Promise<string> {
    const deadline = new Deadline(options.timeoutMs ?? callTimeoutMs, options.signal);
    if (request.method !== 'GET') this.#written.add(subject.kind.kind);
    try {
      const response = await this.#http.send({ ...request, deadline });
      const body = await this.#http.text(response, deadline);
      if (response.status < 200 || response.status > 299) throw statusError(response.status, statusOf(body), subject);
      return body;
    } finally {
      deadline.end();
    }
  }

  #object<T extends KubeObject>(kind: Kind<T>, body: string): T {
    try {
      return completed(kind, parseJson(body));
    } catch (cause) {
      throw invalidResponse(this.#http.server, cause instanceof Error ? cause.message : 'not an object', cause);
    }
  }
}

function collectionPath(kind: Kind, namespace: string | undefined): string {
  const { group, version, plural } = kind.api;
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = kind.namespaced && namespace !== undefined ? `/namespaces/${segment(kind, namespace)}` : '';
  return `${base}${within}/${plural}`;
}

function objectPath(kind: Kind, ref: ObjectRef): string {
  if (kind.namespaced && !ref.namespace) {
    throw new DatastoreError('invalid', `${kind.kind} ${ref.name} is namespaced, and no namespace was given`);
  }
  return `${collectionPath(kind, ref.namespace)}/${segment(kind, ref.name)}`;
}

/** A name as one segment of a path: never empty, never one that leads elsewhere. */
function segment(kind: Kind, name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) {
    throw new DatastoreError('invalid', `invalid name of a ${kind.kind}: ${JSON.stringify(name)}`);
  }
  return encodeURIComponent(name);
}
