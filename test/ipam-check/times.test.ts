import { describe, expect, test } from 'vitest';
import { lastWriteMs, parseGoTime } from '../../src/ipam-check/times.ts';

test.each([
  ['2025-11-29 10:41:07.123456789 +0000 UTC', '2025-11-29T10:41:07.123Z'],
  ['2025-11-29 10:41:07.5 +0000 UTC', '2025-11-29T10:41:07.500Z'],
  ['2025-11-29 10:41:07 +0000 UTC', '2025-11-29T10:41:07.000Z'],
  ['2025-11-29 12:41:07 +0200 CEST', '2025-11-29T10:41:07.000Z'],
])('Go writes %s', (text, iso) => {
  expect(parseGoTime(text)).toBe(Date.parse(iso));
});

test.each(['', '2025-11-29T10:41:07Z', 'yesterday', '2025-13-40 10:41:07 +0000 UTC'])(
  '"%s" is no time of Go',
  (text) => {
    expect(parseGoTime(text)).toBeUndefined();
  },
);

describe('the last write of an object', () => {
  test('is the latest of creation and recorded writes', () => {
    const creationTimestamp = '2026-01-01T00:00:00Z';
    expect(lastWriteMs({ name: 'x', creationTimestamp })).toBe(Date.parse(creationTimestamp));
    const managedFields = [{ time: '2026-01-03T00:00:00Z' }, { time: '2026-01-02T00:00:00Z' }, {}];
    expect(lastWriteMs({ name: 'x', creationTimestamp, managedFields })).toBe(Date.parse('2026-01-03T00:00:00Z'));
  });

  test('is unknown without either', () => {
    expect(lastWriteMs({ name: 'x' })).toBeUndefined();
    expect(lastWriteMs({ name: 'x', creationTimestamp: null, managedFields: [] })).toBeUndefined();
  });
});
