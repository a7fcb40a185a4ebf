// Who should peer with whom, against lists worked out by hand from the rules of docs/reference/bgp.md.
import { describe, expect, it } from 'vitest';
import { type BgpObjects, desiredSessions, parsePeerIp } from '../../src/bgp/desired-sessions.ts';
import type { DesiredSession } from '../../src/bgp/session.ts';
import { formatIp } from '../../src/net/ip.ts';
import { bgpConfig, bgpNode, bgpPeerOf } from '../support/clusters/bgp-objects.ts';

const a = bgpNode('a', { ip: '10.0.0.9/24' });
const b = bgpNode('b', { ip: '10.0.0.10/24' });
const c = bgpNode('c', { ip: '10.0.1.3/24', labels: { rack: 'two' } });
const noMesh = bgpConfig({ nodeToNodeMeshEnabled: false });

const planOf = (objects: Partial<BgpObjects>) =>
  desiredSessions({ nodes: [], bgpPeers: [], bgpConfigurations: [], ...objects });
const sessionsOf = (objects: Partial<BgpObjects>): readonly DesiredSession[] => planOf(objects).sessions;
/** `a Mesh_10_0_0_10`, in order. */
const brief = (sessions: readonly DesiredSession[]): string[] =>
  sessions.map(({ node, protocol }) => `${node} ${protocol}`);
const one = (sessions: readonly DesiredSession[], name: string): DesiredSession => {
  const found = sessions.filter((session) => `${session.node} ${session.protocol}` === name);
  expect(found, name).toHaveLength(1);
  return found[0] as DesiredSession;
};

describe('the mesh', () => {
  it('the mesh joins every pair of nodes in every family that both have', () => {
    const nodes = [
      bgpNode('a', { ip: '10.0.0.1/24', ip6: 'fd00::1/64' }),
      bgpNode('b', { ip: '10.0.0.2/24', ip6: 'fd00::2/64' }),
      bgpNode('c', { ip: '10.0.0.3/24' }),
      bgpNode('d'),
    ];
    expect(brief(sessionsOf({ nodes }))).toEqual([
      ...['a Mesh_10_0_0_2', 'a Mesh_10_0_0_3', 'a Mesh_fd00__2'],
      ...['b Mesh_10_0_0_1', 'b Mesh_10_0_0_3', 'b Mesh_fd00__1'],
      ...['c Mesh_10_0_0_1', 'c Mesh_10_0_0_2'],
    ]);
  });

  it('in the mesh the side waits whose peer has the greater address as text', () => {
    const sessions = sessionsOf({ nodes: [a, b] });
    // "10.0.0.9" > "10.0.0.10": a dials, b waits.
    expect(one(sessions, 'a Mesh_10_0_0_10').passive).toBe(false);
    expect(one(sessions, 'b Mesh_10_0_0_9').passive).toBe(true);
  });

  it('the mesh leaves out route reflectors on both sides', () => {
    const reflector = bgpNode('r', { ip: '10.0.0.5/24', cluster: '244.0.0.1' });
    expect(brief(sessionsOf({ nodes: [a, b, reflector] }))).toEqual(['a Mesh_10_0_0_10', 'b Mesh_10_0_0_9']);
  });

  it('only BGPConfiguration default can disable the mesh', () => {
    expect(sessionsOf({ nodes: [a, b], bgpConfigurations: [noMesh] })).toEqual([]);
    const other = bgpConfig({ nodeToNodeMeshEnabled: false }, 'node.a');
    expect(sessionsOf({ nodes: [a, b], bgpConfigurations: [other] })).toHaveLength(2);
  });

  it('AS numbers come from the node, else the configuration, else 64512, and say from where', () => {
    const nodes = [bgpNode('a', { ip: '10.0.0.1/24', as: 65001 }), bgpNode('b', { ip: '10.0.0.2/24' })];
    const plain = one(sessionsOf({ nodes }), 'a Mesh_10_0_0_2');
    expect([plain.ownAs.value, plain.ownAs.from.kind]).toEqual([65001, 'Node']);
    expect([plain.peerAs.value, plain.peerAs.from.kind]).toEqual([64512, 'default']);
    const configured = one(
      sessionsOf({ nodes, bgpConfigurations: [bgpConfig({ asNumber: 64777 })] }),
      'a Mesh_10_0_0_2',
    );
    expect(configured.peerAs).toEqual({
      value: 64777,
      from: { kind: 'BGPConfiguration', name: 'default', field: 'asNumber' },
    });
  });

  it('a mesh session dials the listen port of the peer, that of its own configuration first', () => {
    const bgpConfigurations = [bgpConfig({ listenPort: 1790 }), bgpConfig({ listenPort: 1791, asNumber: 1 }, 'node.b')];
    const sessions = sessionsOf({ nodes: [a, b], bgpConfigurations });
    expect(one(sessions, 'a Mesh_10_0_0_10')).toMatchObject({ port: 1791, peerAs: { value: 64512 } });
    expect(one(sessions, 'b Mesh_10_0_0_9').port).toBe(1790);
  });

  it('a mesh session has the password of the configuration', () => {
    const nodeMeshPassword = { secretKeyRef: { name: 'bgp', key: 'mesh' } };
    const [session] = sessionsOf({ nodes: [a, b], bgpConfigurations: [bgpConfig({ nodeMeshPassword })] });
    expect(session?.password).toEqual({ secret: 'bgp', key: 'mesh' });
    expect(session?.multihop).toBe(false);
  });
});

