// Between the stored form of an object (custom resource, core/v1) and the projectcalico.org/v3 form that people see.
// Nodes are in node-v3.ts, endpoints of pods in workload-endpoint-of-pod.ts. Rules: docs/reference/ipam.md.
import { parseJson, printJson } from '../../text/json.ts';
import { omitEmpty, orderMetadata } from '../field-order.ts';
import type { Kind } from '../kind.ts';
import type { CoreNode } from '../kinds/node.ts';
import { storedApiVersion, v3ApiVersion } from '../kinds.ts';
import { METADATA_ANNOTATION, translateUid } from '../names.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../object.ts';
import { nodeFromV3, nodeToV3 } from './node-v3.ts';

const crdApiVersion = 'crd.projectcalico.org/v1';

/** Owner references with the API version and UIDs of the other form. */
function translatedOwners(owners: readonly OwnerReference[], from: string, to: string): OwnerReference[] {
  return owners.map((owner) =>
    owner.apiVersion === from ? { ...owner, apiVersion: to, uid: translateUid(owner.uid) } : owner,
  );
}

/** The v3 metadata kept in the annotation, or undefined when there is none that can be read. */
function decoded(text: string | undefined): Partial<ObjectMeta> | undefined {
  if (text === undefined) return undefined;
  try {
    const value = parseJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Partial<ObjectMeta>)
      : undefined;
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

function v3Metadata(stored: ObjectMeta): ObjectMeta {
  const kept = decoded(stored.annotations?.[METADATA_ANNOTATION]);
  if (kept === undefined) {
    return { ...stored, ...uidOf(stored), creationTimestamp: stored.creationTimestamp ?? null };
  }
  const { namespace, resourceVersion } = stored;
  const annotations = without(stored.annotations ?? {}, METADATA_ANNOTATION) as Record<string, string>;
  return {
    ...without(kept, 'labels', 'annotations'),
    name: stored.name,
    ...(namespace ? { namespace } : {}),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...uidOf(stored),
    creationTimestamp: kept.creationTimestamp ?? stored.creationTimestamp ?? null,
    ...merged('labels', stored.labels, kept.labels),
    ...merged('annotations', annotations, kept.annotations),
    ...(kept.ownerReferences === undefined
      ? {}
      : { ownerReferences: translatedOwners(kept.ownerReferences, crdApiVersion, v3ApiVersion) }),
  };
}

/**
 * The form in which people see a stored object: v3 metadata, translated uid, defaults of the kind, empty fields left out.
 * Kinds that have no v3 form, and objects that have it already, are answered as they are.
 */
export function toV3(kind: Kind, stored: KubeObject): KubeObject {
  if (!kind.v3 || stored.apiVersion === v3ApiVersion) return stored;
  if (kind.kind === 'Node') return omitEmpty(kind, nodeToV3(stored as CoreNode));
  const complete = kind.withDefaults?.(stored) ?? stored;
  const shown = { ...complete, apiVersion: v3ApiVersion, metadata: orderMetadata(v3Metadata(stored.metadata)) };
  return omitEmpty(kind, shown);
}

/** Labels and annotations with such a key are kept on the custom resource itself too, so that selectors find them. */
function isCalicoKey(key: string): boolean {
  return key.includes('projectcalico.org/') || key.includes('operator.tigera.io/');
}

function calicoKeys(map: Readonly<Record<string, string>> | null | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => isCalicoKey(key)));
}

/** Text of the metadata annotation: everything that the custom resource's own metadata does not hold. */
function encoded(v3: ObjectMeta): string {
  const owners = v3.ownerReferences;
  const kept = {
    ...without(v3, 'name', 'namespace', 'uid', 'resourceVersion'),
    creationTimestamp: v3.creationTimestamp ?? null,
    ...(owners?.length ? { ownerReferences: translatedOwners(owners, v3ApiVersion, crdApiVersion) } : {}),
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

/** The form in which a v3 object is stored; one that is stored already is answered as it is. */
export function fromV3(kind: Kind, v3: KubeObject): KubeObject {
  if (!kind.v3 || v3.apiVersion !== v3ApiVersion) return v3;
  if (kind.kind === 'Node') return nodeFromV3(v3);
  const { name, namespace, resourceVersion } = v3.metadata;
  const labels = calicoKeys(v3.metadata.labels);
  return {
    ...v3,
    apiVersion: storedApiVersion(kind),
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      ...uidOf(v3.metadata),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...merged('labels', labels),
      annotations: { ...calicoKeys(v3.metadata.annotations), [METADATA_ANNOTATION]: encoded(v3.metadata) },
    },
  };
}
