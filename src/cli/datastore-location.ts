// Where the datastore is and how it is reached: flags over configuration file or environment.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Input } from '../commands/command.ts';
import type { ConnectionSettings } from '../connect/settings.ts';
import { parseGoBool } from '../text/go-scalars.ts';
import { CalictlError, exitCodes, StdoutFailure, UsageError } from '../world/errors.ts';
import type { World } from '../world/world.ts';
import { defaultConfigPath } from './global-flags.ts';

/** Where the objects are. */
export type Place =
  | { readonly type: 'kubernetes'; readonly connection: ConnectionSettings }
  /** `bundle` is the file that the folder was unpacked from. */
  | { readonly type: 'folder'; readonly path: string; readonly bundle?: string }
  | { readonly type: 'bundle'; readonly path: string }
  | { readonly type: 'etcdv3' };

/** A place that can be opened as it is. */
export type OpenPlace = Exclude<Place, { type: 'bundle' }>;

type Env = World['env'];

const textVariables = {
  datastoreType: 'DATASTORE_TYPE',
  etcdEndpoints: 'ETCD_ENDPOINTS',
  etcdDiscoverySrv: 'ETCD_DISCOVERY_SRV',
  etcdUsername: 'ETCD_USERNAME',
  etcdPassword: 'ETCD_PASSWORD',
  etcdKeyFile: 'ETCD_KEY_FILE',
  etcdCertFile: 'ETCD_CERT_FILE',
  etcdCACertFile: 'ETCD_CA_CERT_FILE',
  kubeconfig: 'KUBECONFIG',
  k8sAPIEndpoint: 'K8S_API_ENDPOINT',
  k8sKeyFile: 'K8S_KEY_FILE',
  k8sCertFile: 'K8S_CERT_FILE',
  k8sCAFile: 'K8S_CA_FILE',
  k8sCurrentContext: 'K8S_CURRENT_CONTEXT',
} as const;
/** Variable, and the name that calicoctl has for it in errors. */
const flagVariables = {
  k8sInsecureSkipTLSVerify: ['K8S_INSECURE_SKIP_TLS_VERIFY', 'K8sInsecureSkipTLSVerify'],
  k8sDisableNodePoll: ['K8S_DISABLE_NODE_POLL', 'K8sDisableNodePoll'],
  usePodCIDR: ['USE_POD_CIDR', 'K8sUsePodCIDR'],
} as const;

/** The value under CALICO_NAME, even an empty one, else under NAME. */
const variable = (env: Env, name: string): string | undefined => env[`CALICO_${name}`] ?? env[name];

function misassigned(name: string, field: string, value: string, type: 'bool' | 'float32'): CalictlError {
  const parser = type === 'bool' ? 'ParseBool' : 'ParseFloat';
  return new CalictlError(
    `failed to load config from env vars: envconfig.Process: assigning CALICO_${name} to ${field}: ` +
      `converting '${value}' to type ${type}. details: strconv.${parser}: parsing "${value}": invalid syntax`,
    { code: 'CONFIG_INVALID', exit: exitCodes.usage },
  );
}

/** Connection settings by environment variables. Errors: CalictlError for a bad switch or number. */
export function settingsFromEnvironment(env: Env): ConnectionSettings {
  const texts = Object.entries(textVariables).map(([key, name]) => [key, variable(env, name) || undefined]);
  const flags = Object.entries(flagVariables).map(([key, [name, field]]) => {
    const value = variable(env, name);
    if (value === undefined) return [key, undefined];
    const on = parseGoBool(value);
    if (on === undefined) throw misassigned(name, field, value, 'bool');
    return [key, on];
  });
  const rate = variable(env, 'K8SCLIENTQPS');
  if (rate !== undefined && (rate.trim() === '' || Number.isNaN(Number(rate)))) {
    throw misassigned('K8SCLIENTQPS', 'K8sClientQPS', rate, 'float32');
  }
  return {
    ...Object.fromEntries([...texts, ...flags]),
    k8sAPIToken: variable(env, 'K8SAPITOKEN') || variable(env, 'K8S_API_TOKEN') || undefined,
    ...(rate === undefined ? {} : { k8sClientQPS: Number(rate) }),
  };
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** What configuration file or environment say. Errors: UsageError for a file that does not exist, those of the file. */
export async function fileOrEnvironment(globals: Input, world: World, compat: boolean): Promise<ConnectionSettings> {
  const path = globals.text('config') ?? defaultConfigPath;
  const context = globals.text('context');
  const absolute = resolve(world.cwd, path);
  if (exists(absolute)) {
    const { readConfigFile } = await import('../connect/config-file.ts');
    const settings = readConfigFile(absolute);
    // calicoctl loses --context when there is a configuration file.
    return context === undefined || compat ? settings : { ...settings, k8sCurrentContext: context };
  }
  if (path !== defaultConfigPath) {
    if (compat) throw new StdoutFailure(`Error reading config file: ${path}`);
    throw new UsageError(
      `the configuration file ${path} does not exist`,
      'name another with --config, or leave it out to go by the environment',
      'CONFIG_MISSING',
    );
  }
  const env = context === undefined ? world.env : { ...world.env, K8S_CURRENT_CONTEXT: context };
  return settingsFromEnvironment(env);
}

const looksLikePath = (text: string): boolean => /[/\\]/.test(text) || text === '.' || text === '..';

/** Decides where the datastore is. Errors: UsageError for what is neither a type nor a folder, those of the file. */
export async function placeOf(globals: Input, world: World, compat: boolean): Promise<Place> {
  const asked = globals.text('datastore');
  if (asked === '') throw new UsageError('--datastore is empty', 'use kubernetes, or the path of a folder');
  if (asked !== undefined && asked !== 'kubernetes' && asked !== 'etcdv3') return folder(asked, world, false);
  if (asked === 'etcdv3') return { type: 'etcdv3' };

  const settings = await fileOrEnvironment(globals, world, compat);
  const kubeconfig = globals.text('kubeconfig');
  const connection = kubeconfig === undefined ? settings : { ...settings, kubeconfig };
  const type = asked ?? (settings.datastoreType || (settings.etcdEndpoints ? 'etcdv3' : 'kubernetes'));
  if (type === 'kubernetes') return { type, connection };
  if (type === 'etcdv3') return { type };
  return folder(type, world, compat);
}

function folder(text: string, world: World, compat: boolean): Place {
  const path = resolve(world.cwd, text);
  if (!compat && /\.(tgz|tar\.gz)$/i.test(path) && statSync(path, { throwIfNoEntry: false })?.isFile()) {
    return { type: 'bundle', path };
  }
  if (looksLikePath(text) || (!compat && exists(path))) return { type: 'folder', path };
  if (compat)
    throw new CalictlError(`unknown datastore type: ${text}`, {
      code: 'DATASTORE_TYPE',
    });
  throw new UsageError(`'${text}' is neither a datastore type nor a folder`, 'use kubernetes, or the path of a folder');
}
