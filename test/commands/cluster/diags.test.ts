// calictl cluster diags with a real kubectl and API server: calicoctl's tree, no secrets, going on after an interruption.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeWithParts, partPath } from '../../support/program/parts.ts';
import { until } from '../../support/program/until.ts';
import { run, TestClock } from '../../support/program/world.ts';
import { describeWithKubelets } from '../../support/servers/kubelet.ts';

const secret = 'correct-horse-battery';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('cluster diags usage', () => {
  it.each([
    [
      ['--since', 'yesterday'],
      'invalid duration for --since: yesterday',
      'invalid duration for since flag (try 10s, 5m, or 1h): yesterday',
    ],
    [['--max-logs=-1'], 'invalid number for --max-logs: -1', 'negative value for max-logs flag'],
    [
      ['--max-parallelism', 'many'],
      'invalid number for --max-parallelism: many',
      'invalid value for max-parallelism flag: many',
    ],
  ])('%j is wrong usage', async (flags, text, calicoctlText) => {
    const ours = await run(['cluster', 'diags', ...flags]);
    expect(ours.code).toBe(2);
    expect(ours.stderr).toContain(text);
    const compat = await run(['cluster', 'diags', ...flags], { programName: 'calicoctl' });
    expect([compat.code, compat.stdout]).toEqual([1, `Error executing command: ${calicoctlText}\n`]);
  });

  it('cluster diags refuses a directory datastore: kubectl would collect another cluster', async () => {
    const { code, stdout, stderr } = await run(['cluster', 'diags'], { objects: [] });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('the datastore is a directory');
  });
});

