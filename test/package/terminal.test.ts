// The packed program at a real terminal (a pty of util-linux's `script`): progress, the question, the answer.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exampleFolder } from '../support/clusters/example-cluster.ts';

const calictl = fileURLToPath(new URL('../../bin/calictl.js', import.meta.url));
const hasScript = spawnSync('script', ['--version']).status === 0;

/** Runs a command line at a terminal of 80 columns with something typed in; `$?` of it is the last line. */
function atTerminal(folder: string, args: string, typed: string): string {
  const line = `stty cols 80; ${process.execPath} ${calictl} --datastore ${folder}/cluster ${args}; echo "exit $?"`;
  const { stdout } = spawnSync('script', ['-qc', line, '/dev/null'], { cwd: folder, input: typed, encoding: 'utf8' });
  return stdout.replaceAll('\r\n', '\n');
}

function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-terminal-'));
  cpSync(exampleFolder, join(folder, 'cluster'), { recursive: true });
  return folder;
}

const contents = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));

describe.skipIf(!hasScript)('on a terminal (needs `script` of util-linux)', () => {
  it('--fix shows its plan on a terminal and does nothing on any answer but yes', () => {
    const folder = copy();
    const shown = atTerminal(folder, 'ipam check --fix --journal j', 'n\n');
    expect(shown).toContain('10.61.0.2');
    expect(shown).toContain('Make these 6 repairs? [y/N]');
    expect(shown).toContain('exit 4');
    expect(contents(join(folder, 'cluster'))).toEqual(contents(exampleFolder));
  }, 60_000);

  it('--fix repairs on the answer yes, with a coloured report', () => {
    const folder = copy();
    const shown = atTerminal(folder, 'ipam check --fix --journal j', 'y\n');
    expect(shown).toContain('6 of 6 applied');
    expect(shown).toContain('\u001b[31merror\u001b[39m INV-18');
    expect(shown).toContain('exit 3');
  }, 60_000);
});
