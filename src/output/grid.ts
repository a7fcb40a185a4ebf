// Ruled tables as calicoctl's ipam commands and its node status print them.
import { widthOf } from './columns.ts';
import { printable } from './printable.ts';

const wrapAt = 30;
const number = /^-?(?:\d{1,3}(?:,\d{3})*|\d+)(?:\.\d+)?$/;

/** A cell as lines: longer than 30 characters it is wrapped at spaces. */
function wrapped(cell: string): string[] {
  const text = printable(cell);
  if (widthOf(text) <= wrapAt) return [text];
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current !== '' && widthOf(longer) > wrapAt) {
      lines.push(current);
      current = word;
    } else {
      current = longer;
    }
  }
  return [...lines, current];
}

/** A cell that was wrapped makes its column as wide as it may be, however short its lines are. */
function widthOfCell(lines: readonly string[]): number {
  return Math.max(lines.length > 1 ? wrapAt : 0, ...lines.map(widthOf));
}

function centred(text: string, width: number): string {
  const left = Math.floor((width - widthOf(text)) / 2);
  return ' '.repeat(left) + text + ' '.repeat(width - widthOf(text) - left);
}

function aligned(text: string, width: number): string {
  const space = ' '.repeat(width - widthOf(text));
  return number.test(text) ? space + text : text + space;
}

/** Headings in upper case, a rule above and below them and at the end; numbers to the right. */
export function grid(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const titles = headings.map((heading) => heading.toUpperCase());
  const body = rows.map((row) => row.map(wrapped));
  const widths = titles.map((title, index) =>
    Math.max(widthOf(title), ...body.map((row) => widthOfCell(row[index] ?? ['']))),
  );
  const rule = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+\n`;
  const line = (cells: readonly string[]): string => `|${cells.map((cell) => ` ${cell} `).join('|')}|\n`;
  const bodyLines = body.flatMap((row) => {
    const height = Math.max(...row.map((cell) => cell.length));
    return Array.from({ length: height }, (_, at) =>
      line(widths.map((width, index) => aligned(row[index]?.[at] ?? '', width))),
    );
  });
  const head = line(titles.map((title, index) => centred(title, widths[index] ?? 0)));
  return rule + head + rule + bodyLines.join('') + rule;
}
