// Recorded routes of real kernels against what the datastore explains: clean in each mode, and one finding per change.
import { describe, expect, it } from 'vitest';
import { readNetwork } from '../../../src/datapath/expected/read-network.ts';
import { compareRoutes } from '../../../src/datapath/routes/compare.ts';
import {
  changedRecording,
  felixConfiguration,
  type Mode,
  type NetworkChoice,
  recordedAffinity,
  recordedBlock,
  recordedNetwork,
  recordedNode,
  recordedObjects,
  recordedPod,
  stateOf,
} from '../../support/recorded/network.ts';

type Change = (entries: Record<string, unknown>[]) => Record<string, unknown>[];

/** `destination verdict id` of all that is not as expected. */
function differences({ comparisons }: ReturnType<typeof compareRoutes>): string[] {
  return comparisons
    .filter(({ verdict }) => verdict !== 'ok')
    .map(({ destination, verdict, finding }) => [destination, verdict, finding?.id].join(' ').trim());
}

const addresses = 'node-a.vxlan-dual.addr.json';
const links = 'node-a.vxlan-dual.link.json';
const router = { type: 'unicast', gateway: '10.90.0.254', dev: 'eth0', scope: 'global', flags: [] };

interface Scene {
  readonly name: string;
  readonly choice: NetworkChoice;
  readonly routes4: string;
  readonly routes6?: string;
  /** How many routes the datastore explains. */
  readonly explained: number;
}

const scenes: readonly Scene[] = [
  {
    name: 'without encapsulation',
    choice: { mode: 'none', nodes: ['node-a', 'node-b'], v6: true },
    routes4: 'node-a.noencap.route4.details.json',
    routes6: 'node-a.noencap.route6.details.json',
    explained: 8,
  },
  { name: 'VXLAN', choice: { mode: 'vxlan' }, routes4: 'node-a.vxlan.route4.details.json', explained: 5 },
  {
    name: 'VXLAN CrossSubnet',
    choice: { mode: 'vxlan-crosssubnet' },
    routes4: 'node-a.vxlan-crosssubnet.route4.details.json',
    explained: 5,
  },
  {
    name: 'VXLAN of both families',
    choice: { mode: 'vxlan', nodes: ['node-a', 'node-b'], v6: true },
    routes4: 'node-a.vxlan-dual.route4.details.json',
    routes6: 'node-a.vxlan-dual.route6.details.json',
    explained: 8,
  },
  { name: 'IPIP by BIRD', choice: { mode: 'ipip' }, routes4: 'node-a.ipip-emulated.route4.details.json', explained: 5 },
  {
    name: 'IPIP by Felix',
    choice: { mode: 'ipip', nodes: ['node-a', 'node-b'] },
    routes4: 'node-a.ipip-felix-emulated.route4.details.json',
    explained: 4,
  },
  {
    name: 'IPIP CrossSubnet',
    choice: { mode: 'ipip-crosssubnet' },
    routes4: 'node-a.ipip-crosssubnet-emulated.route4.details.json',
    explained: 5,
  },
];

