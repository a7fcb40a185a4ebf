// Whether the datastore is locked, so that no address is assigned while a pool is split.
import { type Datastore, DatastoreError } from '../../../datastore/datastore.ts';
import { storedIn } from '../../../resources/kind.ts';
import { clusterInformation } from '../../../resources/kinds/cluster-information.ts';
import { RefusedError } from '../../../world/errors.ts';

/** Errors: those of the store, when there is no ClusterInformation too. */
export async function isLocked(store: Datastore, signal: AbortSignal): Promise<boolean> {
  return (await store.get(clusterInformation, { name: 'default' }, { signal })).spec.datastoreReady === false;
}

/** Errors: RefusedError when the datastore is not locked, those of the store. */
export async function requireLock(store: Datastore, signal: AbortSignal): Promise<void> {
  const locked = await isLocked(store, signal).catch((error: unknown) => {
    if (error instanceof DatastoreError && error.reason === 'not-found') return false;
    throw error;
  });
  if (locked) return;
  const { plural, group } = storedIn(clusterInformation, store.calicoApi).api;
  const patch = `kubectl patch ${plural}.${group} default --type merge -p '{"spec":{"datastoreReady":false}}'`;
  throw new RefusedError(
    'the datastore is not locked, so addresses may be assigned from the pool while it is split',
    'DATASTORE_UNLOCKED',
    `lock it with calicoctl datastore migrate lock, or ${patch}; --dry-run needs no lock`,
  );
}
