// What an object must be before it is written: its name, its values, and what else there is. The rules are in resources/rules.
import { type Datastore, DatastoreError, listAll } from '../datastore/datastore.ts';
import { toV3 } from '../resources/convert/v3.ts';
import { fieldPathText } from '../resources/field-path.ts';
import type { Kind } from '../resources/kind.ts';
import type { KubeObject } from '../resources/object.ts';
import { calicoctlError, type RuleProblem } from '../resources/rules/rule-problem.ts';
import { neededForWrite, problemsFor, writeProblems } from '../resources/rules/rules.ts';
import { nameOf } from './client-error.ts';
import type { PlannedObjects } from './planned-objects.ts';

/**
 * Errors: invalid for a name that the kind does not allow, for values that its rules forbid, and for conflicts with other
 * objects, also with those that are planned. `stored` is what the object replaces. As calicoctl, only what calicoctl refuses counts.
 */
export async function checkObject(
  store: Datastore,
  kind: Kind,
  object: KubeObject,
  {
    stored,
    planned,
    asCalicoctl = false,
  }: { readonly stored?: KubeObject; readonly planned: PlannedObjects; readonly asCalicoctl?: boolean },
): Promise<void> {
  const spelling = asCalicoctl || stored === undefined ? kind.naming?.problem(object) : undefined;
  if (spelling !== undefined) {
    const message = `${nameOf(kind, object.metadata)}: the name does not match the tier of the policy`;
    throw new DatastoreError('invalid', message, { code: 'INVALID_OBJECT', storeText: spelling });
  }
  const write = { kind, object, ...(stored && { stored }) };
  const related = new Map<Kind, readonly KubeObject[]>();
  for (const needed of neededForWrite(write)) {
    const all = (await listAll(store, needed, { orEmpty: true })).map((one) => toV3(needed, one));
    related.set(needed, planned.over(needed, all));
  }
  throwIfAny(kind, object, writeProblems({ ...write, related: (needed) => related.get(needed) ?? [] }), asCalicoctl);
  throwIfAny(kind, object, problemsFor(kind, object), asCalicoctl);
}

function throwIfAny(kind: Kind, object: KubeObject, problems: readonly RuleProblem[], asCalicoctl: boolean): void {
  const counted = asCalicoctl ? problems.filter(({ calicoctl }) => calicoctl !== undefined) : problems;
  if (counted.length === 0) return;
  const texts = counted.map(({ path, message }) => `${fieldPathText(path)} ${message}`);
  throw new DatastoreError('invalid', `${nameOf(kind, object.metadata)}: ${texts.join('; ')}`, {
    code: 'INVALID_OBJECT',
    storeText: calicoctlError(counted),
    hint: counted.find(({ hint }) => hint !== undefined)?.hint,
  });
}
