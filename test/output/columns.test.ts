// Tables: minimum width 5, padding 3; every cell padded or no blanks at line ends; aligned up to 500 rows.
import { describe, expect, it } from 'vitest';
import { liveTable, streamedTable, type TableLayout, table } from '../../src/output/columns.ts';
import { printable } from '../../src/output/printable.ts';

const padded: TableLayout = { padsLineEnds: true, alignsAll: false };
const trimmed: TableLayout = { padsLineEnds: false, alignsAll: false };

async function* pagesOf(rows: readonly string[][], size: number) {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}

async function collect(pieces: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

describe('table', () => {
  it('a table pads every cell, including the last, and ends with a blank line', () => {
    expect(table(['NAME', 'CIDR', 'SELECTOR'], [['pool-a', '10.0.0.0/16', 'all()']], padded)).toBe(
      'NAME     CIDR          SELECTOR   \npool-a   10.0.0.0/16   all()      \n\n',
    );
  });

  it('a table column has at least five characters', () => {
    expect(table(['A', 'B'], [['', 'x']], padded)).toBe('A    B    \n     x    \n\n');
  });

  it('a table prints the heading of an empty list', () => {
    expect(table(['NAME'], [], padded)).toBe('NAME   \n\n');
  });

  it('a table counts characters, not UTF-16 units', () => {
    expect(table(['NAME'], [['𝔭𝔬𝔬𝔩'], ['abcd']], padded)).toBe('NAME   \n𝔭𝔬𝔬𝔩   \nabcd   \n\n');
  });

  it('a table cell cannot break its line or send control characters', () => {
    // The cell is 13 characters wide when its control characters are written out.
    expect(table(['NAME'], [['a\nb\tc\u001b[31m']], padded)).toBe(`NAME${' '.repeat(12)}\na\\nb\\tc\\e[31m   \n\n`);
  });
});

describe('streamedTable', () => {
  const rows = (count: number): string[][] =>
    Array.from({ length: count }, (_, n) => [n === count - 1 ? 'a-long-name' : 'x']);

  it('a streamed table is aligned over all of up to 500 rows', async () => {
    const all = rows(500);
    expect((await collect(streamedTable(['NAME'], pagesOf(all, 100), padded))).join('')).toBe(
      table(['NAME'], all, padded),
    );
  });

  it('a longer streamed table prints rows before the last page has arrived', async () => {
    let read = 0;
    async function* pages() {
      for (let page = 0; page < 10; page++) {
        read++;
        yield Array.from({ length: 500 }, () => ['pool']);
      }
    }
    const iterator = streamedTable(['NAME'], pages(), padded)[Symbol.asyncIterator]();
    const first = await iterator.next();
    expect(String(first.value).startsWith('NAME   \npool   \n')).toBe(true);
    expect(read).toBeLessThan(10);
  });

  it('a streamed table keeps the widths of the first 500 rows, and a gap between cells', async () => {
    const text = (
      await collect(
        streamedTable(['NAME', 'X'], pagesOf([...rows(501).map(([name]) => [name ?? '', 'y'])], 100), padded),
      )
    ).join('');
    const lines = text.split('\n');
    expect(lines[1]).toBe('x      y    ');
    expect(lines[501]).toBe('a-long-name y    ');
    expect(text.endsWith('\n\n')).toBe(true);
  });

  it('a streamed table aligns all rows when asked to', async () => {
    const all = rows(600);
    expect((await collect(streamedTable(['NAME'], pagesOf(all, 500), { ...padded, alignsAll: true }))).join('')).toBe(
      table(['NAME'], all, padded),
    );
  });
});

describe('tables without blanks at line ends', () => {
  const blankEnds = /[^\S\n]$/m;
  const headings = ['NAME', 'LABELS'];
  const rows = Array.from({ length: 501 }, (_, n) => [n === 500 ? 'a-long-name' : 'x', n % 2 === 0 ? '' : 'a=b']);

  it('a table without padded line ends has the columns of the padded one', () => {
    const plain = table(headings, rows.slice(0, 3), trimmed);
    expect(plain).toBe('NAME   LABELS\nx\nx      a=b\nx\n\n');
    expect(table(headings, rows.slice(0, 3), padded).replace(/ +$/gm, '')).toBe(plain);
  });

  it('streamed and live tables without padded line ends have no blanks there, also behind the first page', async () => {
    const streamed = (await collect(streamedTable(headings, pagesOf(rows, 100), trimmed))).join('');
    const live = (await collect(liveTable(headings, pagesOf(rows, 1)))).join('');
    for (const text of [streamed, live]) {
      expect(text).toMatch(/^x {6}a=b$/m);
      expect(text).toMatch(/^a-long-name$/m);
      expect(text).not.toMatch(blankEnds);
    }
  });
});

describe('printable', () => {
  it.each([
    ['plain é 漢', 'plain é 漢'],
    ['\u001b]0;title\u0007', '\\e]0;title\\u0007'],
    ['\u009b2J', '\\u009b2J'],
    ['a\r\nb', 'a\\r\\nb'],
    ['\u202eright', '\\u202eright'],
  ])('printable escapes control characters in %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});
