// What calicoctl does before a command: connect, and refuse a cluster of another release.
import { calicoctlText } from '../../commands/calicoctl-errors.ts';
import type { Context } from '../../commands/command.ts';
import { type Datastore, DatastoreError } from '../../datastore/datastore.ts';
import { v3ApiVersion } from '../../resources/kind.ts';
import { CalictlError, StdoutFailure } from '../../world/errors.ts';
import { buildInfo } from '../build-info.ts';
import { clusterVersion } from '../version-warning.ts';

const plain = (version: string): string => version.replace(/^v/, '').split('-')[0] ?? '';

/**
 * Compares the releases of this program and of the cluster.
 * Errors: CalictlError when the versions differ or cannot be compared.
 */
export async function refuseOtherVersions(store: Datastore, signal: AbortSignal): Promise<void> {
  let version: string | undefined;
  try {
    version = await clusterVersion(store, { signal });
  } catch (error) {
    if (error instanceof DatastoreError && error.reason === 'not-found') return;
    const lines = [
      `unable to get Cluster Information to verify version mismatch: ${calicoctlText(error)}`,
      'Use --allow-version-mismatch to override',
    ];
    throw new CalictlError(lines.join('\n'), {
      code: 'VERSION_UNKNOWN',
      cause: error,
    });
  }
  const own = store.calicoApi === v3ApiVersion ? buildInfo.calicoWithV3 : buildInfo.calico;
  if (version === undefined || plain(version) === plain(own)) return;
  const lines = [
    'version mismatch.',
    `Client Version:   ${own}`,
    `Cluster Version:  ${plain(version)}`,
    'Use --allow-version-mismatch to override',
  ];
  throw new CalictlError(lines.join('\n'), { code: 'VERSION_MISMATCH' });
}

/**
 * Runs before a guarded command. `prefix` comes before the reason.
 * Errors: StdoutFailure of the connection, CalictlError for another release.
 */
export async function guard(context: Context, prefix: string): Promise<void> {
  let store: Datastore;
  try {
    store = await context.datastore();
  } catch (error) {
    if (error instanceof StdoutFailure) throw error;
    // The command itself will report it.
    return;
  }
  try {
    await refuseOtherVersions(store, context.world.signal);
  } catch (error) {
    if (!(error instanceof CalictlError) || prefix === '') throw error;
    throw new CalictlError(prefix + error.message, { code: error.code, cause: error });
  }
}
