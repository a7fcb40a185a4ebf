// edit over folders, with programs as editors: scripts that change the file that they are given.
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
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Ran, run } from '../support/program/world.ts';

const pool = (name: string, spec = '', metadata = ''): string => `apiVersion: projectcalico.org/v3
kind: IPPool
metadata:
  name: ${name}
${metadata}spec:
  cidr: 10.${name.replace(/\D/g, '')}.0.0/16
${spec}`;

const made: string[] = [];
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

interface EditRun extends Ran {
  /** The file that was kept, when its path was printed. */
  readonly kept: string | undefined;
}

interface Edit {
  readonly path: string;
  /** Runs with an editor: a script whose `$1` is the file, and which can count its runs in `$RUNS`. */
  edit(line: string, script: string, terminal?: boolean): Promise<EditRun>;
  calictl(line: string): Promise<Ran>;
  stored(file: string): string;
  /** The text that the editor was given in each of its runs. */
  shown(): string[];
}

function folder(files: Readonly<Record<string, string>>): Edit {
  const root = mkdtempSync(join(tmpdir(), 'calictl-edit-test-'));
  made.push(root);
  const path = join(root, 'cluster');
  const runs = join(root, 'runs');
  for (const directory of [path, runs]) mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  const env = { DATASTORE_TYPE: path, HOME: root };
  return {
    path,
    calictl: (line) => run(line, { env }),
    async edit(line, script, terminal = false) {
      const editor = join(root, 'my editor');
      writeFileSync(
        editor,
        `#!/bin/sh\nset -e\nRUNS=$(ls ${runs} | wc -l)\ncp "$1" ${runs}/$RUNS\nPATH=${process.env['PATH']}\n${script}\n`,
      );
      chmodSync(editor, 0o755);
      const ran = await run(line, {
        env: { ...env, PATH: process.env['PATH'] ?? '', EDITOR: `'${editor}'` },
        terminal,
      });
      return { ...ran, kept: /changes are in (\S+), which is kept\.$/m.exec(ran.stderr)?.[1] };
    },
    stored: (file) => readFileSync(join(path, file), 'utf8'),
    shown: () => readdirSync(runs).map((name) => readFileSync(join(runs, name), 'utf8')),
  };
}

const change = (from: string, to: string): string => `sed -i 's/${from}/${to}/' "$1"`;

