// One API server and the caller's credentials for it, ready for node:https. Requests are made in datastore/kube.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent as HttpAgent, validateHeaderValue } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import { type Cluster, KubeConfig } from '@kubernetes/client-node';
import { firstLine } from '../text/wording.ts';
import type { World } from '../world/world.ts';
import { ConnectionError, unreadableFile } from './connection-error.ts';
import { pluginCredential } from './credential-plugin.ts';
import type { KubeHeaders, KubeUser } from './kube-user.ts';
import { blamingProxy, proxyAddress } from './proxy.ts';

/** Sockets that were idle for longer are not used again: the server may have closed them. */
const idleSocketMs = 45_000;
const providerTimeoutMs = 60_000;

/** What every request is made with. */
export interface KubeTransport {
  readonly agent: HttpAgent | HttpsAgent;
  /** Authorization and impersonation. Secret. */
  readonly headers: KubeHeaders;
}

/** What a request waits for when it is not for the response; undefined when that is over. */
export type Waiting = (what: string | undefined) => void;

export interface KubeConnection {
  /** Without user and password. */
  readonly server: URL;
  /** The server is this machine. */
  readonly loopback: boolean;
  /** The longest time of one request; undefined for none. */
  readonly requestTimeoutMs: number | undefined;
  /** Called with what a request of node-exec/kube waits for. */
  readonly waiting?: Waiting | undefined;
  /** Credentials, made on first use and kept. Errors: ConnectionError (plugin failed, unusable certificate). */
  transport(): Promise<KubeTransport>;
  /** Makes the next `transport()` get fresh credentials; call it after the server rejected them. */
  renew(): void;
  close(): void;
}

/**
 * A connection to a cluster as a user. A credential plugin gets the environment, and ends with the signal.
 * Errors: ConnectionError for an invalid address of the server or of the proxy.
 */
