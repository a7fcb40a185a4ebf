// Why a route is missing, by recorded answers of BIRD: not learned, unreachable, not installed, not running.
import { describe, expect, it } from 'vitest';
import { readNetwork } from '../../../src/datapath/expected/read-network.ts';
import { compareRoutes } from '../../../src/datapath/routes/compare.ts';
import { routeFindings } from '../../../src/datapath/routes/node-routes.ts';
import type { NodeState } from '../../../src/node-state/node-state.ts';
import {
  answered,
  changedRecording,
  type Mode,
  recordedBlock,
  recordedNetwork,
  recordedObjects,
  stateOf,
} from '../../support/recorded/network.ts';
import { recording } from '../../support/recorded/recordings.ts';

/** The kernel has no route to the block of node-b; BIRD's part as given. */
function without(block: string, bird: Parameters<typeof stateOf>[1]): NodeState {
  const routes4 = changedRecording('node-a.noencap.route4.details.json', (all) =>
    all.filter(({ dst }) => dst !== block),
  );
  return stateOf('node-a', { routes4, addresses: 'node-a.addr.json', ...bird });
}

const birdc = (name: string): string => recording('birdc', name);
const network = recordedNetwork({ mode: 'none', nodes: ['node-a', 'node-b'] });

function findingTexts(state: NodeState, of = network): string[] {
  return routeFindings(compareRoutes(of, state).comparisons).map(
    ({ id, peer, message }) => `${id} ${peer}: ${message}`,
  );
}

describe('a route that is not in the kernel', () => {
  const state = (bird: Parameters<typeof stateOf>[1]) => without('10.244.20.64/26', bird);

  it('a route that only BIRD has is not installed', () => {
    expect(findingTexts(state({ 'bird4-routes': birdc('show-route.v4.txt') }))).toEqual([
      'F97 node-b: BIRD has the route to 10.244.20.64/26, but the kernel does not',
    ]);
  });

  it('a route that only BIRD has while it waits after a restart is explained by that', () => {
    const bird = {
      'bird4-routes': birdc('show-route.v4.txt'),
      'bird4-status': birdc('show-status.gr-recovery.v4.txt'),
    };
    expect(findingTexts(state(bird))).toEqual([
      'F97 node-b: BIRD has the route to 10.244.20.64/26, but the kernel does not: BIRD still waits for its peers after a restart',
    ]);
  });

  it('a route that BIRD has as unreachable has no next hop', () => {
    expect(findingTexts(state({ 'bird4-routes': birdc('show-route.tor.v4.txt') }))).toEqual([
      'F93 node-b: BIRD has the route to 10.244.20.64/26, but nothing leads to its next hop',
      'F93 undefined: BIRD has the route to 10.244.30.128/26, but nothing leads to its next hop',
    ]);
  });

  it('a missing route is explained by the session that is down', () => {
    const bird = {
      'bird4-routes': 'BIRD 1.6.8 ready.\n0.0.0.0/0          via 10.90.0.254 on eth0 [kernel1 14:25:55] * (10)\n',
      'bird4-protocols': birdc('show-protocols-all.mixed.v4.txt').replaceAll('10.90.0.78', '10.90.0.2'),
    };
    expect(findingTexts(state(bird))[0]).toMatch(
      /^F44 node-b: no route to 10\.244\.20\.64\/26 of node-b: packets take the default route; BGP with node-b is /,
    );
  });

  it('a missing route is explained by a session that BIRD does not have', () => {
    const bird = {
      'bird4-routes': 'BIRD 1.6.8 ready.\n0.0.0.0/0          via 10.90.0.254 on eth0 [kernel1 14:25:55] * (10)\n',
      'bird4-protocols': birdc('show-protocols-all.kernel.v4.txt'),
    };
    expect(findingTexts(state(bird))[0]).toContain('BIRD has no session with node-b (10.90.0.2)');
  });

  it('a missing route is explained by BIRD not answering', () => {
    const bird = { 'bird4-protocols': answered('', 1, 'Unable to connect to server control socket\n') };
    expect(findingTexts(state(bird))[0]).toContain('BIRD could not be read');
  });
});

it('routes of one node that are missing for one reason are one finding', () => {
  const objects = recordedObjects({ mode: 'none', nodes: ['node-a', 'node-b'] });
  objects.blocks.push(recordedBlock('10.244.21.0/26', 'node-b'), recordedBlock('10.244.22.0/26', 'node-b'));
  const state = without('10.244.20.64/26', {});
  const findings = findingTexts(state, readNetwork(objects));
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatch(/10\.244\.20\.64\/26.*; the same for 10\.244\.21\.0\/26, 10\.244\.22\.0\/26$/);
});

describe('routes of BIRD that the datastore does not explain', () => {
  const bird = 'BIRD 1.6.8 ready.\n10.244.77.0/26     via 10.90.0.2 on eth0 [Mesh_10_90_0_2 14:25:57] * (100/0) [i]\n';
  const mode = (name: Mode) => recordedNetwork({ mode: name, nodes: ['node-a', 'node-b'] });
  const state = without('', { 'bird4-routes': bird });

  it('an unexplained route of BIRD that the kernel lacks is a finding', () => {
    expect(findingTexts(state, mode('none'))).toEqual([
      'F97 undefined: BIRD has the route to 10.244.77.0/26, but the kernel does not',
    ]);
  });

  it('an unexplained route of BIRD in a VXLAN pool is not a finding', () => {
    const vxlan = stateOf('node-a', {
      routes4: 'node-a.vxlan.route4.details.json',
      'bird4-routes': birdc('show-route.vxlan.v4.txt') + bird.split('\n')[1],
    });
    expect(findingTexts(vxlan, recordedNetwork({ mode: 'vxlan' }))).toEqual([]);
  });
});

it('a gateway that BIRD itself chose is right', () => {
  const routes4 = changedRecording('node-a.noencap.route4.details.json', (all) =>
    all.map((one) => (one['dst'] === '10.244.20.64/26' ? { ...one, gateway: '10.90.0.200' } : one)),
  );
  const chosen =
    'BIRD 1.6.8 ready.\n10.244.20.64/26    via 10.90.0.200 on eth0 [Global_10_90_0_200 14:25:57] * (100/0) [i]\n';
  const seen = { routes4, addresses: 'node-a.addr.json' };
  expect(findingTexts(stateOf('node-a', { ...seen, 'bird4-routes': chosen }))).toEqual([]);
  expect(findingTexts(stateOf('node-a', seen))[0]).toMatch(/^F46 node-b: /);
});
