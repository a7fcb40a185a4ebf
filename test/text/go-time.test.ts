import { expect, it } from 'vitest';
import { goTimeText } from '../../src/text/go-time.ts';

it.each([
  ['2026-03-02T09:15:00.000Z', '2026-03-02 09:15:00 +0000 UTC'],
  ['2026-03-02T09:15:00.250Z', '2026-03-02 09:15:00.25 +0000 UTC'],
  ['2026-03-02T09:15:10.007Z', '2026-03-02 09:15:10.007 +0000 UTC'],
  ['1970-01-01T00:00:00.000Z', '1970-01-01 00:00:00 +0000 UTC'],
])('goTimeText of %s is %s', (iso, text) => {
  expect(goTimeText(new Date(iso))).toBe(text);
});
