// Finds the objects in a YAML manifest, each with the range of its text. Documents and list items in block style are
// separated by their lines and parsed one by one, so that a write parses only the object that it changed. Anything in
// another style goes to locate-yaml-tree.ts. Why there are two finders: docs/decisions/0008-yaml-positions.md.
import { isObject } from '../text/plain-values.ts';
import { locateInTree } from './locate-yaml-tree.ts';
import { isList, itemOfList, LineCounter, type ObjectPosition } from './object-position.ts';
import type { YamlPieces } from './parse-yaml.ts';

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A line of the text without its end. */
interface Line extends Range {
  /** Start of the next line. */
  readonly next: number;
  readonly indent: number;
  readonly blank: boolean;
  readonly comment: boolean;
}

/** The objects in order of the text; `pieces` remembers what was parsed before. Errors: ManifestError with the line. */
export function locateInYaml(text: string, pieces: YamlPieces): ObjectPosition[] {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  // Directives and end marks change which lines belong to a document.
  if (hasLine(text, start, '%') || hasLine(text, start, '...')) {
    return locateInTree(text, { start, end: text.length }, 1);
  }
  const lines = new LineCounter(text);
  return documentRanges(text, start).flatMap((range) => {
    const line = lines.at(range.start);
    const positions = blockPositions(text, range, pieces, new LineCounter(text, range.start, line));
    return positions ?? locateInTree(text, range, line);
  });
}

function hasLine(text: string, start: number, prefix: string): boolean {
  return text.startsWith(prefix, start) || text.indexOf(`\n${prefix}`, start) >= 0;
}

/** From one `---` to the next: YAML allows such a line at column 0 nowhere else, not even within quotes. */
function documentRanges(text: string, from: number): Range[] {
  const ranges: Range[] = [];
  let start = from;
  for (let at = text.indexOf('\n---', from); at >= 0; at = text.indexOf('\n---', at + 1)) {
    if (!/^[ \t\r\n]?$/.test(text.charAt(at + 4))) continue;
    ranges.push({ start, end: at + 1 });
    start = at + 1;
  }
  ranges.push({ start, end: text.length });
  return ranges;
}

