// The built program, given a pipe, a folder or an endless device wherever a person or a kubeconfig can name a file: it ends,
// says which file is none, and does not end as by a defect.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pMap from 'p-map';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleFolder } from '../support/clusters/example-cluster.ts';
import { type BuiltResult, runBuilt } from '../support/program/built-program.ts';

let top = '';
const special: Record<string, () => string> = {
  pipe: () => join(top, 'pipe'),
  folder: () => join(top, 'folder'),
  'endless device': () => '/dev/zero',
  'file of 1 TiB': () => join(top, 'large'),
};
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-special-'));
  execFileSync('mkfifo', [join(top, 'pipe')]);
  mkdirSync(join(top, 'folder'));
  writeFileSync(join(top, 'large'), '');
  truncateSync(join(top, 'large'), 2 ** 40);
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const overSsh = (flag: string, path: string): string[] =>
  `--datastore ${exampleFolder} node exec worker-1 --via ssh ${flag} ${path} -- true`.split(' ');

/** The command line and the environment that name the path. */
const uses: Record<string, (path: string) => { args: string[]; env?: Record<string, string> }> = {
  'release --from-report': (path) => ({
    args: ['--datastore', exampleFolder, 'ipam', 'release', '--from-report', path],
  }),
  'calicoctl release --from-report': (path) => ({
    args: ['ipam', 'release', `--from-report=${path}`],
    env: { DATASTORE_TYPE: exampleFolder, CALICTL_COMPAT: '1' },
  }),
  '--config': (path) => ({ args: ['get', 'nodes', '--config', path] }),
  '--kubeconfig': (path) => ({ args: ['get', 'nodes', '--kubeconfig', path] }),
  'KUBECONFIG of two parts': (path) => ({
    args: ['get', 'nodes'],
    env: { KUBECONFIG: `${join(top, 'none')}:${path}` },
  }),
  K8S_CA_FILE: (path) => ({
    args: ['get', 'nodes'],
    env: { K8S_API_ENDPOINT: 'https://127.0.0.1:9', K8S_CA_FILE: path },
  }),
  '--ssh-key': (path) => ({ args: overSsh('--ssh-key', path) }),
  '--ssh-config': (path) => ({ args: overSsh('--ssh-config', path) }),
  '--ssh-known-hosts': (path) => ({ args: overSsh('--ssh-known-hosts', path) }),
  '--kernel-config': (path) => ({ args: ['node', 'checksystem', '--kernel-config', path] }),
  ...Object.fromEntries(
    [
      ['cluster', 'certificate-authority'],
      ['user', 'client-certificate'],
      ['user', 'client-key'],
      ['user', 'tokenFile'],
    ].map(([where, key]) => [
      `${key} of a kubeconfig`,
      (path: string) => ({ args: ['get', 'nodes', '--kubeconfig', kubeconfig(where === 'cluster', key ?? '', path)] }),
    ]),
  ),
};

let kubeconfigs = 0;
function kubeconfig(ofCluster: boolean, key: string, path: string): string {
  const named = { [key]: path };
  const file = join(top, `kubeconfig-${kubeconfigs++}`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://127.0.0.1:9', ...(ofCluster && named) } }],
    users: [{ name: 'u', user: ofCluster ? { token: 'of-u' } : named }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

describe('files that are none', () => {
  it.each(Object.keys(special))(
    'a %s is refused by name wherever a file can be named',
    async (what) => {
      const path = special[what]?.() ?? '';
      const results = await pMap(
        Object.entries(uses),
        async ([name, use]): Promise<[string, BuiltResult]> => {
          const { args, env } = use(path);
          return [name, await runBuilt(args, { env: { HOME: top, ...env }, cwd: top })];
        },
        { concurrency: 3 },
      );
      for (const [name, { exit, signal, stderr }] of results) {
        // As in ssh, a device is empty like /dev/null, and a key matters, and is named, only when a login fails.
        const isUnnamed = name === '--ssh-key' || (what === 'endless device' && name.startsWith('--ssh'));
        expect({ name, signal, isFailure: exit === 1 || exit === 2 }).toEqual({ name, signal: null, isFailure: true });
        expect(`${name}: ${stderr}`).not.toMatch(/INTERNAL|unexpected error/);
        if (!isUnnamed) expect(`${name}: ${stderr}`).toContain(path);
      }
    },
    120_000,
  );
});
