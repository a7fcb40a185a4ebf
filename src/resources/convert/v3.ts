// Between the stored form of an object and the projectcalico.org/v3 form that people see, by the codec of its kind.
import { omitEmpty } from '../field-order.ts';
import { type CalicoApi, customResourceApi, isCalicoKind, type Kind, v3ApiVersion } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { inCalicoApi } from './custom-resource.ts';

/**
 * The form in which people see a stored object, with defaults and without empty fields. Objects of kinds that have no v3
 * form are returned as they are.
 */
export function toV3(kind: Kind, stored: KubeObject): KubeObject {
  if (kind.codec === undefined || (stored.apiVersion === v3ApiVersion && !isCalicoKind(kind))) return stored;
  const calicoApi = stored.apiVersion === v3ApiVersion ? v3ApiVersion : customResourceApi;
  return omitEmpty(kind, kind.codec.toV3(stored, kind), calicoApi);
}

/** The form in which a datastore with this API keeps a v3 object; one that is in that form already comes back as it is. */
export function fromV3(kind: Kind, v3: KubeObject, calicoApi: CalicoApi = customResourceApi): KubeObject {
  const { codec } = kind;
  if (codec !== undefined && v3.apiVersion === v3ApiVersion) return codec.fromV3(v3, kind, calicoApi);
  return inStoredForm(kind, v3, calicoApi);
}

/** The object as a datastore with this API keeps it, whichever of the two it was made for. */
export function inStoredForm<T extends KubeObject>(kind: Kind, object: T, calicoApi: CalicoApi): T {
  return isCalicoKind(kind) ? inCalicoApi(kind, object, calicoApi) : object;
}
