import { expect, test } from 'vitest';
import { invariantIds, invariants, parseInvariantId } from '../../src/ipam-check/invariants.ts';

test.each([
  ['INV-07', 'INV-07'],
  ['inv-7', 'INV-07'],
  ['53', 'INV-53'],
  [' INV-53 ', 'INV-53'],
])('"%s" is %s', (text, id) => {
  expect(parseInvariantId(text)).toBe(id);
});

test.each(['', 'INV-', 'INV-99', 'INV-530', 'toString', 'INV-0'])('"%s" is no invariant', (text) => {
  expect(parseInvariantId(text)).toBeUndefined();
});

test('every invariant has an id of two digits and plain sentences', () => {
  for (const id of invariantIds) {
    expect(id).toMatch(/^INV-\d\d$/);
    const { title, meaning, whatToDo } = invariants[id];
    expect(title).toMatch(/^[a-z].*[^.]$/);
    expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(whatToDo).toMatch(/^[A-Z].*\.$/);
  }
});
