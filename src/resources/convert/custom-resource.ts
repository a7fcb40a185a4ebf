// The forms of Calico's objects: custom resources of crd.projectcalico.org/v1, whose v3 metadata is kept in an annotation;
// those of projectcalico.org/v3, where that API is stored itself; and the form that people see, which is like the latter.
// Rules: docs/reference/api-groups.md and docs/reference/ipam.md.
import { parseJson, printJson } from '../../text/json.ts';
import { isObject } from '../../text/plain-values.ts';
import { withDefaults } from '../defaults.ts';
import { orderMetadata } from '../field-order.ts';
import { type CalicoApi, type Codec, customResourceApi, type Kind, storedIn, v3ApiVersion } from '../kind.ts';
import { METADATA_ANNOTATION, translateUid } from '../names.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../object.ts';

/** Owner references with the API version and UIDs of the other form. */
function translatedOwners(owners: readonly OwnerReference[], from: string, to: string): OwnerReference[] {
  return owners.map((owner) =>
    owner.apiVersion === from ? { ...owner, apiVersion: to, uid: translateUid(owner.uid) } : owner,
  );
}

/** The v3 metadata kept in the annotation, or undefined when none can be read there. */
function decoded(text: string | undefined): Partial<ObjectMeta> | undefined {
  if (text === undefined) return undefined;
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Both maps, the second winning; absent when it would be empty. */
function merged(
  name: 'labels' | 'annotations',
  ...maps: (Record<string, string> | null | undefined)[]
): Partial<ObjectMeta> {
  const all: Record<string, string> = Object.assign({}, ...maps);
  return Object.keys(all).length === 0 ? {} : { [name]: all };
}

function without(map: Readonly<Record<string, unknown>>, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)));
}

function uidOf({ uid }: ObjectMeta): Partial<ObjectMeta> {
  return uid === undefined ? {} : { uid: translateUid(uid) };
}

function v3Metadata(stored: ObjectMeta, { naming }: Kind): ObjectMeta {
  const kept = decoded(stored.annotations?.[METADATA_ANNOTATION]);
  if (kept === undefined) {
    return { ...stored, ...uidOf(stored), creationTimestamp: stored.creationTimestamp ?? null };
  }
  const { namespace, resourceVersion } = stored;
  const annotations = without(stored.annotations ?? {}, METADATA_ANNOTATION) as Record<string, string>;
  return {
    ...without(kept, 'labels', 'annotations'),
    // The annotation records the name of kinds whose stored name differs.
    name: (naming !== undefined && kept.name) || stored.name,
    ...(namespace ? { namespace } : {}),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...uidOf(stored),
    creationTimestamp: kept.creationTimestamp ?? stored.creationTimestamp ?? null,
    ...merged('labels', stored.labels, kept.labels),
    ...merged('annotations', annotations, kept.annotations),
    ...(kept.ownerReferences === undefined
      ? {}
      : { ownerReferences: translatedOwners(kept.ownerReferences, customResourceApi, v3ApiVersion) }),
  };
}

function toV3(stored: KubeObject, kind: Kind): KubeObject {
  const metadata = stored.apiVersion === v3ApiVersion ? stored.metadata : v3Metadata(stored.metadata, kind);
  return { ...withDefaults(kind, stored), apiVersion: v3ApiVersion, metadata: orderMetadata(metadata) };
}

/** Labels and annotations with such a key are kept on the custom resource itself too, so that selectors find them. */
function isCalicoKey(key: string): boolean {
  return key.includes('projectcalico.org/') || key.includes('operator.tigera.io/');
}

function calicoKeys(map: Readonly<Record<string, string>> | null | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => isCalicoKey(key)));
}

/** Text of the metadata annotation: everything that the custom resource's own metadata does not hold. */
function encoded(v3: ObjectMeta, { naming }: Kind): string {
  const owners = v3.ownerReferences;
  const kept = {
    ...without(v3, 'namespace', 'uid', 'resourceVersion', ...(naming === undefined ? ['name'] : [])),
    creationTimestamp: v3.creationTimestamp ?? null,
    ...(owners?.length ? { ownerReferences: translatedOwners(owners, v3ApiVersion, customResourceApi) } : {}),
  };
  const set = Object.entries(kept).filter(([name, value]) => {
    if (name === 'creationTimestamp') return true;
    return (
      value !== null &&
      value !== undefined &&
      value !== '' &&
      Object.keys(Object(value)).length + Number(typeof value !== 'object') > 0
    );
  });
  return printJson(orderMetadata(Object.fromEntries(set)), { goEscapes: true });
}

function crdMetadata(v3: ObjectMeta, kind: Kind): ObjectMeta {
  const { name, namespace, resourceVersion } = v3;
  return {
    name: kind.naming?.storedNames(name)[0] ?? name,
    ...(namespace ? { namespace } : {}),
    ...uidOf(v3),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...merged('labels', calicoKeys(v3.labels)),
    annotations: { ...calicoKeys(v3.annotations), [METADATA_ANNOTATION]: encoded(v3, kind) },
  };
}

/**
 * The object in the form in which a datastore with this API keeps it, from either form; what is in that form already
 * comes back as it is.
 */
export function inCalicoApi<T extends KubeObject>(kind: Kind, object: T, calicoApi: CalicoApi): T {
  const isV3 = object.apiVersion === v3ApiVersion;
  if (!isV3 && calicoApi === customResourceApi) return object;
  const { spec } = object;
  const adapted = calicoApi === v3ApiVersion ? kind.native?.toNative : kind.native?.fromNative;
  const stored = adapted !== undefined && isObject(spec) ? { ...object, spec: adapted(spec) } : object;
  if (isV3 && calicoApi === v3ApiVersion) return stored;
  const metadata = isV3 ? crdMetadata(object.metadata, kind) : v3Metadata(object.metadata, kind);
  return { ...stored, apiVersion: calicoApi, kind: storedIn(kind, calicoApi).kind, metadata };
}

/** The codec of the kinds that are custom resources with a v3 form: v3 metadata in an annotation, translated UIDs. */
export const customResource: Codec = {
  toV3,
  fromV3: (v3, kind, calicoApi) => inCalicoApi(kind, v3, calicoApi),
};
