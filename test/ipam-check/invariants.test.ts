import { expect, it } from 'vitest';
import { invariantIds, invariants, parseInvariantId } from '../../src/ipam-check/invariants.ts';

it.each([
  ['INV-07', 'INV-07'],
  ['inv-7', 'INV-07'],
  ['53', 'INV-53'],
  [' INV-53 ', 'INV-53'],
])('"%s" is parsed as %s', (text, id) => {
  expect(parseInvariantId(text)).toBe(id);
});

it.each(['', 'INV-', 'INV-99', 'INV-530', 'toString', 'INV-0'])('"%s" is not an invariant', (text) => {
  expect(parseInvariantId(text)).toBeUndefined();
});

it('every invariant has an ID with two digits and complete sentences', () => {
  for (const id of invariantIds) {
    expect(id).toMatch(/^INV-\d\d$/);
    const { title, meaning, whatToDo } = invariants[id];
    expect(title).toMatch(/^[a-z].*[^.]$/);
    expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(whatToDo).toMatch(/^[A-Z].*\.$/);
  }
});
