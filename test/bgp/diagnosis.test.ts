// Faults planted one by one, in words that real daemons print, seen from both ends: what is concluded, and that it is
// reported once.
import { describe, expect, it } from 'vitest';
import { type BgpObjects, desiredSessions } from '../../src/bgp/desired-sessions.ts';
import { type BgpDiagnosis, diagnoseBgp, isFaulty } from '../../src/bgp/diagnosis.ts';
import type { BgpFinding } from '../../src/bgp/finding.ts';
import type { BgpState } from '../../src/bgp/observed-sessions.ts';
import { bgpConfig, bgpNode, bgpPeerOf } from '../support/clusters/bgp-objects.ts';
import { bgpState, noSocket, row } from '../support/clusters/bgp-state.ts';

const a = bgpNode('node-a', { ip: '10.90.0.1/24' });
const b = bgpNode('node-b', { ip: '10.90.0.2/24' });
const c = bgpNode('node-c', { ip: '10.90.0.3/24' });
const noMesh = bgpConfig({ nodeToNodeMeshEnabled: false });

function diagnosed(
  objects: Partial<BgpObjects>,
  states: readonly BgpState[],
  options: Parameters<typeof diagnoseBgp>[2] = {},
): BgpDiagnosis {
  return diagnoseBgp(
    desiredSessions({ nodes: [a, b], bgpPeers: [], bgpConfigurations: [], ...objects }),
    states,
    options,
  );
}

/** The only finding; it must explain every session end that is not up. */
function only({ findings, sessions, findingOf }: BgpDiagnosis): BgpFinding {
  expect(findings.map(({ id, message }) => `${id} ${message}`)).toHaveLength(1);
  for (const seen of sessions.filter(({ state }) => state !== 'Established')) {
    expect(findingOf(seen), `${seen.node} ${seen.protocol}`).toBe(findings[0]);
  }
  return findings[0] as BgpFinding;
}

/** The words of node-a (which waits: 10.90.0.2 > 10.90.0.1) and of node-b (which dials). */
const pair = (atA: string, atB: string): BgpState[] => [
  bgpState('node-a', { rows: row('Mesh_10_90_0_2', atA), routerId: '10.90.0.1' }),
  bgpState('node-b', { rows: row('Mesh_10_90_0_1', atB), routerId: '10.90.0.2' }),
];

