// The configuration of a node: what objects cannot say, what cannot be written, and what BIRD would refuse.
import { describe, expect, it } from 'vitest';
import { desiredSessions } from '../../src/bgp/desired-sessions.ts';
import { type BirdConfiguration, birdConfiguration } from '../../src/bird-config/bird-files.ts';
import { routerIdOfName } from '../../src/bird-config/main-file.ts';
import { type BirdEnvironment, type Passwords, UnrenderableError } from '../../src/bird-config/objects.ts';
import type { BGPConfiguration } from '../../src/resources/kinds/bgp-configuration.ts';
import type { BGPPeer } from '../../src/resources/kinds/bgp-peer.ts';
import { complaintsOfBird } from '../support/bird/bird-parser.ts';
import { bgpConfig, bgpNode, bgpPeerOf } from '../support/clusters/bgp-objects.ts';
import { describeWithPrograms } from '../support/program/parts.ts';

interface Given {
  readonly nodes?: Parameters<typeof birdConfiguration>[2]['nodes'];
  readonly peers?: readonly BGPPeer[];
  readonly configurations?: readonly BGPConfiguration[];
  readonly environment?: BirdEnvironment;
  readonly passwords?: Passwords;
}

const a = bgpNode('a', { ip: '10.0.0.1/24' });
const b = bgpNode('b', { ip: '10.0.0.2/24' });

function rendered({
  nodes = [a, b],
  peers = [],
  configurations = [],
  environment = {},
  passwords,
}: Given): BirdConfiguration {
  const plan = desiredSessions({ nodes, bgpPeers: peers, bgpConfigurations: configurations });
  const none = { bgpFilters: [], pools: [], affinities: [], services: [], endpointSlices: [] };
  const objects = { nodes, bgpConfigurations: configurations, ...none };
  return birdConfiguration('a', plan, objects, environment, passwords ?? (() => undefined));
}

const messages = (given: Given, refused: boolean): string[] =>
  rendered(given)
    .remarks.filter((one) => one.refused === refused)
    .map(({ message }) => message);

describe('router ID', () => {
  // The vectors were made by calico-node.
  it.each([
    ['nodeTest', '109.174.215.226'],
    ['Testrobin123', '207.94.5.27'],
    ['node-a', '102.87.15.240'],
  ])('the router ID from the name %s is %s', (name, id) => {
    expect(routerIdOfName(name)).toBe(id);
  });

  it('a node without IPv4 needs a router ID from the environment', () => {
    const nodes = [bgpNode('a', { ip6: 'fd00::1/64' })];
    expect(() => rendered({ nodes })).toThrow('a has no IPv4 address, and no router ID is set for it');
    const environment = { CALICO_ROUTER_ID: '1.2.3.4' };
    expect(rendered({ nodes, environment }).files['bird6.cfg']).toContain('\nrouter id 1.2.3.4;\n');
    expect(() => rendered({ environment: { CALICO_ROUTER_ID: '1;' } })).toThrow(UnrenderableError);
  });
});

describe('passwords', () => {
  const peers = [
    bgpPeerOf('tor', { peerIP: '10.0.0.254', asNumber: 65000, password: { secretKeyRef: { name: 's', key: 'k' } } }),
  ];

  it('a password is written in quotes, and an empty one is left out', () => {
    expect(rendered({ peers, passwords: () => "a'b; }" }).files['bird.cfg']).toContain(`password "a'b; }";`);
    expect(rendered({ peers, passwords: () => '' }).files['bird.cfg']).not.toContain('password');
  });

  it.each(['a"b', 'line\n', 'nul\0'])('the password %j is refused without being shown', (password) => {
    const failing = (): BirdConfiguration => rendered({ peers, passwords: () => password });
    expect(failing).toThrow('the password of BGPPeer tor has a quote, a line end or another control character');
    expect(failing).not.toThrow(password);
  });
});

