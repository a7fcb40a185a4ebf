// HTTP to one API server: connection reuse, deadlines, retries that are safe, compressed answers. Knows no kinds.
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { KubeConnection } from '../../connect/kube-connection.ts';
import { CalictlError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { DatastoreError } from '../datastore.ts';
import type { Deadline } from './deadline.ts';
import { BrokenAnswerError, brokenAnswer, isPassing, tooLate, transportError } from './transport-error.ts';

/** Tries beyond the first: reads that failed in passing, and calls that the server put off. */
const readRetries = 3;
const busyRetries = 10;
const firstBackoffMs = 200;
const longestWaitMs = 30_000;
/** A single object, or the Status of a failure. */
const largestBody = 64 << 20;

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With the query. */
  readonly path: string;
  readonly accept?: string;
  readonly body?: string;
  readonly deadline: Deadline;
}

/** The head of an answer; its body is still to come. */
export interface KubeAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Readable;
}

export class KubeHttp {
  readonly #connection: KubeConnection;
  readonly #world: Pick<World, 'clock' | 'random'>;

  constructor(connection: KubeConnection, world: Pick<World, 'clock' | 'random'>) {
    this.#connection = connection;
    this.#world = world;
  }

  get server(): URL {
    return this.#connection.server;
  }

  /**
   * Sends a request until it is answered. A read is sent again after a broken connection or a 5xx; anything after 429
   * (the server did not begin) and, once, after 401 with fresh credentials.
   * Errors: DatastoreError unavailable; ConnectionError; the reason of the caller's signal.
   */
  async send(request: KubeRequest): Promise<KubeAnswer> {
    const isRead = request.method === 'GET';
    let failures = 0;
    let renewed = false;
    for (let busy = 0; ; ) {
      let answer: KubeAnswer & { readonly retryAfter: string | undefined };
      try {
        answer = await this.#once(request);
      } catch (cause) {
        const again = isRead && failures < readRetries && isPassing(cause) && !request.deadline.signal.aborted;
        if (!again) throw this.failure(cause, request.deadline);
        await this.#wait(this.#backoff(failures++), request.deadline);
        continue;
      }
      const { status } = answer;
      if (status === 429 && busy < busyRetries) {
        busy++;
        answer.body.resume();
        // The time that the server asks for is not time that it does not answer in.
        request.deadline.pause();
        await this.#wait(this.#toldToWait(answer.retryAfter), request.deadline);
        request.deadline.restart();
      } else if (status >= 500 && isRead && failures < readRetries) {
        answer.body.resume();
        await this.#wait(this.#backoff(failures++), request.deadline);
      } else if (status === 401 && !renewed) {
        renewed = true;
        answer.body.resume();
        this.#connection.renew();
      } else if (status >= 300 && status < 400) {
        answer.body.destroy();
        throw new DatastoreError(
          'unavailable',
          `${this.server.origin} sends the request elsewhere (status ${status})`,
          {
            hint: 'Credentials are not sent to another address: give the address of the API server itself.',
          },
        );
      } else {
        return answer;
      }
    }
  }

  /**
   * Hands the bytes of a body on as they arrive, until `enough` answers true or the body ends; answers whether it ended.
   * (Iterating over the stream costs twice the time for each of many thousand chunks.)
   * Errors: as `send`; a SyntaxError of `enough` as it is.
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
        const onClose = (): void => reject(new BrokenAnswerError('it stops in the middle'));
        stop = () => {
          body.pause().off('data', onData).off('end', onEnd).off('close', onClose).off('error', reject);
        };
        if (body.readableEnded) resolve(true);
        else if (body.destroyed) reject(body.errored ?? new BrokenAnswerError('it stops in the middle'));
        else body.on('data', onData).on('end', onEnd).on('close', onClose).on('error', reject).resume();
      });
    } catch (cause) {
      throw cause instanceof SyntaxError ? cause : this.failure(cause, deadline);
    } finally {
      stop();
    }
  }

  /** The whole body as text: for single objects. Errors: as `send`. */
  async text(answer: KubeAnswer, deadline: Deadline): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    await this.pump(answer.body, deadline, (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      return size > largestBody;
    });
    if (size > largestBody) {
      answer.body.destroy();
      throw brokenAnswer(this.server, 'it does not end');
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  /** What went wrong, in the words of a DatastoreError; throws the caller's reason if the caller gave up. */
  failure(cause: unknown, deadline: Deadline): Error {
    deadline.throwIfGivenUp();
    if (deadline.isOver) return tooLate(this.server, deadline.ms);
    // What connect/ says is clear already.
    if (cause instanceof CalictlError) return cause;
    return transportError(this.server, cause);
  }

  async #once(request: KubeRequest): Promise<KubeAnswer & { retryAfter: string | undefined }> {
    const { agent, headers } = await this.#connection.transport();
    const { server, loopback } = this.#connection;
    const { signal } = request.deadline;
    signal.throwIfAborted();
    const options: RequestOptions = {
      agent,
      method: request.method,
      hostname: server.hostname.replace(/^\[|\]$/g, ''),
      ...(server.port === '' ? {} : { port: server.port }),
      path: server.pathname.replace(/\/$/, '') + request.path,
      signal,
      headers: {
        ...headers,
        Accept: request.accept ?? 'application/json',
        'Accept-Encoding': loopback ? 'identity' : 'gzip',
        'User-Agent': 'calictl',
        ...(request.body === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(request.body) }),
      },
    };
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const send = server.protocol === 'http:' ? httpRequest : httpsRequest;
      send(options, resolve).on('error', reject).end(request.body);
    });
    // What happens to a body while nobody reads it is seen by the next reader, in `pump`.
    const body = decompressed(message).on('error', () => undefined);
    return {
      status: message.statusCode ?? 0,
      contentType: message.headers['content-type'] ?? '',
      retryAfter: message.headers['retry-after'],
      body,
    };
  }

  #toldToWait(retryAfter: string | undefined): number {
    const seconds = Number(retryAfter ?? '1');
    const told = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : 1000;
    // Many callers are told the same number: they must not all come back at once.
    return Math.min(told, longestWaitMs) + this.#world.random.float() * firstBackoffMs;
  }

  #backoff(failures: number): number {
    return firstBackoffMs * 2 ** failures * (0.5 + this.#world.random.float());
  }

  async #wait(ms: number, deadline: Deadline): Promise<void> {
    try {
      await this.#world.clock.sleep(ms, deadline.signal);
    } catch (cause) {
      throw this.failure(cause, deadline);
    }
  }
}

function decompressed(message: IncomingMessage): Readable {
  if (message.headers['content-encoding'] !== 'gzip') return message;
  const gunzip = createGunzip();
  // pipe() tells the far end neither of a broken connection nor of being given up.
  message.on('error', (cause) => gunzip.destroy(cause));
  message.on('aborted', () => gunzip.destroy(new BrokenAnswerError('it stops in the middle')));
  gunzip.on('close', () => message.destroy());
  return message.pipe(gunzip);
}
