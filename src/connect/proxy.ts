// A connection through the `proxy-url` of a kubeconfig's cluster: what fails before the API server is reached is the
// proxy's failure, and says so.
import type { Agent } from 'node:http';
import { systemText } from '../world/errors.ts';
import { ConnectionError } from './connection-error.ts';

const hint = 'Check proxy-url of the cluster in the kubeconfig, and that the proxy is running.';

/** The proxy without user and password. Errors: ConnectionError for an address that is not a proxy's. */
export function proxyAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(?:https?|socks(?:4a?|5h?)?):$/.test(url.protocol) || url.hostname === '') {
    throw new ConnectionError('invalid proxy-url of the cluster: not an http, https or socks5 URL', {
      storeText: 'invalid configuration: invalid proxy-url',
      hint: 'Correct proxy-url of the cluster in the kubeconfig.',
    });
  }
  return url;
}

function whyOf({ message, code = '' }: NodeJS.ErrnoException, proxy: URL, server: URL): string {
  const name = `${proxy.protocol}//${proxy.host}`;
  const status = /^Bad response: (\d+)$/.exec(message)?.[1];
  if (status !== undefined) return `the proxy ${name} did not connect to ${server.origin}: HTTP status ${status}`;
  if (code === 'ECONNREFUSED') return `nothing listens at the proxy ${name}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the name of the proxy ${name} cannot be resolved`;
  if (['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code)) return `the proxy ${name} cannot be reached`;
  return `no connection through the proxy ${name}: ${message || code}`;
}

function proxyError(cause: unknown, proxy: URL, server: URL): ConnectionError {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const error = first instanceof Error ? first : new Error(systemText(first));
  return new ConnectionError(whyOf(error, proxy, server), { storeText: error.message, hint, cause });
}

type Done = (error: unknown, socket?: unknown) => void;

/** An agent of client-node for a proxy: hpagent's takes a callback, that of socks-proxy-agent has a method that returns a promise. */
interface ProxyAgent {
  createConnection(options: unknown, done: Done): unknown;
  connect?(...args: readonly unknown[]): Promise<unknown>;
}

/** The agent, which from now on reports what fails on the way to the server as a failure of the proxy. */
export function blamingProxy<T extends Agent>(agent: T, proxy: URL, server: URL): T {
  const inner = agent as unknown as ProxyAgent;
  if (inner.connect !== undefined) {
    const connect = inner.connect.bind(inner);
    inner.connect = (...args) =>
      connect(...args).catch((cause: unknown) => {
        throw proxyError(cause, proxy, server);
      });
    return agent;
  }
  const create = inner.createConnection.bind(inner);
  inner.createConnection = (options, done) =>
    create(options, (error, socket) => done(error ? proxyError(error, proxy, server) : error, socket));
  return agent;
}
