// Between the stored form of an object and the projectcalico.org/v3 form that people see, by the codec of its kind.
import { omitEmpty } from '../field-order.ts';
import { type Kind, v3ApiVersion } from '../kind.ts';
import type { KubeObject } from '../object.ts';

/**
 * The form in which people see a stored object, with defaults and without empty fields. Objects of kinds that have no v3
 * form, and those that have it already, are returned as they are.
 */
export function toV3(kind: Kind, stored: KubeObject): KubeObject {
  if (kind.codec === undefined || stored.apiVersion === v3ApiVersion) return stored;
  return omitEmpty(kind, kind.codec.toV3(stored, kind));
}

/** The form in which a v3 object is stored; one that is stored already is returned as it is. */
export function fromV3(kind: Kind, v3: KubeObject): KubeObject {
  if (kind.codec === undefined || v3.apiVersion !== v3ApiVersion) return v3;
  return kind.codec.fromV3(v3, kind);
}
