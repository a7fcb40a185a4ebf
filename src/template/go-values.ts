// The values of Go templates: JSON's own, and what only Go has: structs, pointers and numbers that are floats.
import { isObject } from '../text/plain-values.ts';

/** A number that Go holds as a float64, whole or not. */
export class GoFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A pointer; `to` is undefined for nil, which is printed as `nilText`. */
export class GoPointer {
  readonly to: GoValue | undefined;
  /** Of what it points to. */
  readonly type: string;
  readonly nilText: string;

  constructor(to: GoValue | undefined, type: string, nilText = '<nil>') {
    this.to = to;
    this.type = type;
    this.nilText = nilText;
  }
}

export interface StructField {
  readonly name: string;
  readonly value: () => GoValue;
  /** The fields of an embedded struct are also those of the struct around it. */
  readonly embedded?: boolean;
}

/** A struct. `text` is what its String method returns, where it has one. */
export class GoStruct {
  readonly type: string;
  readonly fields: readonly StructField[];
  readonly text: string | undefined;

  constructor(type: string, fields: readonly StructField[], text?: string) {
    this.type = type;
    this.fields = fields;
    this.text = text;
  }

  /** The value of a field, its own before those of embedded structs; undefined when there is no such field. */
  get(name: string): GoValue | undefined {
    const own = this.fields.find((candidate) => candidate.name === name);
    if (own !== undefined) return own.value();
    for (const { embedded, value } of this.fields) {
      const inner = embedded === true ? value() : undefined;
      const found = inner instanceof GoStruct ? inner.get(name) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** What a missing key of a map is: Go prints `<no value>`. */
class NoValue {
  readonly isMissing = true;
}

export const noValue = new NoValue();

export type GoValue =
  | NoValue
  | null
  | boolean
  | string
  | number
  | bigint
  | GoFloat
  | GoPointer
  | GoStruct
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

export function isMap(value: GoValue): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !ofGo.some((type) => value instanceof type);
}

const ofGo = [NoValue, GoFloat, GoPointer, GoStruct];

export function isList(value: GoValue): value is readonly unknown[] {
  return Array.isArray(value);
}

/** A value of JSON as Go's decoder gives it to a template: numbers that are not whole are floats. */
export function goValue(value: unknown): GoValue {
  if (value === undefined) return noValue;
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return new GoFloat(value);
  return value as GoValue;
}

/** What a pointer points to; nil for a nil pointer; anything else as it is. */
export function pointedTo(value: GoValue): GoValue {
  let current = value;
  while (current instanceof GoPointer) current = current.to ?? null;
  return current;
}

export function isInteger(value: GoValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

export function sortedKeys(map: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(map).sort((a, b) => (a < b ? -1 : 1));
}

/** The name of the type in errors. */
export function typeName(value: GoValue): string {
  if (value === noValue || value === null) return 'interface {}';
  if (value instanceof GoPointer) return `*${value.type}`;
  if (value instanceof GoStruct) return value.type;
  if (value instanceof GoFloat) return 'float64';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (isInteger(value)) return 'int64';
  return isList(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** True as {{if}} has it: not false, zero, nil or empty. */
export function isTrue(value: GoValue): boolean {
  if (value === noValue || value === null || value === false || value === '' || value === 0 || value === 0n)
    return false;
  if (value instanceof GoFloat) return value.value !== 0;
  if (value instanceof GoPointer) return value.to !== undefined;
  if (isList(value)) return value.length > 0;
  return !isMap(value) || Object.keys(value).length > 0;
}
