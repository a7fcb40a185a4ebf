// calictl node status over recorded nodes: table, rows of peers, documents, problems and exit codes.
import { afterAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { KubeObject } from '../../../src/resources/object.ts';
import { bgpConfig, bgpNode } from '../../support/clusters/bgp-objects.ts';
import { row } from '../../support/clusters/bgp-state.ts';
import { run } from '../../support/program/world.ts';
import { birdAnswers, noBirdAnswers, type RecordedAnswer, recordedFolder } from '../../support/recorded/nodes.ts';

const nodes = ['a', 'b', 'c'].map((letter, at) => bgpNode(`node-${letter}`, { ip: `10.90.0.${at + 1}/24` }));
const routesLine = '  Routes:         3 imported, 2 exported, 1 preferred\n';
const felix: RecordedAnswer = { argv: ['calico-node', '-felix-live'] };

/** A node whose BIRD says this of its peers, by the last number of their addresses. */
function speaking(last: number, peers: Readonly<Record<number, string>>): RecordedAnswer[] {
  const rows = Object.entries(peers).map(
    ([peer, info]) => row(`Mesh_10_90_0_${peer}`, info) + (info === 'Established' ? routesLine : ''),
  );
  return [...birdAnswers(4, { status: `Router ID is 10.90.0.${last}\n`, rows: rows.join('') }), felix];
}

const healthy = {
  'node-a': speaking(1, { 2: 'Established', 3: 'Established' }),
  'node-b': speaking(2, { 1: 'Established', 3: 'Established' }),
  'node-c': speaking(3, { 1: 'Established', 2: 'Established' }),
};
const refused = 'Active        Socket: Connection refused';

const folders: { remove(): void }[] = [];
afterAll(() => {
  for (const folder of folders) folder.remove();
});

async function status(
  line: string,
  answers: Readonly<Record<string, readonly RecordedAnswer[] | undefined>>,
  objects: readonly KubeObject[] = nodes,
) {
  const recorded = recordedFolder(objects, answers);
  folders.push(recorded);
  return run(`node status ${line}`, { folder: recorded.folder });
}

describe('calictl node status', () => {
  it('node status prints one row per node, and that all are healthy', async () => {
    const { code, stdout, stderr } = await status('', healthy);
    expect(stdout.split('\n')).toEqual([
      'NODE     BIRD                ROUTER ID   PEERS V4   PEERS V6   FELIX   ROUTES   PROBLEM',
      'node-a   v0.3.3+birdv1.6.8   10.90.0.1   2/2        -          live    2/6      -',
      'node-b   v0.3.3+birdv1.6.8   10.90.0.2   2/2        -          live    2/6      -',
      'node-c   v0.3.3+birdv1.6.8   10.90.0.3   2/2        -          live    2/6      -',
      '',
      '6 of 6 peers on 3 nodes are up; no problems.',
      'Installation: BIRD, no pool for pods.',
      '',
    ]);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('node status reports a dead BIRD once, with all that follows from it, and exits 3', async () => {
    const answers = {
      'node-a': speaking(1, { 2: refused, 3: 'Established' }),
      'node-b': [...noBirdAnswers(4), felix],
      'node-c': speaking(3, { 1: 'Established', 2: refused }),
    };
    const { code, stdout } = await status('', answers);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^node-b +not running +- +0\/2 +- +live +- +F60$/m);
    expect(stdout).toMatch(/^node-a .* 1\/2 .* F60$/m);
    expect(stdout.match(/^F\d+ /gm)).toEqual(['F60 ']);
    // Of the rows: 1 of 2, 0 of 2, 1 of 2.
    expect(stdout).toContain('2 of 6 peers on 3 nodes are up; 1 problem.');
    expect(stdout).toContain(
      'F60 error IPv4: BIRD is not running on node-b: no session with node-a, node-c\n    Node node-b: ',
    );
    const wide = (await status('-o wide', answers)).stdout;
    expect(wide).toMatch(
      /^node-a +10\.90\.0\.2 \(node-b\) +mesh +64512 +Active: Socket: Connection refused +14:25:57 +- +F60$/m,
    );
    expect(wide).toMatch(/^node-a +10\.90\.0\.3 \(node-c\) +mesh +64512 +Established +14:25:57 +3\/2 +-$/m);
    expect(wide).toMatch(/^node-b +- +- +- +BIRD v4 not running +- +- +F60$/m);
  });

  it("node status never reports an unreachable node as down: its peers' view is used, with the reason", async () => {
    const { code, stdout } = await status('', { ...healthy, 'node-c': undefined });
    expect(stdout).toMatch(/^node-c +\? +\? +\? +\? +\? +\? +unreachable$/m);
    expect(stdout).toContain('unreachable node-c: ');
    expect(stdout).toContain('4 of 4 peers on 2 nodes are up; no problems found, 1 node unreachable.');
    expect(code).toBe(5);
  });

  it('node status exits 3 when something is down, even with unreachable nodes', async () => {
    const answers = {
      'node-a': speaking(1, { 2: refused, 3: 'Established' }),
      'node-b': undefined,
      'node-c': undefined,
    };
    const { code, stdout } = await status('', answers);
    expect(code).toBe(3);
    expect(stdout).toContain('port 179 of node-b refuses node-a: node-b was not queried');
  });

  it('node status groups nodes that gave no answer by reason, and exits 1 when no node was reached', async () => {
    const { code, stdout } = await status('', {});
    expect(stdout).toMatch(/^unreachable node-a, node-b, node-c: no recordings$/m);
    expect(code).toBe(1);
  });

  it('node status contacts only the named nodes', async () => {
    const { code, stdout } = await status('node-b', healthy);
    expect(stdout.match(/^node-\w/gm)).toEqual(['node-b']);
    expect(code).toBe(0);
    const unknown = await status('node-z', healthy);
    expect([unknown.code, unknown.stdout]).toEqual([1, '']);
    expect(unknown.stderr).toContain('node node-z does not exist');
  });

  it('node status reports a BIRD that gave no answer as not asked, not as down', async () => {
    const { code, stdout } = await status('', { ...healthy, 'node-b': [felix] });
    expect(stdout).toMatch(/^node-b +\? +- +\?\/2 /m);
    expect(stdout).toContain('partly read node-b: BIRD for IPv4: ');
    expect(stdout).not.toContain('F60');
    expect(code).toBe(5);
  });

  it('node status prints everything in JSON, and the same in YAML', async () => {
    const answers = { ...healthy, 'node-a': speaking(1, { 2: 'Established', 3: '' }), 'node-c': undefined };
    const json = await status('-o json', answers);
    const document = JSON.parse(json.stdout);
    expect(json.code).toBe(3);
    expect(document).toMatchObject({
      kind: 'NodeStatusList',
      items: [
        {
          node: 'node-a',
          reached: true,
          ipv4: '10.90.0.1',
          asNumber: 64512,
          felix: 'live',
          problems: ['F100'],
          bird: [{ ipVersion: 4, state: 'running', version: 'v0.3.3+birdv1.6.8', routerId: '10.90.0.1' }],
          routes: { imported: 3, preferred: 1, exported: 2 },
          peers: [
            { address: '10.90.0.2', node: 'node-b', type: 'mesh', state: 'Established', wantedBy: { kind: 'mesh' } },
            { address: '10.90.0.3', node: 'node-c', state: 'Down', problem: 'F100' },
          ],
        },
        { node: 'node-b', reached: true },
        { node: 'node-c', reached: false, peers: [] },
      ],
      problems: [
        {
          id: 'F100',
          severity: 'error',
          node: 'node-a',
          peer: 'node-c',
          ipVersion: 4,
          sessions: [{ node: 'node-a', ipVersion: 4, protocol: 'Mesh_10_90_0_3' }],
        },
      ],
      unreached: [{ node: 'node-c', code: 'NODE_UNREACHABLE' }],
    });
    expect(parseYaml((await status('-o yaml', answers)).stdout)).toEqual(document);
  });

  it('node status escapes control characters in names', async () => {
    const evil = 'Active        Socket: \u001b[31mgone';
    const { stdout } = await status('-o wide', { ...healthy, 'node-a': speaking(1, { 2: evil, 3: 'Established' }) });
    expect(stdout).toContain('\\e[31mgone');
    expect(stdout).not.toContain('\u001b');
  });

  it('node status without nodes fails with a clear error', async () => {
    const { code, stderr } = await status('', {}, [bgpConfig({})]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no nodes.*\nhint: .*kubectl get nodes -o yaml$/m)]);
  });
});