describe('BGPPeers', () => {
  const bgpConfigurations = [noMesh];

  it('a global BGPPeer is for every node but the peer itself, in the family of the address', () => {
    const nodes = [a, b, bgpNode('six', { ip6: 'fd00::1/64' })];
    const tor = bgpPeerOf('tor', { peerIP: '10.0.0.254', asNumber: 65000 });
    const sessions = sessionsOf({ nodes, bgpConfigurations, bgpPeers: [tor] });
    expect(brief(sessions)).toEqual(['a Global_10_0_0_254', 'b Global_10_0_0_254']);
    expect(sessions[0]).toMatchObject({
      type: 'global',
      peerNode: undefined,
      passive: false,
      multihop: true,
      port: undefined,
      peerAs: { value: 65000, from: { kind: 'BGPPeer', name: 'tor' } },
      wantedBy: { kind: 'BGPPeer', name: 'tor', reversePeering: false },
    });
    const six = bgpPeerOf('six', { peerIP: '[fd00::fe]:1790', asNumber: 65000 });
    expect(brief(sessionsOf({ nodes, bgpConfigurations, bgpPeers: [six] }))).toEqual(['six Global_fd00__fe_port_1790']);
  });

  it('a BGPPeer is for one node or for selected nodes', () => {
    const bgpPeers = [
      bgpPeerOf('one', { node: 'a', peerIP: '10.0.0.253', asNumber: 65000 }),
      bgpPeerOf('rack', { nodeSelector: "rack == 'two'", peerIP: '10.0.1.254:1790', asNumber: 65000 }),
      bgpPeerOf('gone', { node: 'gone', peerIP: '10.0.1.254', asNumber: 65000 }),
    ];
    expect(brief(sessionsOf({ nodes: [a, b, c], bgpConfigurations, bgpPeers }))).toEqual([
      'a Node_10_0_0_253',
      'c Node_10_0_1_254_port_1790',
    ]);
  });

  it('peerSelector gives each matching node in both families, with reverse peerings', () => {
    const nodes = [
      bgpNode('r', { ip: '10.0.0.1/24', ip6: 'fd00::1/64', cluster: '244.0.0.1', labels: { rr: 'yes' } }),
      bgpNode('w', { ip: '10.0.0.2/24', ip6: 'fd00::2/64', as: 65001 }),
      bgpNode('x', { ip: '10.0.0.3/24' }),
    ];
    const bgpPeers = [bgpPeerOf('rr', { nodeSelector: '!has(rr)', peerSelector: 'has(rr)' })];
    const sessions = sessionsOf({ nodes, bgpConfigurations, bgpPeers });
    expect(brief(sessions)).toEqual([
      ...['r Node_10_0_0_2', 'r Node_10_0_0_3', 'r Node_fd00__2'],
      ...['w Node_10_0_0_1', 'w Node_fd00__1', 'x Node_10_0_0_1'],
    ]);
    expect(one(sessions, 'x Node_10_0_0_1').wantedBy).toEqual({ kind: 'BGPPeer', name: 'rr', reversePeering: false });
    const back = one(sessions, 'r Node_10_0_0_3');
    expect(back).toMatchObject({
      wantedBy: { reversePeering: true },
      reflectorClient: true,
      passive: false,
      peerNode: 'x',
    });
    // A peer with another AS number is not a client of a reflector.
    expect(one(sessions, 'r Node_10_0_0_2')).toMatchObject({ reflectorClient: false, peerAs: { value: 65001 } });
    expect(one(sessions, 'x Node_10_0_0_1').reflectorClient).toBe(false);
  });

  it('there is no reverse peering when reversePeering is Manual', () => {
    const nodes = [a, bgpNode('r', { ip: '10.0.0.1/24', labels: { rr: 'yes' } })];
    const bgpPeers = [bgpPeerOf('rr', { node: 'a', peerSelector: 'has(rr)', reversePeering: 'Manual' })];
    expect(brief(sessionsOf({ nodes, bgpConfigurations, bgpPeers }))).toEqual(['a Node_10_0_0_1']);
  });

  it('reflectors are clients of each other only when their clusters differ', () => {
    const reflectors = (...clusters: string[]) =>
      clusters.map((cluster, at) => bgpNode(`r${at}`, { ip: `10.0.0.${at + 1}/24`, cluster }));
    const bgpPeers = [bgpPeerOf('rr', { peerSelector: 'all()' })];
    const clients = (...clusters: string[]) =>
      sessionsOf({ nodes: reflectors(...clusters), bgpConfigurations, bgpPeers }).map(
        ({ reflectorClient }) => reflectorClient,
      );
    expect(clients('1.0.0.1', '1.0.0.1')).toEqual([false, false]);
    expect(clients('1.0.0.1', '1.0.0.2')).toEqual([true, true]);
    const outside = bgpPeerOf('fabric', { peerIP: '10.0.0.254', asNumber: 64512 });
    expect(sessionsOf({ nodes: reflectors('1.0.0.1'), bgpConfigurations, bgpPeers: [outside] })[0]).toMatchObject({
      reflectorClient: true,
    });
  });

  it('global peers that are named by the address of a node wait by the rule of the mesh; all others never wait', () => {
    const passive = (...bgpPeers: ReturnType<typeof bgpPeerOf>[]): string[] =>
      sessionsOf({ nodes: [a, b], bgpConfigurations, bgpPeers }).map((session) => `${session.node} ${session.passive}`);
    const to = (name: string, peerIP: string) => bgpPeerOf(name, { peerIP, asNumber: 64512 });
    expect(passive(to('a', '10.0.0.9'), to('b', '10.0.0.10'))).toEqual(['a false', 'b true']);
    expect(passive(bgpPeerOf('all', { peerSelector: 'all()' }))).toEqual(['a false', 'b false']);
    expect(passive(bgpPeerOf('a', { node: 'b', peerIP: '10.0.0.9', asNumber: 64512 }))).toEqual(['a false', 'b false']);
  });

  it('an address that is spelled otherwise than that of a node gives no reverse peering and never waits', () => {
    const nodes = [bgpNode('a', { ip6: 'fd00::9/64' }), bgpNode('b', { ip6: 'fd00::10/64' })];
    const to = (peerIP: string): string[] =>
      sessionsOf({ nodes, bgpConfigurations, bgpPeers: [bgpPeerOf('a', { peerIP, asNumber: 64512 })] }).map(
        ({ protocol, passive, peerNode }) => `${protocol} ${passive} ${peerNode}`,
      );
    expect(to('fd00::9')).toEqual(['Node_fd00__10 false b', 'Global_fd00__9 true a']);
    expect(to('fd00:0::9')).toEqual(['Global_fd00__9 false a']);
  });

  it('a reflector takes another one of its cluster for a client when it is named by its address', () => {
    const nodes = ['1', '2'].map((end) => bgpNode(`r${end}`, { ip: `10.0.0.${end}/24`, cluster: '1.0.0.1' }));
    const bgpPeers = [bgpPeerOf('r1', { node: 'r2', peerIP: '10.0.0.1', asNumber: 64512 })];
    expect(
      sessionsOf({ nodes, bgpConfigurations, bgpPeers }).map(
        ({ node, reflectorClient }) => `${node} ${reflectorClient}`,
      ),
    ).toEqual(['r1 false', 'r2 true']);
  });

  it('the port of a peerIP must be that of the node and the global one for a reverse peering', () => {
    const bgpPeers = [bgpPeerOf('b', { node: 'a', peerIP: '10.0.0.10:1790', asNumber: 64512 })];
    const own = bgpConfig({ listenPort: 1790 }, 'node.b');
    const brieflyWith = (...ports: ReturnType<typeof bgpConfig>[]): string[] =>
      brief(sessionsOf({ nodes: [a, b], bgpConfigurations: [...bgpConfigurations, ...ports], bgpPeers }));
    expect(brieflyWith(own)).toEqual(['a Node_10_0_0_10_port_1790', 'b Node_10_0_0_9']);
    const other = bgpConfig({ nodeToNodeMeshEnabled: false, listenPort: 179 });
    expect(brief(sessionsOf({ nodes: [a, b], bgpConfigurations: [other, own], bgpPeers }))).toEqual([
      'a Node_10_0_0_10_port_1790',
    ]);
  });

  it('localASNumber and numAllowedLocalASNumbers count for peers that are named by their address only', () => {
    const spec = { localASNumber: 65010, numAllowedLocalASNumbers: 2 };
    const bgpPeers = [
      bgpPeerOf('all', { node: 'a', peerSelector: 'all()', ...spec }),
      bgpPeerOf('tor', { node: 'a', peerIP: '10.0.0.254', asNumber: 65000, ...spec }),
    ];
    expect(
      sessionsOf({ nodes: [a, b], bgpConfigurations, bgpPeers })
        .filter(({ node }) => node === 'a')
        .map(({ ownAs, settings }) => [ownAs.value, settings.allowedLocalAs]),
    ).toEqual([
      [64512, 0],
      [65010, 2],
    ]);
  });

  it('reachableBy is a route to the peer, also for the node that has the address, in the order of the peers as text', () => {
    const reach = (name: string, peerIP: string) =>
      bgpPeerOf(name, { peerIP, asNumber: 65000, reachableBy: '10.0.0.250', reversePeering: 'Manual' });
    const bgpPeers = [reach('x', '10.0.0.9'), reach('y', '10.0.0.10:500'), reach('z', '10.0.0.10')];
    const routes = planOf({ nodes: [a], bgpConfigurations, bgpPeers }).peerRoutes;
    expect(routes.map(({ peer, port, gateway }) => [formatIp(peer), port, formatIp(gateway)])).toEqual([
      ['10.0.0.10', undefined, '10.0.0.250'],
      ['10.0.0.10', 500, '10.0.0.250'],
      ['10.0.0.9', undefined, '10.0.0.250'],
    ]);
  });

  it('a peerIP without asNumber makes a session that BIRD refuses, and a reverse peering with the AS number of the cluster', () => {
    const bgpPeers = [bgpPeerOf('b', { node: 'a', peerIP: '10.0.0.10' })];
    const { sessions, refused, ignored } = planOf({ nodes: [a, b], bgpConfigurations, bgpPeers });
    expect(brief(sessions)).toEqual(['b Node_10_0_0_9']);
    expect(brief(refused)).toEqual(['a Node_10_0_0_10']);
    expect(ignored).toEqual([{ name: 'b', why: 'it has a peerIP but no asNumber' }]);
  });

  it('a peerIP and asNumber of a node give its listen port, and a reverse peering in that family only', () => {
    const nodes = [
      bgpNode('r', { ip: '10.0.0.1/24', ip6: 'fd00::1/64' }),
      bgpNode('w', { ip: '10.0.0.2/24', ip6: 'fd00::2/64' }),
    ];
    const configurations = [...bgpConfigurations, bgpConfig({ listenPort: 1790 }, 'node.r')];
    const to = (asNumber: number) =>
      brief(
        sessionsOf({
          nodes,
          bgpConfigurations: configurations,
          bgpPeers: [bgpPeerOf('r', { node: 'w', peerIP: '10.0.0.1', asNumber })],
        }),
      );
    expect(to(64512)).toEqual(['r Node_10_0_0_2', 'w Node_10_0_0_1_port_1790']);
    // With another AS number it is not that node: its port is not used, and there is no reverse peering.
    expect(to(64999)).toEqual(['w Node_10_0_0_1']);
  });

  it('of BGPPeers with the same peer the first decides, global ones first; the others are kept in also', () => {
    const bgpPeers = [
      bgpPeerOf('a-node', { node: 'a', peerIP: '10.0.0.254', asNumber: 65001 }),
      bgpPeerOf('z-global', { peerIP: '10.0.0.254', asNumber: 65002 }),
      bgpPeerOf('b-port', { node: 'a', peerIP: '10.0.0.254:179', asNumber: 65001 }),
    ];
    const sessions = sessionsOf({ nodes: [a], bgpConfigurations, bgpPeers });
    expect(brief(sessions)).toEqual(['a Global_10_0_0_254', 'a Node_10_0_0_254_port_179']);
    expect(sessions[0]).toMatchObject({
      peerAs: { value: 65002 },
      wantedBy: { name: 'z-global' },
      also: [{ kind: 'BGPPeer', name: 'a-node', reversePeering: false }],
    });
  });

  it('a session has the AS number, password and hops of its BGPPeer', () => {
    const spec = {
      peerIP: '10.0.0.254',
      asNumber: 65000,
      localASNumber: 65010,
      ttlSecurity: 2,
      password: { secretKeyRef: { name: 'bgp', key: 'tor' } },
    };
    const [session] = sessionsOf({ nodes: [a], bgpConfigurations, bgpPeers: [bgpPeerOf('tor', spec)] });
    expect(session).toMatchObject({
      ownAs: { value: 65010, from: { kind: 'BGPPeer', name: 'tor', field: 'spec.localASNumber' } },
      password: { secret: 'bgp', key: 'tor' },
      ttlSecurity: 2,
    });
  });

  it('invalid BGPPeers are skipped with the reason, and those of local workloads without one', () => {
    const { sessions, ignored } = planOf({
      nodes: [a],
      bgpConfigurations,
      bgpPeers: [
        bgpPeerOf('selector', { nodeSelector: 'rack ==', peerIP: '10.0.0.254', asNumber: 65000 }),
        bgpPeerOf('address', { peerIP: '10.0.0', asNumber: 65000 }),
        bgpPeerOf('number', { peerIP: '10.0.0.254' }),
        bgpPeerOf('nobody', {}),
        bgpPeerOf('pods', { localWorkloadSelector: 'bgp', asNumber: 65000 }),
      ],
    });
    expect(sessions).toEqual([]);
    expect(ignored.map(({ name }) => name)).toEqual(['address', 'nobody', 'number', 'selector']);
  });
});

describe('parsePeerIp', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1', undefined],
    ['10.0.0.1:1790', '10.0.0.1', 1790],
    ['fd00::1', 'fd00::1', undefined],
    ['[fd00::1]:1790', 'fd00::1', 1790],
  ])('parsePeerIp reads %s', (text, ip, port) => {
    const read = parsePeerIp(text);
    expect(read && [formatIp(read.ip), read.port]).toEqual([ip, port]);
  });

  it.each(['', 'host', '[10.0.0.1]:179', '[fd00::1]', '10.0.0.1:'])('parsePeerIp refuses %j', (text) => {
    expect(parsePeerIp(text)).toBeUndefined();
  });
});
