// calictl node routes over recorded nodes: what differs, everything, documents, exit codes, who was not asked.
import { afterAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { kernelProbes } from '../../../src/node-state/probes.ts';
import { run } from '../../support/program/world.ts';
import { changedRecording, recordedObjects } from '../../support/recorded/network.ts';
import { type RecordedAnswer, recordedFolder } from '../../support/recorded/nodes.ts';
import { recording } from '../../support/recorded/recordings.ts';

const objects = Object.values(recordedObjects({ mode: 'vxlan', nodes: ['node-a'] })).flat();
const two = Object.values(recordedObjects({ mode: 'vxlan', nodes: ['node-a', 'node-b'] })).flat();

type Texts = Partial<Record<keyof typeof kernelProbes, string>>;

function answers(texts: Texts): RecordedAnswer[] {
  return Object.entries(texts).map(([name, stdout]) => ({
    argv: kernelProbes[name as keyof typeof kernelProbes].alternatives[0] ?? [],
    stdout,
  }));
}

const well: Texts = {
  routes4: changedRecording('node-a.vxlan.route4.details.json', (all) =>
    all.filter(({ dst }) => dst !== '10.244.30.128/26'),
  ),
  addresses: recording('ip', 'node-a.vxlan-dual.addr.json'),
};
const lacking: Texts = {
  ...well,
  routes4: changedRecording('node-a.vxlan.route4.details.json', (all) =>
    all.filter(({ dst }) => !['10.244.30.128/26', '10.244.20.64/26'].includes(String(dst))),
  ),
};

const folders: { remove(): void }[] = [];
afterAll(() => {
  for (const folder of folders) folder.remove();
});

async function routes(line: string, nodes: Parameters<typeof recordedFolder>[1], all = two) {
  const recorded = recordedFolder(all, nodes);
  folders.push(recorded);
  return run(`node routes ${line}`, { folder: recorded.folder });
}

describe('calictl node routes', () => {
  it('node routes reports that nothing differs', async () => {
    const { code, stdout, stderr } = await routes('node-a', { 'node-a': answers(well) });
    const report = '4 of 4 routes on 1 node are as expected; no problems.\nInstallation: VXLAN, Calico IPAM.\n';
    expect([code, stdout, stderr]).toEqual([0, report, '']);
  });

  it('node routes shows what is missing, why it should exist and what to do, and exits 3', async () => {
    const { code, stdout } = await routes('node-a', { 'node-a': answers(lacking) });
    expect(code).toBe(3);
    expect(stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'NODE | DESTINATION | EXPECTED | SEEN | VERDICT | WHY',
      'node-a | 10.244.20.64/26 | via 10.244.20.64 dev vxlan.calico proto boot onlink | - | missing F44 | block of node-b in pool pool-4, VXLAN',
      '',
      'F44 error node-a: no route to 10.244.20.64/26 of node-b: packets take the default route',
      ' | Check that Felix runs on this node, and read its log: calictl node status node-a',
      '',
      '3 of 4 routes on 1 node are as expected; 1 problem.',
      'Installation: VXLAN, Calico IPAM.',
      "To see what a finding means and what to do, run 'calictl explain F44'.",
      '',
    ]);
  });

  it('node routes --all shows every route', async () => {
    const { stdout } = await routes('node-a --all', { 'node-a': answers(well) });
    const rows = stdout.split('\n').filter((line) => line.startsWith('node-a'));
    expect(rows.map((row) => row.split(/ {2,}/)[1])).toEqual([
      '10.244.10.0/26',
      '10.244.10.1/32',
      '10.244.10.2/32',
      '10.244.20.64/26',
    ]);
    expect(stdout).toContain('pod default/web-1');
  });

  it('node routes -o json prints a document', async () => {
    const { stdout } = await routes('node-a -o json', { 'node-a': answers(lacking) });
    expect(JSON.parse(stdout)).toEqual({
      kind: 'NodeRoutesList',
      installation: 'VXLAN, Calico IPAM',
      items: [
        {
          node: 'node-a',
          reached: true,
          asExpected: 3,
          routes: [
            {
              ipVersion: 4,
              destination: '10.244.20.64/26',
              for: 'remote block',
              peer: 'node-b',
              expected: 'via 10.244.20.64 dev vxlan.calico proto boot onlink',
              seen: '-',
              verdict: 'missing',
              why: 'block of node-b in pool pool-4, VXLAN',
              problem: 'F44',
              command: ['ip', '-d', '-4', 'route', 'show', 'exact', '10.244.20.64/26'],
            },
          ],
        },
      ],
      problems: [
        {
          id: 'F44',
          severity: 'error',
          node: 'node-a',
          peer: 'node-b',
          message: 'no route to 10.244.20.64/26 of node-b: packets take the default route',
          hint: 'check that Felix runs on this node, and read its log: calictl node status node-a',
        },
      ],
      unreached: [],
      unread: [],
      notAsked: [],
    });
    const yaml = await routes('node-a -o yaml', { 'node-a': answers(lacking) });
    expect(parseYaml(yaml.stdout)).toEqual(JSON.parse(stdout));
  });

  it('node routes reports an unreachable node as unreachable, with 5 when nothing else is wrong', async () => {
    const { code, stdout } = await routes('', { 'node-a': answers(well) });
    expect(code).toBe(5);
    expect(stdout).toMatch(/^unreachable node-b: .*\n/);
    expect(stdout).toMatch(
      /4 of 4 routes on 1 node are as expected; no problems found, 1 node unreachable\.\nInstallation: VXLAN, Calico IPAM\.\n$/,
    );
  });

  it('node routes exits 3 when something differs, even with unreachable nodes, and 1 when no node was reached', async () => {
    expect((await routes('', { 'node-a': answers(lacking) })).code).toBe(3);
    expect((await routes('', {})).code).toBe(1);
  });

  it('node routes does not report routes as missing when they could not be read', async () => {
    const { code, stdout } = await routes('', { 'node-a': answers({ addresses: well.addresses ?? '' }) }, objects);
    expect(code).toBe(5);
    expect(stdout).toContain('not observed');
    expect(stdout).toMatch(/^partly read node-a: IPv4 routes could not be read: the snapshot has no record of ip /m);
    expect(stdout).not.toContain('missing');
  });

  it.each([
    ['node-x', 1, 'node node-x does not exist'],
    ['--via pigeon', 2, 'invalid transport for --via: pigeon'],
    ['-o svg', 2, 'svg'],
  ])('node routes %s exits %i', async (line, code, text) => {
    const ran = await routes(line, {});
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(text);
  });
});