describe('sessions', () => {
  it('sessions that are all up give no finding', () => {
    const { findings, sessions } = diagnosed({}, pair('Established', 'Established'));
    expect([findings, sessions.length]).toEqual([[], 2]);
  });

  it('F61 is reported when a node whose BIRD runs refuses the connection', () => {
    const finding = only(diagnosed({}, pair('Passive', 'Active        Socket: Connection refused')));
    expect(finding).toMatchObject({
      id: 'F61',
      node: 'node-b',
      peer: 'node-a',
      object: { kind: 'Node', name: 'node-a' },
    });
    expect(finding.message).toBe('port 179 of node-a refuses node-b, although BIRD runs on node-a');
  });

  it('F61 is reported when a node dials a port on which the peer does not listen', () => {
    const bgpPeers = [bgpPeerOf('b', { node: 'node-a', peerIP: '10.90.0.2:1790', asNumber: 64512 })];
    const states = [bgpState('node-a', { rows: row('Node_10_90_0_2_port_1790', 'Active Socket: Connection refused') })];
    const back = bgpPeerOf('a', { node: 'node-b', peerIP: '10.90.0.1', asNumber: 64512, reversePeering: 'Manual' });
    const finding = only(diagnosed({ bgpPeers: [...bgpPeers, back], bgpConfigurations: [noMesh] }, states));
    expect(finding.message).toBe('node-a dials port 1790 of node-b, which listens on 179');
    expect(finding.object).toEqual({ kind: 'BGPPeer', name: 'b' });
  });

  it('F62 is reported without a route, and for a port that is dropped while BIRD runs at the other end', () => {
    const noRoute = only(diagnosed({}, pair('Passive', 'Connect       Socket: No route to host')));
    expect(noRoute).toMatchObject({ id: 'F62', message: 'node-b cannot reach node-a: Socket: No route to host' });
    const dropped = only(diagnosed({}, pair('Passive', 'Connect')));
    expect(dropped.id).toBe('F62');
    expect(dropped.message).toBe('node-b dials node-a and gets no answer; BIRD runs there and reports Passive');
    expect(dropped.hint).toContain('TCP 179');
  });

  it('the hint of F62 names F52 for an address that is not an InternalIP', () => {
    const nodes = [bgpNode('node-a', { ip: '10.90.0.1/24', internal: '192.0.2.1' }), b];
    expect(only(diagnosed({ nodes }, pair('Passive', 'Connect'))).hint).toContain(
      'the address of node-a is 10.90.0.1, its InternalIP is 192.0.2.1 (F52',
    );
  });

  it('F63 names the resource that has the wrong AS number', () => {
    const nodes = [a, bgpNode('node-b', { ip: '10.90.0.2/24', as: 65002 })];
    const bgpPeers = [
      bgpPeerOf('to-b', { node: 'node-a', peerIP: '10.90.0.2', asNumber: 65001 }),
      bgpPeerOf('to-a', { node: 'node-b', peerIP: '10.90.0.1', asNumber: 64512 }),
    ];
    const states = [
      bgpState('node-a', { rows: row('Node_10_90_0_2', 'Idle BGP Error: Bad peer AS') }),
      bgpState('node-b', { rows: row('Node_10_90_0_1', 'Idle Received: Bad peer AS') }),
    ];
    const finding = only(diagnosed({ nodes, bgpPeers, bgpConfigurations: [noMesh] }, states));
    expect(finding).toMatchObject({ id: 'F63', object: { kind: 'BGPPeer', name: 'to-b' } });
    expect(finding.message).toBe(
      'node-a expects node-b to have AS 65001 (from BGPPeer to-b spec.asNumber), but it has AS 65002 (from Node node-b spec.bgp.asNumber)',
    );
  });

  it('F63 is reported by the resources alone when the wrong AS number keeps the peer from peering back', () => {
    const bgpPeers = [bgpPeerOf('to-b', { node: 'node-a', peerIP: '10.90.0.2', asNumber: 65001 })];
    const states = [
      bgpState('node-a', { rows: row('Node_10_90_0_2', 'Active Socket: Connection closed') }),
      bgpState('node-b'),
    ];
    const finding = only(diagnosed({ bgpPeers, bgpConfigurations: [noMesh] }, states));
    expect(finding).toMatchObject({ id: 'F63', object: { kind: 'BGPPeer', name: 'to-b' } });
    expect(finding.message).toContain(
      'expects node-b to have AS 65001, but it has AS 64512 (the default), so node-b does not peer back',
    );
  });

  it('F63 names the node with an old BIRD configuration when the resources agree', () => {
    const finding = only(diagnosed({}, pair('Idle BGP Error: Bad peer AS', 'Idle Received: Bad peer AS')));
    expect(finding).toMatchObject({ id: 'F63', object: { kind: 'Node', name: 'node-b' } });
  });

  it('F63 names the BGPPeer when an outside router does not have the AS number that it says', () => {
    const bgpPeers = [bgpPeerOf('tor', { peerIP: '10.90.0.254', asNumber: 65001 })];
    const states = [bgpState('node-a', { rows: row('Global_10_90_0_254', 'Idle BGP Error: Bad peer AS') })];
    const finding = only(diagnosed({ nodes: [a], bgpPeers }, states));
    expect(finding).toMatchObject({ id: 'F63', peer: '10.90.0.254', object: { kind: 'BGPPeer', name: 'tor' } });
  });

  it('F64 is reported for different passwords, and for a session with a password that gets no answer', () => {
    const password = { secretKeyRef: { name: 'bgp', key: 'x' } };
    const bgpPeers = [
      bgpPeerOf('to-b', { node: 'node-a', peerIP: '10.90.0.2', asNumber: 64512, reversePeering: 'Manual', password }),
      bgpPeerOf('to-a', { node: 'node-b', peerIP: '10.90.0.1', asNumber: 64512, reversePeering: 'Manual' }),
    ];
    const states = [
      bgpState('node-a', { rows: row('Node_10_90_0_2', 'Connect') }),
      bgpState('node-b', { rows: row('Node_10_90_0_1', 'Connect') }),
    ];
    const differs = only(diagnosed({ bgpPeers, bgpConfigurations: [noMesh] }, states));
    expect(differs).toMatchObject({ id: 'F64', object: { kind: 'BGPPeer', name: 'to-b' } });
    expect(differs.message).toBe('node-a uses the password in secret bgp (x), node-b uses no password');
    const mesh = [bgpConfig({ nodeMeshPassword: password })];
    const stuck = only(diagnosed({ bgpConfigurations: mesh }, pair('Passive', 'Connect')));
    expect(stuck).toMatchObject({ id: 'F64', object: { kind: 'BGPConfiguration', name: 'default' } });
  });

  it('F65 is reported when both BIRDs say that they have the same router ID', () => {
    const states = ['node-a', 'node-b'].map((name) =>
      bgpState(name, {
        rows: row(`Mesh_10_90_0_${name === 'node-a' ? 2 : 1}`, 'Active BGP Error: Bad BGP identifier'),
        routerId: '10.90.0.1',
      }),
    );
    expect(only(diagnosed({}, states))).toMatchObject({
      id: 'F65',
      node: 'node-a',
      peer: 'node-b',
      message: 'node-a, node-b share router ID 10.90.0.1',
    });
  });

  it('F66 is reported for a mesh between two AS numbers across a router', () => {
    const nodes = [a, bgpNode('node-b', { ip: '10.90.1.2/24', as: 65002 })];
    const states = [
      bgpState('node-a', { rows: row('Mesh_10_90_1_2', 'Idle') }),
      bgpState('node-b', { rows: row('Mesh_10_90_0_1', 'Idle') }),
    ];
    expect(only(diagnosed({ nodes }, states))).toMatchObject({ id: 'F66' });
    // On one network they could peer: then something else is wrong.
    const near = [a, bgpNode('node-b', { ip: '10.90.0.2/24', as: 65002 })];
    expect(only(diagnosed({ nodes: near }, pair('Idle', 'Idle'))).id).toBe('F102');
  });

  it('F67 is reported when both ends wait', () => {
    expect(only(diagnosed({}, pair('Passive', 'Passive')))).toMatchObject({
      id: 'F67',
      message: 'node-a and node-b both wait for the other to dial',
    });
  });

  it('F68 is reported when the hold timer expired', () => {
    const states = pair('Passive       BGP Error: Hold timer expired', 'Connect       Received: Hold timer expired');
    expect(only(diagnosed({}, states)).id).toBe('F68');
  });

  it('F95 is reported when only one end checks hops', () => {
    const peering = (node: string, peerIP: string, ttlSecurity: number) =>
      bgpPeerOf(`of-${node}`, { node, peerIP, asNumber: 64512, reversePeering: 'Manual', ttlSecurity });
    const bgpPeers = [peering('node-a', '10.90.0.2', 1), peering('node-b', '10.90.0.1', 0)];
    const states = [
      bgpState('node-a', { rows: row('Node_10_90_0_2', 'Connect') }),
      bgpState('node-b', { rows: row('Node_10_90_0_1', 'Connect') }),
    ];
    expect(only(diagnosed({ bgpPeers, bgpConfigurations: [noMesh] }, states))).toMatchObject({
      id: 'F95',
      severity: 'warning',
      object: { name: 'of-node-a' },
    });
  });

  it('F100 is reported by the end that is disabled, and by what the other end says', () => {
    const here = only(diagnosed({}, pair('', 'Active        Received: Administrative shutdown')));
    expect(here).toMatchObject({ id: 'F100', message: 'Mesh_10_90_0_2 is disabled in BIRD on node-a' });
    const [, atB] = pair('', 'Active        Received: Administrative shutdown');
    expect(only(diagnosed({}, [atB as BgpState])).message).toBe('node-a shut the session down');
  });

  it('F101 is reported when nothing makes the peer peer back', () => {
    const bgpPeers = [bgpPeerOf('one-way', { node: 'node-a', peerSelector: '!has(x)', reversePeering: 'Manual' })];
    const states = [
      bgpState('node-a', { rows: row('Node_10_90_0_2', 'Active Socket: Connection closed') }),
      bgpState('node-b'),
    ];
    const finding = only(diagnosed({ bgpPeers, bgpConfigurations: [noMesh] }, states));
    expect(finding).toMatchObject({ id: 'F101', object: { kind: 'BGPPeer', name: 'one-way' } });
    expect(finding.hint).toContain('reversePeering');
  });

  it('F102 is reported for two sessions with one peer, of the mesh and of a BGPPeer', () => {
    const bgpPeers = [bgpPeerOf('again', { nodeSelector: 'all()', peerSelector: 'all()' })];
    const rows = (last: number) =>
      row(`Mesh_10_90_0_${last}`) + row(`Node_10_90_0_${last}`, 'Active        Socket: Connection closed');
    const states = [bgpState('node-a', { rows: rows(2) }), bgpState('node-b', { rows: rows(1) })];
    const finding = only(diagnosed({ bgpPeers }, states));
    expect(finding).toMatchObject({ id: 'F102', object: { kind: 'BGPPeer', name: 'again' } });
    expect(finding.message).toContain('two sessions with node-b, Mesh_10_90_0_2 and Node_10_90_0_2');
  });

  it('F102 quotes both ends of a session that may be coming up', () => {
    const finding = only(diagnosed({}, pair('Passive', 'OpenSent')));
    expect(finding).toMatchObject({ id: 'F102', message: 'node-b reports OpenSent, node-a reports Passive' });
  });
});

