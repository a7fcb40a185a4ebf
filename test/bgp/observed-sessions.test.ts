// Peers as BIRD shows them, joined with the plan: recorded tables of real daemons, and rows by hand.
import { describe, expect, it } from 'vitest';
import { desiredSessions } from '../../src/bgp/desired-sessions.ts';
import { isBirdAbsent, type ObservedSession, observedSessions } from '../../src/bgp/observed-sessions.ts';
import { formatIp } from '../../src/net/ip.ts';
import { bgpConfig, bgpNode, bgpPeerOf } from '../support/clusters/bgp-objects.ts';
import { bgpState, noSocket, row } from '../support/clusters/bgp-state.ts';

const nodes = [
  bgpNode('node-a', { ip: '10.90.0.1/24' }),
  bgpNode('node-b', { ip: '10.90.0.2/24' }),
  bgpNode('node-c', { ip: '10.90.1.3/24' }),
];
const bgpPeers = [
  bgpPeerOf('tor', { peerIP: '10.90.0.254', asNumber: 65001 }),
  bgpPeerOf('port', { node: 'node-a', peerIP: '10.90.0.254:1790', asNumber: 65001 }),
];
const plan = desiredSessions({ nodes, bgpPeers, bgpConfigurations: [] });

const brief = ({ protocol, type, address, port, peerNode, state, info }: ObservedSession) => [
  ...[protocol, type, address && formatIp(address), port, peerNode, state, info],
];

describe('observedSessions', () => {
  it('observed sessions have type, address, port, state and last error, also when disabled', () => {
    const rows = [
      row('Mesh_10_90_0_2'),
      row('Mesh_10_90_1_3', 'Idle          BGP Error: Bad peer AS'),
      row('Global_10_90_0_254', ''),
      row('Node_10_90_0_254_port_1790', 'Active        Socket: Connection refused'),
    ];
    const peers = observedSessions(bgpState('node-a', { rows: rows.join('') }), plan);
    expect(peers.map(brief)).toEqual([
      ['Mesh_10_90_0_2', 'mesh', '10.90.0.2', undefined, 'node-b', 'Established', ''],
      ['Global_10_90_0_254', 'global', '10.90.0.254', undefined, undefined, 'Down', ''],
      [
        ...['Node_10_90_0_254_port_1790', 'node', '10.90.0.254', 1790, undefined],
        ...['Active', 'Socket: Connection refused'],
      ],
      ['Mesh_10_90_1_3', 'mesh', '10.90.1.3', undefined, 'node-c', 'Idle', 'BGP Error: Bad peer AS'],
    ]);
    expect(peers.map(({ as }) => as)).toEqual([64512, 65001, 65001, 64512]);
  });

  it('sessions that BIRD lacks are Missing and those that nothing asks for extra, except for workloads and foreign protocols', () => {
    const rows = ['Mesh_10_90_0_9', 'Mesh_10_90_0_2', 'Local_Workload_10_244_10_2', 'fabric'].map((name) => row(name));
    const peers = observedSessions(bgpState('node-a', { rows: rows.join('') }), plan);
    expect(peers.filter(({ state }) => state === 'Missing').map(({ protocol }) => protocol)).toEqual([
      ...['Global_10_90_0_254', 'Node_10_90_0_254_port_1790', 'Mesh_10_90_1_3'],
    ]);
    expect(peers.filter(({ desired }) => !desired).map(({ type, extra }) => [type, extra])).toEqual([
      ['mesh', true],
      ['local-workload', false],
      ['other', false],
    ]);
  });

  it('a mesh protocol with the port in its name is the same session', () => {
    const bgpConfigurations = [bgpConfig({ listenPort: 1790 })];
    const ported = desiredSessions({ nodes: nodes.slice(0, 2), bgpPeers: [], bgpConfigurations });
    const [peer, ...more] = observedSessions(bgpState('node-a', { rows: row('Mesh_10_90_0_2_port_1790') }), ported);
    expect([peer?.state, peer?.port, more]).toEqual(['Established', 1790, []]);
  });

  it('a family whose BIRD was not seen has no sessions, and only an absent BIRD counts as absent', () => {
    for (const [why, absent] of [
      [noSocket, true],
      ['the time was up', false],
    ] as const) {
      const state = bgpState('node-a', { unseen: why });
      expect(observedSessions(state, plan)).toEqual([]);
      expect(isBirdAbsent(state.bird[4])).toBe(absent);
    }
  });
});
