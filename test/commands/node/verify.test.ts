// calictl node verify over recorded nodes: facts that are wrong or not observed, one pod, documents, exit codes.
import { afterAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { kernelProbes } from '../../../src/node-state/probes.ts';
import { run } from '../../support/program/world.ts';
import { changedRecording, recordedObjects } from '../../support/recorded/network.ts';
import { type RecordedAnswer, recordedFolder } from '../../support/recorded/nodes.ts';
import { recording } from '../../support/recorded/recordings.ts';

const objects = Object.values(recordedObjects({ mode: 'none', nodes: ['node-a', 'node-b'] })).flat();
const [web, nginx] = ['cali0761ccbeace', 'calic440f455693'];

function sysctls(webProxyArp: string): string {
  const perPod = [web, nginx].flatMap((device) => [
    `net/ipv4/conf/${device}/proxy_arp:${device === web ? webProxyArp : '1'}`,
    ...['forwarding', 'route_localnet'].map((name) => `net/ipv4/conf/${device}/${name}:1`),
    `net/ipv4/neigh/${device}/proxy_delay:0`,
  ]);
  return ['net/ipv4/ip_forward:1', 'net/ipv4/conf/eth0/forwarding:1', ...perPod]
    .map((line) => `/proc/sys/${line}\n`)
    .join('');
}

type Texts = Partial<Record<keyof typeof kernelProbes, string>>;

const well: Texts = {
  links: changedRecording('node-a.link.json', (all) =>
    all.map((link) => (String(link['ifname']).startsWith('cali') ? { ...link, mtu: 1500 } : link)),
  ),
  addresses: recording('ip', 'node-a.addr.json'),
  routes4: recording('ip', 'node-a.noencap.route4.details.json'),
  routes6: '[]',
  rules4: recording('ip', 'node-a.rule4.json'),
  rules6: recording('ip', 'node-a.rule6.json'),
  neighbours: recording('ip', 'node-a.neigh.json'),
  fdb: '[]',
  sysctls: sysctls('1'),
  mtu: '1500\n',
  nodename: 'node-a',
  gatewayRoute: '[{"dst":"169.254.1.1","gateway":"10.90.0.254","dev":"eth0"}]',
};

function answers(texts: Texts): RecordedAnswer[] {
  return Object.entries(texts).map(([name, stdout]) => ({
    argv: kernelProbes[name as keyof typeof kernelProbes].alternatives[0] ?? [],
    stdout,
  }));
}

const folders: { remove(): void }[] = [];
afterAll(() => {
  for (const folder of folders) folder.remove();
});

async function verify(line: string, texts: Texts | undefined = well) {
  const recorded = recordedFolder(objects, { 'node-a': answers(texts) });
  folders.push(recorded);
  return run(`node verify ${line}`, { folder: recorded.folder });
}

const proxyArpOff: Texts = { ...well, sysctls: sysctls('0') };

describe('calictl node verify', () => {
  it('node verify shows what is wrong for a pod, and what to do, and exits 3', async () => {
    const { code, stdout, stderr } = await verify('--pod default/web-1', proxyArpOff);
    expect([code, stderr]).toEqual([3, '']);
    expect(stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'NODE | SUBJECT | FACT | EXPECTED | SEEN | VERDICT',
      'node-a | pod default/web-1 | proxy_arp | 1 | 0 | wrong F01',
      '',
      'F01 error node-a: pod default/web-1: proxy_arp is 0, expected 1',
      ' | Set it, and find out what resets it (sysctl.d, tuned, NetworkManager).',
      '',
      expect.stringMatching(/^\d+ of \d+ facts on 1 node are as expected, 0 not observed; 1 problem\.$/),
      'Installation: no encapsulation, Calico IPAM.',
      "To see what a finding means and what to do, run 'calictl explain F01'.",
      '',
    ]);
  });

  it('node verify explains the cause of a missing route', async () => {
    const routes4 = changedRecording('node-a.noencap.route4.details.json', (all) =>
      all.filter(({ dst }) => dst !== '10.244.20.64/26'),
    );
    const { code, stdout } = await verify('node-a', { ...well, routes4 });
    expect(code).toBe(3);
    expect(stdout).toMatch(/^node-a +node +route to 10\.244\.20\.64\/26 .* wrong F44$/m);
    expect(stdout).toMatch(
      /^F44 error node-a: no route to 10\.244\.20\.64\/26 of node-b: .*; BIRD could not be read \(.*\)$/m,
    );
  });

  it('node verify never reports unobserved facts as right, and exits 0 when nothing is wrong', async () => {
    const { code, stdout } = await verify('node-a');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^not observed node-a: chain FORWARD of node, iptables backend of node\n {4}\S/m);
    expect(stdout).toMatch(/, 3 not observed; no problems\.\nInstallation: no encapsulation, Calico IPAM\.\n$/);
    expect(stdout).not.toContain('wrong');
  });

  it('node verify groups unobserved facts by reason, and lists each with --all', async () => {
    const { sysctls: _, ...blind } = well;
    const few = await verify('node-a', blind);
    expect(few.code).toBe(5);
    expect(few.stdout).toMatch(/^not observed node-a: ip_forward of node, .* and \d+ more\n/m);
    expect(few.stdout).toMatch(/^partly read node-a: settings could not be read\n/m);
    const all = await verify('node-a --all', blind);
    expect(all.stdout).toMatch(/pod default\/web-1 +proxy_arp +1 +- +not observed/);
    expect(all.stdout).toMatch(/pod default\/web-1 +MAC +ee:ee:ee:ee:ee:ee +ee:ee:ee:ee:ee:ee +ok/);
  });

  it('node verify -o json prints a document', async () => {
    const { stdout } = await verify('--pod default/web-1 -o json', proxyArpOff);
    const document = JSON.parse(stdout) as { items: { facts: object[] }[]; problems: object[] };
    expect(document).toMatchObject({ kind: 'NodeFactsList', unreached: [] });
    expect(document.items).toEqual([
      {
        node: 'node-a',
        reached: true,
        right: expect.any(Number),
        facts: [
          {
            subject: 'pod default/web-1',
            fact: 'proxy_arp',
            expected: '1',
            seen: '0',
            verdict: 'wrong',
            problem: 'F01',
            severity: 'error',
            hint: expect.any(String),
            command: ['cat', `/proc/sys/net/ipv4/conf/${web}/proxy_arp`],
          },
        ],
      },
    ]);
    expect(document.problems).toEqual([expect.objectContaining({ id: 'F01', node: 'node-a' })]);
    const yaml = await verify('--pod default/web-1 -o yaml', proxyArpOff);
    expect(parseYaml(yaml.stdout)).toEqual(document);
  });

  it('node verify reports an unreachable node as unreachable', async () => {
    const { code, stdout } = await verify('');
    expect(code).toBe(5);
    expect(stdout).toMatch(/^unreachable node-b: /m);
    expect((await verify('node-b')).code).toBe(1);
  });

  it.each([
    ['--pod default/none', 1, 'pod default/none is not running on a node, or uses the host network'],
    ['--pod web-1', 2, 'invalid pod for --pod: web-1'],
    ['--pod default/web-1 node-a', 2, '--pod and NODE cannot be used together'],
    ['node-x', 1, 'node node-x does not exist'],
  ])('node verify %s exits %i', async (line, code, text) => {
    const ran = await verify(line);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(text);
  });
});
