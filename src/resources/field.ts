// The vocabulary of field tables: types of values, and a field with its rules and the sentence that explains it.
// One table per kind: its schema, print order, defaults, exact integers and explanations are all derived from it.
import type { CalicoApi } from './calico-api.ts';
import type { FieldPath } from './field-path.ts';
import type { RuleProblem } from './rules/rule-problem.ts';

/** How a scalar looks in JSON. An `int64` is a bigint as soon as it was read, see int64.ts. */
export type ScalarForm =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'int64'
  | 'number'
  | 'integer-or-string'
  | 'boolean-or-string'
  | 'anything';

export interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** What all types have. `carried` never has a value: it tells the compiler what a field of this type holds. */
interface TypeBase<V> {
  readonly carried?: V;
  readonly nullable?: true;
}

export interface ScalarType<V = unknown> extends TypeBase<V> {
  readonly form: 'scalar';
  readonly json: ScalarForm;
  /** What a string contains, for people: `CIDR`, `duration`. */
  readonly format?: string;
  /** The words that this version of Calico accepts. Reads accept any: the object may come from another version. */
  readonly values?: readonly string[];
  readonly range?: Range;
  /** The check that calicoctl makes of a value, by the name that it has in its messages. */
  readonly tag?: Tag;
  /** What the rules for a value see of one that is absent; without it they are not asked. */
  readonly absent?: number;
  /** Rules for a value, in the words of calicoctl. */
  readonly problems?: (value: string | number | bigint | boolean, at: FieldPath) => readonly RuleProblem[];
  /** The name of the type in Calico's Go code, where it is not the usual one: `uint16`, `v3.AssignmentMode`. */
  readonly go?: string;
  /** The text as Calico's decoder keeps it, or why it refuses it; neither for a text that means no value. */
  readonly read?: (text: string) => { readonly value?: string; readonly error?: string };
  /** A further check of strings, with the message for those that fail it. */
  readonly check?: { readonly accepts: (text: string) => boolean; readonly message: string };
}

interface ListType<V = unknown> extends TypeBase<V> {
  readonly form: 'list';
  /** The check that calicoctl makes of the list as a whole. */
  readonly tag?: ListTag;
  readonly items: FieldType;
}

/** An object with any keys. */
interface MapType<V = unknown> extends TypeBase<V> {
  readonly form: 'map';
  readonly tag?: ListTag;
  readonly values: FieldType;
}

interface ObjectType<V = unknown> extends TypeBase<V>, ObjectDetails {
  readonly form: 'object';
  readonly fields: () => FieldTable;
}

/** What holds for an object besides the types of its fields. */
export interface ObjectDetails {
  /** The name of the object's type in calicoctl's messages: `EntityRule`. */
  readonly struct?: string;
  /** The same with its package, where that is not `v3`. */
  readonly go?: string;
  /** Rules between its fields, checked after each field on its own. `at` is where the object is. */
  readonly check?: (
    value: Readonly<Record<string, unknown>>,
    at: FieldPath,
    calicoApi: CalicoApi,
  ) => readonly RuleProblem[];
}

/** A check of a list or a map as a whole. */
export interface ListTag {
  readonly name: string;
  readonly accepts: (value: unknown) => boolean;
  readonly message: string;
}

export interface Tag {
  /** As in `because of Tag: selector`. */
  readonly name: string;
  readonly accepts: (value: string | number | bigint | boolean) => boolean;
  /** For people, to be read after the path of the field: `must be a CIDR without host bits`. */
  readonly message?: string;
  /** The tag that an absent or empty value fails; it passes when absent. */
  readonly refusesEmpty?: string;
}

export type FieldType<V = unknown> = ScalarType<V> | ListType<V> | MapType<V> | ObjectType<V>;

/** A default that depends on other fields or on the machine: described, and computed where a read fills it in. */
export interface ComputedDefault {
  readonly about: string;
  /** The value, from the fields next to this one. */
  readonly of?: (siblings: Readonly<Record<string, unknown>>) => unknown;
}

export type DefaultValue = string | number | boolean | readonly string[] | ComputedDefault;

interface FieldOptions {
  /**
   * When a print leaves the field out: when it is `empty` (Go's omitempty: unset, "", 0, false, an empty list or map),
   * only when it is `unset` (a Go pointer), or `never`.
   */
  readonly omit?: 'empty' | 'unset' | 'never';
  /** From this version on an object without fields is left out where it was always printed before. */
  readonly omitFrom?: '3.32';
  /** What holds when the field is not given. */
  readonly default?: DefaultValue;
  /** The version of Calico that brought the field, when calicoctl 3.31 does not have it. */
  readonly since?: '3.32';
  /** The last version of Calico that has the field. */
  readonly until?: '3.31';
  /** Reads fill the default in when the field is unset, or also when it is empty. Without this the default is only documented. */
  readonly fill?: 'unset' | 'empty';
}

export interface Field<V = unknown, Required extends boolean = boolean> extends FieldOptions {
  readonly type: FieldType<V>;
  /** One sentence about the field, for people. */
  readonly about: string;
  /** True when an object without the field is malformed. */
  readonly required: Required;
  readonly omit: 'empty' | 'unset' | 'never';
}

