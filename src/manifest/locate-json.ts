// Finds the objects in a JSON manifest, each with the range of its text.
import { JsonSyntaxError, parseJson } from '../text/json.ts';
import { isObject } from '../text/plain-values.ts';
import {
  isList,
  itemOfList,
  LineCounter,
  ManifestError,
  type ObjectPosition,
  refuseOtherItems,
  removalsInFlow,
  type Splice,
} from './object-position.ts';
import { deepest, refuseTooDeep, TooDeepError } from './parse-yaml.ts';

/** The objects in order of the text. Errors: ManifestError with the line. */
export function locateInJson(text: string): ObjectPosition[] {
  const body = text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text;
  if (body.trim() === '') return [];
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (cause) {
    if (!(cause instanceof JsonSyntaxError)) throw cause;
    throw new ManifestError(cause.line, cause.message);
  }
  try {
    // An array in an array in a list: one level more than an object has.
    refuseTooDeep(value, deepest + 3);
  } catch (cause) {
    if (!(cause instanceof TooDeepError)) throw cause;
    throw new ManifestError(1, cause.message);
  }
  const positions: ObjectPosition[] = [];
  const start = skipSpace(body, 0);
  const whole = { start: 0, end: text.length, text: '' };
  collect(body, { start, end: body.trimEnd().length }, value, whole, new LineCounter(body), positions);
  return positions;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function collect(
  text: string,
  range: Range,
  value: unknown,
  removal: Splice,
  lines: LineCounter,
  positions: ObjectPosition[],
): void {
  if (Array.isArray(value)) {
    collectItems(text, range.start, value, (item) => item, removal, lines, positions);
  } else if (isObject(value) && isList(value)) {
    refuseOtherItems(value, lines.at(range.start));
    const items = memberStart(text, range.start, 'items');
    const wrap = (item: unknown) => (isObject(item) ? itemOfList(value, item) : item);
    collectItems(text, items, value.items as unknown[], wrap, removal, lines, positions);
  } else if (isObject(value)) {
    positions.push({ ...range, form: 'flow', line: lines.at(range.start), value, removal });
  }
}

/** Nothing else is in an array of one item: it goes with the item (`whole`). */
function collectItems(
  text: string,
  arrayStart: number,
  items: readonly unknown[],
  wrap: (item: unknown) => unknown,
  whole: Splice,
  lines: LineCounter,
  positions: ObjectPosition[],
): void {
  const ranges: Range[] = [];
  let at = skipSpace(text, arrayStart + 1);
  for (let i = 0; i < items.length; i++) {
    const end = endOfValue(text, at);
    ranges.push({ start: at, end });
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
  const removals = items.length === 1 ? [whole] : removalsInFlow(ranges);
  items.forEach((item, i) => {
    const range = ranges[i];
    const removal = removals[i];
    if (range !== undefined && removal !== undefined) collect(text, range, wrap(item), removal, lines, positions);
  });
}

/** Where the value of a member starts; with several members of that name the last one, which is what the parser takes. */
function memberStart(text: string, objectStart: number, name: string): number {
  let found = -1;
  let at = skipSpace(text, objectStart + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    if (JSON.parse(text.slice(at, keyEnd)) === name) found = valueStart;
    const after = skipSpace(text, endOfValue(text, valueStart));
    if (text[after] !== ',') break;
    at = skipSpace(text, after + 1);
  }
  return found;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at++;
  return at;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The text is known to be valid JSON, so brackets need only be counted. */
function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    let at = start;
    while (at < text.length && !',]} \t\r\n'.includes(text[at] ?? '')) at++;
    return at;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at) - 1;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}