describe('calictl edit', () => {
  it('what the editor changes is written, and the temporary file is gone', async () => {
    const { edit, stored } = folder({ 'one.yaml': pool('pool-1', '  natOutgoing: false\n') });
    const where = join(tmpdir(), `calictl-edited-${process.pid}`);
    const { code, stdout, stderr } = await edit(
      'edit ippool pool-1',
      `echo "$1" > ${where}; ${change('vxlanMode: Never', 'vxlanMode: Always')}`,
    );
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'ippool/pool-1 edited\n', stderr: '' });
    expect(stored('one.yaml')).toContain('vxlanMode: Always');
    const file = readFileSync(where, 'utf8').trim();
    rmSync(where);
    expect(basename(file)).toBe('ippool-pool-1.yaml');
    expect(existsSync(dirname(file))).toBe(false);
  });

  it('only the user can read the file and enter its directory', async () => {
    const { edit, path } = folder({ 'one.yaml': pool('pool-1') });
    await edit('edit ippool pool-1', `stat -c %a "$1" "$(dirname "$1")" > ${path}/modes`);
    expect(readFileSync(join(path, 'modes'), 'utf8')).toBe('600\n700\n');
  });

  it('an unchanged file cancels the edit', async () => {
    const { edit, stored } = folder({ 'one.yaml': pool('pool-1') });
    expect(await edit('edit ippool pool-1', 'true')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Edit cancelled, no changes made.\n',
    });
    expect(stored('one.yaml')).toBe(pool('pool-1'));
  });

  it('an edit that changes spaces and comments only is cancelled', async () => {
    const { edit, stored } = folder({ 'one.yaml': pool('pool-1') });
    const { stderr } = await edit('edit ippool pool-1', `${change('name: pool-1', 'name:   "pool-1" # mine')}`);
    expect(stderr).toBe('Edit cancelled, no changes made.\n');
    expect(stored('one.yaml')).toBe(pool('pool-1'));
  });

  it('an empty file cancels the edit', async () => {
    const { edit, stored } = folder({ 'one.yaml': pool('pool-1') });
    const { code, stderr } = await edit('edit ippool pool-1', 'echo "# nothing" > "$1"');
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Edit cancelled, the saved file is empty.\n' });
    expect(stored('one.yaml')).toBe(pool('pool-1'));
  });

  it('on a terminal an invalid text is opened again, with each reason and its line at the top', async () => {
    const { edit, stored, shown } = folder({ 'one.yaml': pool('pool-1') });
    const script = `if [ $RUNS = 0 ]; then ${change('blockSize: 26', 'blockSize: many')}; ${change('cidr:', 'cdir:')}
      else ${change('blockSize: many', 'blockSize: 26')}; ${change('cdir:', 'cidr:')}; ${change('vxlanMode: Never', 'vxlanMode: Always')}; fi`;
    const { code, stdout, stderr } = await edit('edit ippool pool-1', script, true);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'ippool/pool-1 edited\n', stderr: '' });
    expect(stored('one.yaml')).toContain('vxlanMode: Always');
    const again = shown()[1]?.split('\n') ?? [];
    const reasons = again.filter((line) => line.startsWith('# - line '));
    expect(reasons).toHaveLength(2);
    for (const [reason, line] of [
      ['spec.blockSize must be an integer', '  blockSize: many'],
      ['spec.cdir is not a field', '  cdir: 10.1.0.0/16'],
    ] as const) {
      const found = reasons.find((text) => text.includes(`IPPool pool-1: ${reason}`)) ?? '';
      expect(again[Number(/line (\d+):/.exec(found)?.[1]) - 1]).toBe(line);
    }
  });

  it('saving the same invalid text again ends with 2, and the file is kept', async () => {
    const { edit, stored } = folder({ 'one.yaml': pool('pool-1') });
    const { code, stdout, stderr, kept } = await edit(
      'edit ippool pool-1',
      change('blockSize: 26', 'blockSize: many'),
      true,
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('edit cancelled, no valid changes were saved');
    expect(stderr).toContain('IPPool pool-1: spec.blockSize must be an integer');
    expect(readFileSync(kept ?? '', 'utf8')).toContain('blockSize: many');
    made.push(dirname(kept ?? ''));
    expect(stored('one.yaml')).toBe(pool('pool-1'));
  });

  it('without a terminal an invalid text is an error at once, and the file is kept', async () => {
    const { edit, shown } = folder({ 'one.yaml': pool('pool-1') });
    const { code, stderr, kept } = await edit('edit ippool pool-1', 'echo "a: [" > "$1"');
    expect(code).toBe(2);
    expect(stderr).toContain('the saved text is not valid');
    expect(readFileSync(kept ?? '', 'utf8')).toBe('a: [\n');
    made.push(dirname(kept ?? ''));
    expect(shown()).toHaveLength(1);
  });

  it('a change that the rules of the kind forbid is not written, and the file is kept', async () => {
    const { edit, stored } = folder({ 'one.yaml': pool('pool-1'), 'two.yaml': pool('pool-2') });
    const { code, stderr, kept } = await edit('edit ippool pool-2', change('10.2.0.0', '10.1.0.0'));
    expect(code).toBe(2);
    expect(stderr).toContain('IPPool pool-2');
    expect(readFileSync(kept ?? '', 'utf8')).toContain('cidr: 10.1.0.0/16');
    made.push(dirname(kept ?? ''));
    expect(stored('two.yaml')).toBe(pool('pool-2'));
  });

  it('a change that another client made in between is not overwritten, and the file is kept', async () => {
    const { edit, stored, path } = folder({ 'one.yaml': pool('pool-1', '', '  resourceVersion: "5"\n') });
    const other = pool('pool-1', '  disabled: true\n', '  resourceVersion: "6"\n');
    const { code, stdout, stderr, kept } = await edit(
      'edit ippool pool-1',
      `printf '%s' '${other}' > ${path}/one.yaml; ${change('vxlanMode: Never', 'vxlanMode: Always')}`,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('IPPool pool-1 was changed in the meantime');
    // Nobody is advised to write over the change of the other client.
    expect(stderr).not.toContain('overwrite');
    expect(readFileSync(kept ?? '', 'utf8')).toContain('vxlanMode: Always');
    made.push(dirname(kept ?? ''));
    expect(stored('one.yaml')).toBe(other);
  });

  it('metadata that no write takes over cannot be removed', async () => {
    const { edit, stored } = folder({ 'one.yaml': pool('pool-1', '', '  finalizers: [example.com/a]\n') });
    const before = stored('one.yaml');
    const { code, stderr, kept } = await edit('edit ippool pool-1', `sed -i '/finalizers:/,+1d' "$1"`);
    made.push(dirname(kept ?? ''));
    expect(code).toBe(2);
    expect(stderr).toContain('IPPool pool-1: metadata.finalizers cannot be changed; only labels and annotations can');
    expect(stored('one.yaml')).toBe(before);
  });

  it('the revision that was read counts, also when the user changes or deletes that line', async () => {
    const { edit, stored } = folder({ 'one.yaml': pool('pool-1', '', '  resourceVersion: "5"\n') });
    const script = `sed -i -e /resourceVersion/d -e 's/vxlanMode: Never/vxlanMode: Always/' "$1"`;
    expect((await edit('edit ippool pool-1', script)).code).toBe(0);
    expect(stored('one.yaml')).toContain('vxlanMode: Always');
  });

  it('several objects are one List, of which only the changed ones are written', async () => {
    const { edit, shown, stored } = folder({ 'one.yaml': pool('pool-1'), 'two.yaml': pool('pool-2') });
    const script = `sed -i '/cidr: 10.2/,$ s/vxlanMode: Never/vxlanMode: Always/' "$1"`;
    const { code, stdout } = await edit('edit ippool/pool-1 ippool/pool-2', script);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ippool/pool-2 edited\n' });
    expect(shown()[0]).toMatch(/^apiVersion: v1\nitems:\n- apiVersion: projectcalico.org\/v3\n/m);
    expect(stored('one.yaml')).toBe(pool('pool-1'));
    expect(stored('two.yaml')).toContain('vxlanMode: Always');
  });

  it('of several objects, those that can be written are, and the others are kept in the file', async () => {
    const { edit, stored, path } = folder({ 'one.yaml': pool('pool-1'), 'two.yaml': pool('pool-2') });
    const other = pool('pool-1', '  disabled: true\n');
    const { code, stdout, kept } = await edit(
      'edit ippool pool-1 pool-2',
      `printf '%s' '${other}' > ${path}/one.yaml; ${change('vxlanMode: Never', 'vxlanMode: Always')}`,
    );
    expect({ code, stdout }).toEqual({ code: 5, stdout: 'ippool/pool-2 edited\n' });
    const text = readFileSync(kept ?? '', 'utf8');
    expect(text).toContain('name: pool-1');
    expect(text).toContain('vxlanMode: Always');
    expect(text).not.toContain('pool-2');
    made.push(dirname(kept ?? ''));
    expect(stored('one.yaml')).toBe(other);
  });

  it('-f edits the stored objects that the manifests name, not the manifests', async () => {
    const { edit, stored } = folder({ 'one.yaml': pool('pool-1', '  natOutgoing: true\n') });
    const manifest = join(mkdtempSync(join(tmpdir(), 'calictl-edit-manifest-')), 'pool.yaml');
    made.push(dirname(manifest));
    writeFileSync(manifest, pool('pool-1'));
    expect((await edit(`edit -f ${manifest}`, change('natOutgoing: true', 'natOutgoing: false'))).code).toBe(0);
    expect(stored('one.yaml')).not.toContain('natOutgoing: true');
    expect(readFileSync(manifest, 'utf8')).toBe(pool('pool-1'));
  });

  it('fields that calictl does not know and integers beyond 2^53 survive, digit by digit', async () => {
    const unknown = '  future:\n    big: 9007199254740993\n    text: "010"\n';
    const { edit, stored } = folder({ 'one.yaml': pool('pool-1', unknown) });
    const { code, stderr } = await edit('edit ippool pool-1', change('vxlanMode: Never', 'vxlanMode: Always'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stored('one.yaml')).toContain('big: 9007199254740993');
    expect(stored('one.yaml')).toMatch(/text: ['"]010['"]/);
    expect(stored('one.yaml')).toContain('vxlanMode: Always');
  });

  it.each([
    ['name', change('name: pool-1', 'name: pool-9'), 'IPPool pool-9 is not one of the edited objects'],
    ['uid', `sed -i 's/^metadata:/metadata:\\n  uid: abc/' "$1"`, 'metadata.uid cannot be changed'],
    [
      'finalizers',
      `sed -i 's/^metadata:/metadata:\\n  finalizers: [a]/' "$1"`,
      'metadata.finalizers cannot be changed',
    ],
  ])('a changed %s is refused', async (_, script, message) => {
    const { edit, stored } = folder({ 'one.yaml': pool('pool-1') });
    const { code, stderr, kept } = await edit('edit ippool pool-1', script);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    made.push(dirname(kept ?? ''));
    expect(stored('one.yaml')).toBe(pool('pool-1'));
  });

  it('an editor that fails writes nothing; what it saved is kept', async () => {
    const { edit, stored } = folder({ 'one.yaml': pool('pool-1') });
    const { code, stderr, kept } = await edit('edit ippool pool-1', `${change('Never', 'Always')}; exit 3`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/the editor .* ended with exit code 3: nothing was written/);
    expect(readFileSync(kept ?? '', 'utf8')).toContain('Always');
    made.push(dirname(kept ?? ''));
    expect(stored('one.yaml')).toBe(pool('pool-1'));
    expect((await edit('edit ippool pool-1', 'exit 3')).kept).toBeUndefined();
  });

  it('KUBE_EDITOR goes before EDITOR, and its arguments reach it without a shell', async () => {
    const { path, calictl } = folder({ 'one.yaml': pool('pool-1') });
    const env = { DATASTORE_TYPE: path, PATH: process.env['PATH'] ?? '', EDITOR: '/nosuch/editor' };
    const edited = await run('edit ippool pool-1', {
      env: { ...env, KUBE_EDITOR: `sed -i -e 's/vxlanMode: Never/vxlanMode: Always/;s/$(id)/x/'` },
    });
    expect(edited).toMatchObject({ code: 0, stdout: 'ippool/pool-1 edited\n' });
    expect((await calictl('get ippool pool-1 -o jsonpath={.spec.vxlanMode}')).stdout).toBe('Always');
    const missing = await run('edit ippool pool-1', { env });
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('the editor /nosuch/editor cannot be started: not found');
  });

  it('without a terminal and without an editor in the environment it says so', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    const { code, stderr } = await calictl('edit ippool pool-1');
    expect(code).toBe(2);
    expect(stderr).toContain('there is no terminal for an editor');
  });

  it('what cannot be changed is refused before the editor starts', async () => {
    const { edit, shown } = folder({
      'config.yaml': 'apiVersion: crd.projectcalico.org/v1\nkind: IPAMConfig\nmetadata: {name: default}\nspec: {}\n',
    });
    const { code, stderr } = await edit('edit ipamconfig default', 'true');
    expect(code).toBe(1);
    expect(stderr).toContain('IPAMConfig default cannot be changed');
    expect((await edit('edit ippool nosuch', 'true')).stderr).toContain('does not exist');
    expect(shown()).toEqual([]);
  });
});
