// The functions that every Go template can call. `and` and `or`, which do not evaluate all arguments, are in go-template.ts.

import { sameScalar } from '../text/scalars.ts';
import { goText, sprint, sprintf } from './go-format.ts';
import {
  GoFloat,
  GoPointer,
  type GoValue,
  goValue,
  isInteger,
  isList,
  isMap,
  isTrue,
  noValue,
  pointedTo,
  typeName,
} from './go-values.ts';

/** Why a function failed, in Go's words; go-template.ts adds where. */
export class FunctionError extends Error {}

export interface GoFunction {
  /** How many arguments it takes at least and at most. */
  readonly least: number;
  readonly most: number;
  call(args: readonly GoValue[]): GoValue;
}

function goFunction(least: number, most: number, call: (args: readonly GoValue[]) => GoValue): GoFunction {
  return { least, most, call };
}

const many = Number.POSITIVE_INFINITY;

function integerOf(value: GoValue): number {
  const integer = pointedTo(value);
  if (!isInteger(integer)) {
    throw new FunctionError(
      integer === null || integer === noValue
        ? 'cannot index slice/array with nil'
        : `cannot index slice/array with type ${typeName(value)}`,
    );
  }
  return Number(integer);
}

function indexed(item: GoValue, key: GoValue): GoValue {
  const container = pointedTo(item);
  if (isList(container)) {
    const at = integerOf(key);
    if (at < 0 || at >= container.length) throw new FunctionError(`error calling index: index out of range: ${at}`);
    return goValue(container[at]);
  }
  if (typeof container === 'string') {
    const bytes = new TextEncoder().encode(container);
    const at = integerOf(key);
    const byte = bytes[at];
    if (byte === undefined) throw new FunctionError(`error calling index: index out of range: ${at}`);
    return byte;
  }
  if (isMap(container)) {
    const name = pointedTo(key);
    if (typeof name !== 'string')
      throw new FunctionError(`error calling index: value has type ${typeName(key)}; should be string`);
    return Object.hasOwn(container, name) ? goValue(container[name]) : noValue;
  }
  const what =
    container === null || container === noValue ? 'index of untyped nil' : `can't index item of type ${typeName(item)}`;
  throw new FunctionError(`error calling index: ${what}`);
}

function sliced([item = null, ...bounds]: readonly GoValue[]): GoValue {
  const value = pointedTo(item);
  if (typeof value !== 'string' && !isList(value)) {
    throw new FunctionError(`error calling slice: can't slice item of type ${typeName(item)}`);
  }
  const whole = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  const [from = 0, to = whole.length] = bounds.map(integerOf);
  if (from < 0 || to > whole.length || from > to) {
    throw new FunctionError(`error calling slice: index out of range: ${Math.max(from, to)}`);
  }
  const part = whole.slice(from, to);
  return part instanceof Uint8Array ? new TextDecoder().decode(part) : part;
}

function lengthOf(value: GoValue): number {
  const item = pointedTo(value);
  if (typeof item === 'string') return new TextEncoder().encode(item).length;
  if (isList(item)) return item.length;
  if (isMap(item)) return Object.keys(item).length;
  const what = item === null || item === noValue ? 'len of nil pointer' : `len of type ${typeName(value)}`;
  throw new FunctionError(`error calling len: ${what}`);
}

type Basic = 'bool' | 'int' | 'float' | 'string' | 'nil' | 'other';

function basicKind(value: GoValue): Basic {
  if (value === null || value === noValue) return 'nil';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (value instanceof GoFloat) return 'float';
  return isInteger(value) ? 'int' : 'other';
}

function incompatible(name: string, left: GoValue, right: GoValue): FunctionError {
  const types = `${typeName(left)} and ${typeName(right)}`;
  return new FunctionError(`error calling ${name}: incompatible types for comparison: ${types}`);
}

function areEqual(name: string, left: GoValue, right: GoValue): boolean {
  const [a, b] = [pointedTo(left), pointedTo(right)];
  const [kindOfA, kindOfB] = [basicKind(a), basicKind(b)];
  if (kindOfA === 'nil' || kindOfB === 'nil') return kindOfA === kindOfB;
  if (kindOfA !== kindOfB) throw incompatible(name, left, right);
  if (kindOfA === 'other') {
    if (isMap(a) || isList(a))
      throw new FunctionError(`error calling ${name}: non-comparable type ${goText(a)}: ${typeName(a)}`);
    return goText(a) === goText(b);
  }
  if (a instanceof GoFloat && b instanceof GoFloat) return a.value === b.value;
  return sameScalar(a, b);
}

function isLess(name: string, left: GoValue, right: GoValue): boolean {
  const [a, b] = [pointedTo(left), pointedTo(right)];
  const [kindOfA, kindOfB] = [basicKind(a), basicKind(b)];
  if (kindOfA === 'other' || kindOfA === 'nil')
    throw new FunctionError(`error calling ${name}: invalid type for comparison`);
  if (kindOfA !== kindOfB) throw incompatible(name, left, right);
  if (kindOfA === 'bool') throw new FunctionError(`error calling ${name}: invalid type for comparison`);
  if (a instanceof GoFloat && b instanceof GoFloat) return a.value < b.value;
  return (a as number | bigint | string) < (b as number | bigint | string);
}

function ordered(name: string, holds: (isLower: boolean, isHigher: boolean) => boolean): GoFunction {
  return goFunction(2, 2, ([a = null, b = null]) => holds(isLess(name, a, b), isLess(name, b, a)));
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  "'": '&#39;',
  '"': '&#34;',
  '\0': '\ufffd',
};

const scriptEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

function scriptEscaped(text: string): string {
  return text.replace(/[\\'"<>&=\x00-\x1f\u2028\u2029]/g, (character) => {
    const known = scriptEscapes[character];
    return known ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

function queryEscaped(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

/** A function that makes a text of the text of its arguments. */
function textFunction(convert: (text: string) => string): GoFunction {
  return goFunction(0, many, (args) => convert(sprint(args.map(unwrapped))));
}

const unwrapped = (value: GoValue): GoValue => (value instanceof GoPointer ? pointedTo(value) : value);

export const builtinFunctions: Readonly<Record<string, GoFunction>> = {
  not: goFunction(1, 1, ([value = null]) => !isTrue(value)),
  len: goFunction(1, 1, ([value = null]) => lengthOf(value)),
  index: goFunction(1, many, ([item = null, ...keys]) => keys.reduce<GoValue>(indexed, item)),
  slice: goFunction(1, 4, sliced),
  print: goFunction(0, many, sprint),
  println: goFunction(0, many, (args) => `${args.map(goText).join(' ')}\n`),
  printf: goFunction(1, many, ([format = '', ...operands]) => {
    if (typeof format === 'string') return sprintf(format, operands);
    throw new FunctionError(`wrong type for value; expected string; got ${typeName(format)}`);
  }),
  html: textFunction((text) => text.replace(/[<>&'"\0]/g, (character) => htmlEscapes[character] ?? character)),
  js: textFunction(scriptEscaped),
  urlquery: textFunction(queryEscaped),
  eq: goFunction(1, many, ([first = null, ...others]) => {
    if (others.length === 0) throw new FunctionError('error calling eq: missing argument for comparison');
    return others.some((other) => areEqual('eq', first, other));
  }),
  ne: goFunction(2, 2, ([a = null, b = null]) => !areEqual('ne', a, b)),
  lt: ordered('lt', (isLower) => isLower),
  le: ordered('le', (_, isHigher) => !isHigher),
  gt: ordered('gt', (_, isHigher) => isHigher),
  ge: ordered('ge', (isLower) => !isLower),
};
