// From connection settings to an API server and the credentials for it, over client-node's KubeConfig.
// Slow to load: import it dynamically, only where a Kubernetes datastore is opened.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, KubeConfig } from '@kubernetes/client-node';
import type { World } from '../world/world.ts';
import { ConnectionError } from './connection-error.ts';
import { type KubeConnection, kubeConnectionTo } from './kube-connection.ts';
import { type KubeUser, tokenFileProvider } from './kube-user.ts';
import { fromFiles, fromText } from './kubeconfig-file.ts';
import { refuseSpecialFile } from './read-text.ts';
import type { ConnectionSettings } from './settings.ts';

/** Where Kubernetes mounts the service account of a pod. */
const mountedServiceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Finds the API server and the caller's credentials, in this order: inline kubeconfig, kubeconfig files, plain endpoint,
 * `~/.kube/config`, in-cluster service account. Nothing is sent yet.
 * Errors: ConnectionError when the configuration cannot be read or does not name a server.
 */
export async function kubeConnection(
  settings: ConnectionSettings,
  world: Pick<World, 'env' | 'platform' | 'signal'>,
  serviceAccount: string = mountedServiceAccount,
): Promise<KubeConnection> {
  if (settings.kubeconfigInline) {
    const { requestTimeoutMs } = settings;
    return connect(await fromText(settings.kubeconfigInline, 'the inline kubeconfig', ''), { requestTimeoutMs }, world);
  }
  const usual = usualKubeconfig(world);
  let config: KubeConfig | undefined;
  if (settings.kubeconfig) config = await fromFiles(settings.kubeconfig, world.signal);
  else if (settings.k8sAPIEndpoint) config = new KubeConfig();
  else if (usual !== undefined && existsSync(usual)) config = await fromFiles(usual, world.signal);
  else config = inCluster(world, serviceAccount);
  if (config === undefined) throw nothingConfigured(settings.kubeconfig, usual);
  return connect(config, settings, world);
}

/** The names of the contexts among which --context chooses. Errors: ConnectionError for a kubeconfig that cannot be read. */
export async function contextNames(
  settings: ConnectionSettings,
  world: Pick<World, 'env' | 'platform' | 'signal'>,
): Promise<readonly string[]> {
  const path = settings.kubeconfig || usualKubeconfig(world);
  const config = path === undefined ? undefined : await fromFiles(path, world.signal);
  return config?.contexts.map(({ name }) => name) ?? [];
}

function usualKubeconfig({ env, platform }: Pick<World, 'env' | 'platform'>): string | undefined {
  const home = env['HOME'] || (platform === 'win32' ? env['USERPROFILE'] : undefined);
  return home ? join(home, '.kube', 'config') : undefined;
}

function connect(
  config: KubeConfig,
  settings: ConnectionSettings,
  world: Pick<World, 'env' | 'signal'>,
): KubeConnection {
  const context = selectedContext(config, settings);
  const cluster = clusterOf(config, context, settings);
  const user = userOf(config, context, settings);
  checkFields(cluster, user);
  return kubeConnectionTo(cluster, user, world, settings.requestTimeoutMs || undefined);
}

/** What the fields of client-node are called in a kubeconfig. */
const clusterTexts = {
  server: 'server',
  caFile: 'certificate-authority',
  caData: 'certificate-authority-data',
  tlsServerName: 'tls-server-name',
  proxyUrl: 'proxy-url',
} as const;
const userTexts = {
  token: 'token',
  username: 'username',
  password: 'password',
  certFile: 'client-certificate',
  certData: 'client-certificate-data',
  keyFile: 'client-key',
  keyData: 'client-key-data',
  impersonateUser: 'as',
} as const;

/** Errors: ConnectionError for a field that is not text, and for a file that is a pipe or a device. */
function checkFields(cluster: Cluster, user: KubeUser): void {
  const fields = [
    ...Object.entries(clusterTexts).map(([key, name]) => ['cluster', name, cluster[key as keyof Cluster]] as const),
    ...Object.entries(userTexts).map(([key, name]) => ['user', name, user[key as keyof KubeUser]] as const),
  ];
  const wrong = fields.find(([, , value]) => value !== undefined && value !== null && typeof value !== 'string');
  if (wrong !== undefined) {
    const [of, name] = wrong;
    throw new ConnectionError(`${name} of the ${of} in the kubeconfig is not a string`, {
      hint: 'Correct it; a value of digits only must be in quotes.',
    });
  }
  if (cluster.caFile) refuseSpecialFile('the CA file', cluster.caFile);
  for (const path of [user.certFile, user.keyFile, user.authProvider?.config?.tokenFile]) {
    if (path) refuseSpecialFile('the credentials file', path);
  }
}