describe('recorded routes are as expected', () => {
  it.each(scenes)('recorded routes are as expected: $name', ({ choice, routes4, routes6, explained }) => {
    const state = stateOf('node-a', { routes4, addresses, ...(routes6 === undefined ? {} : { routes6 }) });
    const report = compareRoutes(recordedNetwork(choice), state);
    const { comparisons } = report;
    expect(differences(report)).toEqual([]);
    expect(report.asExpected).toBe(explained);
    expect(comparisons).toHaveLength(explained);
    expect(comparisons.filter(({ seen }) => seen === '-')).toEqual([]);
  });

  it('the owner of a block has the expected route to a borrowed address', () => {
    const objects = recordedObjects({ mode: 'vxlan-crosssubnet' });
    objects.blocks[1] = recordedBlock('10.244.20.64/26', 'node-b', [{ ordinal: 6, node: 'node-a' }]);
    objects.pods.push(recordedPod('node-a', 'default/far', '10.244.20.70'));
    const routes4 = 'node-b.vxlan-borrowed.route4.details.json';
    const report = compareRoutes(readNetwork(objects), stateOf('node-b', { routes4 }));
    expect(differences(report)).toEqual([]);
    expect(report.comparisons.map(({ destination }) => destination)).toContain('10.244.20.70/32');
  });

  it('without encapsulation the block of a node behind a router is reached through that router', () => {
    const routes4 = changedRecording('node-a.noencap.route4.details.json', (entries) => [
      ...entries,
      { ...router, dst: '10.244.30.128/26', protocol: 'bird' },
    ]);
    const comparisons = compareRoutes(recordedNetwork({ mode: 'none' }), stateOf('node-a', { routes4, addresses }));
    expect(differences(comparisons)).toEqual([]);
  });

  it('metrics of newer releases are right, also next to those of older ones', () => {
    const routes4 = changedRecording('node-a.vxlan.route4.details.json', (entries) =>
      entries.flatMap((entry) => {
        if (entry['dst'] === '10.244.10.1') return [{ ...entry, metric: 1024 }];
        return entry['dst'] === '10.244.10.2' ? [entry, { ...entry, metric: 1024 }] : [entry];
      }),
    );
    const comparisons = compareRoutes(recordedNetwork({ mode: 'vxlan' }), stateOf('node-a', { routes4, addresses }));
    expect(differences(comparisons)).toEqual([]);
  });
});

const without =
  (dst: string): Change =>
  (entries) =>
    entries.filter((entry) => entry['dst'] !== dst);
const replaced =
  (dst: string, fields: Record<string, unknown>): Change =>
  (entries) =>
    entries.map((entry) => (entry['dst'] === dst ? { ...entry, ...fields } : entry));
const added =
  (fields: Record<string, unknown>): Change =>
  (entries) => [...entries, { ...router, ...fields }];

describe('of the recorded routes', () => {
  const cases = scenes.flatMap(({ name, choice, routes4 }) => {
    const all = JSON.parse(changedRecording(routes4, (entries) => entries)) as Record<string, unknown>[];
    return all
      .map(({ dst }) => String(dst))
      .filter((dst) => dst.startsWith('10.244.'))
      .map((dst) => ({ name, dst, choice, routes4 }));
  });
  const key = (dst: string): string => (dst.includes('/') ? dst : `${dst}/32`);
  const report = ({ choice, routes4 }: (typeof cases)[number], change: Change) => {
    const state = stateOf('node-a', { routes4: changedRecording(routes4, change), addresses });
    const own = compareRoutes(recordedNetwork({ ...choice, v6: false }), state);
    return own.comparisons
      .filter(({ verdict }) => verdict !== 'ok')
      .map(({ destination, verdict }) => `${destination} ${verdict}`);
  };

  it('each recorded route is missing when it is removed, and no other', () => {
    expect(cases.length).toBeGreaterThan(25);
    for (const one of cases) expect(report(one, without(one.dst)), `${one.name}`).toEqual([`${key(one.dst)} missing`]);
  });

  it('each recorded route is wrong when another program wrote it, and no other', () => {
    for (const one of cases) {
      expect(report(one, replaced(one.dst, { protocol: 'static' })), one.name).toEqual([`${key(one.dst)} wrong`]);
    }
  });

  it('each recorded route is wrong when it goes to another interface, and no other', () => {
    for (const one of cases) {
      const isBlackhole = (entry: Record<string, unknown>): boolean => entry['type'] === 'blackhole';
      const change: Change = (entries) =>
        entries.map((entry) => (entry['dst'] === one.dst && !isBlackhole(entry) ? { ...entry, dev: 'eth9' } : entry));
      const found = report(one, change);
      const block = JSON.parse(changedRecording(one.routes4, (all) => all.filter(({ dst }) => dst === one.dst)));
      expect(found, `${one.name} ${one.dst}`).toEqual(isBlackhole(block[0]) ? [] : [`${key(one.dst)} wrong`]);
    }
  });
});

interface Planted {
  readonly name: string;
  readonly mode: Mode;
  readonly change: Change;
  readonly found: readonly string[];
}

