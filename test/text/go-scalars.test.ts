// Truth values and whole numbers as Go's strconv reads them.
import { expect, it } from 'vitest';
import { parseGoBool, parseGoInt } from '../../src/text/go-scalars.ts';

it('truth values are read as Go reads them', () => {
  for (const text of ['1', 't', 'T', 'TRUE', 'true', 'True']) expect(parseGoBool(text)).toBe(true);
  for (const text of ['0', 'f', 'F', 'FALSE', 'false', 'False']) expect(parseGoBool(text)).toBe(false);
  for (const text of ['', 'yes', 'tRUE', ' true', '01', 'constructor', 'toString']) {
    expect(parseGoBool(text)).toBeUndefined();
  }
});

it('64-bit integers are read as Go reads them', () => {
  expect(['0', '007', '+5', '-5', '-0'].map(parseGoInt)).toEqual([0n, 7n, 5n, -5n, 0n]);
  expect(parseGoInt('9223372036854775807')).toBe(9223372036854775807n);
  expect(parseGoInt('-9223372036854775808')).toBe(-9223372036854775808n);
  expect(['9223372036854775808', '-9223372036854775809'].map(parseGoInt)).toEqual(Array(2).fill('value out of range'));
  for (const text of ['', '+', '-', '1.0', '0x10', '1e3', '1_000', ' 1', '1 ', '+-1', '٢']) {
    expect(parseGoInt(text)).toBe('invalid syntax');
  }
});
