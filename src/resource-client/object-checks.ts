// What an object must be before it is written: its name, its values, and what else there is. The rules are in resources/rules.
import { type Datastore, DatastoreError, listAll } from '../datastore/datastore.ts';
import { toV3 } from '../resources/convert/v3.ts';
import { fieldPathText } from '../resources/field-path.ts';
import { type Kind, v3ApiVersion } from '../resources/kind.ts';
import type { KubeObject } from '../resources/object.ts';
import { calicoctlError, type RuleProblem } from '../resources/rules/rule-problem.ts';
import { lastProblems, neededForWrite, problemsFor, writeProblems } from '../resources/rules/rules.ts';
import { nameOf } from './client-error.ts';
import type { PlannedObjects } from './planned-objects.ts';

/**
 * Errors: invalid for a name that does not match the tier of a policy, where Calico up to 3.31 keeps its objects: the later
 * ones take any name.
 */
export function checkName(store: Datastore, kind: Kind, object: KubeObject): void {
  const spelling = store.calicoApi === v3ApiVersion ? undefined : kind.naming?.problem(object);
  if (spelling === undefined) return;
  const message = `${nameOf(kind, object.metadata)}: the name does not match the tier of the policy`;
  throw new DatastoreError('invalid', message, { code: 'INVALID_OBJECT', storeText: spelling });
}

/**
 * Errors: invalid for values that the rules of the kind forbid, and for conflicts with other objects. `stored` is what the
 * object replaces; those that are planned count as well. As calicoctl, only what calicoctl refuses counts.
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
  const write = { kind, object, ...(stored && { stored }) };
  const related = new Map<Kind, readonly KubeObject[]>();
  for (const needed of neededForWrite(write)) {
    const all = (await listAll(store, needed, { orEmpty: true })).map((one) => toV3(needed, one));
    related.set(needed, planned.over(needed, all));
  }
  const whole = { ...write, related: (needed: Kind) => related.get(needed) ?? [] };
  throwIfAny(kind, object, writeProblems(whole), asCalicoctl);
  throwIfAny(kind, object, problemsFor(kind, object, store.calicoApi), asCalicoctl);
  throwIfAny(kind, object, lastProblems(whole), asCalicoctl);
}

/** Errors: invalid for what speaks against the write itself, as far as it needs no other object. */
export function checkWrite(kind: Kind, object: KubeObject, { asCalicoctl = false }): void {
  throwIfAny(kind, object, writeProblems({ kind, object, related: () => [] }), asCalicoctl);
}

function throwIfAny(kind: Kind, object: KubeObject, problems: readonly RuleProblem[], asCalicoctl: boolean): void {
  const counted = asCalicoctl ? problems.filter(({ calicoctl }) => calicoctl !== undefined) : problems;
  if (counted.length === 0) return;
  // calicoctl says some of them twice.
  const texts = new Set(counted.map(({ path, message }) => `${fieldPathText(path)} ${message}`));
  throw new DatastoreError('invalid', `${nameOf(kind, object.metadata)}: ${[...texts].join('; ')}`, {
    code: 'INVALID_OBJECT',
    storeText: calicoctlError(counted),
    hint: counted.find(({ hint }) => hint !== undefined)?.hint,
  });
}
