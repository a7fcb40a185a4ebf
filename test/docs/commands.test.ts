// The pages of the commands say what the register says; WRITE_DOCS=1 writes them, and keeps the prose.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commands } from '../../src/commands/tree.ts';
import { commandPage, proseOf } from '../support/pages/command-page.ts';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'commands');
const fileOf = (path: readonly string[]): string => `${path.join('-')}.md`;

it.each(commands.map((command) => [command.path.join(' '), command] as const))(
  'the page of calictl %s says what the register says',
  (_, command) => {
    const file = join(folder, fileOf(command.path));
    const page = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const expected = commandPage(command, proseOf(page));
    if (process.env['WRITE_DOCS']) writeFileSync(file, expected);
    expect(readFileSync(file, 'utf8')).toBe(expected);
  },
);

it('docs/commands has one page per command and no other', () => {
  expect(readdirSync(folder).sort()).toEqual(commands.map(({ path }) => fileOf(path)).sort());
});
