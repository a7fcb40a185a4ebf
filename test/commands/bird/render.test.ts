// calictl bird render over directories: what it prints and writes, passwords, and what cannot be rendered.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { birdFileNames } from '../../../src/bird-config/bird-files.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { bgpConfig, bgpNode, bgpPeerOf } from '../../support/clusters/bgp-objects.ts';
import { folderOf, run } from '../../support/program/world.ts';
import { describeWithApiServer } from '../../support/servers/api-server.ts';

const secretRef = { secretKeyRef: { name: 'bgp', key: 'tor' } };
const objects: KubeObject[] = [
  bgpNode('node-a', { ip: '10.90.0.1/24' }),
  bgpNode('node-b', { ip: '10.90.0.2/24' }),
  bgpPeerOf('tor', { peerIP: '10.90.0.254', asNumber: 65001, password: secretRef }),
];
const secret = (namespace: string, password: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bgp', namespace },
    data: { tor: Buffer.from(password).toString('base64') },
  }) as KubeObject;
const password = 'open sesame';

let out: string;
const folders: string[] = [];
const folder = (...all: KubeObject[]): string => {
  const made = folderOf(all);
  folders.push(made);
  return made;
};
beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), 'calictl-bird-out-'));
});
afterAll(() => {
  for (const made of [out, ...folders]) rmSync(made, { recursive: true });
});