describeWithParts('cluster diags', ['kubectl'], () => {
  describeWithKubelets('cluster diags on an API server', (server, kubelets) => {
    const folder = mkdtempSync(join(tmpdir(), 'calictl-cluster-diags-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    afterEach(() => void vi.unstubAllEnvs());
    const clock = new TestClock('2026-02-03T04:05:06Z');
    const diags = (flags: readonly string[], options = {}) =>
      run(['cluster', 'diags', ...flags], {
        cwd: folder,
        clock,
        env: {
          KUBECONFIG: server().kubeconfig,
          PATH: `${dirname(partPath('kubectl'))}:${process.env['PATH']}`,
          HOME: folder,
        },
        ...options,
      });

    beforeAll(async () => {
      const namespace = 'calico-system';
      await kubelets().addNodes(['node-a', 'node-b'].map((name) => ({ name, namespace })));
      const { admin } = server();
      const template = {
        metadata: { labels: { 'k8s-app': 'calico-node' } },
        spec: {
          containers: [
            {
              name: 'calico-node',
              image: 'x',
              args: ['--ca=/ca.pem', '--token', secret, `--db-password=${secret}`],
              env: [
                { name: 'BGP_PASSWORD', value: secret },
                { name: 'AWS_SECRET_ACCESS_KEY', value: secret },
                { name: 'DATABASE_URL', value: `postgres://app:${secret}@db/shop` },
              ],
            },
          ],
        },
      };
      const post = async (path: string, object: object): Promise<void> => {
        expect((await admin.request('POST', path, object)).status).toBe(201);
      };
      const spec = { selector: { matchLabels: { 'k8s-app': 'calico-node' } }, template };
      await post(`/apis/apps/v1/namespaces/${namespace}/daemonsets`, {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: {
          name: 'calico-node',
          annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"value":"${secret}"}` },
        },
        spec,
      });
      await post(`/api/v1/namespaces/${namespace}/secrets`, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'node-certs' },
        data: { 'tls.crt': base64('a certificate'), 'tls.key': base64(secret) },
      });
      await post('/api/v1/namespaces/default/configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'app' },
        data: { password: secret, colour: 'blue', 'app.ini': `host = db\npassword = ${secret}\n` },
      });
    });

    const bundle = 'calico-diagnostics-20260203_040506';
    /** The bundle unpacked: its paths, and how to read one. */
    function unpacked() {
      const into = mkdtempSync(join(folder, 'unpacked-'));
      execFileSync('tar', ['xzf', join(folder, `${bundle}.tar.gz`), '-C', into]);
      const top = join(into, bundle);
      const paths = readdirSync(top, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(top.length + 1));
      return { top, paths: new Set(paths), read: (path: string) => readFileSync(join(top, path), 'utf8') };
    }

    it('cluster diags collects the same tree as calicoctl, without secrets', async () => {
      const { code, stdout, stderr } = await diags(['--focus-nodes', 'node-b', '--max-logs', '1', '--since', '1h']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const where = 'in namespace calico-system on node node-b...';
      expect(stdout).toContain(`Collecting detailed diags for pod calico-node-node-b ${where}`);
      // The stand-in for kubelets has no logs: what kubectl says instead is kept.
      expect(stdout).toContain('Failed to run command: kubectl logs --since=1h -n calico-system calico-node-node-b');
      expect(stdout.endsWith(`Diagnostic bundle created at ./${bundle}.tar.gz\n`)).toBe(true);
      const { top, paths, read } = unpacked();
      for (const path of [
        'cluster/version.yaml',
        'cluster/crd/ippools.crd.projectcalico.org.yaml',
        'cluster/crd/ippools.crd.projectcalico.org.txt',
        'cluster/calico-system/calico-system.yaml',
        'cluster/tigera-operator/tigera-operator.txt',
        'cluster/kubernetes/nodes.yaml',
        'cluster/kubernetes/networkpolicies.txt',
        'cluster/third-party/kibanas.yaml',
        'links/calico-system/calico-node-node-b.log',
        'nodes/node-b/calico-system/calico-node-node-b.txt',
        'nodes/node-b/ip-route-v6.txt',
        'nodes/node-b/bpf-maps.txt',
        'tls/calico-system_node-certs.yaml',
      ]) {
        expect(paths, path).toContain(path);
      }
      expect(paths).not.toContain('nodes/node-a/ip-rule.txt');
      expect(readlinkSync(join(top, 'links/calico-system/calico-node-node-b.txt'))).toBe(
        '../../nodes/node-b/calico-system/calico-node-node-b.txt',
      );
      expect(read('nodes/node-b/ip-link.txt')).toContain('lo: <LOOPBACK');
      expect(read('nodes/node-b/calico-system/calico-node-node-b.txt')).toContain('node-b/');
      const certificate = read('tls/calico-system_node-certs.yaml');
      expect(certificate).toContain(`tls.crt: ${base64('a certificate')}`);
      expect(certificate).toContain('tls.key: <censored>');
      expect(read('cluster/kubernetes/configmaps.yaml')).toContain('colour: blue');
      expect(read('cluster/kubernetes/daemonsets.yaml')).toContain('--ca=/ca.pem');
      expect(read('cluster/kubernetes/daemonsets.yaml')).toContain('postgres://app:***@db/shop');
      for (const path of [...paths].filter((name) => !name.startsWith('links/'))) {
        const text = read(path);
        expect(text.includes(secret) || text.includes(base64(secret)), path).toBe(false);
      }
    }, 180_000);

    it('an interrupted cluster diags keeps what it collected, and continues on the next run', async () => {
      // Other runs on this machine have folders of that name too.
      const scratches = join(folder, 'scratches');
      mkdirSync(scratches);
      vi.stubEnv('TMPDIR', scratches);
      const stop = new AbortController();
      const interrupted = diags([], { signal: stop.signal });
      await until(
        () => readdirSync(scratches).some((name) => existsSync(join(scratches, name, bundle, 'nodes'))),
        'a node is asked',
        60_000,
      );
      stop.abort(new DOMException('interrupted', 'AbortError'));
      const { code, stderr } = await interrupted;
      expect(code).toBe(130);
      const scratch = /--resume (\S+)/.exec(stderr)?.[1] ?? '';
      expect(dirname(scratch)).toBe(scratches);
      const kept = join(scratch, bundle, 'cluster', 'version.yaml');
      mkdirSync(dirname(kept), { recursive: true });
      writeFileSync(kept, 'kept');
      expect((await diags(['--resume', scratch])).code).toBe(0);
      const { paths, read } = unpacked();
      expect(read('cluster/version.yaml')).toBe('kept');
      expect(paths).toContain('nodes/node-a/ip-rule.txt');
      expect([...paths].filter((path) => path.endsWith('.partial'))).toEqual([]);
      expect(existsSync(scratch)).toBe(false);
    }, 180_000);

    it('cluster diags collects nothing when the cluster does not answer kubectl', async () => {
      const gone = join(folder, 'gone.kubeconfig');
      const text = readFileSync(server().kubeconfig, 'utf8');
      writeFileSync(gone, text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:1'));
      const env = { KUBECONFIG: gone, PATH: `${dirname(partPath('kubectl'))}:${process.env['PATH']}`, HOME: folder };
      const { code, stdout, stderr } = await diags([], { env });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('kubectl cannot reach the cluster: ');
    });

    it('cluster diags reaches no cluster but the one it was given', async () => {
      const env = {
        K8S_API_ENDPOINT: 'https://192.0.2.1:6443',
        K8S_API_TOKEN: 'x',
        KUBECONFIG: server().kubeconfig,
        HOME: folder,
      };
      const { code, stderr } = await diags([], { env });
      expect(code).toBe(1);
      expect(stderr).toContain('(NO_KUBECONFIG)');
    });

    it('cluster diags reports a missing kubectl', async () => {
      const env = { KUBECONFIG: server().kubeconfig, PATH: '/nonexistent', HOME: folder };
      const { code, stderr } = await diags([], { env });
      expect(code).toBe(1);
      expect(stderr).toContain('missing dependency: unable to locate kubectl in PATH');
    });
  });
});
