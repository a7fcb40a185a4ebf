// edit in the built program: the editor has the terminal, Ctrl-C is for the editor, and a killed edit leaves the file.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/program/until.ts';

const calictl = fileURLToPath(new URL('../../bin/calictl.js', import.meta.url));
const hasScript = spawnSync('script', ['--version']).status === 0;
const pool = 'apiVersion: projectcalico.org/v3\nkind: IPPool\nmetadata: {name: pool-1}\nspec: {cidr: 10.1.0.0/16}\n';

const root = mkdtempSync(join(tmpdir(), 'calictl-edit-package-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const at = (name: string): string => join(root, name);

function editor(script: string): string {
  writeFileSync(at('editor'), `#!/bin/sh\n${script}\n`);
  chmodSync(at('editor'), 0o755);
  return at('editor');
}

const env = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: root,
  TMPDIR: at('tmp'),
  DATASTORE_TYPE: at('cluster'),
  EDITOR: at('editor'),
});
const stored = (): string => readFileSync(at('cluster/pool.yaml'), 'utf8');
/** The files of edits that are there. */
const kept = (): string[] =>
  readdirSync(at('tmp')).flatMap((name) => readdirSync(at(`tmp/${name}`)).map((file) => at(`tmp/${name}/${file}`)));

beforeEach(() => {
  for (const name of ['cluster', 'tmp']) {
    rmSync(at(name), { recursive: true, force: true });
    mkdirSync(at(name));
  }
  rmSync(at('ready'), { force: true });
  writeFileSync(at('cluster/pool.yaml'), pool);
});

const always = `sed -i 's/vxlanMode: Never/vxlanMode: Always/' "$1"`;

describe.skipIf(!hasScript)('edit on a terminal (needs `script` of util-linux)', () => {
  /** Runs edit at a terminal, and types the text when the editor is ready. */
  async function atTerminal(typed: string): Promise<string> {
    // The shell, too, is in the terminal's group: it goes on.
    const line = `trap : INT; ${process.execPath} ${calictl} edit ippool pool-1; echo "exit $?"`;
    const child = spawn('script', ['-qc', line, '/dev/null'], { env: env(), stdio: ['pipe', 'pipe', 'ignore'] });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    await until(() => existsSync(at('ready')), 'the editor is ready');
    child.stdin.write(typed);
    await once(child, 'close');
    return shown.replaceAll('\r\n', '\n');
  }

  it('the editor reads from the terminal and writes to it', async () => {
    editor(
      `[ -t 0 ] && [ -t 1 ] && echo 'at a terminal'\ntouch ${at('ready')}\nread answer\n[ "$answer" = go ] && ${always}`,
    );
    const shown = await atTerminal('go\n');
    expect(shown).toContain('at a terminal');
    expect(shown).toMatch(/ippool\/pool-1 edited\nexit 0\n$/);
    expect(stored()).toContain('vxlanMode: Always');
    expect(kept()).toEqual([]);
  }, 60_000);

  it('Ctrl-C in an editor that has its own use for it does not end the edit', async () => {
    editor(`trap 'caught=yes' INT\ntouch ${at('ready')}\nwhile [ -z "$caught" ]; do sleep 0.1; done\n${always}`);
    expect(await atTerminal('\u0003')).toMatch(/ippool\/pool-1 edited\nexit 0\n$/);
    expect(stored()).toContain('vxlanMode: Always');
  }, 60_000);

  it('Ctrl-C that ends the editor ends the edit with 130, and keeps what was saved', async () => {
    editor(`${always}\ntouch ${at('ready')}\nexec sleep 60`);
    const shown = await atTerminal('\u0003');
    expect(shown).toContain('exit 130\n');
    const [file = ''] = kept();
    expect(shown).toContain(file);
    expect(readFileSync(file, 'utf8')).toContain('vxlanMode: Always');
    expect(stored()).toBe(pool);
  }, 60_000);
});

describe('signals during an edit', () => {
  async function signalled(signal: NodeJS.Signals): Promise<{ readonly end: unknown; readonly stderr: string }> {
    editor(`${always}\necho $$ > ${at('ready')}\nexec sleep 60`);
    const child = spawn(process.execPath, [calictl, 'edit', 'ippool', 'pool-1'], {
      env: env(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await until(() => existsSync(at('ready')) && readFileSync(at('ready'), 'utf8') !== '', 'the editor is ready');
    child.kill(signal);
    const [code, by] = await once(child, 'exit');
    return { end: code ?? by, stderr };
  }

  it('SIGTERM ends the editor and the edit with 130, and keeps what was saved', async () => {
    const { end, stderr } = await signalled('SIGTERM');
    expect(end).toBe(130);
    const [file = ''] = kept();
    expect(stderr).toContain(`Your changes are in ${file}, which is kept.`);
    expect(readFileSync(file, 'utf8')).toContain('vxlanMode: Always');
    expect(stored()).toBe(pool);
  }, 60_000);

  it('SIGKILL leaves what was saved, and nothing is half written', async () => {
    expect((await signalled('SIGKILL')).end).toBe('SIGKILL');
    process.kill(Number(readFileSync(at('ready'), 'utf8')));
    expect(readFileSync(kept()[0] ?? '', 'utf8')).toContain('vxlanMode: Always');
    expect(stored()).toBe(pool);
  }, 60_000);
});
