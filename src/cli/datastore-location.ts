// Where the datastore is and how it is reached: flags over configuration file or environment. calicoctl/ has its rules.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConnectionSettings } from '../connect/settings.ts';
import { UsageError } from '../world/errors.ts';
import type { World } from '../world/world.ts';
import { defaultConfigPath, type GlobalInput } from './global-flags.ts';
import { apiGroupVariable, settingsFromEnvironment } from './settings-from-environment.ts';

/** Where the objects are. */
export type DatastoreLocation =
  /** `isNamed`: a flag, file or variable says so; else it is what is left. */
  | { readonly type: 'kubernetes'; readonly connection: ConnectionSettings; readonly isNamed: boolean }
  /** `bundle` is the file that the folder was unpacked from. `apiGroup` is the API group of Calico that the user names. */
  | {
      readonly type: 'folder';
      readonly path: string;
      readonly bundle?: string;
      readonly apiGroup?: string | undefined;
    }
  /** `limit`: bytes that it may unpack to, when the user says so. */
  | {
      readonly type: 'bundle';
      readonly path: string;
      readonly limit?: number | undefined;
      readonly apiGroup?: string | undefined;
    }
  | { readonly type: 'etcdv3' };

/** A location that can be opened as it is. */
export type OpenableLocation = Exclude<DatastoreLocation, { type: 'bundle' }>;

export function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** What configuration file or environment say. Errors: UsageError for a file that does not exist, those of the file. */
async function fileOrEnvironment({ config, context }: GlobalInput, world: World): Promise<ConnectionSettings> {
  const path = resolve(world.cwd, config);
  if (exists(path)) {
    const { readConfigFile } = await import('../connect/config-file.ts');
    const settings = await readConfigFile(path, world.signal);
    return context === undefined ? settings : { ...settings, k8sCurrentContext: context };
  }
  if (config !== defaultConfigPath) {
    throw new UsageError(
      `the configuration file ${config} does not exist`,
      'specify another with --config, or leave it out to use the environment',
      'CONFIG_MISSING',
    );
  }
  return settingsFromEnvironment(context === undefined ? world.env : { ...world.env, K8S_CURRENT_CONTEXT: context });
}

/** How a cluster is reached. Errors: UsageError for a configuration file that does not exist, those of the file. */
export async function connectionSettings(globals: GlobalInput, world: World): Promise<ConnectionSettings> {
  const settings = await fileOrEnvironment(globals, world);
  const { kubeconfig = settings.kubeconfig, requestTimeout: requestTimeoutMs } = globals;
  return { ...settings, kubeconfig, requestTimeoutMs };
}

/** The datastore's type that connection settings ask for. */
export function datastoreType({ datastoreType: type, etcdEndpoints }: ConnectionSettings): string {
  return type || (etcdEndpoints ? 'etcdv3' : 'kubernetes');
}

export const looksLikePath = (text: string): boolean => /[/\\]/.test(text) || text === '.' || text === '..';

function folderOrBundle(text: string, world: World, limit: number | undefined): DatastoreLocation {
  const apiGroup = apiGroupVariable(world.env);
  const path = resolve(world.cwd, text);
  if (/\.(tgz|tar\.gz)$/i.test(path) && statSync(path, { throwIfNoEntry: false })?.isFile()) {
    return { type: 'bundle', path, limit, apiGroup };
  }
  if (looksLikePath(text) || exists(path)) return { type: 'folder', path, apiGroup };
  throw new UsageError(
    `'${text}' is neither a datastore type nor a directory`,
    'use kubernetes, or the path of a directory',
  );
}

/** Decides where the datastore is. Errors: UsageError for what is neither a type nor a folder, those of the file. */
export async function locateDatastore(globals: GlobalInput, world: World): Promise<DatastoreLocation> {
  const asked = globals.datastore;
  if (asked === 'etcdv3') return { type: 'etcdv3' };
  if (asked !== undefined && asked !== 'kubernetes') return folderOrBundle(asked, world, globals.bundleLimit);
  const connection = await connectionSettings(globals, world);
  const type = asked ?? datastoreType(connection);
  if (type === 'kubernetes') {
    return { type, connection, isNamed: asked !== undefined || Boolean(connection.datastoreType) };
  }
  return type === 'etcdv3' ? { type } : folderOrBundle(type, world, globals.bundleLimit);
}
