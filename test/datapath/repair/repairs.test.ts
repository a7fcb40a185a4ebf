// Which findings are repaired, and by which command: above all, what keeps a route that is left over from being removed.
import { describe, expect, it } from 'vitest';
import type { NetworkNode } from '../../../src/datapath/expected/network.ts';
import { readNetwork } from '../../../src/datapath/expected/read-network.ts';
import { confirmedRepairs, type NodeRepairs, repairedFaults, repairsOf } from '../../../src/datapath/repair/repairs.ts';
import { verifyNode } from '../../../src/datapath/verify/verify.ts';
import { nodeState } from '../../../src/node-state/node-state.ts';
import type { ProbeName, ProbeOutcome } from '../../../src/node-state/probes.ts';
import {
  changedRecording,
  type MutableObjects,
  readingOf,
  recordedBlock,
  recordedObjects,
  recordedPod,
} from '../../support/recorded/network.ts';

type Answers = Partial<Record<ProbeName, string | ProbeOutcome>>;

const stray = 'calideadbeef012';
const address = '10.244.10.9';

interface Situation {
  /** Of the route that is left over. */
  readonly route?: Readonly<Record<string, unknown>>;
  readonly answers?: Answers;
  readonly objects?: (objects: MutableObjects) => void;
  readonly isLive?: boolean;
}

const interfaces = (names: readonly string[]): string =>
  JSON.stringify(
    names.map((ifname, index) => ({
      ifindex: index + 5,
      ifname,
      flags: ['BROADCAST', 'UP', 'LOWER_UP'],
      mtu: 1450,
      address: 'ee:ee:ee:ee:ee:ee',
      link_index: 2,
      linkinfo: { info_kind: 'veth' },
    })),
  );

/** The repairs of node-a, on which a route to a pod is left over. */
function repairs({ route = {}, answers = {}, objects: change, isLive = true }: Situation = {}): NodeRepairs {
  const objects = recordedObjects({ mode: 'vxlan', nodes: ['node-a', 'node-b'] });
  change?.(objects);
  const left = { type: 'unicast', dst: address, dev: stray, protocol: 'boot', scope: 'link', flags: [], ...route };
  const network = readNetwork(objects);
  const reading = readingOf('node-a', {
    links: interfaces(['cali0761ccbeace', 'calic440f455693', stray]),
    routes4: changedRecording('node-a.vxlan-dual.route4.details.json', (all) => [...all, left]),
    neighbours: '[]',
    ...answers,
  });
  const state = nodeState(reading);
  const facts = verifyNode(network, network.nodes.get('node-a') as NetworkNode, { reading, state });
  return repairsOf(facts, { network, blocks: objects.blocks, state, isLive });
}

const commands = (plan: NodeRepairs): string[] => plan.repairs.map(({ id, argv }) => `${id} ${argv.join(' ')}`);
const whys = (plan: NodeRepairs): string[] => plan.unrepaired.map(({ id, why }) => `${id} ${why}`);
const neighbour = (state: string): string =>
  JSON.stringify([{ dst: address, dev: stray, lladdr: '02:00:00:00:00:09', state: [state] }]);

describe('a route to a pod that is gone', () => {
  it('is removed by everything that was read of it, so that no other route to the address can be meant', () => {
    expect(commands(repairs())).toEqual([`F48 ip -4 route del ${address}/32 dev ${stray} proto boot`]);
    expect(commands(repairs({ route: { metric: 1024 } }))).toEqual([
      `F48 ip -4 route del ${address}/32 dev ${stray} proto boot metric 1024`,
    ]);
    expect(commands(repairs({ route: { protocol: '80' } }))).toEqual([
      `F48 ip -4 route del ${address}/32 dev ${stray} proto 80`,
    ]);
  });

  it('is removed although an old neighbour entry is still there', () => {
    for (const state of ['STALE', 'FAILED', 'PERMANENT']) {
      expect(commands(repairs({ answers: { neighbours: neighbour(state) } })), state).toHaveLength(1);
    }
  });

  const pod =
    (node: string, name: string, ...ips: readonly string[]) =>
    (objects: MutableObjects) => {
      objects.pods.push(recordedPod(node, name, ...ips));
    };

  it.each<readonly [string, Situation, string]>([
    ['the datastore is a directory', { isLive: false }, 'only a live cluster shows that it is gone'],
    ['a pod of this node has the address', { objects: pod('node-a', 'default/new', address) }, ''],
    [
      'a pod of another node has the address',
      { objects: pod('node-b', 'default/new', address) },
      'pod default/new has the address',
    ],
    [
      'a pod that is ending has the address',
      {
        objects: (objects) => {
          const ending = recordedPod('node-a', 'default/old', address);
          ending.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
          objects.pods.push(ending);
        },
      },
      '',
    ],
    [
      'a pod is starting on the node',
      { objects: pod('node-a', 'default/new') },
      'pod default/new is starting on this node',
    ],
    [
      'the interface is that of a pod of the node',
      { route: { dev: 'cali0761ccbeace' } },
      'cali0761ccbeace is the interface of pod default/web-1',
    ],
    [
      'IPAM has the address as allocated',
      {
        objects: (objects) => {
          objects.blocks.splice(0, 1, recordedBlock('10.244.10.0/26', 'node-a', [{ ordinal: 9, node: 'node-a' }]));
        },
      },
      `${address} is allocated`,
    ],
    ['no block has the address', { route: { dst: '10.244.99.9' } }, '10.244.99.9 is allocated'],
    ['something answers there', { answers: { neighbours: neighbour('REACHABLE') } }, 'something still answers'],
    ['something was asked there just now', { answers: { neighbours: neighbour('DELAY') } }, 'something still answers'],
    [
      'the neighbours were not read',
      { answers: { neighbours: { kind: 'unanswered', argv: [], reason: 'lost' } } },
      'the neighbours of the node were not read',
    ],
    ['another program wrote it', { route: { protocol: 'static' } }, ''],
    ['BIRD wrote it', { route: { protocol: 'bird' } }, 'it is not a route as Felix or the CNI plugin writes it'],
    [
      'it has a gateway',
      { route: { gateway: '10.244.10.1' } },
      'it is not a route as Felix or the CNI plugin writes it',
    ],
    ['it leads to an interface that is not that of a pod', { route: { dev: 'eth0' } }, ''],
  ])('stays when %s', (_, situation, why) => {
    const plan = repairs(situation);
    expect(commands(plan).filter((command) => command.includes('route del'))).toEqual([]);
    const reasons = whys(plan).filter((text) => text.startsWith('F48'));
    expect(reasons.join('\n')).toContain(why);
    expect(reasons.length > 0).toBe(why !== '');
  });

  it('stays when pods or blocks were not read', () => {
    for (const kind of ['Pod', 'IPAMBlock']) {
      const objects = recordedObjects({ mode: 'vxlan', nodes: ['node-a', 'node-b'] });
      const network = readNetwork(objects, [{ kind, reason: 'forbidden' }]);
      const routes4 = changedRecording('node-a.vxlan-dual.route4.details.json', (all) => [
        ...all,
        { type: 'unicast', dst: address, dev: stray, protocol: 'boot', scope: 'link', flags: [] },
      ]);
      const reading = readingOf('node-a', { links: interfaces([stray]), routes4, neighbours: '[]' });
      const state = nodeState(reading);
      const facts = verifyNode(network, network.nodes.get('node-a') as NetworkNode, { reading, state });
      const plan = repairsOf(facts, { network, blocks: objects.blocks, state, isLive: true });
      expect(plan.repairs, kind).toEqual([]);
    }
  });
});

