// An object of a manifest in the form in which a datastore holds it, and back in the form in which the manifest has it.
import { fromV3, inStoredForm } from '../resources/convert/v3.ts';
import { normalise } from '../resources/int64.ts';
import { type CalicoApi, customResourceApi, isCalicoKind, v3ApiVersion } from '../resources/kind.ts';
import { METADATA_ANNOTATION, translateUid } from '../resources/names.ts';
import type { KubeObject } from '../resources/object.ts';
import { sameValue } from '../text/plain-values.ts';
import type { ManifestObject } from './manifest.ts';

const stored = new WeakMap<KubeObject, Map<CalicoApi, KubeObject>>();

/** The object in the form in which a datastore with this API holds it. Shared: copy it before it leaves the store. */
export function storedForm({ kind, written }: ManifestObject, calicoApi: CalicoApi): KubeObject {
  const forms = stored.get(written) ?? new Map<CalicoApi, KubeObject>();
  stored.set(written, forms);
  const form = forms.get(calicoApi) ?? normalise(kind, fromV3(kind, written, calicoApi));
  forms.set(calicoApi, form);
  return form;
}

/**
 * An object of a datastore with this API in the form in which the manifest has it now, so that a change does not turn
 * objects of one API into those of another one. The object itself, where that form cannot hold all of it.
 */
export function writtenForm(found: ManifestObject, object: KubeObject, calicoApi: CalicoApi): KubeObject {
  const { kind, written } = found;
  if (!isCalicoKind(kind) || written.apiVersion === calicoApi) return object;
  const form = written.apiVersion === v3ApiVersion ? asExport(found, object) : asPlainResource(found, object);
  return sameValue(storedForm({ ...found, written: form }, calicoApi), object) ? form : object;
}

/** As calicoctl prints it. */
function asExport({ kind, written }: ManifestObject, object: KubeObject): KubeObject {
  const { metadata, ...rest } = inStoredForm(kind, object, v3ApiVersion);
  const { creationTimestamp, ...others } = metadata;
  // Written for an object that has no such time.
  const isAdded = creationTimestamp === null && written.metadata.creationTimestamp === undefined;
  return { ...rest, metadata: isAdded ? others : metadata };
}

/** As a custom resource whose labels are its own, where the old one does not keep them in an annotation. */
function asPlainResource({ kind, written }: ManifestObject, object: KubeObject): KubeObject {
  const { apiVersion, kind: kindName, metadata } = written;
  const { spec } = inStoredForm(kind, object, customResourceApi);
  if (metadata.annotations?.[METADATA_ANNOTATION] !== undefined) {
    return inStoredForm(kind, object, customResourceApi);
  }
  const { uid } = object.metadata;
  const own = { ...object.metadata, ...(uid !== undefined && { uid: translateUid(uid) }) };
  return { ...object, apiVersion, kind: kindName, metadata: own, ...(spec !== undefined && { spec }) };
}
