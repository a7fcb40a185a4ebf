// Lists from the API server: follows pages, yields items as they arrive, and restarts lists whose token expired.
import { normalise } from '../../resources/int64.ts';
import type { Kind } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import { parseJson } from '../../text/json.ts';
import type { ListOptions, ListPage } from '../datastore.ts';
import { DatastoreError } from '../datastore.ts';
import { compareKeys, objectKey } from '../object-rules.ts';
import { Deadline } from './deadline.ts';
import { JsonListSplitter } from './json-list.ts';
import type { KubeHttp, KubeResponse } from './kube-http.ts';
import type { ListMetadata, ListSplitter } from './list-splitter.ts';
import { ProtobufListSplitter } from './protobuf-list.ts';
import { protobufReader } from './protobuf-objects.ts';
import { statusError, statusOf } from './status-error.ts';
import { invalidResponse } from './transport-error.ts';

const pageSize = 500;
/** A response that arrives more slowly than this makes no progress. */
const leastBytesPerSecond = 100;
/** A server whose tokens expire more often in one list is not usable. */
const mostRestarts = 5;
const protobufType = 'application/vnd.kubernetes.protobuf';

/** The state of a list, kept over its pages and restarts. */
interface Progress {
  token: string | undefined;
  atomic: boolean;
  restarts: number;
  /** Key of the last item that was yielded; items up to it are skipped after a restart. */
  lastKey: string | undefined;
  /** True while items must be compared with `lastKey`. */
  skipping: boolean;
  /** Whether keys came in order, on which skipping relies. */
  ordered: boolean;
  protobuf: boolean;
}

export interface KubeListOptions extends ListOptions {
  /** The longest time without data from the server, not that of the whole list. */
  readonly timeoutMs: number;
  /** The longest time of one request, whatever arrives; undefined for none. */
  readonly limitMs: number | undefined;
  /** Allows the server to answer from its watch cache, which may be slightly stale. */
  readonly fromCache: boolean;
}

export class KubeList<T extends KubeObject> {
  readonly #http: KubeHttp;
  readonly #kind: Kind<T>;
  readonly #path: string;
  readonly #options: KubeListOptions;
  readonly #progress: Progress;

  /** `path`: of the collection. */
  constructor(http: KubeHttp, kind: Kind<T>, path: string, options: KubeListOptions) {
    this.#http = http;
    this.#kind = kind;
    this.#path = path;
    this.#options = options;
    this.#progress = {
      token: undefined,
      atomic: true,
      restarts: 0,
      lastKey: undefined,
      skipping: false,
      ordered: true,
      protobuf:
        (this.#isScan || options.typed === true) &&
        kind.api.group === '' &&
        protobufReader(kind.api.plural) !== undefined,
    };
  }

