// HTTP to one API server: connection reuse, deadlines, safe retries, compressed responses. Knows nothing of kinds.
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { KubeConnection, KubeTransport, Waiting } from '../../connect/kube-connection.ts';
import { CalictlError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { DatastoreError } from '../datastore.ts';
import type { Deadline } from './deadline.ts';
import {
  InvalidResponseError,
  invalidResponse,
  isPassing,
  overLimit,
  timedOut,
  transportError,
} from './transport-error.ts';

/** Retries of reads after transient failures, and of calls that the server throttled. */
const readRetries = 3;
const busyRetries = 10;
const firstBackoffMs = 200;
const longestWaitMs = 30_000;
/** A single object, or the Status of a failure. */
const largestBody = 64 << 20;

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Including the query. */
  readonly path: string;
  readonly accept?: string;
  readonly body?: string;
  /** `application/json` if absent. */
  readonly contentType?: string;
  readonly deadline: Deadline;
  /** Once aborted, a request that the server was too busy for is not sent again. */
  readonly stop?: AbortSignal | undefined;
}

/** The head of a response; its body is still to come. */
export interface KubeResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: Readable;
}

export class KubeHttp {
  readonly #connection: KubeConnection;
  readonly #world: Pick<World, 'clock' | 'random'>;
  readonly #waiting: Waiting;

  constructor(connection: KubeConnection, world: Pick<World, 'clock' | 'random'>, waiting: Waiting = () => undefined) {
    this.#connection = connection;
    this.#world = world;
    this.#waiting = waiting;
  }

  get server(): URL {
    return this.#connection.server;
  }

  /**
   * Sends a request until it is answered. A read is retried after a broken connection or a 5xx; any request is retried
   * after 429 (the server did not process it) and, once, after 401 with fresh credentials.
   * Errors: DatastoreError unavailable; ConnectionError; the reason of the caller's signal, or of `stop`.
   */
  async send(request: KubeRequest): Promise<KubeResponse> {
    const isRead = request.method === 'GET';
    let failures = 0;
    let renewed = false;
    for (let busy = 0; ; ) {
      let response: KubeResponse & { readonly retryAfter: string | undefined };
      try {
        response = await this.#once(request);
      } catch (cause) {
        const again = isRead && failures < readRetries && isPassing(cause) && !request.deadline.signal.aborted;
        if (!again) throw this.failure(cause, request.deadline);
        await this.#wait(this.#backoff(failures++), request.deadline);
        continue;
      }
      const { status } = response;
      if (status === 429 && busy < busyRetries) {
        busy++;
        response.body.resume();
        // Waiting because the server asked for it does not count towards the deadline.
        request.deadline.pause();
        const waitMs = this.#requestedWaitMs(response.retryAfter);
        const seconds = Math.max(1, Math.round(waitMs / 1000));
        this.#waiting(`the API server is busy: try ${busy} of ${busyRetries} in ${seconds} s`);
        await this.#wait(waitMs, request.deadline, request.stop).finally(() => this.#waiting(undefined));
        request.deadline.restart();
      } else if (status >= 500 && isRead && failures < readRetries) {
        response.body.resume();
        await this.#wait(this.#backoff(failures++), request.deadline);
      } else if (status === 401 && !renewed) {
        renewed = true;
        response.body.resume();
        this.#connection.renew();
      } else if (status >= 300 && status < 400) {
        response.body.destroy();
        throw new DatastoreError('unavailable', `${this.server.origin} redirects the request (HTTP status ${status})`, {
          hint: 'Redirects are not followed, because of the credentials: use the address of the API server itself.',
        });
      } else {
        return response;
      }
    }
  }

  /**
   * Passes the bytes of a body to `enough` as they arrive, until it returns true or the body ends. Returns whether it ended.
   * (Iterating over the stream takes twice the time for each of many thousand chunks.)
   * Errors: as `send`; a SyntaxError of `enough` unchanged.
   */
  async pump(body: Readable, deadline: Deadline, enough: (chunk: Buffer) => boolean): Promise<boolean> {
    let stop = (): void => undefined;
    try {
      return await new Promise<boolean>((resolve, reject) => {
        const onData = (chunk: Buffer): void => {
          try {
            if (!enough(chunk)) return;
            body.pause();
            resolve(false);
          } catch (cause) {
            reject(cause);
          }
        };
        const onEnd = (): void => resolve(true);
        // It comes after the end too, where an error would be made in vain, which takes its time.
        const onClose = (): void => {
          if (!body.readableEnded) reject(new InvalidResponseError('unexpected end'));
        };
        stop = () => {
          body.pause().off('data', onData).off('end', onEnd).off('close', onClose).off('error', reject);
        };
        if (body.readableEnded) resolve(true);
        else if (body.destroyed) reject(body.errored ?? new InvalidResponseError('unexpected end'));
        else body.on('data', onData).on('end', onEnd).on('close', onClose).on('error', reject).resume();
      });
    } catch (cause) {
      throw cause instanceof SyntaxError ? cause : this.failure(cause, deadline);
    } finally {
      stop();
    }
  }

