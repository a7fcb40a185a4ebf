// What an API server does to an object's metadata and when it refuses a write, for the stores that are their own server.
import type { Kind } from '../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../resources/object.ts';
import { copyOver, deepCopy } from '../text/plain-values.ts';
import { DatastoreError, type DeletePreconditions } from './datastore.ts';

/** Where an object is kept: unique over namespaces of one kind, and in the order in which lists come. */
export function objectKey(kind: Kind, ref: ObjectRef): string {
  return kind.namespaced ? `${ref.namespace ?? ''}/${ref.name}` : ref.name;
}

/** Byte order of UTF-8, as servers list. */
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

/** Surrogates stand for code points above all others. */
function inByteOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** `ipamblocks.crd.projectcalico.org`, as kubectl names it. */
export function resourceOf(kind: Kind): string {
  return kind.api.group === '' ? kind.api.plural : `${kind.api.plural}.${kind.api.group}`;
}

function shown(kind: Kind, ref: ObjectRef): string {
  return `${kind.kind} ${kind.namespaced && ref.namespace !== undefined ? `${ref.namespace}/` : ''}${ref.name}`;
}

/** There is no such object, in words for people and in the server's own. */
export function notFound(kind: Kind, ref: ObjectRef, hint?: string): DatastoreError {
  const storeText = `${resourceOf(kind)} "${ref.name}" not found`;
  return new DatastoreError('not-found', `${shown(kind, ref)} does not exist`, { storeText, hint });
}

/** Somebody has made an object of that name before. */
export function alreadyExists(kind: Kind, ref: ObjectRef): DatastoreError {
  const storeText = `${resourceOf(kind)} "${ref.name}" already exists`;
  return new DatastoreError('already-exists', `${shown(kind, ref)} exists already`, { storeText });
}

/** The revision or the uid that the caller decided on is no longer the stored one. */
export function conflict(kind: Kind, ref: ObjectRef): DatastoreError {
  const storeText =
    `Operation cannot be fulfilled on ${resourceOf(kind)} "${ref.name}": the object has been modified; ` +
    'please apply your changes to the latest version and try again';
  return new DatastoreError('conflict', `${shown(kind, ref)} was changed by somebody else meanwhile`, {
    storeText,
    hint: 'Read it again and repeat the change.',
  });
}

/** The name and namespace of an object of that kind. Errors: invalid, when it is another kind or has none. */
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

/** The object as it is stored when it is new: the server gives uid, revision and creation time, whatever the caller says. */
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
 * The object as it is stored when it takes the place of `stored`, or undefined when that would change nothing.
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
    throw new DatastoreError('invalid', `${shown(kind, ref)}: metadata.resourceVersion must be there for an update`);
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

/** Errors: not-found when the uid is another one, conflict when the revision is. */
export function checkDelete(kind: Kind, stored: KubeObject, preconditions: DeletePreconditions): void {
  const ref = refOf(kind, stored);
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== stored.metadata.uid) throw notFound(kind, ref);
  if (resourceVersion !== undefined && resourceVersion !== stored.metadata.resourceVersion) throw conflict(kind, ref);
}

/** The second that was last written, and its text: what is made comes many to a second. */
let written = { second: Number.NaN, text: '' };

/** The time as the API writes it: whole seconds, UTC. */
function timestamp(time: Date): string {
  const second = Math.floor(time.getTime() / 1000);
  if (second !== written.second) written = { second, text: `${time.toISOString().slice(0, 19)}Z` };
  return written.text;
}

/** The revision as a number, if it is one. */
export function revisionNumber(resourceVersion: string | undefined): bigint | undefined {
  return resourceVersion !== undefined && /^[0-9]{1,30}$/.test(resourceVersion) ? BigInt(resourceVersion) : undefined;
}