export function kubeConnectionTo(
  cluster: Cluster,
  user: KubeUser,
  world: Pick<World, 'env' | 'signal'>,
  requestTimeoutMs?: number,
): KubeConnection {
  const server = serverUrl(cluster.server);
  const proxy = cluster.proxyUrl ? proxyAddress(cluster.proxyUrl) : undefined;
  const agents: (HttpAgent | HttpsAgent)[] = [];
  let transport: Promise<KubeTransport> | undefined;

  return {
    server,
    requestTimeoutMs,
    loopback: /^(localhost|127(\.\d+){3}|\[::1\])$/.test(server.hostname),
    transport() {
      transport ??= makeTransport(cluster, user, server, proxy, world).then((made) => {
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

/** Errors: ConnectionError for a value that no header can have; it does not show the value. */
function headersOf(
  { headers: given, auth }: RequestOptions & { headers?: Record<string, string | string[]> },
  { impersonation }: KubeUser,
): KubeHeaders {
  const headers: Record<string, string | string[]> = { ...given, ...impersonation };
  if (auth) headers['Authorization'] = `Basic ${Buffer.from(auth).toString('base64')}`;
  // A token from a file may end with a line feed, and kubectl ignores it.
  const token = headers['Authorization'];
  if (typeof token === 'string') headers['Authorization'] = token.trim();
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) {
      try {
        validateHeaderValue(name, value);
      } catch {
        const what = name === 'Authorization' ? 'token' : name;
        throw new ConnectionError(`the ${what} of the user in the kubeconfig has characters that cannot be sent`, {
          hint: 'Compare it with the one that you were given: it must be one line of ASCII characters.',
        });
      }
    }
  }
  return headers;
}

async function makeTransport(
  cluster: Cluster,
  user: KubeUser,
  server: URL,
  proxy: URL | undefined,
  world: Pick<World, 'env' | 'signal'>,
): Promise<KubeTransport> {
  const plainHttp = server.protocol === 'http:';
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    // client-node refuses plain http unless certificate checks are off, and http has no certificates.
    plainHttp ? { ...cluster, skipTLSVerify: true } : cluster,
    await withPluginCredential(user, cluster, world),
  );
  const options: RequestOptions & { headers?: Record<string, string | string[]> } = {};
  await applied(config, options, world.signal);
  const headers = headersOf(options, user);
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  if (ca) checkAuthority(ca as Buffer, cluster);
  // Only client-node's agent knows the proxy. By default it opens a new connection for each request.
  if (proxy) {
    const agent = keepingAlive(options.agent as HttpsAgent);
    // socks-proxy-agent leaves out the address, and Node then compares the certificate with `localhost`.
    const host = servername ?? server.hostname.replace(/^\[|\]$/g, '');
    agent.options.checkServerIdentity = (_, certificate) => checkServerIdentity(host, certificate);
    return { agent: blamingProxy(agent, proxy, server), headers };
  }
  const alive = { keepAlive: true, timeout: idleSocketMs };
  if (plainHttp) return { agent: new HttpAgent(alive), headers };
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

/** The user with what its credential plugin gave, in place of the plugin. Errors: ConnectionError. */
async function withPluginCredential(
  user: KubeUser,
  cluster: Cluster,
  world: Pick<World, 'env' | 'signal'>,
): Promise<KubeUser> {
  const { exec, ...others } = user;
  if (!exec) return user;
  const { token, certificate, key } = await pluginCredential(exec, world, () => clusterInfo(cluster));
  return {
    ...others,
    ...(token === undefined ? {} : { token }),
    ...(certificate === undefined || key === undefined ? {} : { certData: base64(certificate), keyData: base64(key) }),
  };
}

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');

/** The cluster as a credential plugin gets it. Errors: ConnectionError. */
function clusterInfo(cluster: Cluster): Record<string, unknown> {
  const authority = cluster.caData ?? (cluster.caFile ? base64(contentOf(cluster.caFile)) : undefined);
  return {
    server: cluster.server,
    ...(cluster.tlsServerName ? { 'tls-server-name': cluster.tlsServerName } : {}),
    ...(cluster.skipTLSVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(authority ? { 'certificate-authority-data': authority } : {}),
    ...(cluster.proxyUrl ? { 'proxy-url': cluster.proxyUrl } : {}),
  };
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw unreadableFile('the CA file', path, cause);
  }
}

/** Node takes anything as a CA, and then trusts nobody. Errors: ConnectionError when it is not PEM of certificates. */
function checkAuthority(ca: Buffer, { caFile }: Cluster): void {
  const certificates = ca.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length > 0 && certificates.every(isCertificate)) return;
  const what = caFile ? `the CA file ${caFile}` : 'certificate-authority-data of the kubeconfig';
  throw new ConnectionError(
    `${what} ${certificates.length === 0 ? 'has no certificate' : 'has an invalid certificate'}`,
    {
      storeText: 'unable to load root certificates: unable to parse bytes as PEM block',
      hint: `It must be PEM${caFile ? '' : ', encoded as base64'}: compare it with the kubeconfig that the cluster gave you.`,
    },
  );
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).serialNumber !== undefined;
  } catch {
    return false;
  }
}

function keepingAlive(agent: HttpsAgent): HttpsAgent {
  return Object.assign(agent, { keepAlive: true });
}

async function applied(config: KubeConfig, options: RequestOptions, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let interrupted = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    interrupted = () => reject(signal.reason);
    signal.addEventListener('abort', interrupted, { once: true });
    timer = setTimeout(
      () => reject(new Error(`no response within ${providerTimeoutMs / 1000} seconds`)),
      providerTimeoutMs,
    );
  });
  try {
    await Promise.race([config.applyToHTTPSOptions(options), late]);
  } catch (cause) {
    signal.throwIfAborted();
    const { code, path } = cause as NodeJS.ErrnoException;
    if (code !== undefined && path !== undefined) throw unreadableFile('the credentials file', path, cause);
    // A SyntaxError quotes what the program of an auth-provider printed, which may be a token.
    const quotes = cause instanceof SyntaxError;
    throw new ConnectionError(
      `no credentials for the API server: ${quotes ? 'the auth-provider did not print JSON' : reasonOf(cause)}`,
      { hint: 'Correct the user of the current context in the kubeconfig.', cause: quotes ? undefined : cause },
    );
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupted);
  }
}

const reasonOf = (error: unknown): string =>
  firstLine(error instanceof Error ? error.message : String(error)).slice(0, 300);