interface Selected {
  readonly name: string;
  readonly cluster: string;
  readonly user?: string;
}

function selectedContext(config: KubeConfig, settings: ConnectionSettings): Selected {
  const wanted = settings.k8sCurrentContext || config.getCurrentContext();
  const listed = config.contexts.map(({ name }) => name).join(', ');
  const choose = listed === '' ? '' : ` Available: ${listed}.`;
  if (!wanted) {
    if (settings.k8sAPIEndpoint) return { name: '', cluster: '' };
    throw new ConnectionError('the kubeconfig has no current context', {
      storeText: 'invalid configuration: default cluster has no server defined',
      hint: `Choose one with --context, or set current-context in the kubeconfig.${choose}`,
    });
  }
  const context = config.contexts.find(({ name }) => name === wanted);
  if (context === undefined) {
    throw new ConnectionError(`the kubeconfig has no context "${wanted}"`, {
      storeText: `context "${wanted}" does not exist`,
      hint: `Choose another with --context.${choose}`,
    });
  }
  return context;
}

/** The cluster of the context; the settings override it. */
function clusterOf(config: KubeConfig, context: Selected, settings: ConnectionSettings): Cluster {
  const found = config.clusters.find(({ name }) => name === context.cluster);
  const server = settings.k8sAPIEndpoint || found?.server;
  if (!server) {
    throw new ConnectionError(`the kubeconfig has no server for cluster "${context.cluster}"`, {
      storeText: `invalid configuration: no server found for cluster "${context.cluster}"`,
      hint: `Add the cluster of context "${context.name}" to the kubeconfig, or choose another context with --context.`,
    });
  }
  const { caFile, caData, ...others } = found ?? { name: context.cluster, skipTLSVerify: false };
  const skipTLSVerify = settings.k8sInsecureSkipTLSVerify === true || others.skipTLSVerify;
  const cluster = { ...others, server, skipTLSVerify };
  if (skipTLSVerify) return cluster;
  if (settings.k8sCAFile) return { ...cluster, caFile: settings.k8sCAFile };
  return { ...cluster, ...(caFile ? { caFile } : {}), ...(caData ? { caData } : {}) };
}

/** The user of the context; the settings override it. A user that is not listed is anonymous, not an error. */
function userOf(config: KubeConfig, context: Selected, settings: ConnectionSettings): KubeUser {
  const name = context.user || 'anonymous';
  let user: KubeUser = config.users.find((listed) => listed.name === name) ?? { name };
  if (settings.k8sCertFile) {
    const { certData: _, ...others } = user;
    user = { ...others, certFile: settings.k8sCertFile };
  }
  if (settings.k8sKeyFile) {
    const { keyData: _, ...others } = user;
    user = { ...others, keyFile: settings.k8sKeyFile };
  }
  if (settings.k8sAPIToken) {
    const { exec: _, authProvider: __, username: ___, password: ____, ...others } = user;
    user = { ...others, token: settings.k8sAPIToken };
  }
  return user;
}

/** The configuration that Kubernetes gives every pod; undefined outside of a pod. */
function inCluster(world: Pick<World, 'env'>, folder: string): KubeConfig | undefined {
  const host = world.env['KUBERNETES_SERVICE_HOST'];
  const port = world.env['KUBERNETES_SERVICE_PORT'];
  const tokenFile = join(folder, 'token');
  if (!host || !port || !existsSync(tokenFile)) return undefined;
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: 'in-cluster', server, skipTLSVerify: false, caFile: join(folder, 'ca.crt') },
    { name: 'service-account', authProvider: tokenFileProvider(tokenFile) },
  );
  return config;
}

/** Names all places that were looked at, and what was there. */
function nothingConfigured(files: string | undefined, usual: string | undefined): ConnectionError {
  const places = [
    'KUBECONFIG and --kubeconfig are not set',
    usual === undefined ? 'HOME is not set' : `${usual} does not exist`,
    'calictl does not run in a pod',
  ];
  const what =
    files === undefined
      ? `no Kubernetes API server is configured: ${places.join(', ')}`
      : `there is no kubeconfig file at ${files}`;
  return new ConnectionError(what, {
    storeText:
      'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
    hint: 'Set KUBECONFIG or use --kubeconfig; for a directory of manifests use --datastore PATH.',
  });
}
