// Watches one kind on an API server: lists it, follows its changes, resumes after interruptions, and lists again when the
// server has forgotten the revision (410).
import type { Kind } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import { parseJson } from '../../text/json.ts';
import { isObject } from '../../text/plain-values.ts';
import type { Clock } from '../../world/world.ts';
import { DatastoreError, type ListPage, type WatchBatch, type WatchEvent, type WatchOptions } from '../datastore.ts';
import { KnownObjects } from '../watch.ts';
import { Deadline } from './deadline.ts';
import type { KubeHttp } from './kube-http.ts';
import { statusError, statusOf } from './status-error.ts';
import { invalidResponse } from './transport-error.ts';

/** The server ends a watch after this time; without any byte for longer, the connection is dead. */
const watchSeconds = 300;
const silenceMs = (watchSeconds + 30) * 1000;
/** Attempts to resume that fail one after the other, and the pause before the next. */
const mostFailures = 10;
const pauseMs = 1000;
const longestPauseMs = 10_000;
/** One event: an object of at most the size that etcd takes, as JSON. */
const largestLine = 64 << 20;

const types: Readonly<Record<string, WatchEvent['type']>> = {
  ADDED: 'added',
  MODIFIED: 'modified',
  DELETED: 'deleted',
};

/** The server no longer has the changes after the revision. */
class ForgottenRevision extends Error {}

export interface KubeWatchParts<T extends KubeObject> {
  readonly http: KubeHttp;
  readonly clock: Clock;
  readonly kind: Kind<T>;
  /** Of the collection. */
  readonly path: string;
  list(): AsyncIterable<ListPage<T>>;
  /** An object as the store hands it out. Errors: SyntaxError. */
  read(parsed: unknown): T;
}

export class KubeWatch<T extends KubeObject> {
  readonly #parts: KubeWatchParts<T>;
  readonly #options: WatchOptions;
  readonly #known: KnownObjects<T>;
  #revision = '';

  constructor(parts: KubeWatchParts<T>, options: WatchOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#known = new KnownObjects(parts.kind);
  }

  async *batches(): AsyncGenerator<WatchBatch<T>> {
    yield* this.#begin();
    for (let failures = 0; ; ) {
      try {
        for await (const events of this.#changes()) {
          failures = 0;
          if (events.length > 0) yield { events, isInitial: false, isWhole: true };
        }
      } catch (error) {
        if (error instanceof ForgottenRevision) {
          const events = await this.#listAgain();
          if (events.length > 0) yield { events, isInitial: false, isWhole: true };
        } else if (
          !(error instanceof DatastoreError && error.reason === 'unavailable') ||
          ++failures === mostFailures
        ) {
          throw error;
        }
      }
      // A server that ends each watch at once must not be asked without a pause.
      await this.#parts.clock.sleep(Math.min(pauseMs * Math.max(failures, 1), longestPauseMs), this.#options.signal);
    }
  }

  async *#begin(): AsyncGenerator<WatchBatch<T>> {
    let waiting: readonly WatchEvent<T>[] | undefined;
    for await (const { items, resourceVersion } of this.#parts.list()) {
      if (waiting !== undefined) yield { events: waiting, isInitial: true, isWhole: false };
      waiting = items.flatMap((object) => this.#known.apply('added', object) ?? []);
      this.#revision = resourceVersion;
    }
    yield { events: waiting ?? [], isInitial: true, isWhole: true };
  }

  async #listAgain(): Promise<WatchEvent<T>[]> {
    const list: T[] = [];
    for await (const { items, resourceVersion } of this.#parts.list()) {
      list.push(...items);
      this.#revision = resourceVersion;
    }
    return this.#known.replace(list);
  }

  /** The changes after the last revision, as they arrive, until the server ends the response. */
  async *#changes(): AsyncGenerator<WatchEvent<T>[]> {
    const { http, kind, path } = this.#parts;
    const query = new URLSearchParams({
      watch: 'true',
      resourceVersion: this.#revision,
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(watchSeconds),
    });
    const deadline = new Deadline(silenceMs, this.#options.signal);
    const response = await http.send({ method: 'GET', path: `${path}?${query}`, deadline }).catch((error: unknown) => {
      deadline.end();
      throw error;
    });
    try {
      if (response.status !== 200) {
        const status = statusOf(await http.text(response, deadline));
        if (response.status === 410) throw new ForgottenRevision();
        throw statusError(response.status, status, { verb: 'list', kind });
      }
      const lines = new Lines();
      for (let ended = false; !ended; ) {
        let ready: string[] = [];
        ended = await http.pump(response.body, deadline, (chunk) => {
          deadline.restart();
          ready = lines.push(chunk);
          return ready.length > 0;
        });
        yield ready.flatMap((line) => this.#event(line) ?? []);
      }
    } catch (error) {
      if (error instanceof SyntaxError) throw invalidResponse(http.server, error.message, error);
      throw error;
    } finally {
      deadline.end();
      response.body.destroy();
    }
  }

  /** Undefined for a bookmark, which only moves the revision, and for what is known already. */
  #event(line: string): WatchEvent<T> | undefined {
    const parsed: unknown = parseJson(line);
    const { type, object } = isObject(parsed) ? parsed : {};
    if (type === 'ERROR') {
      const code = isObject(object) ? Number(object['code']) : Number.NaN;
      if (code === 410) throw new ForgottenRevision();
      throw statusError(code, statusOf(JSON.stringify(object)), { verb: 'list', kind: this.#parts.kind });
    }
    const revision =
      isObject(object) && isObject(object['metadata']) ? object['metadata']['resourceVersion'] : undefined;
    if (typeof revision === 'string') this.#revision = revision;
    const known = typeof type === 'string' ? types[type] : undefined;
    return known && this.#known.apply(known, this.#parts.read(object));
  }
}

/** Splits bytes into the lines that are complete. */
class Lines {
  #begun: Buffer[] = [];
  #size = 0;

  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      const line = Buffer.concat([...this.#begun, chunk.subarray(from, end)]).toString('utf8');
      this.#begun = [];
      this.#size = 0;
      from = end + 1;
      if (line.trim() !== '') lines.push(line);
    }
    if (from < chunk.length) {
      this.#begun.push(chunk.subarray(from));
      this.#size += chunk.length - from;
      if (this.#size > largestLine) throw new SyntaxError(`a line of more than ${largestLine >> 20} MiB`);
    }
    return lines;
  }
}
