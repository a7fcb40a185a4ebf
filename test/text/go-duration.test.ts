// Go durations, read and printed.
import { describe, expect, it } from 'vitest';
import { formatGoDuration, normalGoDuration, parseGoDuration, shortDuration } from '../../src/text/go-duration.ts';

describe('parseGoDuration', () => {
  it.each([
    ['15m', 900_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['250ms', 250],
    ['1us', 0.001],
    ['-2s', -2000],
    ['0', 0],
    ['.5h', 1_800_000],
  ])('parseGoDuration reads %s', (text, ms) => expect(parseGoDuration(text)).toBeCloseTo(ms, 9));

  it.each(['', '5', 'm', '1d', '1 h', '1h-2m', '15 minutes', '.s'])('parseGoDuration refuses %j', (text) =>
    expect(parseGoDuration(text)).toBeUndefined(),
  );
});

describe('formatGoDuration', () => {
  it.each([
    [900_000, '15m0s'],
    [3_600_000, '1h0m0s'],
    [90_000, '1m30s'],
    [1500, '1.5s'],
    [250, '250ms'],
    [1.5, '1.5ms'],
    [0.25, '250µs'],
    [0.000001, '1ns'],
    [-2000, '-2s'],
    [0, '0s'],
    [90_061_001, '25h1m1.001s'],
  ])('formatGoDuration prints %d ms as Go does', (ms, text) => expect(formatGoDuration(ms)).toBe(text));

  it('normalGoDuration keeps an invalid duration as it is', () => {
    expect(normalGoDuration('5m')).toBe('5m0s');
    expect(normalGoDuration('soon')).toBe('soon');
  });
});

it('shortDuration prints the two largest units', () => {
  expect([0, 40_000, 900_000, 7_500_000, 273_600_000, -5].map(shortDuration)).toEqual([
    '0s',
    '40s',
    '15m',
    '2h5m',
    '3d4h',
    '0s',
  ]);
});
