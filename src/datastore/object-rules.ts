// What an API server does to an object's metadata, and when it refuses a write: for the stores without a server.
import type { Kind } from '../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../resources/object.ts';
import { copyOver, deepCopy } from '../text/plain-values.ts';
import { DatastoreError, type DeletePreconditions } from './datastore.ts';

/** The key of an object among those of its kind. Lists are sorted by it. */
export function objectKey(kind: Kind, ref: ObjectRef): string {
  return kind.namespaced ? `${ref.namespace ?? ''}/${ref.name}` : ref.name;
}

/** Compares keys by the bytes of their UTF-8, the order in which servers list. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  const limit = Math.min(a.length, b.length);
  for (let i = 0; i < limit; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return inByteOrder(left) - inByteOrder(right);
  }
  return a.length - b.length;
}

/** Surrogates encode code points above all others. */
function inByteOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The name that kubectl uses: `ipamblocks.crd.projectcalico.org`. */
export function resourceOf(kind: Kind): string {
  return kind.api.group === '' ? kind.api.plural : `${kind.api.plural}.${kind.api.group}`;
}

/** `IPPool pool-1`, `Pod shop/cart-0`. */
export function nameWithKind(kind: Kind, ref: ObjectRef): string {
  return `${kind.kind} ${kind.namespaced && ref.namespace !== undefined ? `${ref.namespace}/` : ''}${ref.name}`;
}

/** Which command lists the objects of the kind, as a hint for one that does not exist. */
export function listHint({ aliases: [, several], api, namespaced }: Kind): string {
  const command = several === undefined ? `kubectl get ${api.plural}` : `calictl get ${several}`;
  return `${command}${namespaced ? ' -A' : ''} lists those that exist`;
}

/** The object does not exist: an error with the server's own message. */
export function notFound(kind: Kind, ref: ObjectRef, hint = listHint(kind)): DatastoreError {
  const storeText = `${resourceOf(kind)} "${ref.name}" not found`;
  return new DatastoreError('not-found', `${nameWithKind(kind, ref)} does not exist`, { storeText, hint });
}

/** There is already an object of that name. */
export function alreadyExists(kind: Kind, ref: ObjectRef): DatastoreError {
  const storeText = `${resourceOf(kind)} "${ref.name}" already exists`;
  return new DatastoreError('already-exists', `${nameWithKind(kind, ref)} already exists`, {
    storeText,
    hint: 'Use apply or replace to change it.',
  });
}

/** The revision or the uid on which the caller decided is no longer the stored one. */
export function conflict(kind: Kind, ref: ObjectRef): DatastoreError {
  const storeText =
    `Operation cannot be fulfilled on ${resourceOf(kind)} "${ref.name}": the object has been modified; ` +
    'please apply your changes to the latest version and try again';
  return new DatastoreError('conflict', `${nameWithKind(kind, ref)} was changed by another client in the meantime`, {
    storeText,
    hint: 'Read it again and repeat the change.',
  });
}

/** Name and namespace of an object. Errors: invalid, when it is of another kind or lacks one of them. */
export function refOf(kind: Kind, object: KubeObject): ObjectRef {
  if (object.kind !== kind.kind) {
    throw new DatastoreError('invalid', `an object of kind ${String(object.kind)} cannot be stored as ${kind.kind}`);
  }
  const { name, namespace } = object.metadata;
  if (typeof name !== 'string' || name === '') {
    throw new DatastoreError('invalid', `${kind.kind} without metadata.name`);
  }
  if (!kind.namespaced) return { name };
  if (typeof namespace !== 'string' || namespace === '') {
    throw new DatastoreError('invalid', `${kind.kind} ${name} without metadata.namespace`);
  }
  return { name, namespace };
}

/** A new object as it is stored: uid, revision and creation time are the server's, even if the caller set them. */
export function asCreated<T extends KubeObject>(
  object: T,
  given: { readonly uid: string; readonly resourceVersion: string; readonly now: Date },
): T {
  const { name, namespace } = object.metadata;
  const first = namespace === undefined ? { name } : { name, namespace };
  const created = deepCopy({ ...object, metadata: { ...first, ...object.metadata } });
  created.metadata.uid = given.uid;
  created.metadata.resourceVersion = given.resourceVersion;
  created.metadata.creationTimestamp = timestamp(given.now);
  return created;
}

/**
 * The object as it is stored when it replaces `stored`, or undefined when nothing would change.
 * Errors: invalid without a revision; conflict when the revision or the uid is not the stored one.
 */
export function asUpdated<T extends KubeObject>(
  kind: Kind,
  object: T,
  stored: KubeObject,
  resourceVersion: () => string,
): T | undefined {
  const ref = refOf(kind, object);
  const { resourceVersion: expected, uid } = object.metadata;
  if (expected === undefined || expected === '') {
    throw new DatastoreError(
      'invalid',
      `${nameWithKind(kind, ref)}: metadata.resourceVersion is required for an update`,
    );
  }
  if (expected !== stored.metadata.resourceVersion) throw conflict(kind, ref);
  if (uid !== undefined && uid !== stored.metadata.uid) throw conflict(kind, ref);
  const { uid: storedUid, creationTimestamp } = stored.metadata;
  const { metadata } = object;
  const given =
    metadata === stored.metadata ? object : { ...object, metadata: { ...metadata, uid: storedUid, creationTimestamp } };
  const updated = copyOver(given, stored);
  if (updated === stored) return undefined;
  return { ...updated, metadata: { ...updated.metadata, resourceVersion: resourceVersion() } };
}

/** Errors: not-found when the uid differs, conflict when the revision differs. */
export function checkDelete(kind: Kind, stored: KubeObject, preconditions: DeletePreconditions): void {
  const ref = refOf(kind, stored);
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== stored.metadata.uid) throw notFound(kind, ref);
  if (resourceVersion !== undefined && resourceVersion !== stored.metadata.resourceVersion) throw conflict(kind, ref);
}

/** The last second that was formatted, and its text: many objects are created within a second. */
let written = { second: Number.NaN, text: '' };

/** The time in the API's form: whole seconds, UTC. */
function timestamp(time: Date): string {
  const second = Math.floor(time.getTime() / 1000);
  if (second !== written.second) written = { second, text: `${time.toISOString().slice(0, 19)}Z` };
  return written.text;
}

/** The revision as a number, or undefined when it is not numeric. */
export function revisionNumber(resourceVersion: string | undefined): bigint | undefined {
  return resourceVersion !== undefined && /^[0-9]{1,30}$/.test(resourceVersion) ? BigInt(resourceVersion) : undefined;
}