describe('calictl bird render', () => {
  it('bird render prints the six files of each node, each under its name', async () => {
    const { code, stdout, stderr } = await run('bird render', { folder: folder(...objects) });
    expect(stdout.match(/^# node-.*$/gm)).toEqual(
      ['node-a', 'node-b'].flatMap((node) => birdFileNames.map((name) => `# ${node}: ${name}`)),
    );
    expect(stdout).toContain('\nrouter id 10.90.0.1;\n');
    expect(stdout).toContain('\nprotocol bgp Mesh_10_90_0_2 from bgp_template {\n  neighbor 10.90.0.2 as 64512;\n');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('bird render -o json has the files and the remarks of each node', async () => {
    const odd = bgpConfig({ nodeMeshMaxRestartTime: '0s' });
    const { stdout } = await run('bird render --node node-a -o json', { folder: folder(...objects, odd) });
    const { kind, items } = JSON.parse(stdout);
    expect([kind, items.length, items[0].node, Object.keys(items[0].files)]).toEqual([
      'BirdConfigurationList',
      1,
      'node-a',
      [...birdFileNames],
    ]);
    expect(items[0].remarks).toEqual([
      { message: 'the restart time of Mesh_10_90_0_2 is less than half a second, and written as 0', refused: false },
    ]);
  });

  it('bird render --out writes the files of one node into the directory, those of all into one for each', async () => {
    const from = folder(...objects);
    const one = await run(['bird', 'render', '--node', 'node-a', '--out', join(out, 'one')], { folder: from });
    expect(one.stdout.split('\n')[0]).toBe(`wrote ${join(out, 'one', 'bird.cfg')}`);
    expect(readdirSync(join(out, 'one')).sort()).toEqual([...birdFileNames].sort());
    await run(['bird', 'render', '--out', join(out, 'all')], { folder: from });
    expect(readdirSync(join(out, 'all'))).toEqual(['node-a', 'node-b']);
    expect(readFileSync(join(out, 'all', 'node-a', 'bird.cfg'), 'utf8')).toBe(
      readFileSync(join(out, 'one', 'bird.cfg'), 'utf8'),
    );
  });

  it('bird render writes nothing into the directory of the datastore', async () => {
    const from = folder(...objects);
    const { code, stderr } = await run(['bird', 'render', '--out', join(from, 'bird')], { folder: from });
    expect([code, stderr]).toEqual([2, expect.stringContaining('would be inside the datastore directory')]);
  });

  it('passwords are hidden, and shown with --show-secrets in files that only their owner may read', async () => {
    const from = folder(...objects, secret('kube-system', password));
    const hidden = await run('bird render --node node-a', { folder: from });
    expect(hidden.stdout).toContain('  password "(hidden)";\n');
    expect(hidden.stdout + hidden.stderr).not.toContain(password);
    const path = join(out, 'secret');
    await run(['bird', 'render', '--node', 'node-a', '--show-secrets', '--out', path], { folder: from });
    expect(readFileSync(join(path, 'bird.cfg'), 'utf8')).toContain(`  password "${password}";\n`);
    expect(statSync(join(path, 'bird.cfg')).mode & 0o777).toBe(0o600);
  });

  it('passwords are written to files that were there before only after nobody else may read them', async () => {
    const from = folder(...objects, secret('kube-system', password));
    const path = join(out, 'again');
    const render = ['bird', 'render', '--node', 'node-a', '--out', path];
    await run(render, { folder: from });
    expect(statSync(join(path, 'bird.cfg')).mode & 0o004).toBe(0o004);
    await run([...render, '--show-secrets'], { folder: from });
    expect(statSync(join(path, 'bird.cfg')).mode & 0o777).toBe(0o600);
  });

  it('bird render --out refuses a named pipe in place of a file, and does not wait for its reader', async () => {
    const path = join(out, 'pipe');
    mkdirSync(path);
    execFileSync('mkfifo', [join(path, 'bird_aggr.cfg')]);
    const { code, stderr } = await run(['bird', 'render', '--node', 'node-a', '--out', path], {
      folder: folder(...objects),
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot write into .*: a named pipe or a socket/)]);
  });

  it('bird render --out writes nothing when the name of one node cannot be that of a directory', async () => {
    const path = join(out, 'names');
    const from = folder(...objects, bgpNode('../node-c', { ip: '10.90.0.3/24' }));
    const { code, stderr } = await run(['bird', 'render', '--out', path], { folder: from });
    expect([code, stderr]).toEqual([1, expect.stringContaining('"../node-c" is not the name of a node')]);
    expect(existsSync(path)).toBe(false);
  });

  it('bird render reports a cause that all nodes share once', async () => {
    const from = folder(...objects, secret('kube-system', `a"b${password}`));
    const { stderr } = await run('bird render', { folder: from });
    expect(stderr.match(/key tor of Secret bgp has a quote/g)).toHaveLength(1);
  });

  it('a password that BIRD cannot read is refused without being shown', async () => {
    const from = folder(...objects, secret('calico-system', `a"b${password}`));
    const { code, stdout, stderr } = await run('bird render', { folder: from });
    expect(stderr).toContain('key tor of Secret bgp has a quote');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).not.toContain(password);
  });

  it('a node whose configuration cannot be rendered does not stop the others', async () => {
    const v6 = bgpNode('node-c', { ip6: 'fd00::1/64' });
    const { code, stdout, stderr } = await run('bird render', { folder: folder(...objects, v6) });
    expect(stderr).toContain('node-c has no IPv4 address, and no router ID is set for it');
    expect(stdout).toContain('# node-b: bird6_ipam.cfg');
    expect(code).toBe(5);
    const hashed = await run('bird render --env CALICO_ROUTER_ID=hash', { folder: folder(...objects, v6) });
    expect([hashed.code, hashed.stderr]).toEqual([0, '']);
  });

  it('what BIRD would refuse is a warning, and exit code 3', async () => {
    const bad = bgpPeerOf('bad', { node: 'node-a', peerIP: '10.90.0.253' });
    const { code, stderr } = await run('bird render', { folder: folder(...objects, bad) });
    expect(stderr).toContain(
      'warning: node-a: Node_10_90_0_253 of BGPPeer bad has no AS number: set asNumber; BIRD refuses the configuration',
    );
    expect(code).toBe(3);
  });

  it('a node that does not exist and an unknown variable are refused', async () => {
    const from = folder(...objects);
    expect((await run('bird render --node node-x', { folder: from })).stderr).toContain('node node-x does not exist');
    expect((await run('bird render --env PATH=/bin', { folder: from })).code).toBe(2);
  });
});

describeWithApiServer('on a cluster', (server) => {
  const env = () => ({ KUBECONFIG: server().kubeconfig });

  it('bird render reads the password from the Secret of the cluster, and leaves it out where there is none', async () => {
    await server().admin.load([...objects, secret('kube-system', password)]);
    const shown = await run('bird render --node node-a --show-secrets', { env: env() });
    expect(shown.stdout).toContain(`  password "${password}";\n`);
    const other = await run('bird render --node node-a --env NAMESPACE=default', { env: env() });
    expect(other.stderr).toContain('there is no Secret bgp in default: Calico leaves the passwords out');
    expect(other.stdout).not.toContain('password');
  }, 120_000);
});
