// Whether calictl knows the release that the cluster runs. calicoctl's refusal is in calicoctl/guard.ts.
import type { CallOptions, Datastore } from '../datastore/datastore.ts';

const oldest = 25;
const newest = 33;
/** A warning is not worth a longer wait. */
const warningTimeoutMs = 3000;

/** The release that the cluster's ClusterInformation names. Errors: those of the store. */
export async function clusterVersion(store: Datastore, options: CallOptions): Promise<string | undefined> {
  const { clusterInformation } = await import('../resources/kinds/cluster-information.ts');
  const information = await store.get(clusterInformation, { name: 'default' }, options);
  return information.spec?.calicoVersion || undefined;
}

/** One line when the cluster's release is not among those that calictl knows; never an error. */
export async function versionWarning(store: Datastore, signal: AbortSignal): Promise<string | undefined> {
  const version = await clusterVersion(store, { signal, timeoutMs: warningTimeoutMs }).catch(() => undefined);
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (major === undefined || (major === '3' && Number(minor) >= oldest && Number(minor) <= newest)) return undefined;
  return `warning: the cluster runs Calico ${version}; calictl knows v3.${oldest} to v3.${newest}`;
}
