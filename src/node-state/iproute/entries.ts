// The two output forms of `ip` and `bridge`: JSON (`-j`), and plain text where that is not supported. No fields yet.
import { parseIp } from '../../net/ip.ts';
import { isObject } from '../../text/plain-values.ts';
import type { NotUnderstood, Parsed } from '../parse-result.ts';
import { jsonText, linesOf, notUnderstood, understoodList } from '../parsing.ts';

export type Entry = Readonly<Record<string, unknown>>;

/** True when the text is JSON, by its first character, with which plain output of `ip` never begins. */
export function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

/**
 * The entries of JSON output. Older releases print an empty object for what a filter left out; those are ignored.
 * `skipped`: elements that are not objects.
 */
export function entriesOf(text: string): { entries: readonly Entry[]; skipped: readonly string[] } | NotUnderstood {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return notUnderstood('incomplete or invalid JSON');
  }
  if (!Array.isArray(value)) return notUnderstood('not a list of entries');
  const elements: readonly unknown[] = value;
  return {
    entries: elements.filter(isObject).filter((entry) => Object.keys(entry).length > 0),
    skipped: elements.filter((element) => !isObject(element)).map(jsonText),
  };
}

/** The text of a key, unless it is empty. */
export function textAt(entry: Entry, key: string): string | undefined {
  const value = entry[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The text or number of a key, as text: tables and protocols are numbers where they have no name. */
export function nameAt(entry: Entry, key: string): string | undefined {
  const number = numberAt(entry, key);
  return number === undefined ? textAt(entry, key) : String(number);
}

/** The whole number of a key, unless it is negative. */
export function numberAt(entry: Entry, key: string): number | undefined {
  const value = entry[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The texts of a list; a single text counts as a list of one. */
export function textsAt(entry: Entry, key: string): readonly string[] {
  const value = entry[key];
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (!Array.isArray(value)) return [];
  const elements: readonly unknown[] = value;
  return elements.filter((element): element is string => typeof element === 'string');
}

/** The objects of a list. */
export function entriesAt(entry: Entry, key: string): readonly Entry[] {
  const value = entry[key];
  if (!Array.isArray(value)) return [];
  const elements: readonly unknown[] = value;
  return elements.filter(isObject);
}

/** The IP address of a key; undefined for any other text. */
export function addressAt(entry: Entry, key: string): ReturnType<typeof parseIp> {
  return parseIp(textAt(entry, key) ?? '');
}

/** An Ethernet address in lower case; undefined for the hardware address of a tunnel, which is an IP address. */
export function macOf(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text) ? text.toLowerCase() : undefined;
}

/**
 * Reads a list in either form: each JSON entry, or each line of plain text that is not empty. Empty text is an empty
 * list. Entries and lines for which the reader returns undefined are listed in `skipped`.
 */
export function readEach<T>(
  text: string,
  what: string,
  fromEntry: (entry: Entry) => T | undefined,
  fromLine: (line: string) => T | undefined,
): Parsed<readonly T[]> {
  const json = isJson(text) ? entriesOf(text) : undefined;
  if (json !== undefined && 'ok' in json) return json;
  const read =
    json === undefined
      ? linesOf(text)
          .filter((line) => line !== '')
          .map((line) => ({ note: line, value: fromLine(line) }))
      : json.entries.map((entry) => ({ note: jsonText(entry), value: fromEntry(entry) }));
  return understoodList(
    read.flatMap(({ value }) => (value === undefined ? [] : [value])),
    [...(json?.skipped ?? []), ...read.flatMap(({ note, value }) => (value === undefined ? [note] : []))],
    what,
  );
}
