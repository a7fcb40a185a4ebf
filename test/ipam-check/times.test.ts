import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainGoTime, lastWriteMs } from '../../src/ipam-check/times.ts';
import { parseGoTime } from '../../src/text/go-time.ts';

it.each([
  ['2025-11-29 10:41:07.123456789 +0000 UTC', '2025-11-29T10:41:07.123Z'],
  ['2025-11-29 10:41:07.5 +0000 UTC', '2025-11-29T10:41:07.500Z'],
  ['2025-11-29 10:41:07 +0000 UTC', '2025-11-29T10:41:07.000Z'],
  ['2025-11-29 12:41:07 +0200 CEST', '2025-11-29T10:41:07.000Z'],
])('parseGoTime reads "%s"', (text, iso) => {
  expect(parseGoTime(text)).toBe(Date.parse(iso));
});

it.each(['', '2025-11-29T10:41:07Z', 'yesterday', '2025-13-40 10:41:07 +0000 UTC'])(
  'parseGoTime rejects "%s"',
  (text) => {
    expect(parseGoTime(text)).toBeUndefined();
  },
);

describe('times recognized without parsing', () => {
  const latest = '2026-01-01 00:00:00 +0000 UTC';

  it.each([
    '2025-11-29 10:41:07.123456789 +0000 UTC',
    '2025-11-29 10:41:07.5 +0000 UTC',
    '2025-11-30 23:59:59 +0000 UTC',
    '2025-12-31 23:59:59.999 +0000 UTC',
  ])('isPlainGoTime recognizes "%s"', (text) => {
    expect(isPlainGoTime(text, latest)).toBe(true);
  });

  it('a time that isPlainGoTime recognizes is valid and not in the future, whatever the text', () => {
    const written = fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => `${date.toISOString().replace('T', ' ').replace('Z', '')} +0000 UTC`);
    const damaged = fc
      .tuple(written, fc.nat(34), fc.constantFrom('', 'x', '9', ' ', '.', ':'))
      .map(([text, at, character]) => text.slice(0, at) + character + text.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(written, damaged, fc.string()), (text) => {
        if (!isPlainGoTime(text, latest)) return;
        expect(parseGoTime(text)).toBeLessThanOrEqual(Date.parse('2026-01-01T00:00:00Z'));
      }),
      { seed: 65, numRuns: 2000 },
    );
  });
});

describe('the last write of an object', () => {
  it('the last write is the latest of the creation and the recorded writes', () => {
    const creationTimestamp = '2026-01-01T00:00:00Z';
    expect(lastWriteMs({ name: 'x', creationTimestamp })).toBe(Date.parse(creationTimestamp));
    const managedFields = [{ time: '2026-01-03T00:00:00Z' }, { time: '2026-01-02T00:00:00Z' }, {}];
    expect(lastWriteMs({ name: 'x', creationTimestamp, managedFields })).toBe(Date.parse('2026-01-03T00:00:00Z'));
  });

  it('the last write is unknown without a creation time and recorded writes', () => {
    expect(lastWriteMs({ name: 'x' })).toBeUndefined();
    expect(lastWriteMs({ name: 'x', creationTimestamp: null, managedFields: [] })).toBeUndefined();
  });
});
