// The built program when it is to write below /proc, below a device, or with such a working or temporary folder: it ends soon
// with the place and the reason, and does no work for what cannot be kept.
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
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleFolder } from '../support/clusters/example-cluster.ts';
import { type BuiltResult, runBuilt } from '../support/program/built-program.ts';

let top = '';
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-unwritable-'));
  // A kubectl that answers everything and records that it was asked.
  mkdirSync(join(top, 'bin'));
  const kubectl = join(top, 'bin', 'kubectl');
  writeFileSync(
    kubectl,
    `#!/bin/sh\necho "$*" >> ${join(top, 'asked')}\ncase "$*" in *json*) echo '{"items":[]}';; esac\n`,
  );
  chmodSync(kubectl, 0o755);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://127.0.0.1:9' } }],
    users: [{ name: 'u', user: { token: 'of-u' } }],
  };
  writeFileSync(join(top, 'kubeconfig'), JSON.stringify(config));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const env = (more: Record<string, string> = {}): Record<string, string> => ({
  PATH: `${join(top, 'bin')}${delimiter}${process.env['PATH']}`,
  HOME: top,
  KUBECONFIG: join(top, 'kubeconfig'),
  ...more,
});

function expectRefusal({ exit, signal, stderr }: BuiltResult, place: string): void {
  expect({ exit, signal }).toEqual({ exit: 1, signal: null });
  expect(stderr).toContain(place);
  expect(stderr).toMatch(/no such file or directory|not a directory/);
  expect(stderr).not.toContain('INTERNAL');
}

describe('places that cannot be written', () => {
  it.each(['/proc/x/y', '/proc/self/x', '/dev/null/x'])('an output at %s is refused by name', async (place) => {
    for (const args of [
      ['snapshot', 'save', place],
      ['snapshot', 'save', `${place}.tgz`],
      ['ipam', 'check', '--report', place],
    ]) {
      expectRefusal(await runBuilt(['--datastore', exampleFolder, ...args], { env: env() }), place);
    }
  });

  it('cluster diags in a directory that cannot be written asks kubectl for nothing but its version', async () => {
    rmSync(join(top, 'asked'), { force: true });
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('calictl-diags-'));
    const result = await runBuilt(['cluster', 'diags'], { env: env(), cwd: '/proc' });
    expectRefusal(result, '/proc/calico-diagnostics-');
    expect(result.stderr).toContain('hint: Run the command in a writable directory.');
    expect(readFileSync(join(top, 'asked'), 'utf8').trim().split('\n')).toHaveLength(1);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('calictl-diags-'))).toEqual(before);
  });

  it('cluster diags that is continued in a directory that cannot be written keeps what it has', async () => {
    const folder = join(top, 'interrupted');
    mkdirSync(join(folder, 'calico-diagnostics-20260101_000000'), { recursive: true });
    const result = await runBuilt(['cluster', 'diags', '--resume', folder], { env: env(), cwd: '/proc' });
    expectRefusal(result, '/proc/calico-diagnostics-20260101_000000');
    expect(result.stderr).toContain(`calictl cluster diags --resume ${folder}`);
    expect(existsSync(folder)).toBe(true);
  });

  it('a temporary directory that cannot be written is named', async () => {
    expectRefusal(await runBuilt(['cluster', 'diags'], { env: env({ TMPDIR: '/proc' }), cwd: top }), 'in /proc: ');
  });
});