describe('a node that was not queried', () => {
  it('a node that was not queried is not reported as down: its peers are quoted, with the reason', () => {
    const [, atB] = pair('', 'Connect       Socket: No route to host');
    const notQueried = new Map([['node-a', 'SSH: connection refused']]);
    const diagnosis = diagnosed({}, [atB as BgpState], { notQueried });
    expect(diagnosis.sessions.map(({ node }) => node)).toEqual(['node-b']);
    expect(only(diagnosis).message).toBe(
      'node-b cannot reach node-a: Socket: No route to host; node-a was not queried (SSH: connection refused)',
    );
  });
});

describe('nodes', () => {
  const three = { nodes: [a, b, c] };
  const rowsTo = (...peers: [address: string, info: string][]) =>
    peers.map(([address, info]) => row(`Mesh_${address.replaceAll('.', '_')}`, info)).join('');

  it('F60 explains all sessions with a dead BIRD, once', () => {
    const refused = 'Active        Socket: Connection refused';
    const states = [
      bgpState('node-a', { rows: rowsTo(['10.90.0.2', refused], ['10.90.0.3', 'Established']) }),
      bgpState('node-b', { unseen: noSocket }),
      bgpState('node-c', { rows: rowsTo(['10.90.0.1', 'Established'], ['10.90.0.2', refused]) }),
    ];
    expect(only(diagnosed(three, states))).toMatchObject({
      id: 'F60',
      node: 'node-b',
      object: { kind: 'Node', name: 'node-b' },
      message: 'BIRD is not running on node-b: no session with node-a, node-c',
    });
  });

  it('F60 blames only the control socket of a BIRD that others have sessions with', () => {
    const states = [
      bgpState('node-a', { rows: rowsTo(['10.90.0.2', 'Established'], ['10.90.0.3', 'Established']) }),
      bgpState('node-b', { unseen: noSocket }),
      bgpState('node-c', { rows: rowsTo(['10.90.0.1', 'Established'], ['10.90.0.2', 'Connect']) }),
    ];
    expect(only(diagnosed(three, states))).toMatchObject({
      id: 'F60',
      node: 'node-b',
      message: 'the control socket of BIRD on node-b does not answer, although it has sessions with node-a',
      sessions: [{ node: 'node-c', version: 4, protocol: 'Mesh_10_90_0_2' }],
    });
  });

  it('F60 is not reported for a BIRD that could not be queried', () => {
    const states = [bgpState('node-a', { unseen: 'birdcl: not found' })];
    expect(diagnosed({}, states).findings).toEqual([]);
  });

  it('F60 is one finding when BIRD runs nowhere, and none where no pool needs BGP', () => {
    const states = ['node-a', 'node-b'].map((name) => bgpState(name, { unseen: noSocket }));
    expect(only(diagnosed({}, states)).message).toBe(
      'BIRD runs on none of the 2 nodes that were queried: node-a, node-b',
    );
    expect(diagnosed({}, states, { bgpNeeded: false }).findings).toEqual([]);
  });

  it('F51 is reported for two nodes with the same address', () => {
    const nodes = [a, b, bgpNode('node-z', { ip: '10.90.0.1/24' })];
    const states = [bgpState('node-b', { rows: rowsTo(['10.90.0.1', 'Active']) })];
    expect(only(diagnosed({ nodes }, states))).toMatchObject({ id: 'F51', node: 'node-a', peer: 'node-z' });
  });

  it('F53 is reported for an address that is on no interface', () => {
    const [atA, atB] = pair('Passive', 'Connect       Socket: No route to host');
    const addresses = bgpState('node-a', {}, { addresses: ['192.0.2.1/24'] }).addresses;
    expect(only(diagnosed({}, [{ ...(atA as BgpState), addresses }, atB as BgpState]))).toMatchObject({
      id: 'F53',
      node: 'node-a',
    });
  });

  it('F69 is reported in addition to the peer that BIRD waits for after a restart', () => {
    const recovery =
      'Graceful restart recovery in progress\n  Waiting for 1 protocols to recover\n  Wait timer is 216/240\n';
    const [, atB] = pair('', 'Active');
    const rows = `kernel1  Kernel   master   wait   14:24:25    \n${row('Mesh_10_90_0_2', 'Passive')}`;
    const { findings } = diagnosed({}, [bgpState('node-a', { rows, status: recovery }), atB as BgpState]);
    expect(findings.map(({ id, severity }) => `${id} ${severity}`)).toEqual(['F102 error', 'F69 warning']);
    expect(findings[1]?.message).toContain('waits for 1 protocol (216/240)');
  });

  it('F96 names what BIRD lacks and what it has too much, once per node', () => {
    const states = [
      bgpState('node-a', { rows: rowsTo(['10.90.0.2', 'Established'], ['10.90.0.9', 'Active']) }),
      bgpState('node-b', { rows: rowsTo(['10.90.0.1', 'Established'], ['10.90.0.3', 'Established']) }),
      bgpState('node-c', { rows: rowsTo(['10.90.0.1', 'Connect'], ['10.90.0.2', 'Established']) }),
    ];
    expect(only(diagnosed(three, states))).toMatchObject({
      id: 'F96',
      node: 'node-a',
      message: 'BIRD on node-a lacks a session with node-c and has one with 10.90.0.9 that no resource configures',
    });
  });

  it('F93 and F97 are reported for routes of BIRD that lead nowhere', () => {
    const [atA, atB] = pair('Established', 'Established');
    const routes =
      '10.244.20.64/26    unreachable [Mesh_10_90_0_2 14:25:57] * (100/-) [i]\n' +
      '10.244.30.128/26   via 10.90.0.2 on eth0 [Mesh_10_90_0_2 14:25:57] ! (100/0) [i]\n';
    const withRoutes = bgpState('node-a', { routes }).bird[4].routes;
    const state = {
      ...(atA as BgpState),
      bird: { ...atA?.bird, 4: { ...atA?.bird[4], routes: withRoutes } },
    } as BgpState;
    const { findings } = diagnosed({}, [state, atB as BgpState]);
    expect(findings.map(({ id }) => id)).toEqual(['F93', 'F97']);
    expect(findings[0]?.message).toContain('10.244.20.64/26');
    expect(findings[1]?.message).toContain('10.244.30.128/26');
  });

  it('F110 is reported when Felix is not live', () => {
    const [atA, atB] = pair('Established', 'Established');
    const felix = bgpState('node-a', {}, { felix: 'not live' }).felix;
    expect(only(diagnosed({}, [{ ...(atA as BgpState), felix }, atB as BgpState])).message).toBe(
      'Felix on node-a is not live',
    );
  });

  it('sessions of one node that fail alike are one finding of that node', () => {
    const nodes = [a, b, c, bgpNode('node-d', { ip: '10.90.0.4/24' })];
    const states = ['2', '3', '4'].map((last, at) =>
      bgpState(`node-${'bcd'[at]}`, {
        rows: ['1', '2', '3', '4']
          .filter((other) => other !== last)
          .map((other) =>
            row(`Mesh_10_90_0_${other}`, other === '1' ? 'Connect Socket: Connection timed out' : 'Established'),
          )
          .join(''),
      }),
    );
    const finding = only(diagnosed({ nodes }, states, { notQueried: new Map([['node-a', 'no answer']]) }));
    expect(finding).toMatchObject({ id: 'F62', node: 'node-a' });
    expect(finding.message).toMatch(/^node-a and 3 peers \(node-b, node-c, node-d\): /);
  });
});

