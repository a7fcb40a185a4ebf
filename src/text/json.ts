// JSON without loss: an integer that a double cannot hold is a bigint, both ways.
// The sequence numbers of IPAM blocks are such integers; they prevent that an address is released twice.

import { JsonReader, type JsonValue, setOwn } from './json-reader.ts';

export { JsonSyntaxError } from './json-reader.ts';
export type { JsonValue };

const ZERO = 48;
const NINE = 57;
const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const CLOSE_BRACE = 125;

/** 2^53 has 16 digits: a shorter integer is exact as a number. */
const LONG_DIGITS = 16;
/** Marks the strings that replace integers for JSON.parse. ASCII, so that the text stays at one byte per character. */
const MARK = '\u007f';

/** True when there are 16 digits in a row, in a string or not: the text may have an integer beyond 2^53. */
function hasLongDigits(text: string): boolean {
  // A run of 16 has a digit at a multiple of 16.
  for (let i = 0; i < text.length; i += LONG_DIGITS) {
    if (!isDigit(text.charCodeAt(i))) continue;
    let start = i;
    let end = i + 1;
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--;
    while (end < text.length && isDigit(text.charCodeAt(end))) end++;
    if (end - start >= LONG_DIGITS) return true;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** True when what follows, white space aside, ends a value. A colon does not: numbers cannot be keys. */
function endsValue(text: string, at: number): boolean {
  let next = at;
  while (isSpace(text.charCodeAt(next))) next++;
  if (next === text.length) return true;
  const code = text.charCodeAt(next);
  return code === COMMA || code === CLOSE_BRACKET || code === CLOSE_BRACE;
}

/** Position after the string that begins at `at`, or the end of the text for an unterminated string. */
function afterString(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (quote >= 0) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

/**
 * The text with every integer that a double may not hold replaced by a string that begins with the mark. Where a long run
 * of digits is part of another number, the result is invalid JSON, and JsonReader has to read the text.
 */
function markIntegers(text: string): string {
  let marked = '';
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = afterString(text, at);
      continue;
    }
    if (!isDigit(code)) {
      at++;
      continue;
    }
    let end = at + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    if (end - at >= LONG_DIGITS && code !== ZERO) {
      const start = text.charCodeAt(at - 1) === MINUS ? at - 1 : at;
      if (endsValue(text, end)) {
        marked += `${text.slice(copied, start)}"${MARK}${text.slice(start, end)}"`;
        copied = end;
      }
    }
    at = end;
  }
  return marked + text.slice(copied);
}

/** The exact number in a marked string, undefined for anything else. */
function unmarked(value: JsonValue): number | bigint | undefined {
  if (typeof value !== 'string' || !value.startsWith(MARK)) return undefined;
  const digits = value.slice(MARK.length);
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** Replaces marked strings by their integers, in place; without recursion, because the input decides the depth. */
function unmark(root: JsonValue): JsonValue {
  const whole = unmarked(root);
  if (whole !== undefined) return whole;
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        const item = value[i] as JsonValue;
        if (typeof item === 'object' && item !== null) open.push(item);
        else if (typeof item === 'string') value[i] = unmarked(item) ?? item;
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const key of Object.keys(value)) {
        const member = value[key] as JsonValue;
        if (typeof member === 'object' && member !== null) open.push(member);
        else if (typeof member === 'string' && member.startsWith(MARK)) setOwn(value, key, unmarked(member) ?? member);
      }
    }
  }
  return root;
}

/** True when a string of the original text could begin with the mark. */
function mentionsMark(text: string): boolean {
  return text.includes(MARK) || text.includes('\\u007');
}

/**
 * Reads JSON text. An integer beyond 2^53-1 in absolute value is a bigint, every other number a number.
 * Errors: JsonSyntaxError (a SyntaxError), with the position.
 */
export function parseJson(text: string): JsonValue {
  try {
    if (!hasLongDigits(text)) return JSON.parse(text) as JsonValue;
    if (!mentionsMark(text)) return unmark(JSON.parse(markIntegers(text)) as JsonValue);
  } catch {
    // Read again for the position, which JSON.parse does not always report.
  }
  return new JsonReader(text).read();
}

export interface PrintOptions {
  /** Spaces per level; 0 (default) prints one line without spaces. */
  readonly indent?: number;
  /** Escape `&`, `<`, `>`, U+2028 and U+2029 in strings, as Go does. */
  readonly goEscapes?: boolean;
}

const GO_ESCAPED = /[&<>\u2028\u2029]/g;

function goEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Prints what JSON.stringify would, and bigints as integers; undefined for what JSON does not have. */
function printValue(value: unknown, indent: string, newline: string): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return printValue((value.toJSON as () => unknown)(), indent, newline);
  }
  const inner = newline + indent;
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(printValue(item, indent, inner) ?? 'null');
    return wrap('[', parts, ']', inner, newline, indent);
  }
  const colon = indent === '' ? ':' : ': ';
  for (const [key, member] of Object.entries(value)) {
    const text = printValue(member, indent, inner);
    if (text !== undefined) parts.push(JSON.stringify(key) + colon + text);
  }
  return wrap('{', parts, '}', inner, newline, indent);
}

function wrap(open: string, parts: string[], close: string, inner: string, newline: string, indent: string): string {
  if (parts.length === 0) return open + close;
  if (indent === '') return open + parts.join(',') + close;
  return open + inner + parts.join(`,${inner}`) + newline + close;
}

/** Prints JSON: bigints as exact integers, keys in their order, without members that are undefined. */
export function printJson(value: unknown, options: PrintOptions = {}): string {
  const indent = ' '.repeat(options.indent ?? 0);
  const text = printValue(value, indent, '\n') ?? 'null';
  // None of these characters occurs outside of strings.
  return options.goEscapes === true ? text.replace(GO_ESCAPED, goEscape) : text;
}

/** The integer as a bigint. Errors: RangeError for a number that is not whole. */
export function asBigint(value: number | bigint): bigint {
  return typeof value === 'bigint' ? value : BigInt(value);
}
