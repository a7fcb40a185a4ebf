// Tables of calictl's own commands: no borders, and cells that wrap at words when the terminal is too narrow.
// calicoctl's tables and the streamed lists of `get` are in columns.ts and grid.ts.
import Table from 'cli-table3';
import { displayWidth } from './display-width.ts';
import { printable } from './printable.ts';
import { wrap } from './wrap.ts';

/** A text, or a text with its colour. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

/** cli-table3 takes a quarter of a millisecond per row and more with each: longer tables are not wrapped. */
const mostRows = 200;
const gap = 3;
const narrowGap = 2;
/** A column with broken words is as wide as the first of these, if need be as the second, and as its heading. */
const [longPiece, shortPiece] = [20, 10];

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat('left-mid', 'right-mid')
    .map((name) => [name, '']),
);

const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text);
const painted = (cell: Cell, text: string): string => (typeof cell === 'string' ? text : cell.paint(text));
const wordsOf = (text: string): string[] => text.split(' ');
const widest = (texts: readonly string[]): number =>
  texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The widths in `wanted` cut to a common limit, but not below `least`, so that they fill the room. */
function shared(wanted: readonly number[], least: readonly number[], room: number): number[] {
  const under = (limit: number): number[] =>
    wanted.map((width, index) => Math.min(width, Math.max(limit, least[index] ?? 0)));
  let limit = Math.max(...wanted);
  while (limit > 0 && sum(under(limit)) > room) limit--;
  const widths = under(limit);
  let left = room - sum(widths);
  return widths.map((width, index) => {
    const more = left > 0 && width < (wanted[index] ?? 0) ? 1 : 0;
    left -= more;
    return width + more;
  });
}

/**
 * Widths that fit: columns that are short keep theirs, the widest share what is left. A column is at least as wide as its
 * longest word, unless those do not fit next to each other. Undefined when not even the headings fit.
 */
function fitting(all: readonly (readonly string[])[], natural: readonly number[], room: number): number[] | undefined {
  const columns = natural.map((_, index) => all.map((row) => row[index] ?? ''));
  const words = columns.map((texts) => widest(texts.flatMap(wordsOf)));
  if (sum(words) <= room) {
    const widths = shared(natural, words, room);
    // What a column cannot use, because its words break earlier, is for the others.
    const used = widths.map((width, index) =>
      widest(columns[index]?.flatMap((text) => wrap(text, width, '').split('\n')) ?? []),
    );
    return shared(
      used.map((width, index) => (width < (widths[index] ?? 0) ? width : (natural[index] ?? 0))),
      words,
      room,
    );
  }
  // Words are broken in as few columns as possible, the widest first, and into long pieces rather than short ones.
  const widestFirst = [...words.keys()].sort((a, b) => (words[b] ?? 0) - (words[a] ?? 0));
  for (const piece of [longPiece, shortPiece]) {
    const least = [...words];
    for (const index of widestFirst) {
      const heading = widest(wordsOf(columns[index]?.[0] ?? ''));
      least[index] = Math.min(words[index] ?? 0, Math.max(heading, piece));
      if (sum(least) <= room) return shared(words, least, room);
    }
  }
  return undefined;
}

/**
 * The text as cli-table3 can wrap it: words that are wider than the column are on several lines, broken behind
 * punctuation where there is some, and there is one blank between words (it forgets to count others).
 */
function wrappable(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return wordsOf(text)
    .filter((word) => word !== '')
    .map((word) => {
      if (displayWidth(word) <= width) return word;
      const lines: string[] = [];
      let line = '';
      for (const character of word) {
        if (displayWidth(line + character) > width) {
          const kept = /^.*[/:.,=_-]/u.exec(line)?.[0] ?? line;
          const cut = displayWidth(kept) * 2 < width ? line : kept;
          lines.push(cut);
          line = line.slice(cut.length);
        }
        line += character;
      }
      return [...lines, line].join('\n');
    })
    .join(' ');
}

/** One line per row, whatever its width. */
function unwrapped(rows: readonly (readonly Cell[])[], widths: readonly number[]): string[] {
  return rows.map((row) =>
    row
      .map((cell, index) => {
        const text = textOf(cell);
        return painted(cell, text) + ' '.repeat((widths[index] ?? 0) - displayWidth(text));
      })
      .join(' '.repeat(gap)),
  );
}

function wrapped(rows: readonly (readonly Cell[])[], widths: readonly number[], between: number): string[] {
  const table = new Table({
    chars: { ...noBorders, middle: ' '.repeat(between) },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: [...widths],
    wordWrap: true,
    // Nothing is cut off. Its own mark is not ASCII and would be measured with every cell.
    truncate: '~',
  });
  for (const row of rows) {
    table.push(row.map((cell, index) => painted(cell, wrappable(textOf(cell), widths[index] ?? 0))));
  }
  return table.toString().split('\n');
}

/**
 * The table, each line ended, no blanks at line ends. `columns` is the terminal's width, Infinity when nobody looks: then
 * a row is one line. Nothing is ever cut off: a table that cannot fit is wider than the terminal.
 */
export function textTable(headings: readonly string[], rows: readonly (readonly Cell[])[], columns: number): string {
  const safe = (cell: Cell): Cell => {
    const text = printable(textOf(cell)).replaceAll('\t', '\\t');
    return typeof cell === 'string' ? text : { text, paint: cell.paint };
  };
  const all = [headings, ...rows.map((row) => row.map(safe))];
  const texts = all.map((row) => row.map(textOf));
  const natural = headings.map((_, index) => widest(texts.map((row) => row[index] ?? '')));
  const room = (between: number): number => columns - between * (headings.length - 1);
  const lines = (): string[] => {
    if (columns === Number.POSITIVE_INFINITY || rows.length > mostRows) return unwrapped(all, natural);
    for (const between of [gap, narrowGap]) {
      if (sum(natural) <= room(between)) return wrapped(all, natural, between);
    }
    const widths = fitting(texts, natural, room(narrowGap));
    return widths === undefined ? unwrapped(all, natural) : wrapped(all, widths, narrowGap);
  };
  return lines()
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
