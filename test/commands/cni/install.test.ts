// calictl cni install on directories of a node.
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.ts';
import { type TestFolder, testFolder } from '../../support/program/test-folder.ts';
import { testWorld } from '../../support/program/world.ts';

const kubeconfig = 'apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: "https://10.0.0.1"}}]\n';
const works = '#!/bin/sh\necho calictl\n';

let node: TestFolder;
beforeEach(() => {
  node = testFolder({ 'given/kubeconfig': kubeconfig });
  program(works);
});
afterEach(() => node.remove());

const path = (name: string): string => join(node.path, name);

/** The program that is installed. */
function program(text: string): void {
  writeFileSync(path('given/calictl'), text, { mode: 0o755 });
}

interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function install(line: string, programPath = path('given/calictl')): Promise<Ran> {
  const world = testWorld({ cwd: node.path, programPath });
  const words = line.split(' ').filter((word) => word !== '');
  const exit = await runCli(['cni', 'install', '--root', node.path, ...words], world);
  const shown = (text: string): string => text.replaceAll(node.path, '');
  return { exit, stdout: shown(world.io.stdout.text), stderr: shown(world.io.stderr.text) };
}

const withCredentials = '--credentials given/kubeconfig';

describe('cni install', () => {
  it('writes the program, its names, the credentials and the network configuration, in this order', async () => {
    expect(await install(withCredentials)).toEqual({
      exit: 0,
      stdout:
        'created  /opt/cni/bin/calictl\n' +
        'created  /opt/cni/bin/calico (a link to calictl)\n' +
        'created  /opt/cni/bin/calico-ipam (a link to calictl)\n' +
        'created  /etc/cni/net.d/calico-kubeconfig\n' +
        'created  /etc/cni/net.d/10-calico.conflist\n',
      stderr: '',
    });
    expect(node.read('opt/cni/bin/calico')).toBe(works);
    expect(statSync(path('opt/cni/bin/calico')).mode & 0o777).toBe(0o755);
    expect(node.read('etc/cni/net.d/calico-kubeconfig')).toBe(kubeconfig);
    expect(statSync(path('etc/cni/net.d/calico-kubeconfig')).mode & 0o777).toBe(0o600);
    // The path on the node, not the one here.
    expect(JSON.parse(node.read('etc/cni/net.d/10-calico.conflist'))).toMatchObject({
      plugins: [{ type: 'calico', kubernetes: { kubeconfig: '/etc/cni/net.d/calico-kubeconfig' }, mtu: 0 }],
    });
  });

  it('with --dry-run says what it would do, and writes nothing', async () => {
    const { exit, stdout } = await install(`${withCredentials} --dry-run`);
    expect(exit).toBe(0);
    expect(stdout).toContain('would create  /etc/cni/net.d/10-calico.conflist\n');
    expect(readdirSync(node.path)).toEqual(['given']);
  });

  it('a second time changes nothing, and without credentials takes those that are installed', async () => {
    await install(withCredentials);
    const before = statSync(path('opt/cni/bin/calictl')).ino;
    const { exit, stdout } = await install('');
    expect(exit).toBe(0);
    expect(stdout.match(/^\w+/gm)).toEqual(Array(5).fill('unchanged'));
    expect(statSync(path('opt/cni/bin/calictl')).ino).toBe(before);
  });

  it('refuses a node that has no credentials, and says which it needs', async () => {
    const { exit, stderr } = await install('');
    expect(exit).toBe(2);
    expect(stderr).toContain('the plugin needs a kubeconfig');
    expect(existsSync(path('etc'))).toBe(false);
  });

  it('does not let a program that does not start take the place of one that does', async () => {
    await install(withCredentials);
    program('#!/bin/sh\necho "libstdc++.so.6: not found" >&2\nexit 127\n');
    const { exit, stderr } = await install('');
    expect(exit).toBe(1);
    expect(stderr).toContain('the program does not start on this node: libstdc++.so.6: not found');
    expect(node.read('opt/cni/bin/calico')).toBe(works);
  });

  it('links to the program of the npm package, which is a script', async () => {
    const { exit } = await install(withCredentials, '/usr/lib/node_modules/calictl/bin/calictl.js');
    expect(exit).toBe(0);
    expect(readlinkSync(path('opt/cni/bin/calico'))).toBe('/usr/lib/node_modules/calictl/bin/calictl.js');
    expect(readdirSync(path('opt/cni/bin'))).toEqual(['calico', 'calico-ipam']);
  });

  it('keeps the files of another plugin, and --uninstall puts them back', async () => {
    node.write('opt/cni/bin/calico', 'the plugin of Calico');
    node.write('etc/cni/net.d/10-calico.conflist', 'its configuration');
    const { stdout } = await install(withCredentials);
    expect(stdout).toContain('(a link to calictl; the previous file is kept as /opt/cni/bin/calico.before-calictl)\n');
    expect(node.read('opt/cni/bin/calico.before-calictl')).toBe('the plugin of Calico');
    const { exit, stdout: removed } = await install('--uninstall');
    expect(exit).toBe(0);
    expect(removed.split('\n')[0]).toBe(
      'restored  /etc/cni/net.d/10-calico.conflist (from /etc/cni/net.d/10-calico.conflist.before-calictl)',
    );
    expect(node.read('opt/cni/bin/calico')).toBe('the plugin of Calico');
    expect(readdirSync(path('opt/cni/bin'))).toEqual(['calico']);
    expect(readdirSync(path('etc/cni/net.d'))).toEqual(['10-calico.conflist']);
  });

  it('--uninstall removes nothing when a file was changed since', async () => {
    await install(withCredentials);
    writeFileSync(path('etc/cni/net.d/10-calico.conflist'), '{"edited": true}');
    const { exit, stderr } = await install('--uninstall');
    expect(exit).toBe(4);
    expect(stderr).toContain('/etc/cni/net.d/10-calico.conflist was changed since calictl wrote it');
    expect(lstatSync(path('opt/cni/bin/calico')).isSymbolicLink()).toBe(true);
    expect(existsSync(path('etc/cni/net.d/calico-kubeconfig'))).toBe(true);
  });

  it('--uninstall of nothing says so', async () => {
    expect(await install('--uninstall')).toMatchObject({ exit: 0, stdout: 'Nothing is installed.\n' });
  });

  it('refuses a template that needs a plugin that is not installed, before anything is written', async () => {
    node.write('given/list', JSON.stringify({ name: 'n', plugins: [{ type: 'calico' }, { type: 'portmap' }] }));
    const { exit, stderr } = await install(`${withCredentials} --template given/list`);
    expect(exit).toBe(2);
    expect(stderr).toContain('the plugin portmap is not installed');
    expect(existsSync(path('opt'))).toBe(false);
  });

  it('refuses to replace what is not a file', async () => {
    mkdirSync(path('opt/cni/bin/calico'), { recursive: true });
    const { exit, stderr } = await install(withCredentials);
    expect(exit).toBe(1);
    expect(stderr).toContain('/opt/cni/bin/calico is a directory');
  });

  it('says when the runtime reads another configuration first', async () => {
    node.write('etc/cni/net.d/05-bridge.conf', '{}');
    const { stdout } = await install(withCredentials);
    expect(stdout).toContain('The container runtime uses 05-bridge.conf, whose name comes first');
  });

  it('reports what it did as JSON', async () => {
    const { stdout } = await install(`${withCredentials} -o json`);
    const { kind, files } = JSON.parse(stdout) as { kind: string; files: readonly object[] };
    expect(kind).toBe('CNIInstallation');
    expect(files[0]).toEqual({ path: '/opt/cni/bin/calictl', action: 'create' });
    expect(files).toHaveLength(5);
  });
});
