// Numbers as Go's fmt prints them; expected texts are what Go prints.
import { describe, expect, it } from 'vitest';
import { goFiveDigits, goWhole } from '../../src/text/go-number.ts';

describe('%.5g', () => {
  it.each([
    [0, '0'],
    [1, '1'],
    [8, '8'],
    [256, '256'],
    [65536, '65536'],
    [65531, '65531'],
    [99999, '99999'],
    [100000, '1e+05'],
    [131072, '1.3107e+05'],
    [1048576, '1.0486e+06'],
    [16777216, '1.6777e+07'],
    [2 ** 64, '1.8447e+19'],
    [2 ** 128, '3.4028e+38'],
    [1e100, '1e+100'],
    [12.5, '12.5'],
    [0.5, '0.5'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [99999.5, '1e+05'],
    [12345.678, '12346'],
    [-3, '-3'],
  ])('%.5g of %d is %s', (value, text) => {
    expect(goFiveDigits(value)).toBe(text);
  });
});

describe('%.f', () => {
  it.each([
    [0, '0'],
    [0.5, '0'],
    [1.5, '2'],
    [2.5, '2'],
    [12.5, '12'],
    [37.5, '38'],
    [62.5, '62'],
    [87.5, '88'],
    [0.0076, '0'],
    [99.99, '100'],
    [100, '100'],
    [7.8125, '8'],
    [92.1875, '92'],
    // The largest double below one half.
    [0.49999999999999994, '0'],
  ])('%.f of %d is %s', (value, text) => {
    expect(goWhole(value)).toBe(text);
  });
});