describe('hostile texts', () => {
  it.each<[string, BGPConfiguration['spec']]>([
    ['ignoredInterfaces', { ignoredInterfaces: ['x"; "'] }],
    ['ignoredInterfaces', { ignoredInterfaces: ['x\n'] }],
    ['prefixAdvertisements', { prefixAdvertisements: [{ cidr: '10.0.0.0/8) then', communities: ['1:2'] }] }],
    [
      'prefixAdvertisements',
      {
        communities: [{ name: 'x', value: '1:2)' }],
        prefixAdvertisements: [{ cidr: '10.0.0.0/8', communities: ['x'] }],
      },
    ],
  ])('%s of %j is refused', (field, spec) => {
    expect(() => rendered({ configurations: [bgpConfig(spec)] })).toThrow(UnrenderableError);
    expect(() => rendered({ configurations: [bgpConfig(spec)] })).toThrow(field);
  });
});

it('keepaliveTime of Calico 3.32 is written in whole seconds', () => {
  const peers = [bgpPeerOf('tor', { peerIP: '10.0.0.254', asNumber: 65000, keepaliveTime: '19600ms' })];
  expect(rendered({ peers }).files['bird.cfg']).toContain('keepalive time 20;');
});

describeWithPrograms('what BIRD refuses', ['bird', 'bird6'], () => {
  const withPeer = (spec: BGPPeer['spec']): Given => ({ peers: [bgpPeerOf('p', spec)] });
  it.each<[string, Given]>([
    ['Node_10_0_0_254 of BGPPeer p has no AS number: set asNumber', withPeer({ node: 'a', peerIP: '10.0.0.254' })],
    [
      'reachableBy fd00::1 cannot be the gateway to 10.0.0.254, an address of the other family',
      withPeer({ node: 'a', peerIP: '10.0.0.254', asNumber: 65000, reachableBy: 'fd00::1' }),
    ],
    [
      'cidr of prefixAdvertisements, 10.0.0.1/8, has bits beyond its prefix length',
      { configurations: [bgpConfig({ prefixAdvertisements: [{ cidr: '10.0.0.1/8', communities: ['1:2'] }] })] },
    ],
    [
      'prefixAdvertisements 10.0.0.0/8 has the community 1:70000, which is too large',
      { configurations: [bgpConfig({ prefixAdvertisements: [{ cidr: '10.0.0.0/8', communities: ['1:70000'] }] })] },
    ],
    [
      'a range of services in BGPConfiguration default, 10.96.0.1/12, has bits beyond its prefix length',
      { configurations: [bgpConfig({ serviceClusterIPs: [{ cidr: '10.96.0.1/12' }] })] },
    ],
  ])('BIRD refuses a configuration of which calictl says: %s', (message, given) => {
    expect(messages(given, true)).toEqual([message]);
    expect(complaintsOfBird(rendered(given).files)).not.toEqual([]);
  });

  it('two nodes of the mesh with one address are named, and the session with them is written once', () => {
    const nodes = [a, b, bgpNode('c', { ip: '10.0.0.2/24' })];
    expect(messages({ nodes }, true)).toEqual(['b and c have one address: Calico gives a two peers with one name']);
    expect(complaintsOfBird(rendered({ nodes }).files)).toEqual([]);
  });

  it('a plain mesh has no remarks, and BIRD reads it', () => {
    expect(rendered({}).remarks).toEqual([]);
    expect(complaintsOfBird(rendered({}).files)).toEqual([]);
  });
});

it('restart times that are rounded to nothing and odd router IDs are remarked on', () => {
  expect(messages({ configurations: [bgpConfig({ nodeMeshMaxRestartTime: '400ms' })] }, false)).toEqual([
    'the restart time of Mesh_10_0_0_2 is less than half a second, and written as 0',
  ]);
  expect(messages({ environment: { CALICO_ROUTER_ID: '127.0.0.1' } }, false)).toEqual([
    'the router ID 127.0.0.1 is in a range that is not for routers',
  ]);
});
