// calictl node bgp over recorded nodes: who wants which session, its state, and nobody asked with --desired.
import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { KubeObject } from '../../../src/resources/object.ts';
import { bgpConfig, bgpNode, bgpPeerOf } from '../../support/clusters/bgp-objects.ts';
import { row } from '../../support/clusters/bgp-state.ts';
import { folderOf, run } from '../../support/program/world.ts';
import { birdAnswers, recordedFolder } from '../../support/recorded/nodes.ts';

const objects: KubeObject[] = [
  bgpNode('node-a', { ip: '10.90.0.1/24' }),
  bgpNode('node-b', { ip: '10.90.0.2/24', labels: { rr: 'yes' }, cluster: '244.0.0.1' }),
  bgpConfig({ nodeToNodeMeshEnabled: false }),
  bgpPeerOf('rr', { nodeSelector: '!has(rr)', peerSelector: 'has(rr)' }),
  bgpPeerOf('tor', { node: 'node-b', peerIP: '10.90.0.254:1790', asNumber: 65001 }),
  bgpPeerOf('typo', { peerIP: '10.90.0', asNumber: 65001 }),
];
const bird = (rows: string) => birdAnswers(4, { status: '', rows });
const recorded = recordedFolder(objects, {
  'node-a': bird(row('Node_10_90_0_2')),
  'node-b': bird(row('Node_10_90_0_1') + row('Node_10_90_0_254_port_1790', 'Idle BGP Error: Bad peer AS')),
});
const objectsOnly = folderOf(objects);
afterAll(() => {
  recorded.remove();
  rmSync(objectsOnly, { recursive: true });
});

describe('calictl node bgp', () => {
  it('node bgp lists each session with what configures it and its state, then what is wrong', async () => {
    const { code, stdout, stderr } = await run('node bgp', { folder: recorded.folder });
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      'NODE     PEER                 TYPE   AS      CONFIGURED BY                  STATE',
      'node-a   10.90.0.2 (node-b)   node   64512   BGPPeer rr                     Established',
      'node-b   10.90.0.1 (node-a)   node   64512   BGPPeer rr (reverse peering)   Established',
      'node-b   10.90.0.254:1790     node   65001   BGPPeer tor                    Idle',
    ]);
    expect(stdout).toContain(
      'F63 error IPv4: the AS number of 10.90.0.254 is not 65001 (from BGPPeer tor spec.asNumber)',
    );
    expect(stdout).toContain('ignored BGPPeer typo: peerIP 10.90.0 is not an IP address');
    expect(stdout).toMatch(/^2 of 3 peers are up; \d problems?\.$/m);
    expect([code, stderr]).toEqual([3, '']);
  });

  it('node bgp --desired contacts no node', async () => {
    const { code, stdout } = await run('node bgp --desired', { folder: objectsOnly });
    expect(stdout).toMatch(/^node-b +10\.90\.0\.254:1790 +node +65001 +BGPPeer tor$/m);
    expect(stdout).toMatch(/^3 peers, not compared with the nodes; 1 problem\.$/m);
    expect(code).toBe(0);
  });

  it('node bgp shows the desired sessions of unreachable nodes', async () => {
    const { code, stdout } = await run('node bgp node-a', { folder: objectsOnly });
    expect(stdout).toMatch(/^node-a +10\.90\.0\.2 \(node-b\) +node +64512 +BGPPeer rr +\?$/m);
    expect(stdout).not.toMatch(/^node-b/m);
    expect(stdout).toContain('unreachable node-a: ');
    expect(stdout).toContain('\n0 of 0 peers are up; 1 problem, 1 node unreachable.\n');
    expect(code).toBe(1);
  });

  it('node bgp prints everything in JSON, and the same in YAML', async () => {
    const { stdout } = await run('node bgp -o json', { folder: recorded.folder });
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      kind: 'BGPPeeringList',
      nodes: [
        { name: 'node-a', asNumber: 64512 },
        { name: 'node-b', routeReflectorClusterID: '244.0.0.1' },
      ],
      items: [
        { node: 'node-a', protocol: 'Node_10_90_0_2', peerNode: 'node-b', state: 'Established', wanted: true },
        { node: 'node-b', wantedBy: { kind: 'BGPPeer', name: 'rr', reverse: true }, routeReflectorClient: true },
        { node: 'node-b', address: '10.90.0.254', port: 1790, asNumber: 65001, problem: 'F63' },
      ],
      ignored: [{ name: 'typo' }],
      problems: [{ id: 'F63', object: { kind: 'BGPPeer', name: 'tor' } }, { id: 'F91' }],
    });
    expect(parseYaml((await run('node bgp -o yaml', { folder: recorded.folder })).stdout)).toEqual(document);
  });

  it('node bgp draws SVG and Graphviz', async () => {
    const dot = (await run('node bgp -o dot', { folder: recorded.folder })).stdout;
    expect(dot).toContain('"node-a" -- "node-b" [color="#1a7f37", style=solid');
    expect(dot).toContain('"10.90.0.254" -- "node-b" [color="#cf222e", style=dashed');
    const svg = (await run('node bgp -o svg', { folder: recorded.folder })).stdout;
    expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });
});
