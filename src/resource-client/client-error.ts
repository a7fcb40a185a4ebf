// The errors of Calico's client rules: a sentence for people, and the words that calicoctl has for the same.
import { DatastoreError, type FailureReason } from '../datastore/datastore.ts';
import type { Kind } from '../resources/kind.ts';
import { type ObjectRef, qualifiedName } from '../resources/object.ts';

/** `IPPool(pool-1)`, `NetworkPolicy(shop/allow)`: how calicoctl names an object in errors. */
export function calicoctlId({ kind }: Kind, { name, namespace }: ObjectRef): string {
  return namespace ? `${kind}(${namespace}/${name})` : `${kind}(${name})`;
}

/** `IPPool pool-1`, `NetworkPolicy shop/allow`. */
export function nameOf({ kind }: Kind, ref: ObjectRef): string {
  return ref.namespace ? `${kind} ${qualifiedName(ref)}` : `${kind} ${ref.name}`;
}

/** A field that has a value that it must not have. */
export interface FieldFault {
  /** As calicoctl calls it: `IPPool.Spec.CIDR`. */
  readonly field: string;
  /** Absent when calicoctl does not print it. */
  readonly value?: string;
  readonly reason: string;
}

/** An object that must not be written as it is. `message` is for people; calicoctl lists the fields. */
export function fieldError(message: string, faults: readonly FieldFault[], hint?: string): DatastoreError {
  const texts = faults.map(({ field, value, reason }) => {
    return `${field}${value === undefined ? '' : ` = '${value}'`} (${reason})`;
  });
  const storeText =
    texts.length === 1
      ? `error with field ${texts[0]}`
      : `error with the following fields:\n${texts.map((text) => `-  ${text}\n`).join('')}`;
  return new DatastoreError('invalid', message, { code: 'INVALID_OBJECT', storeText, hint });
}

/** A write that Calico's clients do not make. */
export function refusedWrite(
  message: string,
  storeText: string,
  hint: string,
  reason: FailureReason = 'unsupported',
): DatastoreError {
  return new DatastoreError(reason, message, { code: 'WRITE_REFUSED', storeText, hint });
}
