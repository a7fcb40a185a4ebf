// The metadata of objects that are written: what a manifest may set, and what stays as it is stored.
import { v3ApiVersion } from '../resources/kind.ts';
import type { KubeObject, ObjectMeta } from '../resources/object.ts';

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
 * `shown` does not list are removed. A status that it does not list stays.
 */
export function asReplacement(shown: KubeObject, stored: KubeObject): KubeObject {
  const { labels: _, annotations: __, ...rest } = stored.metadata;
  const { labels, annotations } = shown.metadata;
  const metadata: ObjectMeta = {
    ...rest,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  };
  return {
    ...(stored.status !== undefined && { status: stored.status }),
    ...shown,
    apiVersion: stored.apiVersion,
    metadata,
  };
}