describe('a route of the node to its own pod', () => {
  const without: Answers = {
    routes4: changedRecording('node-a.vxlan-dual.route4.details.json', (all) =>
      all.filter(({ dst }) => dst !== '10.244.10.1'),
    ),
  };

  it('is added as the CNI plugin adds it', () => {
    expect(commands(repairs({ answers: without }))).toEqual([
      'F06 ip route add 10.244.10.1/32 dev cali0761ccbeace scope link',
    ]);
  });

  it('is not added when another pod has the address too, or the interface is missing or down', () => {
    const two = repairs({
      answers: without,
      objects: ({ pods }) => pods.push(recordedPod('node-b', 'default/twin', '10.244.10.1')),
    });
    expect(whys(two)).toContain('F06 10.244.10.1 is the address of 2 running pods');
    const gone = repairs({ answers: { ...without, links: interfaces(['calic440f455693']) } });
    expect(whys(gone)).toContain('F06 the interface cali0761ccbeace is missing');
    const down = interfaces(['cali0761ccbeace']).replace('"UP","LOWER_UP"', '"LOWER_UP"');
    expect(whys(repairs({ answers: { ...without, links: down } }))).toContain(
      'F06 the interface cali0761ccbeace is down',
    );
  });
});

describe('forwarding of IPv6', () => {
  const sysctls = '/proc/sys/net/ipv6/conf/all/forwarding:0\n';
  const objects = (found: MutableObjects): void => {
    found.pools.push(
      ...recordedObjects({ mode: 'vxlan', v6: true }).pools.filter(({ spec }) => spec.cidr.includes(':')),
    );
  };

  it('is turned on when all routes of the node are its own', () => {
    const routes6 =
      '[{"type":"unicast","dst":"default","gateway":"fe80::1","dev":"eth0","protocol":"static","flags":[]}]';
    expect(commands(repairs({ objects, answers: { sysctls, routes6 } }))).toContain(
      'F30 sysctl -qw net/ipv6/conf/all/forwarding=1',
    );
  });

  it('is left off when the kernel would drop a route that a router announced, or routes were not read', () => {
    const routes6 = '[{"type":"unicast","dst":"default","gateway":"fe80::1","dev":"eth0","protocol":"ra","flags":[]}]';
    expect(whys(repairs({ objects, answers: { sysctls, routes6 } }))).toContain(
      'F30 the node has routes that a router announced, and would lose them',
    );
    expect(whys(repairs({ objects, answers: { sysctls } }))).toContain('F30 the IPv6 routes of the node were not read');
  });
});

describe('two readings', () => {
  it('only what both plan with the same command is repaired', () => {
    const [first, other] = [repairs().repairs, repairs({ route: { metric: 1024 } }).repairs];
    expect(confirmedRepairs(first, first)).toEqual(first);
    expect(confirmedRepairs(first, other)).toEqual([]);
    expect(confirmedRepairs(first, [])).toEqual([]);
  });
});

it('the page on repairs names every fault that is repaired', async () => {
  const { readFileSync } = await import('node:fs');
  const page = readFileSync(new URL('../../../docs/reference/node-repair.md', import.meta.url), 'utf8');
  const named = [...page.matchAll(/^\| (F\d+)/gm)].map(([, id]) => id);
  expect(named.sort()).toEqual(repairedFaults.map(({ id }) => id).sort());
});
