// What a read fills in before people and programs see an object: defaults, and durations as Go prints them.
import { normalGoDuration } from '../text/go-duration.ts';
import { isObject } from '../text/plain-values.ts';
import { type DefaultValue, duration, type Field, type FieldTable, type FieldType } from './field.ts';
import { type Kind, perKind } from './kind.ts';
import type { KubeObject } from './object.ts';

type Completion = (value: unknown) => unknown;
type Members = Readonly<Record<string, unknown>>;

function isEmpty(value: unknown): boolean {
  return value === '' || value === 0 || value === false || (Array.isArray(value) && value.length === 0);
}

function lacks({ fill }: Field, value: unknown): boolean {
  if (fill === undefined) return false;
  return value === undefined || value === null || (fill === 'empty' && isEmpty(value));
}

function defaultFor(given: DefaultValue | undefined, siblings: Members): unknown {
  return typeof given === 'object' && 'about' in given ? given.of?.(siblings) : given;
}

/** What completes values of the type, or undefined when nothing in them needs it. */
function completionOf(type: FieldType): Completion | undefined {
  if (type.form === 'scalar') {
    return type.format === duration.format
      ? (value) => (typeof value === 'string' ? normalGoDuration(value) : value)
      : undefined;
  }
  if (type.form === 'object') return completionOfTable(type.fields());
  const each = completionOf(type.form === 'list' ? type.items : type.values);
  if (each === undefined) return undefined;
  return (value) => {
    if (Array.isArray(value)) return value.map(each);
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, each(entry)]))
      : value;
  };
}

function completionOfTable(table: FieldTable): Completion | undefined {
  const active = Object.entries(table)
    .map(([name, rules]) => ({ name, rules, complete: completionOf(rules.type) }))
    .filter(({ rules, complete }) => rules.fill !== undefined || complete !== undefined);
  if (active.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    const completed: Record<string, unknown> = { ...value };
    for (const { name, rules, complete } of active) {
      const given = completed[name];
      if (lacks(rules, given)) completed[name] = defaultFor(rules.default, value);
      else if (given !== undefined && complete !== undefined) completed[name] = complete(given);
    }
    return completed;
  };
}

const completions = perKind(({ fields: { spec, status } }) => ({
  spec: spec && completionOfTable(spec()),
  status: status && completionOfTable(status()),
}));

/** A copy with the defaults that every reader of the kind applies, and current fields in place of those of older versions. */
export function withDefaults<T extends KubeObject>(kind: Kind<T>, object: T): T {
  return withDefaultsOnly(kind, kind.upgraded?.(object) ?? object);
}

/** A copy with the same defaults, in which fields of older versions stay as they are. */
export function withDefaultsOnly<T extends KubeObject>(kind: Kind<T>, object: T): T {
  const { spec, status } = completions(kind);
  return {
    ...object,
    ...(spec === undefined ? {} : { spec: spec(object.spec ?? {}) }),
    ...(status === undefined || object.status === undefined ? {} : { status: status(object.status) }),
  };
}
