// Writes that Calico's clients refuse by kind and name, before they ask a datastore or once it has such an object.
import type { Datastore } from '../datastore/datastore.ts';
import type { Kind, Refusal, WriteVerb } from '../resources/kind.ts';
import type { ObjectRef } from '../resources/object.ts';
import { calicoctlId, nameOf, refusedWrite } from './client-error.ts';

const verbWords: Readonly<Record<WriteVerb, string>> = {
  create: 'created',
  apply: 'applied',
  update: 'changed',
  delete: 'deleted',
};

/** Objects that Kubernetes owns can be stored by themselves elsewhere, and be written there. */
function appliesTo({ names }: Refusal, kind: Kind, store: Datastore): boolean {
  return store.type === 'kubernetes' || names !== undefined || !isOwnedByKubernetes(kind);
}

/** True for objects that Kubernetes has, and Calico only fields of. */
function isOwnedByKubernetes(kind: Kind): boolean {
  return kind.derived !== undefined || kind.codec?.onto !== undefined;
}

/**
 * Errors: unsupported, for a write that is refused at this moment. `asked`: before anything was read; `written`: when the
 * datastore has such an object.
 */
export function refuseWrite(
  store: Datastore,
  kind: Kind,
  verb: WriteVerb,
  ref: ObjectRef,
  moments: readonly Refusal['when'][],
): void {
  const refusal = kind.refusals?.find(
    (candidate) =>
      candidate.verbs.includes(verb) &&
      moments.includes(candidate.when) &&
      candidate.names?.(ref.name, store.calicoApi) !== false &&
      appliesTo(candidate, kind, store),
  );
  if (refusal === undefined) return;
  const text = refusal.message(calicoctlId(kind, ref), ref.name, verb);
  // Words of its own need no others around them.
  const reason = text.startsWith('operation ') ? 'unsupported' : 'invalid';
  throw refusedWrite(`${nameOf(kind, ref)} cannot be ${verbWords[verb]}`, text, refusal.hint, reason);
}
