// Texts broken to a width: at spaces only, each line by itself, colours without width.
import { expect, it } from 'vitest';
import { wrapLines } from '../../src/output/wrap.ts';

it('lines that fit are kept, others continue with a deeper indent', () => {
  const text = 'F1 error: too long for this width\n    do this and that and more\n\n1 of 2.\n';
  expect(wrapLines(text, 20)).toBe(
    'F1 error: too long\n    for this width\n    do this and that\n        and more\n\n1 of 2.\n',
  );
  expect(wrapLines(text, Number.POSITIVE_INFINITY)).toBe(text);
});

it('words are never broken, and colours have no width', () => {
  expect(wrapLines('0123456789012345 6', 10)).toBe('0123456789012345\n    6');
  expect(wrapLines('\u001b[31mred\u001b[39m paint', 9)).toBe('\u001b[31mred\u001b[39m paint');
});
