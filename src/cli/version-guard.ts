// Whether this program and the cluster fit together: calicoctl's refusal in compat mode, one warning line otherwise.
import { calicoctlText } from '../commands/calicoctl-errors.ts';
import { type CallOptions, type Datastore, DatastoreError } from '../datastore/datastore.ts';
import { CalictlError } from '../world/errors.ts';
import { buildInfo } from './build-info.ts';

const oldest = 25;
const newest = 33;
/** Nobody waits longer for a mere warning. */
const warningTimeoutMs = 3000;

async function clusterVersion(store: Datastore, options: CallOptions): Promise<string | undefined> {
  const { clusterInformation } = await import('../resources/kinds/cluster-information.ts');
  const information = await store.get(clusterInformation, { name: 'default' }, options);
  return information.spec?.calicoVersion || undefined;
}

const plain = (version: string): string => version.replace(/^v/, '').split('-')[0] ?? '';

/**
 * calicoctl's guard.
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
  if (version === undefined || plain(version) === plain(buildInfo.calico)) return;
  const lines = [
    'version mismatch.',
    `Client Version:   ${buildInfo.calico}`,
    `Cluster Version:  ${plain(version)}`,
    'Use --allow-version-mismatch to override',
  ];
  throw new CalictlError(lines.join('\n'), { code: 'VERSION_MISMATCH' });
}

/** One line when the cluster's release is not among those that calictl knows; never an error. */
export async function versionWarning(store: Datastore, signal: AbortSignal): Promise<string | undefined> {
  const version = await clusterVersion(store, { signal, timeoutMs: warningTimeoutMs }).catch(() => undefined);
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (major === undefined || (major === '3' && Number(minor) >= oldest && Number(minor) <= newest)) return undefined;
  return `warning: the cluster runs Calico ${version}; calictl knows v3.${oldest} to v3.${newest}`;
}
