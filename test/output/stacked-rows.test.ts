// Tables that are too wide for a terminal: what is long stands below its row.
import { expect, test } from 'vitest';
import { tableOrBlocks } from '../../src/output/stacked-rows.ts';

const headings = ['NODE', 'EXPECTED', 'VERDICT', 'WHY'];
const rows = [
  ['a', 'via 192.0.2.1', 'ok', 'a block'],
  ['node-b', 'blackhole\n', 'wrong', 'a block of another node'],
];
const long = new Set(['EXPECTED', 'WHY']);

test('a table that fits stays one', () => {
  const text = [
    'NODE     EXPECTED        VERDICT   WHY',
    'a        via 192.0.2.1   ok        a block',
    'node-b   blackhole\\n     wrong     a block of another node',
    '',
    '',
  ].join('\n');
  for (const columns of [58, Number.POSITIVE_INFINITY]) expect(tableOrBlocks(headings, rows, long, columns)).toBe(text);
});

test('one that is too wide has its long cells below each row', () => {
  expect(tableOrBlocks(headings, rows, long, 30).split('\n')).toEqual([
    'NODE     VERDICT',
    'a        ok',
    '    EXPECTED   via 192.0.2.1',
    '    WHY        a block',
    'node-b   wrong',
    '    EXPECTED   blackhole\\n',
    '    WHY        a block of',
    '               another node',
    '',
    '',
  ]);
});
