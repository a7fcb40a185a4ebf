// A Kubernetes API server as a datastore: Calico's custom resources and the core kinds.
import type { KubeConnection, Waiting } from '../../connect/kube-connection.ts';
import { inStoredForm } from '../../resources/convert/v3.ts';
import { type CalicoApi, customResourceApi, isCalicoKind, type Kind, storedIn } from '../../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../../resources/object.ts';
import { parseJson, printJson } from '../../text/json.ts';
import type { RefusedError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { type CalicoApiChoice, chosenCalicoApi } from '../calico-api.ts';
import {
  type CallOptions,
  type Datastore,
  DatastoreError,
  type DeletePreconditions,
  type ListOptions,
  type ListPage,
  type RepairLock,
  type StatusAnnotations,
  type UpdateOptions,
  type WatchBatch,
  type WatchOptions,
  type WriteOptions,
} from '../datastore.ts';
import { refOf } from '../object-rules.ts';
import { CalicoApiFinder } from './calico-api-facts.ts';
import { Deadline } from './deadline.ts';
import { KubeHttp, type KubeRequest } from './kube-http.ts';
import { completed, KubeList, oneAhead } from './kube-list.ts';
import { KubeWatch } from './kube-watch.ts';
import { lockByLease } from './repair-lease.ts';
import { type RequestSubject, statusError, statusOf } from './status-error.ts';
import { invalidResponse } from './transport-error.ts';

/** Long enough for a server under load, short enough for a user who waits. */
const callTimeoutMs = 30_000;
const listTimeoutMs = 60_000;

export interface KubeOptions {
  /** Gets what a request waits for, other than its response. */
  readonly waiting?: Waiting;
  /** The API of Calico's objects that the user asks for. */
  readonly calicoApi?: CalicoApi | undefined;
  /** Gets one line on which API is read, where the cluster has two. */
  readonly note?: (line: string) => Promise<void>;
  /**
   * True for a CNI plugin: it finds the API by the setting, else by the names of the API groups alone, as Calico's does, and
   * leaves it to ClusterInformation whether anything may be written.
   */
  readonly asPlugin?: boolean;
  /** True for calicoctl: a cluster without Calico is taken for one with crd.projectcalico.org/v1, whose lists are empty. */
  readonly asCalicoctl?: boolean;
}

type KubeWorld = Pick<World, 'clock' | 'random' | 'self' | 'signal'>;

/**
 * A datastore on a connection, after asking the server which API holds Calico's objects. When that fails, so do all calls
 * that need the answer.
 */
export async function openKube(
  connection: KubeConnection,
  world: KubeWorld,
  options: KubeOptions = {},
): Promise<Datastore> {
  const http = new KubeHttp(connection, world, options.waiting);
  const store = new KubeDatastore(connection, http, world, await calicoApiOf(connection, http, world, options));
  if (store.choice.note !== undefined) await options.note?.(store.choice.note);
  return store;
}

/** A choice, and the error of all that needs another one. */
type KubeChoice = CalicoApiChoice & { readonly failure?: unknown };

async function calicoApiOf(
  connection: KubeConnection,
  http: KubeHttp,
  { signal }: KubeWorld,
  { calicoApi: asked, asCalicoctl, asPlugin }: KubeOptions,
): Promise<KubeChoice> {
  if (asPlugin && asked !== undefined) return { calicoApi: asked };
  const limitMs = connection.requestTimeoutMs;
  const times = { timeoutMs: Math.max(callTimeoutMs, limitMs ?? 0), limitMs };
  const finder = new CalicoApiFinder(http, signal, times);
  if (asPlugin) return { calicoApi: await finder.byGroupNames() };
  try {
    return chosenCalicoApi(await finder.facts(), connection.server.origin, asked);
  } catch (failure) {
    signal.throwIfAborted();
    const isMissing = failure instanceof DatastoreError && failure.code === 'NO_CALICO';
    return { calicoApi: asked ?? customResourceApi, ...(!(asCalicoctl && isMissing) && { failure }) };
  }
}

class KubeDatastore implements Datastore {
  readonly type = 'kubernetes';
  readonly description: string;
  readonly calicoApi: CalicoApi;
  readonly choice: KubeChoice;
  readonly capturedAt = undefined;
  readonly #connection: KubeConnection;
  readonly #world: KubeWorld;
  readonly #http: KubeHttp;
  /** Kinds that were written through this store: scans of them must show its own writes. */
  readonly #written = new Set<string>();

  constructor(connection: KubeConnection, http: KubeHttp, world: KubeWorld, choice: KubeChoice) {
    this.#connection = connection;
    this.#world = world;
    this.#http = http;
    this.choice = choice;
    this.calicoApi = choice.calicoApi;
    this.description = `kubernetes at ${connection.server.origin}`;
  }

  get isBeforeMigration(): boolean {
    return this.choice.isBeforeMigration ?? false;
  }

  get readOnly(): RefusedError | undefined {
    return this.choice.readOnly;
  }

  async get<T extends KubeObject>(asked: Kind<T>, ref: ObjectRef, options: CallOptions = {}): Promise<T> {
    const kind = this.#readable(asked);
    const subject = { verb: 'get', kind, ref } as const;
    const path = objectPath(kind, ref);
    return this.#object(kind, await this.#call(subject, { method: 'GET', path }, this.#reading(options)));
  }

  list<T extends KubeObject>(asked: Kind<T>, options: ListOptions = {}): AsyncIterable<ListPage<T>> {
    // Every iteration lists again.
    const pages = () => {
      const kind = this.#readable(asked);
      const path = collectionPath(kind, options.namespace);
      const fromCache = options.mode === 'scan' && options.current !== true && !this.#written.has(kind.kind);
      const limitMs = this.#connection.requestTimeoutMs;
      const timeoutMs = options.timeoutMs ?? Math.max(listTimeoutMs, limitMs ?? 0);
      const times = { ...this.#reading(options), timeoutMs, limitMs, fromCache };
      const listed = new KubeList(this.#http, kind, path, times).pages();
      // A scan is one response, read as fast as it is used.
      return options.mode === 'scan' ? listed : oneAhead(listed);
    };
    return { [Symbol.asyncIterator]: pages };
  }

  watch<T extends KubeObject>(asked: Kind<T>, options: WatchOptions = {}): AsyncIterable<WatchBatch<T>> {
    const kind = storedIn(asked, this.calicoApi);
    const { namespace } = options;
    const reading = this.#reading(options);
    return new KubeWatch(
      {
        http: this.#http,
        clock: this.#world.clock,
        kind,
        path: collectionPath(kind, namespace),
        list: () => this.list(asked, { namespace, signal: reading.signal }),
        read: (parsed) => completed(kind, parsed),
      },
      reading,
    ).batches();
  }

  async create<T extends KubeObject>(asked: Kind<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const kind = this.#writable(asked);
    const written = inStoredForm(asked, object, this.calicoApi);
    const ref = refOf(kind, written);
    const path = collectionPath(kind, ref.namespace) + dryRunQuery(options);
    const body = printJson(written);
    return this.#object(kind, await this.#call({ verb: 'create', kind, ref }, { method: 'POST', path, body }, options));
  }

  async update<T extends KubeObject>(asked: Kind<T>, object: T, options: UpdateOptions = {}): Promise<T> {
    const kind = this.#writable(asked);
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
    const kind = this.#writable(asked);
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

  async annotateStatus(
    asked: Kind,
    ref: ObjectRef,
    { annotations, uid, resourceVersion }: StatusAnnotations,
    options: CallOptions = {},
  ): Promise<void> {
    const kind = this.#writable(asked);
    const body = printJson({ metadata: { annotations, uid, resourceVersion } });
    const path = `${objectPath(kind, ref)}/status`;
    const contentType = 'application/strategic-merge-patch+json';
    await this.#call({ verb: 'update', kind, ref }, { method: 'PATCH', path, body, contentType }, options);
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

  /** The kind as this server has it. Errors: why it is not known where Calico's objects are. */
  #readable<T extends KubeObject>(kind: Kind<T>): Kind<T> {
    if ('failure' in this.choice && isCalicoKind(kind)) throw this.choice.failure;
    return storedIn(kind, this.calicoApi);
  }

  /** The same for a write. Errors: RefusedError for one that would be lost. */
  #writable<T extends KubeObject>(kind: Kind<T>): Kind<T> {
    if (this.readOnly !== undefined && isCalicoKind(kind)) throw this.readOnly;
    return this.#readable(kind);
  }

  async #call(subject: RequestSubject, request: Omit<KubeRequest, 'deadline'>, options: WriteOptions): Promise<string> {
    const limitMs = this.#connection.requestTimeoutMs;
    const timeoutMs = options.timeoutMs ?? Math.max(callTimeoutMs, limitMs ?? 0);
    const deadline = new Deadline(timeoutMs, options.signal, limitMs);
    if (request.method !== 'GET') this.#written.add(subject.kind.kind);
    try {
      const response = await this.#http.send({ ...request, deadline, stop: options.stop });
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
  const within = kind.namespaced && namespace !== undefined ? `/namespaces/${segment('namespace', namespace)}` : '';
  return `${base}${within}/${plural}`;
}

function objectPath(kind: Kind, ref: ObjectRef): string {
  if (kind.namespaced && !ref.namespace) {
    throw new DatastoreError('invalid', `${kind.kind} ${ref.name} is namespaced, and no namespace was given`);
  }
  return `${collectionPath(kind, ref.namespace)}/${segment('resource name', ref.name)}`;
}

function dryRunQuery({ dryRun }: WriteOptions): string {
  return dryRun ? '?dryRun=All' : '';
}

/** A name as one segment of a path: never empty, never one that leads elsewhere. Errors: in the words of Kubernetes. */
function segment(what: string, name: string): string {
  if (name === '') throw new DatastoreError('invalid', 'resource name may not be empty');
  const reasons = ['.', '..'].includes(name)
    ? [`may not be '${name}'`]
    : ['/', '%'].filter((one) => name.includes(one)).map((one) => `may not contain '${one}'`);
  if (reasons.length > 0) throw new DatastoreError('invalid', `invalid ${what} "${name}": [${reasons.join(' ')}]`);
  return encodeURIComponent(name);
}