  get #isScan(): boolean {
    return this.#options.mode === 'scan';
  }

  /** All pages. The last page has a `resourceVersion`; it is empty on the others, because servers may send it after the items. */
  async *pages(): AsyncGenerator<ListPage<T>> {
    const progress = this.#progress;
    for (;;) {
      const deadline = new Deadline(this.#options.timeoutMs, this.#options.signal, this.#options.limitMs);
      let response: KubeResponse | undefined;
      try {
        response = await this.#ask(deadline);
        // The server reports errors in the requested format too. Ask again as JSON, which can be read.
        if (progress.protobuf && response.status !== 200 && response.contentType.startsWith(protobufType)) {
          progress.protobuf = false;
          continue;
        }
        if (response.status === 410) {
          this.#restart(statusOf(await this.#http.text(response, deadline)).metadata?.continue);
          continue;
        }
        if (response.status === 406 && progress.protobuf) {
          progress.protobuf = false;
          continue;
        }
        if (response.status !== 200) {
          const status = statusOf(await this.#http.text(response, deadline));
          throw statusError(response.status, status, { verb: 'list', kind: this.#kind });
        }
        const end = yield* this.#items(response, deadline);
        if (end.continueToken === undefined) return;
        if (end.continueToken === progress.token) {
          throw invalidResponse(this.#http.server, 'the list repeats a page');
        }
        progress.token = end.continueToken;
      } catch (cause) {
        if (!(cause instanceof SyntaxError)) throw cause;
        if (!progress.protobuf) throw invalidResponse(this.#http.server, cause.message, cause);
        // Whatever was unexpected: JSON is read by other code.
        progress.protobuf = false;
        this.#restart(undefined);
      } finally {
        deadline.end();
        response?.body.destroy();
      }
    }
  }

  async #ask(deadline: Deadline): Promise<KubeResponse> {
    const { token, protobuf } = this.#progress;
    const query = new URLSearchParams();
    if (this.#options.labelSelector) query.set('labelSelector', this.#options.labelSelector);
    if (!this.#isScan) query.set('limit', String(pageSize));
    if (token !== undefined) query.set('continue', token);
    else if (this.#options.fromCache) query.set('resourceVersion', '0');
    const search = query.toString();
    return this.#http.send({
      method: 'GET',
      path: search === '' ? this.#path : `${this.#path}?${search}`,
      accept: protobuf ? `${protobufType},application/json` : 'application/json',
      deadline,
    });
  }

  /** Yields the items of one response, at most a page at a time. Returns the metadata at its end. */
  async *#items(response: KubeResponse, deadline: Deadline): AsyncGenerator<ListPage<T>, ListMetadata> {
    const splitter = this.#splitter(response);
    let ready: T[] = [];
    const least = (leastBytesPerSecond * deadline.ms) / 1000;
    let arrived = 0;
    deadline.restart();
    for (let ended = false; !ended; ) {
      ended = await this.#http.pump(response.body, deadline, (chunk) => {
        // Not each byte is progress: a response of one byte per second would never end.
        arrived += chunk.length;
        if (arrived >= least) {
          deadline.restart();
          arrived = 0;
        }
        splitter.push(chunk, ready);
        return ready.length > pageSize;
      });
      // The time that the caller takes does not count.
      deadline.pause();
      // One page is held back, so that the last one can have the revision.
      while (ready.length > pageSize) {
        const page = { ...this.#page(ready.slice(0, pageSize), ''), continues: true };
        ready = ready.slice(pageSize);
        if (page.items.length > 0) yield page;
      }
      deadline.restart();
    }
    const end = splitter.end();
    yield { ...this.#page(ready, end.resourceVersion), continues: end.continueToken !== undefined };
    return end;
  }

  #splitter(response: KubeResponse): ListSplitter<T> {
    const kind = this.#kind;
    const read = protobufReader(kind.api.plural);
    if (response.contentType.startsWith(protobufType) && read !== undefined) {
      return new ProtobufListSplitter<T>((reader, end) => read(reader, end) as T);
    }
    return new JsonListSplitter<T>((text) => completed(kind, parseJson(text)));
  }

  #page(items: readonly T[], resourceVersion: string): ListPage<T> {
    const progress = this.#progress;
    const fresh: T[] = [];
    for (const item of items) {
      const key = objectKey(this.#kind, item.metadata);
      const order = progress.lastKey === undefined ? 1 : compareKeys(key, progress.lastKey);
      if (order <= 0) {
        if (progress.skipping) continue;
        progress.ordered = false;
      }
      progress.skipping = false;
      progress.lastKey = key;
      fresh.push(item);
    }
    return { items: fresh, resourceVersion, atomic: progress.atomic };
  }

  /** Continues the list at another revision: from the token that the server offers, or from the start without items already yielded. */
  #restart(token: string | undefined): void {
    const progress = this.#progress;
    if (++progress.restarts > mostRestarts || (token === undefined && !progress.ordered)) {
      throw new DatastoreError(
        'unavailable',
        `the list of ${this.#kind.api.plural} changes faster than it can be read`,
        { hint: 'Try again; the API server may be overloaded.' },
      );
    }
    progress.token = token;
    progress.atomic = progress.lastKey === undefined && progress.atomic;
    progress.skipping = token === undefined && progress.lastKey !== undefined;
  }
}

/** The same pages, each with the next one already on its way: the server works while the caller does. */
export async function* oneAhead<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = pages[Symbol.asyncIterator]();
  const read = (): Promise<IteratorResult<T>> => {
    const next = iterator.next();
    // It is thrown when the caller comes to that page.
    next.catch(() => undefined);
    return next;
  };
  try {
    for (let next = read(); ; ) {
      const { done, value } = await next;
      if (done) return;
      next = read();
      yield value;
    }
  } finally {
    iterator.return?.().catch(() => undefined);
  }
}

/** The object with its apiVersion and kind, which items of built-in lists lack. Errors: SyntaxError for an object without a name. */
export function completed<T extends KubeObject>(kind: Kind<T>, parsed: unknown): T {
  const object = parsed as Partial<KubeObject> | null;
  if (typeof object?.metadata?.name !== 'string') throw new SyntaxError('an object without a name');
  const { group, version } = kind.api;
  object.apiVersion ??= group === '' ? version : `${group}/${version}`;
  object.kind ??= kind.kind;
  return normalise(kind, object as T);
}
