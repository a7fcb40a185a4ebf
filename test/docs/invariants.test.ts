import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { invariantsPage } from '../support/pages/invariants.ts';

const page = new URL('../../docs/reference/invariants.md', import.meta.url);

it('docs/reference/invariants.md is what the code says', () => {
  if (process.env['WRITE_DOCS']) writeFileSync(page, invariantsPage());
  expect(readFileSync(page, 'utf8')).toBe(invariantsPage());
});
