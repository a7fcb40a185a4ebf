// Where in the text of a manifest an object is, and what may replace it there. Offsets count UTF-16 units, as strings do.

/** Replaces a range of a text. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * `document`: a block mapping from column 0; `item`: an item of a block sequence, its dash included;
 * `flow`: anything that may be replaced by JSON.
 */
export type PositionForm = 'document' | 'item' | 'flow';

export interface ObjectPosition {
  readonly start: number;
  readonly end: number;
  readonly form: PositionForm;
  /** First line of the object, counted from 1. */
  readonly line: number;
  /** The object as it is written there. Shared between parses: never change it. */
  readonly value: Record<string, unknown>;
  /** Takes the object out and leaves the rest as it is. */
  readonly removal: Splice;
}

/** A manifest that cannot be read: what is wrong, and on which line. */
export class ManifestError extends Error {
  readonly line: number;
  /** What to do about it, when that is not to correct the file. */
  readonly hint: string | undefined;

  constructor(line: number, message: string, hint?: string) {
    super(message);
    this.name = 'ManifestError';
    this.line = line;
    this.hint = hint;
  }
}

/** The text with the range replaced. */
export function spliced(text: string, splice: Splice): string {
  return text.slice(0, splice.start) + splice.text + text.slice(splice.end);
}

/** Line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Line numbers of ascending offsets: the text is searched once, however many offsets there are and however long its lines. */
export class LineCounter {
  readonly #text: string;
  #line: number;
  /** Offset of the next line end, not counted yet; negative when there is none. */
  #newline: number;

  /** Counts from the offset, which is on that line. */
  constructor(text: string, from = 0, line = 1) {
    this.#text = text;
    this.#line = line;
    this.#newline = text.indexOf('\n', from);
  }

  at(offset: number): number {
    while (this.#newline >= 0 && this.#newline < offset) {
      this.#line++;
      this.#newline = this.#text.indexOf('\n', this.#newline + 1);
    }
    return this.#line;
  }
}

/** True for a List of the core API and for `<Kind>List`: its items are the objects. */
export function isList(value: Record<string, unknown>): boolean {
  return typeof value.kind === 'string' && value.kind.endsWith('List') && Array.isArray(value.items);
}

/** Errors: ManifestError for a list with an item that is not an object. */
export function refuseOtherItems(list: Record<string, unknown>, line: number): void {
  const items = list.items as readonly unknown[];
  const at = items.findIndex((item) => typeof item !== 'object' || item === null || Array.isArray(item));
  if (at >= 0) throw new ManifestError(line, `item ${at + 1} of this ${String(list.kind)} is not an object`);
}

/** An item of a list as an object of its own: a server leaves kind and version out of the items of a `<Kind>List`. */
export function itemOfList(list: Record<string, unknown>, item: Record<string, unknown>): Record<string, unknown> {
  if (item.kind !== undefined || list.kind === 'List' || typeof list.kind !== 'string') return item;
  return { apiVersion: list.apiVersion, kind: list.kind.slice(0, -'List'.length), ...item };
}

/** For each item of a bracketed list, the range whose removal takes out that one item and its comma. */
export function removalsInFlow(ranges: readonly { readonly start: number; readonly end: number }[]): Splice[] {
  return ranges.map(({ start, end }, i) => {
    const next = ranges[i + 1];
    const previous = ranges[i - 1];
    if (next !== undefined) return { start, end: next.start, text: '' };
    return { start: previous?.end ?? start, end, text: '' };
  });
}
