// The rules that the values of objects must keep, and what is filled in before an object is written.
// docs/reference/validation.md lists them.
import { type CalicoApi, customResourceApi, type Kind, shownFields, type Write } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { metadataProblems } from './metadata.ts';
import type { RuleProblem } from './rule-problem.ts';
import { tableProblems } from './values.ts';

/** Everything wrong with the values of an object in projectcalico.org/v3 form whose types are right, in calicoctl's order. */
export function problemsFor<T extends KubeObject>(
  kind: Kind,
  object: T,
  calicoApi: CalicoApi = customResourceApi,
): RuleProblem[] {
  const { spec } = shownFields(kind);
  const value = (object as { spec?: Readonly<Record<string, unknown>> }).spec ?? {};
  const complete = { ...object, spec: value };
  return [
    ...metadataProblems(object),
    ...(spec === undefined ? [] : tableProblems(kind, spec(), value, ['spec'], calicoApi)),
    ...(kind.rules?.problems?.(complete as never, calicoApi) ?? []),
  ];
}

/** The object with what Calico's client fills in before a create or an update. Does not change its argument. */
export function defaulted<T extends KubeObject>(kind: Kind, object: T): T {
  const complete = { ...object, spec: (object as { spec?: unknown }).spec ?? {} };
  return (kind.rules?.defaulted?.(complete as never) as T | undefined) ?? object;
}

/**
 * What speaks against the write itself: fields that cannot be changed, conflicts with other objects. The object has its
 * defaults. In the order and words of Calico's client, which checks it before `problemsFor`.
 */
export function writeProblems(write: Write): readonly RuleProblem[] {
  return write.kind.rules?.writeProblems?.(write as never) ?? [];
}

/** What speaks against a write of values that keep all other rules, in the words of Calico's client. */
export function lastProblems(write: Write): readonly RuleProblem[] {
  return write.kind.rules?.lastProblems?.(write as never) ?? [];
}

/** The kinds all of whose objects `writeProblems` needs for this write. */
export function neededForWrite({ kind, ...write }: Omit<Write, 'related'>): readonly Kind[] {
  return kind.rules?.needs?.(kind, write as never) ?? [];
}