describe('the plan', () => {
  const reflector = (name: string, last: number) =>
    bgpNode(name, { ip: `10.90.0.${last}/24`, cluster: '244.0.0.1', labels: { rr: 'yes' } });
  const join = bgpPeerOf('rr', { nodeSelector: '!has(rr)', peerSelector: 'has(rr)' });
  const idsOf = (objects: Partial<BgpObjects>) =>
    diagnosed(objects, []).findings.map(({ id, node }) => `${id} ${node}`);

  it('F90 is reported for nodes without mesh and peers', () => {
    expect(idsOf({ bgpConfigurations: [noMesh] })).toEqual(['F90 node-a']);
    expect(idsOf({ nodes: [a], bgpConfigurations: [noMesh] })).toEqual([]);
    expect(idsOf({ nodes: [a, b, reflector('rr-1', 5)] })).toEqual(['F90 rr-1', 'F92 node-a']);
  });

  it('F91 is advice about a single reflector, and about a reflector without clients', () => {
    const one = { nodes: [a, b, reflector('rr-1', 5)], bgpPeers: [join], bgpConfigurations: [noMesh] };
    expect(idsOf(one)).toEqual(['F91 node-a']);
    expect(isFaulty(diagnosed(one, []).findings)).toBe(false);
    const two = [a, b, reflector('rr-1', 5), reflector('rr-2', 6)];
    const between = bgpPeerOf('between', { nodeSelector: 'has(rr)', peerSelector: 'has(rr)' });
    expect(idsOf({ ...one, nodes: two, bgpPeers: [join, between] })).toEqual([]);
    const tor = bgpPeerOf('tor', { peerIP: '10.90.0.254', asNumber: 65001 });
    expect(idsOf({ nodes: [a, b, reflector('rr-1', 5)], bgpPeers: [tor] })).toEqual(['F91 rr-1']);
  });

  it('F92 is reported for nodes that no reflector serves', () => {
    const bgpPeers = [bgpPeerOf('rr', { nodeSelector: "rack == 'one'", peerSelector: 'has(rr)' })];
    const nodes = [bgpNode('node-a', { ip: '10.90.0.1/24', labels: { rack: 'one' } }), b, c, reflector('rr-1', 5)];
    expect(idsOf({ nodes, bgpPeers })).toEqual(['F92 node-b', 'F91 node-a']);
  });

  it('F99 is reported for more than 100 nodes in the mesh', () => {
    const nodes = Array.from({ length: 101 }, (_, at) => bgpNode(`n${at}`, { ip: `10.90.1.${at}/24` }));
    expect(idsOf({ nodes })).toEqual(['F99 n0']);
    expect(idsOf({ nodes: nodes.slice(1) })).toEqual([]);
  });
});