/** The objects of one document in block style, or undefined when it is in another style or has an error. */
function blockPositions(
  text: string,
  range: Range,
  pieces: YamlPieces,
  lines: LineCounter,
): ObjectPosition[] | undefined {
  const body = bodyOf(text, range);
  if (body === undefined) return undefined;
  if (body.start === body.end) return [];
  const bodyText = text.slice(body.start, body.end);
  // A block scalar that keeps its last line ends would lose them at the end of a piece.
  if (/[|>][0-9]?\+/.test(bodyText)) return undefined;
  const removal = { start: text.startsWith('---', range.start) ? range.start : body.start, end: body.end, text: '' };
  if (bodyText.startsWith('- '))
    return itemPositions(text, itemRanges(text, body, 0), undefined, removal, pieces, lines);
  if (!/^["'A-Za-z_]/.test(bodyText)) return undefined;
  const list = hasLine(bodyText, 0, 'items:') ? listBody(text, body) : undefined;
  if (list !== undefined) {
    const header = pieces.parse(`${text.slice(body.start, list.items.start)}\n${text.slice(list.items.end, body.end)}`);
    if (!isObject(header) || header.items !== null || !isList({ ...header, items: [] })) return undefined;
    return itemPositions(text, itemRanges(text, list.items, list.indent), header, removal, pieces, lines);
  }
  const value = pieces.parse(bodyText);
  if (value === undefined) return undefined;
  if (!isObject(value)) return [];
  if (isList(value)) return (value.items as unknown[]).length === 0 ? [] : undefined;
  return [{ ...body, form: 'document', line: lines.at(body.start), value, removal }];
}

/** The document without its mark and the comments and blank lines around it; undefined when the mark's line has more on it. */
function bodyOf(text: string, range: Range): Range | undefined {
  let start: number | undefined;
  for (const line of linesOf(text, range)) {
    if (line.start === range.start && text.startsWith('---', line.start)) {
      if (!/^---[ \t]*\r?$|^---[ \t]+#/.test(text.slice(line.start, line.end))) return undefined;
    } else if (!line.blank && !line.comment) {
      start = line.start;
      break;
    }
  }
  return start === undefined
    ? { start: range.end, end: range.end }
    : { start, end: trimmedEnd(text, start, range.end, 0) };
}

/** The end without the blank lines before it and the comments that are indented no further than `indent`. */
function trimmedEnd(text: string, start: number, end: number, indent: number): number {
  for (let lineEnd = end; lineEnd > start; ) {
    const lineStart = text.lastIndexOf('\n', lineEnd - 2) + 1;
    const line = text.slice(lineStart, lineEnd);
    const first = line.search(/[^ ]/);
    if (!/^ *(?:\r?\n)?$/.test(line) && !(line[first] === '#' && first <= indent)) return lineEnd;
    lineEnd = lineStart;
  }
  return start;
}

/** The lines of the items below a block `items:`, and how far the items are indented. */
function listBody(text: string, body: Range): { items: Range; indent: number } | undefined {
  let start: number | undefined;
  let end = body.end;
  let indent: number | undefined;
  for (const line of linesOf(text, body)) {
    if (start === undefined) {
      if (/^items:[ \t]*(#.*)?\r?$/.test(text.slice(line.start, line.end))) start = line.next;
    } else if (!line.blank && !line.comment) {
      if (indent === undefined) {
        if (!isDash(text, line)) return undefined;
        indent = line.indent;
      } else if (line.indent < indent || (line.indent === indent && !isDash(text, line))) {
        end = line.start;
        break;
      }
    }
  }
  return start === undefined || indent === undefined ? undefined : { items: { start, end }, indent };
}

/** From one dash to the next, without the comments and blank lines that follow. */
function itemRanges(text: string, items: Range, indent: number): Range[] {
  const ranges: { start: number; end: number }[] = [];
  for (const line of linesOf(text, items)) {
    if (line.blank || (line.comment && line.indent <= indent)) continue;
    const last = ranges.at(-1);
    if (line.indent === indent && isDash(text, line)) ranges.push({ start: line.start, end: line.next });
    else if (last !== undefined) last.end = line.next;
  }
  return ranges;
}

/** The objects of a list; undefined when an item does not begin on the line of its dash, or is itself a list. */
function itemPositions(
  text: string,
  ranges: readonly Range[],
  list: Record<string, unknown> | undefined,
  whole: ObjectPosition['removal'],
  pieces: YamlPieces,
  lines: LineCounter,
): ObjectPosition[] | undefined {
  const positions: ObjectPosition[] = [];
  for (const range of ranges) {
    const itemText = text.slice(range.start, range.end);
    if (!/^ *- +["'A-Za-z_{]/.test(itemText)) return undefined;
    const parsed = pieces.parse(itemText);
    if (!Array.isArray(parsed) || parsed.length !== 1) return undefined;
    const item: unknown = parsed[0];
    const line = lines.at(range.start);
    if (!isObject(item)) {
      // The tree says which list has such an item.
      if (list !== undefined) return undefined;
      continue;
    }
    if (isList(item)) return undefined;
    const value = list === undefined ? item : itemOfList(list, item);
    // Nothing else is in a list of one item: it goes with the item.
    const removal = ranges.length === 1 ? whole : { ...range, text: '' };
    positions.push({ ...range, form: 'item', line, value, removal });
  }
  return positions;
}

function isDash(text: string, line: Line): boolean {
  return /^-(?:[ \t\r]|$)/.test(text.slice(line.start + line.indent, Math.min(line.end, line.start + line.indent + 2)));
}

function* linesOf(text: string, range: Range): Generator<Line> {
  for (let start = range.start; start < range.end; ) {
    const newline = text.indexOf('\n', start);
    const isLast = newline < 0 || newline >= range.end;
    const end = isLast ? range.end : newline;
    let first = start;
    while (first < end && text.charCodeAt(first) === 32) first++;
    const blank = first === end || (!isLast && first === end - 1 && text.charAt(first) === '\r');
    const next = isLast ? range.end : newline + 1;
    yield { start, end, next, indent: first - start, blank, comment: text.charAt(first) === '#' };
    start = next;
  }
}
