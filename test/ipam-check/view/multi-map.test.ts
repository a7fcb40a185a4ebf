import { expect, it } from 'vitest';
import { MultiMap } from '../../../src/ipam-check/view/multi-map.ts';

function example(): MultiMap<string, number> {
  const grouped = new MultiMap<string, number>();
  for (const [key, value] of [
    ['b', 1],
    ['a', 2],
    ['b', 3],
    ['b', 1],
  ] as const)
    grouped.add(key, value);
  return grouped;
}

it('MultiMap returns the values of a key in the order of insertion', () => {
  expect([...example().entries()]).toEqual([
    ['b', [1, 3, 1]],
    ['a', [2]],
  ]);
  expect(example().get('a')).toEqual([2]);
  expect(example().get('c')).toEqual([]);
  expect([example().has('b'), example().has('c')]).toEqual([true, false]);
});