const recordingOf: Partial<Record<Mode, string>> = {
  vxlan: 'node-a.vxlan.route4.details.json',
  'vxlan-crosssubnet': 'node-a.vxlan-crosssubnet.route4.details.json',
  ipip: 'node-a.ipip-emulated.route4.details.json',
};

const planted: readonly Planted[] = [
  {
    name: 'no route to a remote block',
    mode: 'vxlan',
    change: without('10.244.20.64/26'),
    found: ['10.244.20.64/26 missing F44'],
  },
  {
    name: 'no blackhole for the own block',
    mode: 'vxlan',
    change: without('10.244.10.0/26'),
    found: ['10.244.10.0/26 missing F45'],
  },
  {
    name: 'no route to an own pod',
    mode: 'vxlan',
    change: without('10.244.10.2'),
    found: ['10.244.10.2/32 missing F06'],
  },
  {
    name: 'an own pod through the interface of another',
    mode: 'vxlan',
    change: replaced('10.244.10.2', { dev: 'cali0761ccbeace' }),
    found: ['10.244.10.2/32 wrong F07'],
  },
  {
    name: 'the tunnel address of another node as gateway',
    mode: 'vxlan',
    change: replaced('10.244.20.64/26', { gateway: '10.244.30.128' }),
    found: ['10.244.20.64/26 wrong F46'],
  },
  {
    name: 'an old node address as gateway of IPIP',
    mode: 'ipip',
    change: replaced('10.244.30.128/26', { gateway: '10.90.1.77' }),
    found: ['10.244.30.128/26 wrong F46'],
  },
  {
    name: 'plain where the other subnet needs a tunnel',
    mode: 'vxlan-crosssubnet',
    change: replaced('10.244.30.128/26', { gateway: '10.90.1.3', dev: 'eth0', protocol: '80', metrics: undefined }),
    found: ['10.244.30.128/26 wrong F46'],
  },
  {
    name: 'a static route in place of that to a block',
    mode: 'vxlan',
    change: replaced('10.244.20.64/26', { ...router, protocol: 'static', metrics: undefined }),
    found: ['10.244.20.64/26 wrong F47'],
  },
  {
    name: 'a route of a lower metric before that to a block',
    mode: 'vxlan',
    change: (entries) =>
      added({ dst: '10.244.20.64/26', protocol: 'boot' })(replaced('10.244.20.64/26', { metric: 50 })(entries)),
    found: ['10.244.20.64/26 wrong F47'],
  },
  {
    name: 'a more specific static route in a block',
    mode: 'vxlan',
    change: added({ dst: '10.244.20.96/27', protocol: 'static' }),
    found: ['10.244.20.96/27 unexpected F47'],
  },
  {
    name: 'a route that somebody added as boot, in the pool',
    mode: 'vxlan',
    change: added({ dst: '10.244.99.0/24', protocol: 'boot' }),
    found: ['10.244.99.0/24 unexpected F47'],
  },
  {
    name: 'a block of a node that is gone',
    mode: 'vxlan',
    change: added({ dst: '10.244.40.0/26', gateway: '10.244.40.0', dev: 'vxlan.calico', protocol: 'boot' }),
    found: ['10.244.40.0/26 unexpected F48'],
  },
  {
    name: 'a blackhole of a block that is no longer the own one',
    mode: 'vxlan',
    change: added({ dst: '10.244.41.0/26', type: 'blackhole', protocol: '80', gateway: undefined, dev: undefined }),
    found: ['10.244.41.0/26 unexpected F48'],
  },
  {
    name: 'an interface route of no pod',
    mode: 'vxlan',
    change: added({ dst: '10.244.10.9', gateway: undefined, dev: 'cali00000000000', protocol: 'boot', scope: 'link' }),
    found: ['10.244.10.9/32 unexpected F48'],
  },
  {
    name: 'BIRD instead of Felix',
    mode: 'vxlan',
    change: replaced('10.244.10.0/26', { protocol: 'bird' }),
    found: ['10.244.10.0/26 wrong F82'],
  },
  {
    name: 'another MTU than that of the device',
    mode: 'vxlan',
    change: replaced('10.244.20.64/26', { metrics: [{ mtu: 1400 }] }),
    found: ['10.244.20.64/26 wrong F74'],
  },
  {
    name: 'routes outside of all pools',
    mode: 'vxlan',
    change: added({ dst: '192.0.2.0/24', protocol: 'static' }),
    found: [],
  },
  {
    name: 'an aggregate that the fabric announces',
    mode: 'vxlan',
    change: added({ dst: '10.244.0.0/16', protocol: 'bird' }),
    found: [],
  },
];

