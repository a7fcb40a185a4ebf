// The API calls that an exec needs: finding pods, adding containers. Credentials come from connect/; failures are reported
// as failures to reach the node.
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
  /** Including the query. */
  readonly path: string;
  readonly body?: { readonly type: string; readonly text: string };
  readonly signal: AbortSignal;
}

export interface ApiResponse {
  readonly status: number;
  readonly body: string;
  /** How long the server asks to wait before the next try, in milliseconds. */
  readonly retryAfterMs: number;
}

/**
 * Calls `attempt`: again with fresh credentials after 401, and again after 429 when the time that the server asks for has
 * passed. Returns the last result. Errors: those of `attempt`.
 */
export async function withRetries<T>(
  connection: KubeConnection,
  signal: AbortSignal,
  attempt: () => Promise<T | ApiResponse>,
): Promise<T | ApiResponse> {
  let renewed = false;
  for (let tries = 1; ; tries += 1) {
    const result = await attempt();
    const response = isApiResponse(result) ? result : undefined;
    if (response?.status === 401 && !renewed) {
      renewed = true;
      connection.renew();
    } else if (response?.status === 429 && tries < triesWhenBusy) {
      const seconds = Math.max(1, Math.round(response.retryAfterMs / 1000));
      connection.waiting?.(`the API server is busy: try ${tries} of ${triesWhenBusy - 1} in ${seconds} s`);
      await after(response.retryAfterMs, undefined, { signal }).finally(() => connection.waiting?.(undefined));
    } else {
      return result;
    }
  }
}

/** True for a response of the server instead of the expected result. */
export function isApiResponse(result: unknown): result is ApiResponse {
  return typeof result === 'object' && result !== null && 'status' in result && 'retryAfterMs' in result;
}

/** Makes one call. Errors: TransportError `unreachable`, `unauthorized` (no credentials); the reason of the signal. */
export async function callApi(connection: KubeConnection, call: ApiCall): Promise<ApiResponse> {
  const { server, requestTimeoutMs } = connection;
  if (requestTimeoutMs === undefined) return callWithoutLimit(connection, call);
  const limit = AbortSignal.timeout(requestTimeoutMs);
  try {
    return await callWithoutLimit(connection, { ...call, signal: AbortSignal.any([call.signal, limit]) });
  } catch (cause) {
    call.signal.throwIfAborted();
    if (!limit.aborted) throw cause;
    throw noResponse(server, overLimit(requestTimeoutMs));
  }
}

/** A request took longer than the user allowed. */
export const overLimit = (ms: number): Error =>
  new Error(`it took longer than --request-timeout, ${ms / 1000} seconds`);

async function callWithoutLimit(connection: KubeConnection, call: ApiCall): Promise<ApiResponse> {
  const { method, path, body, signal } = call;
  return withRetries(connection, signal, async () => {
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
      return await readResponse(message);
    } catch (cause) {
      signal.throwIfAborted();
      throw noResponse(server, cause);
    }
  });
}

/** Credentials for one call. Errors: TransportError `unauthorized`. */
export async function credentials(connection: KubeConnection): ReturnType<KubeConnection['transport']> {
  try {
    return await connection.transport();
  } catch (cause) {
    if (!(cause instanceof CalictlError)) throw cause;
    throw new TransportError('unauthorized', cause.message, { hint: cause.hint, cause });
  }
}

/** For a response with status 401; `prefix` may name the node. */
export function credentialsRejected(prefix = ''): TransportError {
  return new TransportError('unauthorized', `${prefix}the API server does not accept the credentials`, {
    hint: 'Log in again, or use another context.',
  });
}

/** Reads the whole response; Retry-After is capped at 10 seconds. */
export async function readResponse(message: IncomingMessage): Promise<ApiResponse> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  const seconds = Number(message.headers['retry-after'] ?? '1');
  return {
    status: message.statusCode ?? 0,
    body: Buffer.concat(pieces).toString('utf8'),
    retryAfterMs: Math.min(Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : 1000, longestWaitMs),
  };
}

/** For a call without a response: the server was not reached, or the connection broke. */
export function noResponse(server: URL, cause: unknown): TransportError {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const why = first instanceof Error ? first.message : String(first);
  return new TransportError('unreachable', `no response from the API server ${server.origin}: ${why}`, {
    hint: 'Check the network and the server address in the kubeconfig; --via ssh works without the API server.',
    cause,
  });
}
