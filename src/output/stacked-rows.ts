// Tables that may be too wide for the terminal: then a row is a block, its long cells on lines of their own.
import { ownTable, printable, widthOf } from './columns.ts';
import { wrap } from './wrap.ts';

type Row = readonly string[];

/**
 * The table when it is no wider than `columns`. Else a table of the other columns, and below each row a line for each
 * of the columns named by `long`, broken to the width.
 */
export function tableOrBlocks(headings: Row, rows: readonly Row[], long: ReadonlySet<string>, columns: number): string {
  const table = ownTable(headings, rows);
  if (table.split('\n').every((line) => widthOf(line) <= columns)) return table;
  const short = (row: Row): string[] => row.filter((_, index) => !long.has(headings[index] ?? ''));
  const [head = '', ...lines] = ownTable(short(headings), rows.map(short)).trimEnd().split('\n');
  const nameWidth = Math.max(...[...long].map(widthOf)) + 3;
  const below = (row: Row): string[] =>
    headings.flatMap((heading, index) =>
      long.has(heading)
        ? wrap(printable(row[index] ?? ''), columns, `    ${heading.padEnd(nameWidth)}`, ' '.repeat(4 + nameWidth))
        : [],
    );
  const blocks = rows.flatMap((row, index) => [lines[index] ?? '', ...below(row)]);
  return `${[head, ...blocks].join('\n')}\n\n`;
}
