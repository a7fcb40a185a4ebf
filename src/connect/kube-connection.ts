// One API server and the caller's credentials for it, ready for node:https. Requests are made in datastore/kube.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import { type Cluster, KubeConfig } from '@kubernetes/client-node';
import { firstLine } from '../text/wording.ts';
import { ConnectionError, unreadableFile } from './connection-error.ts';
import type { KubeHeaders, KubeUser } from './kubeconfig-file.ts';

/** Sockets that were idle for longer are not used again: the server may have closed them. */
const idleSocketMs = 45_000;
const pluginTimeoutMs = 60_000;

/** What every request is made with. */
export interface KubeTransport {
  readonly agent: HttpAgent | HttpsAgent;
  /** Authorization and impersonation. Secret. */
  readonly headers: KubeHeaders;
}

export interface KubeConnection {
  /** Without user and password. */
  readonly server: URL;
  /** The server is this machine. */
  readonly loopback: boolean;
  /** Credentials, made on first use and kept. Errors: ConnectionError (plugin failed, unusable certificate). */
  transport(): Promise<KubeTransport>;
  /** Makes the next `transport()` get fresh credentials; call it after the server rejected them. */
  renew(): void;
  close(): void;
}

/** A connection to a cluster as a user. Errors: ConnectionError for an invalid address of the server. */
export function kubeConnectionTo(cluster: Cluster, user: KubeUser): KubeConnection {
  const server = serverUrl(cluster.server);
  const plainHttp = server.protocol === 'http:';
  const config = new KubeConfig();
  // client-node refuses plain http unless certificate checks are off, and http has no certificates.
  config.loadFromClusterAndUser(plainHttp ? { ...cluster, skipTLSVerify: true } : cluster, user);
  const agents: (HttpAgent | HttpsAgent)[] = [];
  let transport: Promise<KubeTransport> | undefined;

  return {
    server,
    loopback: /^(localhost|127(\.\d+){3}|\[::1\])$/.test(server.hostname),
    transport() {
      transport ??= makeTransport(config, cluster, user, plainHttp).then((made) => {
        agents.push(made.agent);
        return made;
      });
      return transport;
    },
    renew() {
      transport = undefined;
    },
    close() {
      for (const agent of agents) agent.destroy();
    },
  };
}

function serverUrl(text: string): URL {
  let url: URL | undefined;
  try {
    url = new URL(/^[a-z]+:\//i.test(text) ? text : `https://${text}`);
  } catch {
    // Reported below.
  }
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConnectionError('invalid address of the API server: not an http or https URL', {
      storeText: `host must be a URL or a host:port pair: ${JSON.stringify(text)}`,
      hint: 'Correct "server" of the cluster in the kubeconfig, or K8S_API_ENDPOINT.',
    });
  }
  url.username = '';
  url.password = '';
  return url;
}

async function makeTransport(
  config: KubeConfig,
  cluster: Cluster,
  user: KubeUser,
  plainHttp: boolean,
): Promise<KubeTransport> {
  const options: RequestOptions & { headers?: Record<string, string | string[]> } = {};
  await applied(config, options, user);
  const headers: Record<string, string | string[]> = { ...options.headers, ...user.impersonation };
  if (options.auth) headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  // Only client-node's agent knows the proxy. By default it opens a new connection for each request.
  if (cluster.proxyUrl) return { agent: keepingAlive(options.agent as HttpsAgent), headers };
  const alive = { keepAlive: true, timeout: idleSocketMs };
  if (plainHttp) return { agent: new HttpAgent(alive), headers };
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  try {
    // Made once: reading the certificates for every connection costs more than the handshake.
    const secureContext = createSecureContext({
      ...(ca ? { ca } : {}),
      ...(cert ? { cert } : {}),
      ...(key ? { key } : {}),
    });
    const agent = new HttpsAgent({
      ...alive,
      secureContext,
      ...(servername ? { servername } : {}),
      ...(rejectUnauthorized === false ? { rejectUnauthorized } : {}),
    });
    return { agent, headers };
  } catch (cause) {
    throw new ConnectionError('the certificates or the key of the kubeconfig cannot be used', {
      hint: 'They must be PEM (base64 of PEM in the *-data fields), and the key must be that of the certificate.',
      cause,
    });
  }
}

function keepingAlive(agent: HttpsAgent): HttpsAgent {
  return Object.assign(agent, { keepAlive: true });
}

async function applied(config: KubeConfig, options: RequestOptions, user: KubeUser): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no response within ${pluginTimeoutMs / 1000} seconds`)),
      pluginTimeoutMs,
    );
  });
  try {
    await Promise.race([config.applyToHTTPSOptions(options), late]);
  } catch (cause) {
    const { code, path, syscall } = cause as NodeJS.ErrnoException;
    const plugin = user.exec?.command;
    if (plugin !== undefined && !(syscall === 'open' || syscall === 'read')) throw pluginFailed(plugin, user, cause);
    if (code !== undefined && path !== undefined) throw unreadableFile('the credentials file', path, cause);
    throw new ConnectionError(`no credentials for the API server: ${reasonOf(cause)}`, {
      hint: 'Correct the user of the current context in the kubeconfig.',
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}

function pluginFailed(plugin: string, user: KubeUser, cause: unknown): ConnectionError {
  const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
  const why = missing
    ? 'is not installed'
    : cause instanceof SyntaxError
      ? 'did not print JSON'
      : `failed: ${reasonOf(cause)}`;
  return new ConnectionError(`the credential plugin ${plugin} ${why}`, {
    storeText: `getting credentials: exec: ${missing ? `executable ${plugin} not found` : reasonOf(cause)}`,
    hint: user.exec?.installHint?.trim() || 'Run it by hand to see what it needs, or sign in again.',
    cause,
  });
}

const reasonOf = (error: unknown): string =>
  firstLine(error instanceof Error ? error.message : String(error)).slice(0, 300);
