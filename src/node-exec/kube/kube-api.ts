// Calls to the API server that go with an exec: finding pods, adding containers. Credentials come from connect/; what is
// refused is said as a failure to get to the node.
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as after } from 'node:timers/promises';
import type { KubeConnection } from '../../connect/kube-connection.ts';
import { CalictlError } from '../../world/errors.ts';
import { TransportError } from '../node-exec.ts';

const triesWhenBusy = 5;
const longestWaitMs = 10_000;

export interface ApiCall {
  readonly method: 'GET' | 'PATCH';
  /** With the query. */
  readonly path: string;
  readonly body?: { readonly type: string; readonly text: string };
  readonly signal: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
  /** In milliseconds, what the server asks to wait. */
  readonly retryAfterMs: number;
}

/**
 * Does something with credentials until it is answered: again with fresh ones after 401, again after 429 when the server's
 * time is over. Answers the last answer. Errors: TransportError `unauthorized` when there are no credentials.
 */
export async function untilAnswered<T>(
  connection: KubeConnection,
  signal: AbortSignal,
  attempt: () => Promise<T | ApiAnswer>,
): Promise<T | ApiAnswer> {
  let renewed = false;
  for (let tries = 1; ; tries += 1) {
    const result = await attempt();
    const answer = isAnswer(result) ? result : undefined;
    if (answer?.status === 401 && !renewed) {
      renewed = true;
      connection.renew();
    } else if (answer?.status === 429 && tries < triesWhenBusy) {
      await after(answer.retryAfterMs, undefined, { signal });
    } else {
      return result;
    }
  }
}

/** True for an answer of the server in place of what was asked for. */
export function isAnswer(result: unknown): result is ApiAnswer {
  return typeof result === 'object' && result !== null && 'status' in result && 'retryAfterMs' in result;
}

/** One call. Errors: TransportError `unreachable`, `unauthorized` (no credentials); the reason of the signal. */
export async function callApi(connection: KubeConnection, call: ApiCall): Promise<ApiAnswer> {
  const { method, path, body, signal } = call;
  return untilAnswered(connection, signal, async () => {
    const { agent, headers } = await credentials(connection);
    const { server } = connection;
    const options: RequestOptions = {
      agent,
      method,
      signal,
      hostname: server.hostname.replace(/^\[|\]$/g, ''),
      ...(server.port === '' ? {} : { port: server.port }),
      path: server.pathname.replace(/\/$/, '') + path,
      headers: {
        ...headers,
        Accept: 'application/json',
        'User-Agent': 'calictl',
        ...(body && { 'Content-Type': body.type, 'Content-Length': Buffer.byteLength(body.text) }),
      },
    };
    try {
      const message = await new Promise<IncomingMessage>((resolve, reject) => {
        const send = server.protocol === 'http:' ? httpRequest : httpsRequest;
        send(options, resolve).on('error', reject).end(body?.text);
      });
      return await answerOf(message);
    } catch (cause) {
      signal.throwIfAborted();
      throw noAnswer(server, cause);
    }
  });
}

/** Authorization of the caller. Errors: TransportError `unauthorized`. */
export async function credentials(connection: KubeConnection): ReturnType<KubeConnection['transport']> {
  try {
    return await connection.transport();
  } catch (cause) {
    if (!(cause instanceof CalictlError)) throw cause;
    throw new TransportError('unauthorized', cause.message, { hint: cause.hint, cause });
  }
}

/** The whole answer; what Retry-After says is capped. */
export async function answerOf(message: IncomingMessage): Promise<ApiAnswer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  const seconds = Number(message.headers['retry-after'] ?? '1');
  return {
    status: message.statusCode ?? 0,
    body: Buffer.concat(pieces).toString('utf8'),
    retryAfterMs: Math.min(Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : 1000, longestWaitMs),
  };
}

/** For a call that got no answer: the server was not reached, or the connection broke. */
export function noAnswer(server: URL, cause: unknown): TransportError {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const why = first instanceof Error ? first.message : String(first);
  return new TransportError('unreachable', `no answer from the API server ${server.origin}: ${why}`, {
    hint: 'Check the address in the kubeconfig and the network; with --via ssh the nodes are asked without it.',
    cause,
  });
}
