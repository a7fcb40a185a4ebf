// What BIRD prints for a session that is down, and the cause that is named; objects that contradict each other.
import { describe, expect, it } from 'vitest';
import { desiredSessions } from '../../src/bgp/desired-sessions.ts';
import { diagnoseBgp } from '../../src/bgp/diagnosis.ts';
import type { BgpState } from '../../src/bgp/observed-sessions.ts';
import { bgpConfig, bgpNode, bgpPeerOf } from '../support/clusters/bgp-objects.ts';
import { answered, stateOf } from '../support/recorded/network.ts';

const nodes = [bgpNode('a', { ip: '10.90.0.1/24' }), bgpNode('b', { ip: '10.90.0.2/24' })];
const router = bgpPeerOf('tor', { node: 'a', peerIP: '10.90.0.254', asNumber: 65000 });
const mesh = { nodes, bgpPeers: [], bgpConfigurations: [] };
const toRouter = { nodes, bgpPeers: [router], bgpConfigurations: [bgpConfig({ nodeToNodeMeshEnabled: false })] };

/** A node whose BIRD shows one session: `start 2026-11-28 Idle Received: …`. */
function showing(node: string, protocol: string, address: string, said: string, routerId = '10.90.0.1'): BgpState {
  const heading = 'name     proto    table    state  since       info\n';
  const state = / (Established|Passive|Active|Connect|OpenSent|Idle)/.exec(said)?.[1] ?? 'Down';
  const details = `  BGP state:          ${state}\n    Neighbor address: ${address}\n`;
  return stateOf(node, {
    'bird4-protocols': `BIRD 1.6.8 ready.\n${heading}${protocol} BGP master ${said}\n${details}\n`,
    'bird4-status': `BIRD 1.6.8 ready.\nBIRD 1.6.8\nRouter ID is ${routerId}\nCurrent server time is 2026-11-30 01:14:05\nDaemon is up and running\n`,
  });
}

function foundAtRouter(said: string, routerId?: string) {
  const state = showing('a', 'Node_10_90_0_254', '10.90.0.254', said, routerId);
  return diagnoseBgp(desiredSessions(toRouter), [state]).findings.filter(({ id }) => id !== 'F90');
}

describe("BIRD's words", () => {
  it.each([
    ['start 2026-11-28 Idle Received: Maximum number of prefixes reached', 'F106', /prefix/],
    ['start 2026-11-28 Idle Automatic shutdown: Route limit exceeded', 'F106', /prefix/],
    ['start 2026-11-28 Idle Received: Connection collision resolution', 'F106', /another session/],
    ['start 2026-11-28 Active Received: Unacceptable hold time', 'F106', /hold time/],
    ['start 2026-11-28 Active Socket: bind: Cannot assign requested address', 'F106', /sourceAddress/],
    ['start 2026-11-28 Idle Error: Invalid next hop', 'F106', /next hop/],
    ['start 2026-11-28 Idle Received: Connection rejected', 'F106', /neighbor/],
    ['start 2026-11-28 Idle Received: Peer de-configured', 'F106', /taken out/],
    ['start 2026-11-28 Idle BGP Error: Optional attribute error', 'F106', /log of 10\.90\.0\.254/],
    ['start 2026-11-28 Idle Received: Malformed AS_PATH', 'F106', /log of 10\.90\.0\.254/],
    ['start 2026-11-28 Idle BGP Error: Required capability missing', 'F106', /capabilities/],
    ['start 2026-11-28 Idle Error: Neighbor lost', 'F62', /interface/],
    ['down 06:44:51 Error: No listening socket', 'F104', /listenPort/],
    ['down 06:44:51 Error: Kernel MD5 auth failed', 'F105', /optmem_max/],
    ['down 06:44:51', 'F100', /birdcl enable/],
    ['start 2026-11-28 Idle BGP Error: Hold timer expired', 'F68', /lost packets/],
    ['start 2026-11-28 OpenSent', 'F102', /since 2026-11-28/],
    ['start 01:13:50 OpenSent', 'F102', /few seconds/],
    ['start 01:00:00 OpenSent', 'F102', /since 01:00:00/],
  ])('"%s" is %s', (said, id, hint) => {
    const found = foundAtRouter(said);
    expect(found.map((finding) => finding.id)).toEqual([id]);
    expect(found[0]?.hint).toMatch(hint);
  });

  it('a router ID that is not unicast is named, and no ID is called a duplicate without seeing both', () => {
    const said = 'start 2026-11-28 Idle Received: Bad BGP identifier';
    expect(
      foundAtRouter(said, '249.183.186.85').map(({ id, message }) => [id, /249\.183\.186\.85/.test(message)]),
    ).toEqual([['F122', true]]);
    expect(foundAtRouter(said, '10.90.0.1')[0]?.message).toBe('10.90.0.254 refuses the router ID of a, 10.90.0.1');
  });

  it('a router that expects another AS number of one node: its BGPPeer is to be changed, not the AS number of all', () => {
    const [found] = foundAtRouter('start 2026-11-28 Idle Received: Bad peer AS');
    expect([found?.id, found?.object]).toEqual(['F63', { kind: 'BGPPeer', name: 'tor' }]);
    expect(found?.hint).toMatch(/localASNumber.*Node a/);
  });

  it('a BIRD that no longer answers is one finding with its sessions', () => {
    const busy = answered(
      '',
      1,
      'Unable to connect to server control socket (/var/run/calico/bird.ctl): Resource temporarily unavailable',
      ['birdcl'],
    );
    const states = [
      showing('a', 'Mesh_10_90_0_2', '10.90.0.2', 'start 2026-11-28 Idle BGP Error: Hold timer expired'),
      stateOf('b', { 'bird4-protocols': busy }),
    ];
    expect(diagnoseBgp(desiredSessions(mesh), states).findings.map(({ id, node }) => [id, node])).toEqual([
      ['F107', 'b'],
    ]);
  });

  it.each([
    ['Unknown', 'F108'],
    ['False', 'F108'],
    ['True', 'F62'],
  ])('a peer that was not reached, with Ready %s, is %s', (ready, id) => {
    const [a, b] = nodes;
    if (a === undefined || b === undefined) throw new Error('no nodes');
    const off = { ...b, status: { conditions: [{ type: 'Ready', status: ready }] } };
    const plan = desiredSessions({ ...mesh, nodes: [a, off] });
    const states = [showing('a', 'Mesh_10_90_0_2', '10.90.0.2', 'start 2026-11-28 Connect Socket: No route to host')];
    const { findings } = diagnoseBgp(plan, states, { notQueried: new Map([['b', 'no recordings']]) });
    expect(findings.map((finding) => finding.id)).toEqual([id]);
  });

  it('BGPPeers that were not read: sessions of BIRD that no object asks for are not reported', () => {
    const state = showing('a', 'Global_10_90_0_254', '10.90.0.254', 'up 2026-11-28 Established');
    const plan = desiredSessions({ nodes: nodes.slice(0, 1), bgpPeers: [], bgpConfigurations: [] });
    expect(diagnoseBgp(plan, [state]).findings.map(({ id }) => id)).toEqual(['F96']);
    expect(diagnoseBgp(plan, [state], { planIsKnown: false }).findings).toEqual([]);
  });
});

