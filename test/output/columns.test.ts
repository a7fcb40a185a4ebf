// Tables: minimum width 5, padding 3, every cell padded; aligned up to 500 rows.
import { describe, expect, it } from 'vitest';
import { streamedTable, table } from '../../src/output/columns.ts';
import { printable } from '../../src/output/printable.ts';

async function* pagesOf(rows: readonly string[][], size: number) {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}

async function collect(pieces: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

describe('table', () => {
  it('pads every cell, the last too, and ends with a blank line', () => {
    expect(table(['NAME', 'CIDR', 'SELECTOR'], [['pool-a', '10.0.0.0/16', 'all()']])).toBe(
      'NAME     CIDR          SELECTOR   \npool-a   10.0.0.0/16   all()      \n\n',
    );
  });

  it('has at least five characters a column', () => {
    expect(table(['A', 'B'], [['', 'x']])).toBe('A    B    \n     x    \n\n');
  });

  it('prints the heading of an empty list', () => {
    expect(table(['NAME'], [])).toBe('NAME   \n\n');
  });

  it('counts characters, not UTF-16 units', () => {
    expect(table(['NAME'], [['𝔭𝔬𝔬𝔩'], ['abcd']])).toBe('NAME   \n𝔭𝔬𝔬𝔩   \nabcd   \n\n');
  });

  it('lets no cell break its line or steer the terminal', () => {
    // The cell is 13 characters wide when its control characters are written out.
    expect(table(['NAME'], [['a\nb\tc\u001b[31m']])).toBe(`NAME${' '.repeat(12)}\na\\nb\\tc\\e[31m   \n\n`);
  });
});

describe('streamedTable', () => {
  const rows = (count: number): string[][] =>
    Array.from({ length: count }, (_, n) => [n === count - 1 ? 'a-long-name' : 'x']);

  it('is the aligned table up to 500 rows', async () => {
    const all = rows(500);
    expect((await collect(streamedTable(['NAME'], pagesOf(all, 100), false))).join('')).toBe(table(['NAME'], all));
  });

  it('prints before the last page has come when there are more', async () => {
    let read = 0;
    async function* pages() {
      for (let page = 0; page < 10; page++) {
        read++;
        yield Array.from({ length: 500 }, () => ['pool']);
      }
    }
    const iterator = streamedTable(['NAME'], pages(), false)[Symbol.asyncIterator]();
    const first = await iterator.next();
    expect(String(first.value).startsWith('NAME   \npool   \n')).toBe(true);
    expect(read).toBeLessThan(10);
  });

  it('keeps the widths of the first 500 rows, and cells apart', async () => {
    const text = (
      await collect(
        streamedTable(['NAME', 'X'], pagesOf([...rows(501).map(([name]) => [name ?? '', 'y'])], 100), false),
      )
    ).join('');
    const lines = text.split('\n');
    expect(lines[1]).toBe('x      y    ');
    expect(lines[501]).toBe('a-long-name y    ');
    expect(text.endsWith('\n\n')).toBe(true);
  });

  it('aligns all rows when asked to', async () => {
    const all = rows(600);
    expect((await collect(streamedTable(['NAME'], pagesOf(all, 500), true))).join('')).toBe(table(['NAME'], all));
  });
});

describe('printable', () => {
  it.each([
    ['plain é 漢', 'plain é 漢'],
    ['\u001b]0;title\u0007', '\\e]0;title\\u0007'],
    ['\u009b2J', '\\u009b2J'],
    ['a\r\nb', 'a\\r\\nb'],
    ['\u202eright', '\\u202eright'],
  ])('%j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});
