// What a delete leaves of an object that has finalizers: an API server only marks it, and removes it when they are done.
import { type Datastore, DatastoreError, getIfAny } from '../datastore/datastore.ts';
import type { Kind } from '../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../resources/object.ts';
import { isObject } from '../text/plain-values.ts';
import { listed } from '../text/wording.ts';
import { nameOf } from './client-error.ts';

/** Why a controller keeps the object, where it says so: the message of the condition with the reason Terminating. */
function reasonOf({ status }: KubeObject): string | undefined {
  const conditions = isObject(status) ? status['conditions'] : undefined;
  const found = Array.isArray(conditions)
    ? conditions.find((one) => isObject(one) && one['reason'] === 'Terminating' && typeof one['message'] === 'string')
    : undefined;
  return found === undefined ? undefined : String((found as Record<string, unknown>)['message']);
}

/**
 * What is still there of an object that was deleted just now, as sentences for people: nothing, or what it waits for.
 * `deleted` is the stored object, `ref` has the name by which people know it. The delete has succeeded whatever comes of
 * this, so an error of the store is one of the sentences.
 */
export async function pendingDeletion(
  store: Datastore,
  kind: Kind,
  deleted: KubeObject,
  ref: ObjectRef = deleted.metadata,
): Promise<readonly string[]> {
  const { name, namespace, uid } = deleted.metadata;
  let now: KubeObject | undefined;
  try {
    now = await getIfAny(store, kind, { name, namespace });
  } catch (error) {
    if (!(error instanceof DatastoreError)) throw error;
    return [
      `${nameOf(kind, ref)} is deleted, but whether it still waits for its finalizers is unknown: ${error.message}`,
    ];
  }
  if (now === undefined || now.metadata.uid !== uid) return [];
  const finalizers = now.metadata.finalizers ?? [];
  const reason = reasonOf(now);
  const wait =
    finalizers.length === 0 ? 'it is not gone yet' : `it waits for its finalizers (${listed(finalizers, 6)})`;
  return [`${nameOf(kind, ref)} is being deleted: ${wait}${reason === undefined ? '' : `: ${reason}`}`];
}
