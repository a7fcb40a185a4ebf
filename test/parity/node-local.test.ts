// node checksystem, run and diags compared with the calicoctl that CALICOCTL names, on this machine.
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Answer, reference, runReference } from '../support/program/reference-calicoctl.ts';
import { run } from '../support/program/world.ts';

const isRoot = process.getuid?.() === 0;
const suite = `beside calicoctl${reference ? '' : ' (CALICOCTL names no program)'}${isRoot ? '' : ' (needs root)'}`;

describe.skipIf(!reference || !isRoot)(suite, () => {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-node-parity-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  // It wants an lsmod; ours reads /proc/modules, which a kernel without modules does not have.
  chmodSync(file('lsmod', '#!/bin/sh\nexit 0\n'), 0o755);
  const path = `${folder}:${process.env['PATH']}`;
  const both = async (argv: readonly string[], env: Record<string, string> = {}): Promise<[Answer, Answer]> => {
    const { code, stdout, stderr } = await run(argv, {
      env: { PATH: path, HOME: folder, ...env },
      programName: 'calicoctl',
    });
    return [{ code, stdout, stderr }, await runReference(argv, { PATH: path, HOME: folder, ...env })];
  };

  describe('node checksystem', () => {
    /** Its modules come in another order each time. */
    const sorted = ({ code, stdout, stderr }: Answer) => {
      const results = stdout.split('\n').filter((line) => line.startsWith('\t\t'));
      const rest = stdout.split('\n').filter((line) => !line.startsWith('\t\t') && !line.startsWith('WARNING: Unable'));
      const warnings = stdout.split('\n').filter((line) => line.startsWith('WARNING: Unable'));
      return { code, stderr, results: results.sort(), rest, warnings: warnings.sort() };
    };
    const settings =
      'IP_SET IP_NF_IPTABLES NETFILTER_XT_MATCH_IPVS VFIO BPF NFT_REJECT IP_NF_MATCH_RPFILTER NET_EMATCH_IPSET ' +
      'NF_CT_NETLINK NETFILTER_XT_MATCH_ADDRTYPE NETFILTER_XT_MATCH_CONNTRACK IP_NF_TARGET_MARK IP_NF_MATCH_MULTIPORT ' +
      'NETFILTER_XT_SET NETFILTER_XT_MATCH_U32';
    const withoutIpv6 = settings.split(' ').map((name) => `CONFIG_${name}=m\n`);

    it.each([
      ['nothing is there', ''],
      ['IPv6 is missing', withoutIpv6.join('')],
      ['all is there', `${withoutIpv6.join('')}CONFIG_IP6_NF_IPTABLES=y\n`],
      ['half is there', withoutIpv6.slice(0, 7).join('')],
      ['settings without values', withoutIpv6.join('').replaceAll('=m', '=')],
    ])('node checksystem prints the same as calicoctl when %s', async (name, config) => {
      const [ours, theirs] = await both(['node', 'checksystem', '-f', file(name, config)]);
      expect(sorted(ours)).toEqual(sorted(theirs));
    });

    it('node checksystem prints the same as calicoctl for a missing configuration file', async () => {
      const [ours, theirs] = await both(['node', 'checksystem', '-f', join(folder, 'none')]);
      expect(sorted(ours)).toEqual(sorted(theirs));
    });
  });

  describe('node run --dryrun', () => {
    const etcd = { DATASTORE_TYPE: 'etcdv3', ETCD_ENDPOINTS: 'http://127.0.0.1:2379' };
    /** Its variables come in another order each time. */
    const sorted = ({ code, stdout, stderr }: Answer) => ({
      code,
      stderr,
      lines: stdout
        .split('\n')
        .map((line) => (line.startsWith('docker run') ? line.split(/ (?=-[ev] )/).sort() : line)),
    });

    it.each([
      '',
      '--init-system',
      '--ip=192.0.2.1 --as=64513 --name=node-a --no-default-ippools',
      '--ip=autodetect --ip6=autodetect --as=1.2 --node-image=registry.example/node:1 --log-dir=/tmp/logs',
      '--ip6=2001:db8::1 --backend=none --felix-config=/etc/felix.cfg',
      '--ip-autodetection-method=can-reach=192.0.2.1 --ip6-autodetection-method=skip-interface=eth.*,lo',
      '--ip-autodetection-method=interface=eth.*,enp0s.*',
      '--ip=none',
      '--ip=::1',
      '--ip6=192.0.2.1',
      '--as=many',
      '--as=4294967296',
      '--backend=frr',
      '--ip-autodetection-method=luck',
      '--ip-autodetection-method=interface=(',
      '--ip-autodetection-method=can-reach=2001:db8::1',
      '--ip6-autodetection-method=can-reach=192.0.2.1',
      '--name=',
      '--config=/nonexistent/calicoctl.cfg',
      '--ip=192.0.2.1 more',
    ])('node run --dryrun prints the same as calicoctl with %j', async (flags) => {
      const argv = ['node', 'run', '--dryrun', ...flags.split(' ').filter((word) => word !== '')];
      const [ours, theirs] = await both(argv, etcd);
      expect(sorted(ours)).toEqual(sorted(theirs));
    });

    it('node run --dryrun prints the same as calicoctl with certificates of etcd', async () => {
      const files = { ETCD_CA_CERT_FILE: '/c/ca', ETCD_CERT_FILE: '/c/cert', ETCD_KEY_FILE: '/c/key' };
      const [ours, theirs] = await both(['node', 'run', '--dryrun'], { ...etcd, ...files });
      expect(sorted(ours)).toEqual(sorted(theirs));
    });

    it('node run --dryrun prints the same as calicoctl with a Kubernetes datastore', async () => {
      const [ours, theirs] = await both(['node', 'run', '--dryrun'], { DATASTORE_TYPE: 'kubernetes' });
      expect(sorted(ours)).toEqual(sorted(theirs));
    });
  });

  describe('node run', () => {
    /** A docker that starts nothing and prints the given log. */
    const dockerThat = (log: string): void => {
      const script = `#!/bin/sh\n[ "$1" = logs ] && printf '%s\\n' '${log}'\nexit 0\n`;
      chmodSync(file('docker', script), 0o755);
    };
    afterAll(() => rmSync(join(folder, 'docker')));
    const etcd = {
      DATASTORE_TYPE: 'etcdv3',
      ETCD_ENDPOINTS: 'http://127.0.0.1:2379',
      // Without changes to this machine's kernel.
      CALICO_CTL_CONTAINER: 'true',
    };
    const plain = ({ code, stdout, stderr }: Answer) => ({
      code,
      stderr,
      stdout: stdout.replace(/docker run.*/, (line) =>
        line
          .split(/ (?=-[ev] )/)
          .sort()
          .join(' '),
      ),
    });

    it.each(['Calico node started successfully', 'Calico node failed to start'])(
      'node run prints the same as calicoctl when the log says %j',
      async (log) => {
        dockerThat(log);
        const [ours, theirs] = await both(['node', 'run', '--name=node-a'], etcd);
        expect(plain(ours)).toEqual(plain(theirs));
      },
    );
  });

  describe('node diags', () => {
    /** Without what differs from run to run; a docker without a daemon says why in its own words. */
    const plain = ({ code, stdout, stderr }: Answer) => ({
      code,
      stderr,
      stdout: stdout
        .replaceAll(/\/tmp\/calico\w+/g, 'DIR')
        .replace(/diags-\d{8}_\d{6}/, 'diags-NOW')
        .replace(/Error copying log files: .*/, 'Error copying log files'),
    });
    const folderOf = ({ stdout }: Answer): string => dirname(/Diags saved to (.*)/.exec(stdout)?.[1] ?? '');

    it('node diags prints the same as calicoctl, and makes the same kind of file', async () => {
      const logs = join(folder, 'no-logs');
      const [ours, theirs] = await both(['node', 'diags', `--log-dir=${logs}`], { TMPDIR: tmpdir() });
      expect(plain(ours)).toEqual(plain(theirs));
      const ends = [ours, theirs].map((answer) =>
        readdirSync(folderOf(answer)).filter((name) => name.endsWith('.tar.gz')),
      );
      expect(ends.map((names) => names.length)).toEqual([1, 1]);
      for (const answer of [ours, theirs]) rmSync(folderOf(answer), { recursive: true });
    });
  });
});
