// Finds the objects in a JSON manifest, each with the range of its text.
import { parseJson } from '../text/json.ts';
import { isObject } from '../text/plain-values.ts';
import {
  isList,
  itemOfList,
  LineCounter,
  lineAt,
  ManifestError,
  type Place,
  removalsInFlow,
  type Splice,
} from './object-position.ts';

/** Errors: ManifestError with the line. */
export function jsonPlaces(text: string): Place[] {
  const body = text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text;
  if (body.trim() === '') return [];
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new ManifestError(lineOfError(body, cause), cause.message);
  }
  const places: Place[] = [];
  const start = skipSpace(body, 0);
  const whole = { start: 0, end: text.length, text: '' };
  collect(body, { start, end: body.trimEnd().length }, value, whole, new LineCounter(body), places);
  return places;
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
  places: Place[],
): void {
  if (Array.isArray(value)) {
    collectItems(text, range.start, value, (item) => item, removal, lines, places);
  } else if (isObject(value) && isList(value)) {
    const items = memberStart(text, range.start, 'items');
    const wrap = (item: unknown) => (isObject(item) ? itemOfList(value, item) : item);
    collectItems(text, items, value.items as unknown[], wrap, removal, lines, places);
  } else if (isObject(value)) {
    places.push({ ...range, form: 'flow', line: lines.at(range.start), value, removal });
  }
}

/** An array with one item goes with its item: nothing else is in it. */
function collectItems(
  text: string,
  arrayStart: number,
  items: readonly unknown[],
  wrap: (item: unknown) => unknown,
  whole: Splice,
  lines: LineCounter,
  places: Place[],
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
    if (range !== undefined && removal !== undefined) collect(text, range, wrap(item), removal, lines, places);
  });
}

/** Start of the value of a member; the last one of that name, as the parser takes it. */
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

/** The text is known to be JSON: brackets need only be counted. */
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

function lineOfError(text: string, error: SyntaxError): number {
  const line = /line (\d+)/.exec(error.message)?.[1];
  if (line !== undefined) return Number(line);
  const position = /position (\d+)/.exec(error.message)?.[1];
  return lineAt(text, position === undefined ? text.length : Number(position));
}