  /** The whole body as text: for single objects. Errors: as `send`. */
  async text(response: KubeResponse, deadline: Deadline): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    await this.pump(response.body, deadline, (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      return size > largestBody;
    });
    if (size > largestBody) {
      response.body.destroy();
      throw invalidResponse(this.server, `it is larger than ${largestBody >> 20} MiB`);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  /** The failure as a DatastoreError. Errors: the reason of the caller's signal if that was aborted. */
  failure(cause: unknown, deadline: Deadline): Error {
    deadline.throwIfGivenUp();
    if (deadline.over === 'limit') return overLimit(this.server, deadline.limitMs ?? 0);
    if (deadline.over === 'time') return timedOut(this.server, deadline.ms);
    // Errors of connect/ need no other words.
    if (cause instanceof CalictlError) return cause;
    return transportError(this.server, cause);
  }

  /** The server is not to blame for the time that a credential plugin takes, which has its own limit. */
  async #credentials(deadline: Deadline): Promise<KubeTransport> {
    deadline.pause();
    try {
      return await this.#connection.transport();
    } finally {
      deadline.restart();
    }
  }

  async #once(request: KubeRequest): Promise<KubeResponse & { retryAfter: string | undefined }> {
    const { agent, headers } = await this.#credentials(request.deadline);
    const { server, loopback } = this.#connection;
    const { signal } = request.deadline;
    signal.throwIfAborted();
    const options: RequestOptions = {
      agent,
      method: request.method,
      hostname: server.hostname.replace(/^\[|\]$/g, ''),
      ...(server.port === '' ? {} : { port: server.port }),
      path: server.pathname.replace(/\/$/, '') + request.path,
      headers: {
        ...headers,
        Accept: request.accept ?? 'application/json',
        'Accept-Encoding': loopback ? 'identity' : 'gzip',
        'User-Agent': 'calictl',
        ...(request.body === undefined
          ? {}
          : {
              'Content-Type': request.contentType ?? 'application/json',
              'Content-Length': Buffer.byteLength(request.body),
            }),
      },
    };
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const send = server.protocol === 'http:' ? httpRequest : httpsRequest;
      const sent = send(options, resolve).on('error', reject);
      // As an option of the request the signal costs a quarter of a millisecond.
      const abort = (): void => void sent.destroy(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      sent.on('close', () => signal.removeEventListener('abort', abort));
      sent.end(request.body);
    });
    // An error of a body that is not being read is found by the next reader, in `pump`.
    const body = decompressed(message).on('error', () => undefined);
    return {
      status: message.statusCode ?? 0,
      contentType: message.headers['content-type'] ?? '',
      retryAfter: message.headers['retry-after'],
      body,
    };
  }

  #requestedWaitMs(retryAfter: string | undefined): number {
    const seconds = Number(retryAfter ?? '1');
    const requestedMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : 1000;
    // Many callers get the same number: they must not all come back at once.
    return Math.min(requestedMs, longestWaitMs) + this.#world.random.float() * firstBackoffMs;
  }

  #backoff(failures: number): number {
    return firstBackoffMs * 2 ** failures * (0.5 + this.#world.random.float());
  }

  async #wait(ms: number, deadline: Deadline, stop?: AbortSignal): Promise<void> {
    const { signal } = deadline;
    try {
      await this.#world.clock.sleep(ms, stop === undefined ? signal : AbortSignal.any([signal, stop]));
    } catch (cause) {
      stop?.throwIfAborted();
      throw this.failure(cause, deadline);
    }
  }
}

function decompressed(message: IncomingMessage): Readable {
  if (message.headers['content-encoding'] !== 'gzip') return message;
  const gunzip = createGunzip();
  // pipe() passes on neither a broken connection nor that the reader gave up.
  message.on('error', (cause) => gunzip.destroy(cause));
  message.on('aborted', () => gunzip.destroy(new InvalidResponseError('unexpected end')));
  gunzip.on('close', () => message.destroy());
  return message.pipe(gunzip);
}
