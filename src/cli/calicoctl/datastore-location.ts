// Where calicoctl looks for the datastore: the configuration file, else the environment. It has no --datastore.
import { resolve } from 'node:path';
import type { ConnectionSettings } from '../../connect/settings.ts';
import { CalictlError, StdoutFailure } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { type DatastoreLocation, datastoreType, exists, looksLikePath } from '../datastore-location.ts';
import { defaultConfigPath } from '../global-flags.ts';
import { settingsFromEnvironment } from '../settings-from-environment.ts';

/** What calicoctl's command line says of the connection. */
export interface ConnectionFlags {
  readonly config: string | undefined;
  readonly context: string | undefined;
  readonly kubeconfig: string | undefined;
}

async function fileOrEnvironment({ config, context }: ConnectionFlags, world: World): Promise<ConnectionSettings> {
  const path = config ?? defaultConfigPath;
  const absolute = resolve(world.cwd, path);
  if (exists(absolute)) {
    const { readConfigFile } = await import('../../connect/config-file.ts');
    // calicoctl loses --context when there is a configuration file.
    return await readConfigFile(absolute, world.signal);
  }
  if (path !== defaultConfigPath) throw new StdoutFailure(`Error reading config file: ${path}`);
  return settingsFromEnvironment(context === undefined ? world.env : { ...world.env, K8S_CURRENT_CONTEXT: context });
}

/** Errors: StdoutFailure for a configuration file that does not exist, those of the file. */
export async function calicoctlSettings(flags: ConnectionFlags, world: World): Promise<ConnectionSettings> {
  const settings = await fileOrEnvironment(flags, world);
  return flags.kubeconfig === undefined ? settings : { ...settings, kubeconfig: flags.kubeconfig };
}

/** Errors: those of the settings, CalictlError for an unknown type. */
export async function locateAsCalicoctl(flags: ConnectionFlags, world: World): Promise<DatastoreLocation> {
  const connection = await calicoctlSettings(flags, world);
  const type = datastoreType(connection);
  if (type === 'kubernetes') return { type, connection, isNamed: true };
  if (type === 'etcdv3') return { type };
  // A folder has to be written as a path here: a bare word is a type.
  if (looksLikePath(type))
    return { type: 'folder', path: resolve(world.cwd, type), apiGroup: connection.calicoAPIGroup };
  throw new CalictlError(`unknown datastore type: ${type}`, { code: 'DATASTORE_TYPE' });
}
