// Tables as calicoctl prints them: left-aligned columns, every cell padded, also the last of a row. Tables of calictl's
// own commands are in table.ts.
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

function line(row: Row, widths: readonly number[]): string {
  const padded = row.map((cell, index) => cell + ' '.repeat(Math.max((widths[index] ?? 0) - widthOf(cell), 0)));
  return `${padded.join('')}\n`;
}

function lines(rows: readonly Row[], widths: readonly number[]): string {
  return rows.map((row) => line(row, widths)).join('');
}

/** A whole table with the blank line that follows it. */
export function table(headings: Row, rows: readonly Row[]): string {
  const all = [headings, ...rows.map(cells)];
  return `${lines(all, widthsOf(all))}\n`;
}

/**
 * A table whose rows come page by page: aligned over all rows while they are few (or `alignAll`), else printed as they
 * come with the widths of the first; a cell that is too wide for its column is then kept apart by one space.
 */
export async function* streamedTable(
  headings: Row,
  pages: AsyncIterable<readonly Row[]>,
  alignAll: boolean,
): AsyncIterable<string> {
  let waiting: Row[] = [headings];
  let widths: number[] | undefined;
  for await (const page of pages) {
    const rows = page.map(cells);
    if (widths === undefined) {
      waiting.push(...rows);
      if (alignAll || waiting.length <= alignedRows + 1) continue;
      widths = widthsOf(waiting.slice(0, alignedRows + 1));
      yield streamedLines(waiting, widths);
      waiting = [];
    } else {
      yield streamedLines(rows, widths);
    }
  }
  yield widths === undefined ? `${lines(waiting, widthsOf(waiting))}\n` : '\n';
}

function streamedLines(rows: readonly Row[], widths: readonly number[]): string {
  return lines(
    rows.map((row) => row.map((cell, index) => (widthOf(cell) < (widths[index] ?? 0) ? cell : `${cell} `))),
    widths,
  );
}