/** Fields by name, in the order in which Calico prints them. */
export type FieldTable = Readonly<Record<string, Field>>;

type RequiredNames<T> = { [N in keyof T]: T[N] extends Field<unknown, true> ? N : never }[keyof T];
type Carried<F> = F extends { readonly type: { readonly carried?: infer V } } ? Exclude<V, undefined> : never;
type Flat<T> = { [N in keyof T]: T[N] };
type ValuesOf<T> = Flat<
  { [N in RequiredNames<T>]: Carried<T[N]> } & {
    [N in Exclude<keyof T, RequiredNames<T>>]?: Carried<T[N]> | undefined;
  } & {
    [unknownField: string]: unknown;
  }
>;

/** The TypeScript type of an object with the fields of a table, and any others as `unknown`. */
export type Values<T> = T extends () => infer Table ? ValuesOf<Table> : ValuesOf<T>;

/** A field. `about` is one sentence; see FieldOptions for the rest. A field is optional unless it says `required`. */
export function field<V>(
  type: FieldType<V>,
  about: string,
  options?: FieldOptions & { readonly required?: false },
): Field<V, false>;
export function field<V>(
  type: FieldType<V>,
  about: string,
  options: FieldOptions & { readonly required: true },
): Field<V, true>;
export function field<V>(
  type: FieldType<V>,
  about: string,
  options?: FieldOptions & { readonly required?: boolean },
): Field<V>;
export function field<V>(
  type: FieldType<V>,
  about: string,
  options: FieldOptions & { readonly required?: boolean } = {},
): Field<V> {
  return { type, about, required: false, omit: 'empty', ...options };
}

/** A table that is built on first use: most runs of the program need those of one or two kinds. */
export function fields<T extends FieldTable>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const scalar = <V>(json: ScalarForm, format?: string): ScalarType<V> => ({
  form: 'scalar',
  json,
  ...(format === undefined ? {} : { format }),
});

export const text = scalar<string>('string');
export const flag = scalar<boolean>('boolean');
/** A 64-bit integer: a bigint in everything that a datastore hands out. */
export const int64 = scalar<bigint>('int64');
/** A number that may have a fraction. A whole number beyond 2^53 is a bigint. */
export const number = scalar<number | bigint>('number');
/** A value that is never checked. */
export const anything = scalar<unknown>('anything');
/** For ports and protocols, which have numbers and names. */
export const integerOrText = scalar<number | string>('integer-or-string');

/** A port, or a range of ports. */
export const portRange = scalar<number | string>('integer-or-string', 'port: a number, or a range like 8000:8080');

/** A string that is a Go duration; reads print it as Go does: `90s` becomes `1m30s`. */
export const duration = scalar<string>('string', 'duration');
export const cidr = scalar<string>('string', 'CIDR');
export const ipAddress = scalar<string>('string', 'IP address');
export const selector = scalar<string>('string', 'selector');
export const regex = scalar<string>('string', 'regular expression');
export const time = scalar<string>('string', 'RFC 3339 time');

/** A whole number of at most 2^53. */
export function integer(range?: Range): ScalarType<number> {
  return { ...scalar<number>('integer'), ...(range === undefined ? {} : { range }) };
}

export const port = integer({ min: 1, max: 65535 });
/** Manifests may also have it as a string, or dotted: `'1.10'`. */
export const asNumber = { ...integer({ min: 0, max: 4294967295 }), format: 'AS number' };

/** A string; Calico accepts these values. */
export function oneOf(...values: readonly string[]): ScalarType<string> {
  return { ...text, values };
}

/** The same, checked by calicoctl under the name of a tag. */
export function choice(tag: string, ...values: readonly string[]): ScalarType<string> {
  return tagged(oneOf(...values), { name: tag, accepts: (value) => values.includes(String(value)) });
}

/** A boolean, or a string that passes the check. */
export function booleanOrText(accepts: (text: string) => boolean, message: string): ScalarType<boolean | string> {
  return { ...scalar<boolean | string>('boolean-or-string'), check: { accepts, message } };
}

export function list<V>(items: FieldType<V>, tag?: ListTag): FieldType<V[]> {
  return { form: 'list', items, ...(tag && { tag }) };
}

export function map<V>(values: FieldType<V>, tag?: ListTag): FieldType<Record<string, V>> {
  return { form: 'map', values, ...(tag && { tag }) };
}

export function object<T extends FieldTable>(table: T | (() => T), details: ObjectDetails = {}): FieldType<Values<T>> {
  return { form: 'object', fields: typeof table === 'function' ? table : () => table, ...details };
}

/** The same type, with the check that calicoctl makes of its values. */
export function tagged<V>(type: ScalarType<V>, tag: Tag): ScalarType<V> {
  return { ...type, tag };
}

/** The same type, and null. */
export function nullable<V>(type: FieldType<V>): FieldType<V | null> {
  return { ...(type as FieldType<V | null>), nullable: true };
}