describe('objects that contradict each other', () => {
  const found = (objects: Parameters<typeof desiredSessions>[0]) => diagnoseBgp(desiredSessions(objects), []).findings;

  it('a Node with an invalid address is reported, and all others keep their sessions', () => {
    const bad = bgpNode('c', { ip: '10.90.0.300/24' });
    const plan = desiredSessions({ ...mesh, nodes: [...nodes, bad] });
    expect(plan.sessions.map(({ node, peerNode }) => `${node} ${peerNode}`)).toEqual(['a b', 'b a']);
    const [finding] = found({ ...mesh, nodes: [...nodes, bad] });
    expect([finding?.id, finding?.object]).toEqual(['F120', { kind: 'Node', name: 'c' }]);
    expect(finding?.message).toContain('"10.90.0.300/24"');
  });

  it('a machine under two names: the old Node is not ready and has the address of the new one', () => {
    const old = {
      ...bgpNode('old', { ip: '10.90.0.9/24' }),
      status: { conditions: [{ type: 'Ready', status: 'False' }] },
    };
    const fresh = bgpNode('new', { internal: '10.90.0.9' });
    expect(
      found({ ...mesh, nodes: [...nodes, old, fresh] })
        .filter(({ id }) => id === 'F121')
        .map(({ nodes: of }) => of),
    ).toEqual([['old', 'new']]);
    const ready = { ...old, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    expect(found({ ...mesh, nodes: [...nodes, ready, fresh] }).filter(({ id }) => id === 'F121')).toEqual([]);
  });

  it('addresses that nodes swapped are one finding', () => {
    const swapped = [
      bgpNode('x', { ip: '10.90.0.11/24', internal: '10.90.0.12' }),
      bgpNode('y', { ip: '10.90.0.12/24', internal: '10.90.0.11' }),
    ];
    expect(found({ ...mesh, nodes: swapped }).map(({ id, nodes: of }) => [id, of])).toEqual([['F52', ['x', 'y']]]);
    const right = [
      bgpNode('x', { ip: '10.90.0.11/24', internal: '10.90.0.11' }),
      bgpNode('y', { ip: '10.90.0.12/24', internal: '10.90.0.12' }),
    ];
    expect(found({ ...mesh, nodes: right })).toEqual([]);
  });

  it.each([
    ['one cluster ID', '244.0.0.1', ['F109']],
    ['cluster IDs of their own', '244.0.0.2', ['F91']],
  ])('reflectors with %s and a client each', (_, second, ids) => {
    const reflected = [
      bgpNode('n-1', { ip: '10.90.0.1/24' }),
      bgpNode('n-2', { ip: '10.90.0.2/24' }),
      bgpNode('rr-1', { ip: '10.90.0.3/24', cluster: '244.0.0.1' }),
      bgpNode('rr-2', { ip: '10.90.0.4/24', cluster: second }),
    ];
    const bgpPeers = [
      bgpPeerOf('one', { node: 'n-1', peerIP: '10.90.0.3', asNumber: 64512 }),
      bgpPeerOf('two', { node: 'n-2', peerIP: '10.90.0.4', asNumber: 64512 }),
      bgpPeerOf('both', { node: 'rr-1', peerIP: '10.90.0.4', asNumber: 64512 }),
    ];
    const bgpConfigurations = [bgpConfig({ nodeToNodeMeshEnabled: false })];
    expect(found({ nodes: reflected, bgpPeers, bgpConfigurations }).map(({ id }) => id)).toEqual(ids);
  });
});
