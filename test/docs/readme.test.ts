// The README: its transcript is what the program prints, its npm scripts, links and commands exist, and every command is
// in it or in docs/commands. Its other command lines are run by examples.test.ts.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/tree.ts';
import { argumentsOf, codeBlocks, readme, readmeLines, root, scratchRoot } from '../support/pages/command-lines.ts';
import { PageShell } from '../support/pages/transcript.ts';

/** A line `...` stands for any number of lines. */
const elision = '...\n';

/** What is not printed, in order, of the pieces between the elisions. */
function missingFrom(printed: string, shown: string): string[] {
  const pieces = shown.split(new RegExp(`^${elision.replaceAll('.', '\\.')}`, 'm'));
  let at = 0;
  return pieces.filter((piece, number) => {
    const found = number === 0 && !printed.startsWith(piece) ? -1 : printed.indexOf(piece, at);
    if (found >= 0) at = found + piece.length;
    return found < 0;
  });
}

describe('README', () => {
  it('the transcript of the README is what its commands print', async () => {
    const cwd = scratchRoot();
    const shell = new PageShell(cwd);
    await shell.type('export DATASTORE_TYPE=$PWD/docs/examples/leaky-cluster');
    const transcripts = codeBlocks(readme).filter(({ language }) => language === 'console');
    const parts = transcripts.flatMap(({ text }) => text.split(/^(?=\$ )/m));
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) {
      const line = part.slice('$ '.length, part.indexOf('\n'));
      const printed = await shell.print(line);
      expect({ line, missing: missingFrom(printed, part.slice(part.indexOf('\n') + 1)) }).toEqual({
        line,
        missing: [],
      });
    }
    rmSync(cwd, { recursive: true });
  });

  it('the npm scripts of the README exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const rest = readmeLines.filter((line) => argumentsOf(line) === undefined).flatMap((line) => line.split(' && '));
    const unknown = rest.filter((line) => {
      const [program, word = '', script = ''] = line.split(' ');
      const isKnown = ['ci', 'link'].includes(word) || (word === 'run' ? script : word) in scripts;
      return program !== 'npm' || !isKnown;
    });
    expect(unknown).toEqual([]);
  });

  it('every command is in the README or has a page in docs/commands, which the README links', () => {
    const called = readmeLines.map((line) => (argumentsOf(line) ?? []).join(' '));
    const unknown = commands
      .map(({ path }) => path)
      .filter((path) => !called.some((line) => line.startsWith(path.join(' '))))
      .filter((path) => !existsSync(join(root, 'docs', 'commands', `${path.join('-')}.md`)));
    expect(unknown).toEqual([]);
    expect(readme).toContain('](docs/commands/)');
    expect(readme).toContain('calictl explain ');
  });

  it('the README repairs without --yes, which a script does not need', () => {
    expect(readmeLines).toContain('calictl ipam check --fix');
    expect(readme).not.toContain('--yes');
  });

  it('the README fits on two screens, its command lines into 120 columns', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(100);
    const wide = codeBlocks(readme).flatMap(({ text }) => text.split('\n').filter((line) => line.length > 120));
    expect(wide).toEqual([]);
  });
});
