import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { faultsPage } from '../support/pages/node-faults.ts';

const page = new URL('../../docs/reference/node-faults.md', import.meta.url);

it('docs/reference/node-faults.md is what the catalogue says', () => {
  if (process.env['WRITE_DOCS']) writeFileSync(page, faultsPage());
  expect(readFileSync(page, 'utf8')).toBe(faultsPage());
});
