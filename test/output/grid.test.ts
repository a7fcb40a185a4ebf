// Ruled tables of the ipam commands.
import { describe, expect, it } from 'vitest';
import { grid } from '../../src/output/grid.ts';

describe('grid', () => {
  it('centres headings, puts numbers right and everything else left', () => {
    const text = grid(
      ['GROUPING', 'CIDR', 'IPS TOTAL', 'IPS IN USE', 'IPS FREE'],
      [['IP Pool', '10.65.0.0/16', '65536', '5 (0%)', '65531 (100%)']],
    );
    expect(text).toBe(
      [
        '+----------+--------------+-----------+------------+--------------+',
        '| GROUPING |     CIDR     | IPS TOTAL | IPS IN USE |   IPS FREE   |',
        '+----------+--------------+-----------+------------+--------------+',
        '| IP Pool  | 10.65.0.0/16 |     65536 | 5 (0%)     | 65531 (100%) |',
        '+----------+--------------+-----------+------------+--------------+',
        '',
      ].join('\n'),
    );
  });

  it('puts the odd space of a heading to its right, and headings in upper case', () => {
    expect(grid(['ab'], [['12345']]).split('\n')[1]).toBe('|  AB   |');
  });

  it('wraps at spaces what is longer than 30 characters', () => {
    const lines = grid(['A', 'B'], [['one two three four five six seven eight', 'x']]).split('\n');
    expect(lines.slice(3, 5)).toEqual([
      '| one two three four five six    | x |',
      '| seven eight                    |   |',
    ]);
  });
});
