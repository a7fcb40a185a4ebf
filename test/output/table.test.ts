// Tables of calictl's own commands: one line per row where nobody looks, cells wrapped at words on a narrow terminal.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/output/display-width.ts';
import { type Cell, textTable } from '../../src/output/table.ts';

const headings = ['NODE', 'EXPECTED', 'VERDICT', 'WHY'];
const rows = [
  ['a', 'via 192.0.2.1', 'ok', 'a block'],
  ['node-b', 'blackhole', 'wrong', 'a block of another node'],
];
const onOneLineEach = [
  'NODE     EXPECTED        VERDICT   WHY',
  'a        via 192.0.2.1   ok        a block',
  'node-b   blackhole       wrong     a block of another node',
  '',
].join('\n');

const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);

describe('textTable', () => {
  it('a text table prints one line per row where it fits, and always off a terminal', () => {
    for (const columns of [58, 200, Number.POSITIVE_INFINITY]) {
      expect(textTable(headings, rows, columns)).toBe(onOneLineEach);
    }
  });

  it('a text table narrows the gaps before it wraps a cell', () => {
    expect(linesOf(textTable(headings, rows, 57))[2]).toBe('node-b  blackhole      wrong    a block of another node');
  });

  it('a text table wraps the widest columns at words and leaves short columns their width', () => {
    expect(linesOf(textTable(headings, rows, 44))).toEqual([
      'NODE    EXPECTED       VERDICT  WHY',
      'a       via 192.0.2.1  ok       a block',
      'node-b  blackhole      wrong    a block of',
      '                                another node',
    ]);
    expect(linesOf(textTable(headings, rows, 40))).toEqual([
      'NODE    EXPECTED   VERDICT  WHY',
      'a       via        ok       a block',
      '        192.0.2.1',
      'node-b  blackhole  wrong    a block of',
      '                            another node',
    ]);
  });

  it('a text table breaks words, behind punctuation where it can, only when the longest do not fit next to each other', () => {
    const long = [['worker-1', 'fd00:10:244:aaaa:bbbb:cccc:dddd:eee0/122', '0123456789012345678901234567890123456789']];
    expect(linesOf(textTable(['NODE', 'DESTINATION', 'HANDLE'], long, 60))).toEqual([
      'NODE      DESTINATION               HANDLE',
      'worker-1  fd00:10:244:aaaa:bbbb:    012345678901234567890123',
      '          cccc:dddd:eee0/122        4567890123456789',
    ]);
    const [, row] = linesOf(textTable(['NODE', 'DESTINATION', 'HANDLE'], long, 92));
    expect(row).toBe(`worker-1  ${long[0]?.[1]}  ${long[0]?.[2]}`);
  });

  it('a text table does not wrap on a terminal that is too narrow for the headings', () => {
    expect(textTable(headings, rows, 25)).toBe(onOneLineEach);
  });

  it('a text table does not wrap more than 200 rows', () => {
    const of = (count: number): string[][] => Array.from({ length: count }, () => ['node-b', 'the same long text']);
    expect(linesOf(textTable(['NODE', 'WHY'], of(200), 20))).toHaveLength(1 + 2 * 200);
    expect(linesOf(textTable(['NODE', 'WHY'], of(201), 20))).toHaveLength(1 + 201);
  });

  it('a text table colours each line of a cell, without the blanks', () => {
    const red: Cell = { text: 'no such node', paint: (text) => `\u001b[31m${text}\u001b[39m` };
    expect(linesOf(textTable(['WHY', 'NODE'], [[red, 'a']], 13))).toEqual([
      'WHY      NODE',
      '\u001b[31mno such\u001b[39m  a',
      '\u001b[31mnode\u001b[39m',
    ]);
    expect(linesOf(textTable(['WHY', 'NODE'], [[red, 'a']], 80))[1]).toBe('\u001b[31mno such node\u001b[39m   a');
  });

  it('a text table counts wide characters as two columns and combining ones as none', () => {
    for (const columns of [80, Number.POSITIVE_INFINITY]) {
      expect(
        linesOf(
          textTable(
            ['NAME', 'X'],
            [
              ['漢字', 'a'],
              ['e\u0301', 'b'],
            ],
            columns,
          ),
        ),
      ).toEqual(['NAME   X', '漢字   a', 'e\u0301      b']);
    }
  });

  it('a text table cell cannot break its line or send control characters', () => {
    expect(textTable(['NAME'], [['a\nb\tc\u001b[31m']], 80)).toBe('NAME\na\\nb\\tc\\e[31m\n');
  });

  it('a text table has no blanks at the end of a line', () => {
    expect(
      textTable(
        ['NAME', 'PROBLEM'],
        [
          ['a', ''],
          ['', ''],
        ],
        80,
      ),
    ).toBe('NAME   PROBLEM\na\n\n');
  });

  it('a text table prints the headings of an empty list', () => {
    expect(textTable(['NAME', 'NODE'], [], 80)).toBe('NAME   NODE\n');
  });

  it('a text table loses no character, and is not wider than the terminal unless it cannot wrap', () => {
    const word = fc.string({ maxLength: 30, unit: fc.constantFrom('a', 'b', '7', '.', '/', '漢') });
    const cell = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 });
    const letters = (text: string): string =>
      [...text]
        .filter((one) => !/\s/.test(one))
        .sort()
        .join('');
    fc.assert(
      fc.property(table, fc.integer({ min: 20, max: 120 }), (cells, columns) => {
        const text = textTable(['ONE', 'SECOND ONE', 'C'], cells, columns);
        expect(letters(text)).toBe(letters(`ONE SECOND ONE C ${cells.flat().join(' ')}`));
        const lines = linesOf(text);
        const widest = Math.max(...lines.map(displayWidth));
        expect(widest <= columns || lines.length === 1 + cells.length).toBe(true);
        expect(lines.every((line) => line === line.trimEnd())).toBe(true);
      }),
      { seed: 20261201, numRuns: 300 },
    );
  });
});
