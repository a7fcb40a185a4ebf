// The tables of `get`: left-aligned columns, with the padding of calicoctl, whose rows may come page by page. Tables of other
// commands are in table.ts.
import { printable } from './printable.ts';

const leastWidth = 5;
const padding = 3;
/** Up to so many rows the columns fit all of them; beyond, the widths are those of these rows. */
const alignedRows = 500;

/** Code points, which is what tables count. */
export function widthOf(text: string): number {
  let width = 0;
  for (const _ of text) width++;
  return width;
}

type Row = readonly string[];

export interface TableLayout {
  /** Every cell is padded, also the last of a row, as calicoctl does; otherwise no line ends with a blank. */
  readonly padsLineEnds: boolean;
  /** Columns fit all rows, however many; otherwise a long table is printed as its rows come. */
  readonly alignsAll: boolean;
}

const growing: TableLayout = { padsLineEnds: false, alignsAll: false };

const cells = (row: Row): string[] => row.map((cell) => printable(cell).replaceAll('\t', '\\t'));

function widthsOf(rows: readonly Row[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? leastWidth, widthOf(cell) + padding);
    });
  }
  return widths;
}

function line(row: Row, widths: readonly number[], layout: TableLayout): string {
  const padded = row
    .map((cell, index) => cell + ' '.repeat(Math.max((widths[index] ?? 0) - widthOf(cell), 0)))
    .join('');
  return `${layout.padsLineEnds ? padded : padded.trimEnd()}\n`;
}

function lines(rows: readonly Row[], widths: readonly number[], layout: TableLayout): string {
  return rows.map((row) => line(row, widths, layout)).join('');
}

/** A whole table with the blank line that follows it; without headings there is no such line. */
export function table(headings: Row | undefined, rows: readonly Row[], layout: TableLayout): string {
  const all = [...(headings === undefined ? [] : [headings]), ...rows.map(cells)];
  return lines(all, widthsOf(all), layout) + endOf(headings);
}

function endOf(headings: Row | undefined): string {
  return headings === undefined ? '' : '\n';
}

/**
 * A table whose rows come page by page: aligned over all rows while they are few (or `alignsAll`), else printed
 * as they come with the widths of the first; a cell that is too wide for its column is then kept apart by one space.
 */
export async function* streamedTable(
  headings: Row | undefined,
  pages: AsyncIterable<readonly Row[]>,
  layout: TableLayout,
): AsyncIterable<string> {
  let waiting: Row[] = headings === undefined ? [] : [headings];
  let widths: number[] | undefined;
  for await (const page of pages) {
    const rows = page.map(cells);
    if (widths === undefined) {
      waiting.push(...rows);
      if (layout.alignsAll || waiting.length <= alignedRows + 1) continue;
      widths = widthsOf(waiting.slice(0, alignedRows + 1));
      yield streamedLines(waiting, widths, layout);
      waiting = [];
    } else {
      yield streamedLines(rows, widths, layout);
    }
  }
  const end = endOf(headings);
  yield widths === undefined ? lines(waiting, widthsOf(waiting), layout) + end : end;
}

/** A table without end: the rows of each page are printed at once, with the widths of the first. */
export async function* liveTable(
  headings: Row | undefined,
  pages: AsyncIterable<readonly Row[]>,
): AsyncIterable<string> {
  let widths: number[] | undefined;
  for await (const page of pages) {
    const rows = page.map(cells);
    if (widths === undefined) {
      const all = [...(headings === undefined ? [] : [headings]), ...rows];
      widths = widthsOf(all);
      yield lines(all, widths, growing);
    } else {
      yield streamedLines(rows, widths, growing);
    }
  }
}

function streamedLines(rows: readonly Row[], widths: readonly number[], layout: TableLayout): string {
  return lines(
    rows.map((row) => row.map((cell, index) => (widthOf(cell) < (widths[index] ?? 0) ? cell : `${cell} `))),
    widths,
    layout,
  );
}
