// The executable of npm run standalone where there is no Node: in a root directory with nothing but it and its libraries.
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { node, pool } from '../support/clusters/ipam-state.ts';
import { CniNode } from '../support/lab/cni-node.ts';
import { installIn, installPrograms, librariesOf, linkIn, printedIn } from '../support/program/empty-root.ts';
import { describeWithPrograms } from '../support/program/parts.ts';
import { printedBy } from '../support/program/run-program.ts';
import { testFolder } from '../support/program/test-folder.ts';
import { type ApiServer, describeWithApiServer } from '../support/servers/api-server.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const program = '/opt/cni/bin/calictl';
const buildTimeoutMs = 300_000;

describeWithPrograms('the standalone executable', ['chroot', 'ldd', 'mount', 'unshare'], () => {
  const files = testFolder();
  const root = join(files.path, 'root');

  beforeAll(async () => {
    const output = join(files.path, 'standalone');
    await printedBy([process.execPath, join(project, '.config', 'standalone.mjs'), '--output', output]);
    await installIn(root, join(output, 'calictl'), program);
    linkIn(root, program, ['calico', 'calico-ipam', 'calicoctl']);
    cpSync(join(project, 'docs/examples/leaky-cluster'), join(root, 'dump'), { recursive: true });
  }, buildTimeoutMs);
  afterAll(() => files.remove());

  it('loads only libraries of the C and C++ runtime', async () => {
    const names = (await librariesOf(join(root, program))).map((path) => basename(path).replace(/\.so.*/, ''));
    const runtime = [
      'ld-linux-aarch64',
      'ld-linux-x86-64',
      'libc',
      'libdl',
      'libgcc_s',
      'libm',
      'libpthread',
      'libstdc++',
    ];
    expect(names).toContain('libc');
    expect(names.filter((name) => !runtime.includes(name) && name !== 'libatomic')).toEqual([]);
  });

  it('runs commands where there is no Node, and no other file', async () => {
    expect(readdirSync(join(root, 'opt/cni/bin'))).toEqual(['calico', 'calico-ipam', 'calicoctl', 'calictl']);
    expect(existsSync(join(root, 'usr/bin'))).toBe(false);
    expect(await printedIn(root, [program, 'version', '--client'])).toMatch(/^Client Version: +v\d/);
    const shown = await printedIn(root, [program, '--datastore', '/dump', 'ipam', 'show', '--ip', '10.61.0.2']);
    expect(shown).toContain('shop/job-4');
  });

  it('is calicoctl and both CNI plugins under their names', async () => {
    expect(await printedIn(root, ['/opt/cni/bin/calicoctl', '--help'])).toContain('calicoctl [options] <command>');
    for (const name of ['calico', 'calico-ipam']) {
      expect(await printedIn(root, [`/opt/cni/bin/${name}`, '-v'])).toBe('v3.31.4\n');
    }
  });

  it('has the licence texts next to it, and says where that of Node is', () => {
    const licences = files.read('standalone/licenses.txt');
    expect(licences).toContain('@kubernetes/client-node');
    expect(licences).toContain(`nodejs/node/blob/${process.version}/LICENSE`);
  });

  describeWithPrograms('as a plugin', ['ip', 'sysctl', 'nsenter', 'flock', 'sh', 'env'], () => {
    describeWithApiServer('with Kubernetes', (server) => {
      let here: CniNode;
      beforeAll(async () => {
        await installPrograms(root, ['ip', 'sysctl', 'nsenter', 'flock']);
        for (const directory of ['proc', 'run/netns', 'var/lib/calico', 'var/run/calico', 'etc']) {
          mkdirSync(join(root, directory), { recursive: true });
        }
        files.write('root/dev/null', '');
        here = await CniNode.make('standalone', server());
        here.file('/var/lib/calico/nodename', 'node-a');
      });
      afterAll(() => here?.remove());
      beforeEach(() => prepare(server()));

      it('connects and disconnects a pod on a node without Node', async () => {
        cpSync(dirname(server().kubeconfig), join(root, 'etc/calico'), { recursive: true });
        const netns = await here.pod('pod');
        const config = {
          cniVersion: '1.0.0',
          name: 'k8s-pod-network',
          type: 'calico',
          datastore_type: 'kubernetes',
          ipam: { type: 'calico-ipam' },
          policy: { type: 'k8s' },
          kubernetes: { kubeconfig: `/etc/calico/${basename(server().kubeconfig)}` },
        };
        const call = (command: string) =>
          here.call({
            program: ['sh', '-c', inRoot, 'sh', root, '/opt/cni/bin/calico'],
            env: {
              PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
              CNI_COMMAND: command,
              CNI_CONTAINERID: 'c1',
              CNI_NETNS: netns.replace('/var/run', '/run'),
              CNI_IFNAME: 'eth0',
              CNI_PATH: '/opt/cni/bin',
              CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-1',
            },
            config: JSON.stringify(config),
          });
        try {
          const added = await call('ADD');
          expect(added.exit, added.stdout + added.stderr).toBe(0);
          expect(JSON.parse(added.stdout)).toMatchObject({ ips: [{ address: '10.244.174.128/32' }] });
          const routes = await printedBy(['ip', '-n', here.netns, 'route', 'show', '10.244.174.128']);
          expect(routes).toContain('dev cali0761ccbeace scope link');
          expect(await call('DEL')).toMatchObject({ exit: 0, stdout: '' });
          expect(await printedBy(['ip', '-n', here.netns, 'route', 'show', '10.244.174.128'])).toBe('');
        } finally {
          await here.removePod(netns);
        }
      });
    });
  });
});

/** The places of the node appear in the root; the mounts end with the mount namespace of the call. */
const inRoot = [
  'root=$1; shift',
  'mount --bind /proc "$root/proc"',
  'mount --bind /dev/null "$root/dev/null"',
  'mount --rbind /run/netns "$root/run/netns"',
  'mount --bind /var/lib/calico "$root/var/lib/calico"',
  'mount --bind /var/run/calico "$root/var/run/calico"',
  'exec chroot "$root" "$@"',
].join(' && ');

async function prepare({ admin }: ApiServer): Promise<void> {
  await admin.reset();
  await admin.load([
    node('node-a'),
    pool('p4', '10.244.0.0/16', 26),
    {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'ClusterInformation',
      metadata: { name: 'default' },
      spec: { datastoreReady: true },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-1', namespace: 'default' },
      spec: { nodeName: 'node-a', containers: [{ name: 'web', image: 'web' }] },
    },
  ]);
}
