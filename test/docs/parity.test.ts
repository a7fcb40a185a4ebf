import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parityPage } from '../support/pages/parity-differences.ts';

const page = new URL('../../docs/reference/parity.md', import.meta.url);

it('docs/reference/parity.md has the differences that the generated scenarios allow', () => {
  const text = readFileSync(page, 'utf8');
  if (process.env['WRITE_DOCS']) writeFileSync(page, parityPage(text));
  expect(readFileSync(page, 'utf8')).toBe(parityPage(text));
});