describe('each planted fault is found, and nothing else', () => {
  it.each(planted)('the planted route fault is found alone: $name', ({ mode, change, found }) => {
    const routes4 = changedRecording(recordingOf[mode] ?? '', change);
    const state = stateOf('node-a', { routes4, addresses, links });
    expect(differences(compareRoutes(recordedNetwork({ mode }), state))).toEqual(found);
  });
});

describe('what the datastore says decides', () => {
  const vxlan = { routes4: 'node-a.vxlan.route4.details.json', addresses };

  it('a block whose affinity is not confirmed may have a route or not', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    objects.affinities[1] = recordedAffinity('node-b', '10.244.20.64/26', 'pending');
    const network = readNetwork(objects);
    expect(differences(compareRoutes(network, stateOf('node-a', vxlan)))).toEqual([]);
    const routes4 = changedRecording(vxlan.routes4, without('10.244.20.64/26'));
    expect(differences(compareRoutes(network, stateOf('node-a', { routes4, addresses })))).toEqual([]);
  });

  it('a disabled pool is routed as before', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    const [pool] = objects.pools;
    if (pool !== undefined) pool.spec.disabled = true;
    expect(differences(compareRoutes(readNetwork(objects), stateOf('node-a', vxlan)))).toEqual([]);
  });

  it('a node without a prefix length is in no subnet', () => {
    const objects = recordedObjects({ mode: 'vxlan-crosssubnet' });
    objects.nodes[0] = recordedNode('node-a', 'vxlan-crosssubnet', false, { ip: '10.90.0.1' });
    const state = stateOf('node-a', { routes4: 'node-a.vxlan-crosssubnet.route4.details.json', addresses });
    expect(differences(compareRoutes(readNetwork(objects), state))).toEqual(['10.244.20.64/26 wrong F46']);
  });

  it('deviceRouteProtocol replaces both protocols of Felix', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    objects.felixConfigurations.push(felixConfiguration({ deviceRouteProtocol: 88 }));
    const network = readNetwork(objects);
    const routes4 = changedRecording(vxlan.routes4, (entries) =>
      entries.map((entry) =>
        String(entry['dst']).startsWith('10.244') && entry['dev'] !== 'eth0' ? { ...entry, protocol: '88' } : entry,
      ),
    );
    expect(differences(compareRoutes(network, stateOf('node-a', { routes4, addresses })))).toEqual([]);
    expect(differences(compareRoutes(network, stateOf('node-a', vxlan)))).toEqual([
      '10.244.10.0/26 wrong F82',
      '10.244.20.64/26 wrong F82',
      '10.244.30.128/26 wrong F82',
    ]);
  });

  it('with route source WorkloadIPs there is one route per pod, and blocks may be missing', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    objects.felixConfigurations.push(felixConfiguration({ routeSource: 'WorkloadIPs' }));
    const network = readNetwork(objects);
    const routes4 = changedRecording(vxlan.routes4, (entries) =>
      entries
        .filter((entry) => entry['type'] !== 'blackhole')
        .map((entry) => {
          if (entry['dst'] === '10.244.20.64/26') return { ...entry, dst: '10.244.20.66' };
          return entry['dst'] === '10.244.30.128/26' ? { ...entry, dst: '10.244.30.130' } : entry;
        }),
    );
    expect(differences(compareRoutes(network, stateOf('node-a', { routes4, addresses })))).toEqual([]);
    const lost = changedRecording(vxlan.routes4, without('10.244.10.0/26'));
    expect(differences(compareRoutes(network, stateOf('node-a', { routes4: lost, addresses })))).toEqual([
      '10.244.20.66/32 missing F44',
      '10.244.30.130/32 missing F44',
    ]);
  });

  it('a route of BIRD is wrong when Felix programs IPIP', () => {
    const objects = recordedObjects({ mode: 'ipip', nodes: ['node-a', 'node-b'] });
    objects.felixConfigurations.push(felixConfiguration({ programClusterRoutes: 'EnabledIPIPOnly' }));
    const felix = { routes4: 'node-a.ipip-felix-emulated.route4.details.json', addresses };
    expect(differences(compareRoutes(readNetwork(objects), stateOf('node-a', felix)))).toEqual([]);
    objects.felixConfigurations[0] = felixConfiguration({ programClusterRoutes: 'Disabled' });
    expect(differences(compareRoutes(readNetwork(objects), stateOf('node-a', felix)))).toEqual([
      '10.244.10.0/26 wrong F82',
      '10.244.20.64/26 wrong F82',
    ]);
  });

  it('addresses of a block without an owner have a route to the node of each', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    objects.blocks.push(
      recordedBlock('10.244.50.0/26', undefined, [
        { ordinal: 5, node: 'node-b' },
        { ordinal: 6 },
        { ordinal: 7, node: 'gone' },
      ]),
    );
    expect(differences(compareRoutes(readNetwork(objects), stateOf('node-a', vxlan)))).toEqual([
      '10.244.50.5/32 missing F44',
    ]);
  });

  it('a block of one address has no blackhole, and a tunnel address in it is on the link', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    objects.nodes[1] = recordedNode('node-b', 'vxlan', false, { vxlan: '10.244.60.9' });
    objects.blocks.push(
      recordedBlock('10.244.60.9/32', 'node-b', [{ ordinal: 0, node: 'node-b' }]),
      recordedBlock('10.244.60.10/32', 'node-a'),
    );
    const routes4 = changedRecording(vxlan.routes4, (entries) => [
      ...replaced('10.244.20.64/26', { gateway: '10.244.60.9' })(entries),
      { ...router, dst: '10.244.60.9', gateway: undefined, dev: 'vxlan.calico', protocol: 'boot', scope: 'link' },
    ]);
    const state = stateOf('node-a', { routes4, addresses });
    expect(differences(compareRoutes(readNetwork(objects), state))).toEqual([]);
  });

  it('a pod that is starting may have no route yet', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    const starting = recordedPod('node-a', 'default/new', '10.244.10.3');
    objects.pods.push({ ...starting, status: { ...starting.status, phase: 'Pending' } });
    expect(differences(compareRoutes(readNetwork(objects), stateOf('node-a', vxlan)))).toEqual([]);
  });

  it('service addresses in the routes of a node are a finding', () => {
    const objects = recordedObjects({ mode: 'vxlan' });
    objects.bgpConfigurations.push({
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'BGPConfiguration',
      metadata: { name: 'default' },
      spec: { serviceClusterIPs: [{ cidr: '10.96.0.0/12' }] },
    });
    const routes4 = changedRecording(vxlan.routes4, added({ dst: '10.96.0.0/12', protocol: 'bird' }));
    expect(differences(compareRoutes(readNetwork(objects), stateOf('node-a', { routes4, addresses })))).toEqual([
      '10.96.0.0/12 unexpected F98',
    ]);
  });
});

describe('what was not seen is not missing', () => {
  const network = recordedNetwork({ mode: 'vxlan' });

  it('without an answer all routes are one line that is not observed', () => {
    expect(differences(compareRoutes(network, stateOf('node-a', {})))).toEqual(['IPv4 routes not observed']);
  });

  it('what is not in a partial answer is not observed', () => {
    const routes4 = changedRecording('node-a.vxlan.route4.details.json', (entries) =>
      replaced('10.244.20.64/26', { dst: 'nonsense' })(entries),
    );
    expect(differences(compareRoutes(network, stateOf('node-a', { routes4, addresses })))).toEqual([
      '10.244.20.64/26 not observed',
    ]);
  });

  it('without the addresses of a node the interface of plain routes is not judged', () => {
    const state = stateOf('node-a', { routes4: 'node-a.vxlan-crosssubnet.route4.details.json' });
    expect(differences(compareRoutes(recordedNetwork({ mode: 'vxlan-crosssubnet' }), state))).toEqual([]);
  });
});
