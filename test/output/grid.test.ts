// Ruled tables of the ipam commands.
import { describe, expect, it } from 'vitest';
import { grid } from '../../src/output/grid.ts';

describe('grid', () => {
  it('a grid centres headings, aligns numbers to the right and everything else to the left', () => {
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

  it('a grid prints headings in upper case, with the odd space to the right', () => {
    expect(grid(['ab'], [['12345']]).split('\n')[1]).toBe('|  AB   |');
  });

  it('a grid wraps cells longer than 30 characters at spaces', () => {
    const lines = grid(['A', 'B'], [['one two three four five six seven eight', 'x']]).split('\n');
    expect(lines.slice(3, 5)).toEqual([
      '| one two three four five six    | x |',
      '| seven eight                    |   |',
    ]);
  });
});
