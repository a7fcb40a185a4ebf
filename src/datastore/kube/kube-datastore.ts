// A Kubernetes API server as a datastore: Calico's custom resources and the core kinds.
import type { KubeConnection, Waiting } from '../../connect/kube-connection.ts';
import { inStoredForm } from '../../resources/convert/v3.ts';
import { type CalicoApi, customResourceApi, isCalicoKind, type Kind, storedIn } from '../../resources/kind.ts';
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
  type UpdateOptions,
  type WriteOptions,
} from '../datastore.ts';
import { refOf } from '../object-rules.ts';
import { ApiGroups } from './api-groups.ts';
import { Deadline } from './deadline.ts';
import { KubeHttp, type KubeRequest } from './kube-http.ts';
import { completed, KubeList } from './kube-list.ts';
import { lockByLease } from './repair-lease.ts';
import { type RequestSubject, statusError, statusOf } from './status-error.ts';
import { invalidResponse } from './transport-error.ts';

/** Long enough for a server under load, short enough for a user who waits. */
const callTimeoutMs = 30_000;
const listTimeoutMs = 60_000;

export interface KubeOptions {
  /** Gets what a request waits for, other than its response. */
  readonly waiting?: Waiting;
  /**
   * Errors say why Calico's kinds are missing, and a cluster with its objects in another API group is refused. calicoctl
   * has neither.
   */
  readonly explains?: boolean;
}

/** A datastore on a connection; nothing is sent before the first call. */
export function openKube(
  connection: KubeConnection,
  world: Pick<World, 'clock' | 'random' | 'self' | 'signal'>,
  options: KubeOptions = {},
): Datastore {
  return new KubeDatastore(connection, world, options);
}

class KubeDatastore implements Datastore {
  readonly type = 'kubernetes';
  readonly description: string;
  readonly calicoApi: CalicoApi = customResourceApi;
  readonly capturedAt = undefined;
  readonly #connection: KubeConnection;
  readonly #world: Pick<World, 'clock' | 'random' | 'self' | 'signal'>;
  readonly #http: KubeHttp;
  /** Kinds that were written through this store: scans of them must show its own writes. */
  readonly #written = new Set<string>();
  readonly #groups: ApiGroups | undefined;

  constructor(
    connection: KubeConnection,
    world: Pick<World, 'clock' | 'random' | 'self' | 'signal'>,
    { waiting, explains }: KubeOptions,
  ) {
    this.#connection = connection;
    this.#world = world;
    this.#http = new KubeHttp(connection, world, waiting);
    if (explains) this.#groups = new ApiGroups(this.#http, world.signal);
    this.description = `kubernetes at ${connection.server.origin}`;
  }

  async get<T extends KubeObject>(asked: Kind<T>, ref: ObjectRef, options: CallOptions = {}): Promise<T> {
    const kind = storedIn(asked, this.calicoApi);
    const subject = { verb: 'get', kind, ref } as const;
    const path = objectPath(kind, ref);
    return this.#object(kind, await this.#call(subject, { method: 'GET', path }, this.#reading(options)));
  }

  list<T extends KubeObject>(asked: Kind<T>, options: ListOptions = {}): AsyncIterable<ListPage<T>> {
    const kind = storedIn(asked, this.calicoApi);
    const path = collectionPath(kind, options.namespace);
    // Every iteration lists again.
    const pages = () => {
      const fromCache = options.mode === 'scan' && options.current !== true && !this.#written.has(kind.kind);
      const limitMs = this.#connection.requestTimeoutMs;
      const timeoutMs = options.timeoutMs ?? Math.max(listTimeoutMs, limitMs ?? 0);
      const asked = { ...this.#reading(options), timeoutMs, limitMs, fromCache };
      return this.#explained(kind, new KubeList(this.#http, kind, path, asked).pages());
    };
    return { [Symbol.asyncIterator]: pages };
  }

  async create<T extends KubeObject>(asked: Kind<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const kind = storedIn(asked, this.calicoApi);
    const written = inStoredForm(asked, object, this.calicoApi);
    const ref = refOf(kind, written);
    const path = collectionPath(kind, ref.namespace) + dryRunQuery(options);
    const body = printJson(written);
    return this.#object(kind, await this.#call({ verb: 'create', kind, ref }, { method: 'POST', path, body }, options));
  }

  async update<T extends KubeObject>(asked: Kind<T>, object: T, options: UpdateOptions = {}): Promise<T> {
    const kind = storedIn(asked, this.calicoApi);
    const written = inStoredForm(asked, object, this.calicoApi);
    const ref = refOf(kind, written);
    if (!written.metadata.resourceVersion) {
      throw new DatastoreError('invalid', `${kind.kind} ${ref.name}: an update needs metadata.resourceVersion`);
    }
    const subresource = options.subresource === undefined ? '' : `/${options.subresource}`;
    const path = objectPath(kind, ref) + subresource + dryRunQuery(options);
    const body = printJson(written);
    return this.#object(kind, await this.#call({ verb: 'update', kind, ref }, { method: 'PUT', path, body }, options));
  }

  async delete(
    asked: Kind,
    ref: ObjectRef,
    preconditions: DeletePreconditions,
    options: WriteOptions = {},
  ): Promise<void> {
    const kind = storedIn(asked, this.calicoApi);
    const { uid, resourceVersion } = preconditions;
    const dryRun = options.dryRun ? ['All'] : undefined;
    const body = printJson({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid, resourceVersion },
      dryRun,
    });
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

  /** The pages; an error for what is missing, and for pools that are kept elsewhere, in place of an empty list. */
  async *#explained<T extends KubeObject>(
    kind: Kind<T>,
    pages: AsyncIterable<ListPage<T>>,
  ): AsyncGenerator<ListPage<T>> {
    let isEmpty = true;
    try {
      for await (const page of pages) {
        isEmpty &&= page.items.length === 0;
        // A cluster without a pool has no IPAM data either, or they are in another group.
        if (isEmpty && kind.api.plural === 'ippools') await this.#groups?.refuseOthers();
        yield page;
      }
    } catch (error) {
      throw await this.#explanation(kind, error);
    }
  }

  async #explanation(kind: Kind, error: unknown): Promise<unknown> {
    const isMissing = error instanceof DatastoreError && error.missingKind && isCalicoKind(kind);
    return (isMissing ? await this.#groups?.reason() : undefined) ?? error;
  }

  async #call(subject: RequestSubject, request: Omit<KubeRequest, 'deadline'>, options: CallOptions): Promise<string> {
    try {
      return await this.#answer(subject, request, options);
    } catch (error) {
      throw await this.#explanation(subject.kind, error);
    }
  }

  async #answer(
    subject: RequestSubject,
    request: Omit<KubeRequest, 'deadline'>,
    options: CallOptions,
  ): Promise<string> {
    const limitMs = this.#connection.requestTimeoutMs;
    const timeoutMs = options.timeoutMs ?? Math.max(callTimeoutMs, limitMs ?? 0);
    const deadline = new Deadline(timeoutMs, options.signal, limitMs);
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

function dryRunQuery({ dryRun }: WriteOptions): string {
  return dryRun ? '?dryRun=All' : '';
}

/** A name as one segment of a path: never empty, never one that leads elsewhere. */
function segment(kind: Kind, name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) {
    throw new DatastoreError('invalid', `invalid name of a ${kind.kind}: ${JSON.stringify(name)}`);
  }
  return encodeURIComponent(name);
}
