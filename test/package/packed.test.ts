// What only shows in the packed program: what is in the tarball, that it starts, streams, old Nodes.
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderOf } from '../support/program/world.ts';

const root = join(import.meta.dirname, '..', '..');
let scratch: string;
let installed: string;
let dump: string;

function spawned(command: string, args: readonly string[], env: Record<string, string> = {}): SpawnSyncReturns<string> {
  const PATH = process.env['PATH'] ?? '';
  return spawnSync(command, args, { cwd: scratch, encoding: 'utf8', env: { PATH, HOME: scratch, ...env } });
}
const calictl = (args: readonly string[], env: Record<string, string> = {}) =>
  spawned(join(scratch, 'node_modules', '.bin', 'calictl'), args, env);

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'calictl-package-'));
  if (!existsSync(join(root, 'dist', 'main.js'))) {
    const built = spawnSync(process.execPath, [join(root, '.config', 'build.mjs')], { encoding: 'utf8' });
    expect(built.stderr).toBe('');
  }
  const packed = spawnSync('npm', ['pack', '--ignore-scripts', '--pack-destination', scratch], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(packed.status).toBe(0);
  const tarball = readdirSync(scratch).find((name) => name.endsWith('.tgz')) ?? '';
  const result = spawned('npm', ['install', '--offline', '--no-audit', '--no-fund', join(scratch, tarball)]);
  expect(result.stderr + result.stdout).toContain('added 1 package');
  installed = join(scratch, 'node_modules', 'calictl');
  dump = folderOf([
    {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPPool',
      metadata: { name: 'pool-1' },
      spec: { cidr: '10.60.0.0/16', nodeSelector: 'all()' },
    },
  ]);
});
afterAll(() => {
  for (const folder of [scratch, dump]) rmSync(folder, { recursive: true, force: true });
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
}

describe('the package', () => {
  it('the package depends on no other package, and stays small', () => {
    expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).dependencies).toBeUndefined();
    const bytes = filesIn(installed).reduce((sum, name) => sum + statSync(join(installed, name)).size, 0);
    expect(bytes).toBeLessThan(20e6);
  });

  it('the package has the plugins of kubectl: calictl, its completion, and calico, which is calicoctl', () => {
    const plugin = (name: string, ...args: readonly string[]): string =>
      spawned(join(scratch, 'node_modules', '.bin', name), args).stdout;
    expect(plugin('kubectl-calictl', 'version', '--client')).toMatch(/^Client Version: +v0/);
    expect(plugin('kubectl_complete-calictl', 'ipam', 'aff')).toMatch(/^affinity\t.*\n:4\n$/);
    expect(plugin('kubectl-calico', 'version', '--client')).toMatch(/^Client Version: +v3\.31/);
  });

  it('the package contains the program, its pages and the licences, and nothing else', () => {
    const files = filesIn(installed);
    const tops = new Set(files.map((name) => name.split('/')[0]));
    expect([...tops].sort()).toEqual([
      'LICENSE',
      'README.md',
      'bin',
      'completions',
      'dist',
      'docs',
      'man1',
      'package.json',
    ]);
    expect(files.filter((name) => name.startsWith('bin/')).sort()).toEqual(['bin/calictl.js', 'bin/package.json']);
    expect(
      files.filter((name) => name.startsWith('dist/') && !/^dist\/(?:.+\.c?js|licenses\.txt)$/.test(name)),
    ).toEqual([]);
    const pages = filesIn(join(root, 'docs')).map((name) => `docs/${name}`);
    expect(files.filter((name) => name.startsWith('docs/')).sort()).toEqual(pages.sort());
    expect(pages).toContain('docs/index.md');
  });

  it('the package contains the licence of every bundled package', () => {
    const licences = readFileSync(join(installed, 'dist', 'licenses.txt'), 'utf8');
    const imported = filesIn(join(root, 'src')).flatMap((path) =>
      [...readFileSync(join(root, 'src', path), 'utf8').matchAll(/(?:from|import\() ?'((?:@[\w-]+\/)?\w[\w-]*)/g)].map(
        ([, name]) => name ?? '',
      ),
    );
    const packages = [...new Set(imported)].filter((name) => name !== 'node').sort();
    expect(packages).toEqual(expect.arrayContaining(['@kubernetes/client-node', 'chalk', 'commander', 'yaml', 'zod']));
    for (const name of packages) expect(licences).toMatch(new RegExp(`^${name} \\d+\\.`, 'm'));
  });

  it('the package contains no path of the machine that built it', () => {
    for (const name of filesIn(join(installed, 'dist'))) {
      const text = readFileSync(join(installed, 'dist', name), 'utf8');
      expect(text.includes(root), name).toBe(false);
      expect(text.includes(`${homedir()}/`), name).toBe(false);
    }
  });

  it('the package passes publint', async () => {
    const { messages } = await publint({ pkgDir: installed, strict: true });
    expect(messages).toEqual([]);
  });
});

describe('the program', () => {
  it('the packed program prints its version', () => {
    const { status, stdout, stderr } = calictl(['version']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Client Version: {4}v\d+\.\d+\.\d+\nImplements Calico: v3\.31\.4\nGit commit: {8}\S+\n/);
  });

  it('the packed program prints version --client and --version without loading the rest', () => {
    const part = mkdtempSync(join(tmpdir(), 'calictl-part-'));
    try {
      for (const path of ['bin', 'dist']) spawnSync('cp', ['-r', join(installed, path), part]);
      spawnSync('cp', [join(installed, 'package.json'), part]);
      rmSync(join(part, 'dist', 'main.js'));
      const program = join(part, 'bin', 'calictl.js');
      for (const args of [['version', '--client'], ['--version']]) {
        expect(spawned(process.execPath, [program, ...args])).toMatchObject({ status: 0, stderr: '' });
        expect(spawned(process.execPath, [program, ...args]).stdout).toBe(calictl(args).stdout);
      }
      expect(spawned(process.execPath, [program, 'get', 'nodes']).stderr).toContain('dist/ is missing');
    } finally {
      rmSync(part, { recursive: true });
    }
  });

  it('the packed program reads a directory', () => {
    const { status, stdout, stderr } = calictl(['--datastore', dump, 'get', 'ippool']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe('NAME     CIDR           SELECTOR   \npool-1   10.60.0.0/16   all()      \n\n');
  });

  it('the packed program behaves as calicoctl under that name', () => {
    const link = join(scratch, 'calicoctl');
    symlinkSync(join(installed, 'bin', 'calictl.js'), link);
    expect(spawned(link, ['--version']).stdout).toBe("Run 'calicoctl version' to see version information.\n");
    expect(spawned(link, ['version', '--client']).stdout).toMatch(
      /^Client Version: {4}v3\.31\.4\nGit commit: {8}\S+\n$/,
    );
    expect(spawned(link, ['get', 'gadgets'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: "failed to get resources: resource type 'gadgets' is not supported\n",
    });
  });

  it('the packed program prints no warning on any stream', () => {
    expect(calictl(['--help'])).toMatchObject({ status: 0, stderr: '' });
    expect(calictl(['--kubeconfig', '/nonexistent', 'get', 'nodes']).stderr).not.toMatch(/Warning|Deprecat/);
  });

  it('the packed program exits 0 on a closed pipe', () => {
    const line = `'${join(installed, 'bin', 'calictl.js')}' --help | true; echo \${PIPESTATUS[0]}`;
    const { stdout, stderr } = spawned('bash', ['-c', line]);
    expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'the packed program exits 130 on %s, with what it had printed',
    async (signal) => {
      const args = [join(installed, 'bin', 'calictl.js'), '--datastore', dump, 'version', '--poll', '1h'];
      const child = spawn(process.execPath, args, { cwd: scratch, stdio: ['ignore', 'pipe', 'pipe'] });
      let stdout = '';
      let stderr = '';
      const reported = new Promise<void>((resolve) => {
        child.stdout.on('data', (chunk) => {
          stdout += chunk;
        });
        // The dump has no ClusterInformation: polling says so and goes on.
        child.stderr.on('data', (chunk) => {
          stderr += chunk;
          resolve();
        });
      });
      await reported;
      child.kill(signal);
      const [code] = await once(child, 'close');
      expect(code).toBe(130);
      expect(stdout).toMatch(/^Client Version/);
      expect(stderr).toMatch(/^unable to retrieve Cluster Version or Type: .*\ncalictl: interrupted\n$/);
    },
  );

  it.each(['18.20.8', '20.18.3', '14.21.3'])('the packed program refuses Node %s in one line', (version) => {
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); import('${join(installed, 'bin', 'calictl.js')}')`;
    const { status, stdout, stderr } = spawned(process.execPath, ['-e', pretend]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^calictl needs Node 20\.19 or newer; this is \S+\n$/);
  });
});
