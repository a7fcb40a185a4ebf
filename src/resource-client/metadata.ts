// The metadata of objects that are written: what a manifest may set, and what stays as it is stored.
import { DatastoreError } from '../datastore/datastore.ts';
import { type CalicoApi, customResourceApi, type Kind, v3ApiVersion } from '../resources/kind.ts';
import { isUid } from '../resources/names.ts';
import type { KubeObject, ObjectMeta } from '../resources/object.ts';
import { fieldError } from './client-error.ts';

/** What Calico's client takes over from a new object; the rest is the datastore's. */
const settable = ['name', 'namespace', 'labels', 'annotations'] as const;

/** A new object as it is sent: only the metadata that may be set, with a uid and a creation time. */
export function asNew(shown: KubeObject, given: { readonly uid: string; readonly now: Date }): KubeObject {
  const kept = settable.flatMap((field) => {
    const value = shown.metadata[field];
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
  const metadata = {
    ...Object.fromEntries(kept),
    uid: given.uid,
    creationTimestamp: `${given.now.toISOString().slice(0, 19)}Z`,
  } as ObjectMeta;
  return { ...shown, apiVersion: v3ApiVersion, metadata };
}

/**
 * The object that replaces `stored`: its metadata are the stored ones, except for labels and annotations, so those that
 * `shown` does not list are removed. A status that it does not list stays, except as calicoctl.
 */
export function asReplacement(
  shown: KubeObject,
  stored: KubeObject,
  { asCalicoctl }: { readonly asCalicoctl?: boolean },
): KubeObject {
  const { labels: _, annotations: __, ...rest } = stored.metadata;
  const { labels, annotations } = shown.metadata;
  const metadata: ObjectMeta = {
    ...rest,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  };
  return {
    ...(stored.status !== undefined && !asCalicoctl && { status: stored.status }),
    ...shown,
    apiVersion: stored.apiVersion,
    metadata,
  };
}

/**
 * The object to write, under the name under which it is stored, and with the owners and finalizers of the stored custom
 * resource: the projectcalico.org/v3 form does not have them.
 */
export function keepsOwn(written: KubeObject, stored: KubeObject): KubeObject {
  const { name, ownerReferences, finalizers } = stored.metadata;
  const isCustomResource = written.apiVersion === customResourceApi;
  const own = isCustomResource
    ? { ...(ownerReferences && { ownerReferences }), ...(finalizers && { finalizers }) }
    : {};
  return { ...written, metadata: { ...written.metadata, ...own, name } };
}

/** Errors: invalid for a new object that has a revision, or no name or no namespace. */
export function requireNew(kind: Kind, { metadata }: KubeObject): void {
  const problem = newProblem(kind, metadata);
  if (problem !== undefined) throw problem;
}

/** Errors: invalid for an object that lacks what every stored object has, or whose uid is not a UUID. */
export function requireStored(kind: Kind, { metadata }: KubeObject, calicoApi: CalicoApi): void {
  const reason = 'field must be set for an Update request';
  const words = `${kind.kind} ${metadata.name} without metadata`;
  if (!metadata.creationTimestamp) {
    const fault = { field: 'Metadata.CreationTimestamp', value: '0001-01-01 00:00:00 +0000 UTC', reason };
    throw fieldError(`${words}.creationTimestamp`, [fault]);
  }
  if (!metadata.uid) throw fieldError(`${words}.uid`, [{ field: 'Metadata.UID', value: '', reason }]);
  if (calicoApi === v3ApiVersion || isUid(metadata.uid)) return;
  const wrong = [36, 32].includes(metadata.uid.length)
    ? 'invalid UUID format'
    : `invalid UUID length: ${metadata.uid.length}`;
  throw new DatastoreError('invalid', `${kind.kind} ${metadata.name}: the uid is not a UUID`, {
    code: 'INVALID_OBJECT',
    storeText: `failed to parse UID for resource: ${wrong}`,
  });
}

function newProblem(kind: Kind, metadata: ObjectMeta): DatastoreError | undefined {
  const { name, namespace, generateName, resourceVersion } = metadata;
  if (!name) {
    const generated = generateName ? ' (GenerateName is not supported)' : '';
    const reason = `field must be set for a Create request${generated}`;
    return fieldError(`${kind.kind} without metadata.name`, [{ field: 'Metadata.Name', value: '', reason }]);
  }
  if (resourceVersion) {
    const fault = {
      field: 'Metadata.ResourceVersion',
      value: resourceVersion,
      reason: 'field must not be set for a Create request',
    };
    return fieldError(
      `${kind.kind} ${name} has a metadata.resourceVersion, which a new object must not have`,
      [fault],
      'remove it from the manifest, or use replace or apply',
    );
  }
  if (kind.namespaced && !namespace) {
    return fieldError(`${kind.kind} ${name} without metadata.namespace`, [
      { field: 'Metadata.Namespace', reason: 'namespace is not specified on namespaced resource' },
    ]);
  }
  return undefined;
}
