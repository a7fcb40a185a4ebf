// The manual pages and the completion scripts of the package are those of the register; WRITE_DOCS=1 writes them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptOf, shells } from '../../src/commands/completion/scripts.ts';
import { commands } from '../../src/commands/tree.ts';
import { mainPage, manName, manPage } from '../support/pages/man-page.ts';

const root = join(import.meta.dirname, '..', '..');
const manifestFile = join(root, 'package.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));

const pages: readonly (readonly [file: string, text: string])[] = [
  ['calictl.1', mainPage(commands, manifest.version)],
  ...commands.map((command) => [`${manName(command)}.1`, manPage(command, manifest.version)] as const),
];

/** The directories, with the files that a shell finds by these names. */
const scriptFiles = { bash: 'calictl.bash', zsh: '_calictl', fish: 'calictl.fish', powershell: 'calictl.ps1' } as const;
const scripts = shells.map((shell) => [scriptFiles[shell], scriptOf(shell)] as const);

describe.each([
  ['man1', pages],
  ['completions', scripts],
])('%s', (folder, files) => {
  it.each(files)(`${folder}/%s says what the register says`, (name, text) => {
    const path = join(root, folder, name);
    if (process.env['WRITE_DOCS']) {
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(path, text);
    }
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it(`${folder} has these files and no other, and the package has them`, () => {
    expect(readdirSync(join(root, folder)).sort()).toEqual(files.map(([name]) => name).sort());
    expect(manifest.files).toContain(folder);
  });
});

it('package.json names every manual page', () => {
  const man = pages.map(([name]) => `man1/${name}`).sort();
  if (process.env['WRITE_DOCS']) writeFileSync(manifestFile, `${JSON.stringify({ ...manifest, man }, undefined, 2)}\n`);
  expect(JSON.parse(readFileSync(manifestFile, 'utf8')).man).toEqual(man);
});

const hasMan = spawnSync('man', ['--version']).status === 0 && spawnSync('groff', ['--version']).status === 0;

it.skipIf(!hasMan).each(pages)('man shows %s without a warning (needs man-db and groff)', (name) => {
  const { status, stdout, stderr } = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', join(root, 'man1', name)], {
    encoding: 'utf8',
    env: { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('EXIT STATUS');
});

describe('the script for PowerShell', () => {
  const script = scriptOf('powershell');

  it('every bracket that it opens is closed in its order', () => {
    const bare = script.replace(/^#.*$/gm, '').replace(/'[^']*'|"[^"]*"/g, '');
    const open: string[] = [];
    for (const [bracket] of bare.matchAll(/[()[\]{}]/g)) {
      if ('([{'.includes(bracket)) open.push(bracket);
      else expect(`${open.pop()}${bracket}`).toMatch(/^(?:\(\)|\[\]|\{\})$/);
    }
    expect(open).toEqual([]);
  });

  it('nothing that calictl answers is evaluated', () => {
    expect(script).not.toMatch(/Invoke-Expression|\biex\b|ExpandString|ScriptBlock\]::Create/i);
  });
});
