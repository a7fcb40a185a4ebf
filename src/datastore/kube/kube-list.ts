// Lists over the API: pages followed, items handed on while they arrive, lists begun anew when the server forgot them.

import { normalise } from '../../resources/int64.ts';
import type { Kind } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import { parseJson } from '../../text/json.ts';
import type { ListOptions, ListPage } from '../datastore.ts';
import { DatastoreError } from '../datastore.ts';
import { compareKeys, objectKey } from '../object-rules.ts';
import { Deadline } from './deadline.ts';
import { JsonListSplitter } from './json-list.ts';
import type { KubeAnswer, KubeHttp } from './kube-http.ts';
import type { ListMetadata, ListSplitter } from './list-splitter.ts';
import { ProtobufListSplitter } from './protobuf-list.ts';
import { protobufReader } from './protobuf-objects.ts';
import { statusError, statusOf } from './status-error.ts';
import { brokenAnswer } from './transport-error.ts';

const pageSize = 500;
/** Begun anew so often at most: a server that forgets faster than it answers is not usable. */
const restarts = 5;
const protobufType = 'application/vnd.kubernetes.protobuf';

/** Where a list stands: outlives its pages and its new beginnings. */
interface Progress {
  token: string | undefined;
  atomic: boolean;
  restarted: number;
  /** Key of the last item handed on; items up to it are skipped after a new beginning. */
  lastKey: string | undefined;
  /** True while items must be compared with `lastKey`. */
  skipping: boolean;
  /** Keys came in the order that skipping relies on. */
  ordered: boolean;
  protobuf: boolean;
}

export interface KubeListOptions extends ListOptions {
  /** The time between two signs of life of the server, not of the whole list. */
  readonly timeoutMs: number;
  /** Answered from the server's watch cache, which may be a moment behind. */
  readonly fromCache: boolean;
}

export class KubeList<T extends KubeObject> {
  readonly #http: KubeHttp;
  readonly #kind: Kind<T>;
  readonly #path: string;
  readonly #options: KubeListOptions;
  readonly #progress: Progress;

  /** `path` is that of the collection. */
  constructor(http: KubeHttp, kind: Kind<T>, path: string, options: KubeListOptions) {
    this.#http = http;
    this.#kind = kind;
    this.#path = path;
    this.#options = options;
    this.#progress = {
      token: undefined,
      atomic: true,
      restarted: 0,
      lastKey: undefined,
      skipping: false,
      ordered: true,
      protobuf: this.#isScan && kind.api.group === '' && protobufReader(kind.api.plural) !== undefined,
    };
  }

  get #isScan(): boolean {
    return this.#options.mode === 'scan';
  }

  /** All pages. `resourceVersion` of a page is empty where the server tells it after the items; the last page has it. */
  async *pages(): AsyncGenerator<ListPage<T>> {
    const progress = this.#progress;
    for (;;) {
      const deadline = new Deadline(this.#options.timeoutMs, this.#options.signal);
      let answer: KubeAnswer | undefined;
      try {
        answer = await this.#ask(deadline);
        // In protobuf the server says even what is wrong in protobuf; this time it is to say it in words.
        if (progress.protobuf && answer.status !== 200 && answer.contentType.startsWith(protobufType)) {
          progress.protobuf = false;
          continue;
        }
        if (answer.status === 410) {
          this.#beginAnew(statusOf(await this.#http.text(answer, deadline)).metadata?.continue);
          continue;
        }
        if (answer.status === 406 && progress.protobuf) {
          progress.protobuf = false;
          continue;
        }
        if (answer.status !== 200) {
          const status = statusOf(await this.#http.text(answer, deadline));
          throw statusError(answer.status, status, { verb: 'list', kind: this.#kind });
        }
        const end = yield* this.#items(answer, deadline);
        if (end.continueToken === undefined) return;
        if (end.continueToken === progress.token) {
          throw brokenAnswer(this.#http.server, 'the list goes on with the page that it has just sent');
        }
        progress.token = end.continueToken;
      } catch (cause) {
        if (!(cause instanceof SyntaxError)) throw cause;
        if (!progress.protobuf) throw brokenAnswer(this.#http.server, cause.message, cause);
        // Whatever it was that surprised the reader, JSON is read by other code.
        progress.protobuf = false;
        this.#beginAnew(undefined);
      } finally {
        deadline.end();
        answer?.body.destroy();
      }
    }
  }

  async #ask(deadline: Deadline): Promise<KubeAnswer> {
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

  /** Hands the items of one answer on, up to a page at a time, and answers what its end says. */
  async *#items(answer: KubeAnswer, deadline: Deadline): AsyncGenerator<ListPage<T>, ListMetadata> {
    const splitter = this.#splitter(answer);
    let ready: T[] = [];
    for (let ended = false; !ended; ) {
      ended = await this.#http.pump(answer.body, deadline, (chunk) => {
        deadline.restart();
        splitter.push(chunk, ready);
        return ready.length > pageSize;
      });
      // The caller's own time does not count.
      deadline.pause();
      // One page is held back, so that the last one can tell the revision.
      while (ready.length > pageSize) {
        const page = this.#page(ready.slice(0, pageSize), '');
        ready = ready.slice(pageSize);
        if (page.items.length > 0) yield page;
      }
      deadline.restart();
    }
    const end = splitter.end();
    yield this.#page(ready, end.resourceVersion);
    return end;
  }

  #splitter(answer: KubeAnswer): ListSplitter<T> {
    const kind = this.#kind;
    const read = protobufReader(kind.api.plural);
    if (answer.contentType.startsWith(protobufType) && read !== undefined) {
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

  /** The list goes on at another revision: from the token that the server offers, or from the start without what was handed on. */
  #beginAnew(token: string | undefined): void {
    const progress = this.#progress;
    if (++progress.restarted > restarts || (token === undefined && !progress.ordered)) {
      throw new DatastoreError(
        'unavailable',
        `the list of ${this.#kind.api.plural} changes faster than it can be read`,
        {
          hint: 'Try again; the API server may be overloaded.',
        },
      );
    }
    progress.token = token;
    progress.atomic = progress.lastKey === undefined && progress.atomic;
    progress.skipping = token === undefined && progress.lastKey !== undefined;
  }
}

/** Items of built-in lists do not say what they are. */
export function completed<T extends KubeObject>(kind: Kind<T>, parsed: unknown): T {
  const object = parsed as Partial<KubeObject> | null;
  if (typeof object?.metadata?.name !== 'string') throw new SyntaxError('an object has no name');
  const { group, version } = kind.api;
  object.apiVersion ??= group === '' ? version : `${group}/${version}`;
  object.kind ??= kind.kind;
  return normalise(kind, object as T);
}
