// Facts of a recorded node: right as they were recorded, and each changed one is found alone.
import { describe, expect, it } from 'vitest';
import type { NetworkNode } from '../../../src/datapath/expected/network.ts';
import { readNetwork } from '../../../src/datapath/expected/read-network.ts';
import type { Fact } from '../../../src/datapath/verify/fact.ts';
import { verifyNode, verifyPod } from '../../../src/datapath/verify/verify.ts';
import { nodeState } from '../../../src/node-state/node-state.ts';
import type { ProbeName, ProbeOutcome } from '../../../src/node-state/probes.ts';
import {
  answered,
  changedRecording,
  felixConfiguration,
  type MutableObjects,
  readingOf,
  recordedNode,
  recordedObjects,
  recordedPod,
} from '../../support/recorded/network.ts';

const [web, nginx] = ['cali0761ccbeace', 'calic440f455693'];

/** Settings of a node as they should be, with changes (`undefined` removes one). */
function sysctls(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const values: Record<string, string | undefined> = {
    'net/ipv4/ip_forward': '1',
    'net/ipv6/conf/all/forwarding': '1',
    'net/ipv4/conf/all/rp_filter': '0',
    'net/ipv4/conf/all/proxy_arp': '0',
    ...Object.fromEntries(
      ['eth0', 'vxlan.calico'].flatMap((device) => [
        [`net/ipv4/conf/${device}/forwarding`, '1'],
        [`net/ipv6/conf/${device}/forwarding`, '1'],
        [`net/ipv4/conf/${device}/rp_filter`, '1'],
      ]),
    ),
  };
  for (const device of [web, nginx]) {
    const four = { proxy_arp: '1', forwarding: '1', route_localnet: '1', rp_filter: '0' };
    const six = { disable_ipv6: '0', forwarding: '1', proxy_ndp: '1', accept_ra: '0' };
    for (const [name, value] of Object.entries(four)) values[`net/ipv4/conf/${device}/${name}`] = value;
    for (const [name, value] of Object.entries(six)) values[`net/ipv6/conf/${device}/${name}`] = value;
    values[`net/ipv4/neigh/${device}/proxy_delay`] = '0';
  }
  return Object.entries({ ...values, ...changes })
    .flatMap(([path, value]) => (value === undefined ? [] : [`/proc/sys/${path}:${value}\n`]))
    .join('');
}

const noFilter = '*filter\n:FORWARD ACCEPT [0:0]\nCOMMIT\n';
const noTable = answered('', 1, 'Error: No such file or directory\n');

type Answers = Partial<Record<ProbeName, string | ProbeOutcome>>;

/** What a node with VXLAN of both families answered. The pods there have the MTU of an IPv4 network. */
const recorded: Answers = {
  links: changedRecording('node-a.vxlan-dual.link.json', (links) => [
    ...links,
    ...(JSON.parse(changedRecording('node-a.link.json', (all) => all)) as Record<string, unknown>[]).filter(
      ({ ifname }) => !links.some((link) => link['ifname'] === ifname),
    ),
  ]),
  addresses: 'node-a.vxlan-dual.addr.json',
  routes4: 'node-a.vxlan-dual.route4.details.json',
  routes6: 'node-a.vxlan-dual.route6.details.json',
  rules4: 'node-a.rule4.json',
  rules6: 'node-a.rule6.json',
  neighbours: 'node-a.vxlan-dual.neigh.json',
  fdb: 'node-a.vxlan-dual.fdb-all.json',
  sysctls: sysctls(),
  mtu: '1430\n',
  nodename: 'node-a',
  'gateway-route': '[{"dst":"169.254.1.1","gateway":"10.90.0.254","dev":"eth0","prefsrc":"10.90.0.1","flags":[]}]',
  iptables: noFilter,
  'iptables-legacy': '',
  'nft-kube-proxy': noTable,
};

function objectsOfRecording(): MutableObjects {
  return recordedObjects({ mode: 'vxlan', nodes: ['node-a', 'node-b'], v6: true });
}

/** The MTU that the recorded interfaces of pods have is that of IPv4 alone. */
function withPodMtu(answers: Answers, mtu: number): Answers {
  const links = JSON.parse(String(answers.links)) as Record<string, unknown>[];
  const changed = links.map((link) => (String(link['ifname']).startsWith('cali') ? { ...link, mtu } : link));
  return { ...answers, links: JSON.stringify(changed) };
}

function factsOf(changes: Answers = {}, objects: MutableObjects = objectsOfRecording()): readonly Fact[] {
  const network = readNetwork(objects);
  const reading = readingOf('node-a', { ...withPodMtu(recorded, 1430), ...changes });
  return verifyNode(network, network.nodes.get('node-a') as NetworkNode, { reading, state: nodeState(reading) });
}

const factTexts = (facts: readonly Fact[], verdict: Fact['verdict']): string[] =>
  facts
    .filter((fact) => fact.verdict === verdict)
    .map(({ id, subject, fact, seen }) => `${id} ${subject}: ${fact} ${seen}`);

describe('a recorded node', () => {
  it('all facts of a recorded node are right and observed', () => {
    const facts = factsOf();
    expect(factTexts(facts, 'wrong')).toEqual([]);
    expect(factTexts(facts, 'not observed')).toEqual([]);
    expect(facts.length).toBeGreaterThan(60);
  });

  it('without any answer all facts of a node are not observed', () => {
    const network = readNetwork(objectsOfRecording());
    const reading = readingOf('node-a', {});
    const facts = verifyNode(network, network.nodes.get('node-a') as NetworkNode, {
      reading,
      state: nodeState(reading),
    });
    expect(new Set(facts.map(({ verdict }) => verdict))).toEqual(new Set(['not observed']));
    expect(facts.length).toBeGreaterThan(30);
  });

  it.each(Object.keys(recorded) as ProbeName[])('without the answer of %s nothing is wrong', (probe) => {
    const lost = factTexts(
      factsOf({ [probe]: { kind: 'unanswered', argv: [], reason: 'lost' } as ProbeOutcome }),
      'wrong',
    );
    expect(lost).toEqual([]);
  });
});

function links(change: (link: Record<string, unknown>) => Record<string, unknown> | undefined): Answers {
  const all = JSON.parse(String(withPodMtu(recorded, 1430).links)) as Record<string, unknown>[];
  return { links: JSON.stringify(all.map(change).filter((link) => link !== undefined)) };
}

const ofLink = (name: string, fields: Record<string, unknown>): Answers =>
  links((link) => (link['ifname'] === name ? { ...link, ...fields } : link));

const addedTo = (probe: 'links' | 'addresses' | 'rules4', ...entries: Record<string, unknown>[]): Answers => {
  const text =
    probe === 'links'
      ? String(withPodMtu(recorded, 1430).links)
      : changedRecording(String(recorded[probe]), (all) => all);
  return { [probe]: JSON.stringify([...(JSON.parse(text) as unknown[]), ...entries]) };
};

const addressOn = (ifname: string, local: string, prefixlen: number) => ({
  ifname,
  addr_info: [{ family: local.includes(':') ? 'inet6' : 'inet', local, prefixlen, scope: 'global' }],
});

const planted: readonly (readonly [name: string, changes: Answers, found: readonly string[]])[] = [
  [
    'proxy_arp off',
    { sysctls: sysctls({ [`net/ipv4/conf/${web}/proxy_arp`]: '0' }) },
    ['F01 pod default/web-1: proxy_arp 0'],
  ],
  [
    'proxy_arp off, and on for all',
    { sysctls: sysctls({ [`net/ipv4/conf/${web}/proxy_arp`]: '0', 'net/ipv4/conf/all/proxy_arp': '1' }) },
    [],
  ],
  [
    'forwarding off',
    { sysctls: sysctls({ [`net/ipv4/conf/${web}/forwarding`]: '0' }) },
    ['F02 pod default/web-1: forwarding 0'],
  ],
  [
    'IPv6 forwarding off',
    { sysctls: sysctls({ [`net/ipv6/conf/${web}/forwarding`]: '0' }) },
    ['F02 pod default/web-1: IPv6 forwarding 0'],
  ],
  [
    'no route to the gateway',
    { 'gateway-route': answered('', 2, 'RTNETLINK answers: Network is unreachable\n') },
    ['F03 node: route to 169.254.1.1 none'],
  ],
  [
    'the route to the gateway into a pod',
    { 'gateway-route': `[{"dst":"169.254.1.1","dev":"${web}","flags":[]}]` },
    [`F03 node: route to 169.254.1.1 dev ${web}`],
  ],
  ['interface down', ofLink(web, { flags: ['BROADCAST'] }), ['F05 pod default/web-1: state DOWN']],
  ['interface without carrier', ofLink(web, { flags: ['NO-CARRIER', 'UP'] }), ['F05 pod default/web-1: state UP']],
  ['another MAC', ofLink(web, { address: '02:00:00:00:00:01' }), ['F09 pod default/web-1: MAC 02:00:00:00:00:01']],
  ['another MTU', ofLink(web, { mtu: 1500 }), ['F11 pod default/web-1: MTU 1500']],
  [
    'IPv6 disabled',
    { sysctls: sysctls({ [`net/ipv6/conf/${web}/disable_ipv6`]: '1' }) },
    ['F12 pod default/web-1: IPv6 disable_ipv6 1'],
  ],
  [
    'a changed setting',
    { sysctls: sysctls({ [`net/ipv4/neigh/${web}/proxy_delay`]: '80' }) },
    ['F13 pod default/web-1: proxy_delay 80'],
  ],
  [
    'an interface of no pod',
    addedTo('links', { ifindex: 99, ifname: 'cali00000000000', flags: ['UP'], linkinfo: { info_kind: 'veth' } }),
    ['F15 cali00000000000: pod of the interface none'],
  ],
  [
    "a pod's address on the node",
    addedTo('addresses', addressOn('eth1', '10.244.10.1', 32)),
    ['F16 pod default/web-1: interface of the node with 10.244.10.1 eth1'],
  ],
  [
    'forwarding off on the node, not reported again for each interface',
    {
      sysctls: sysctls({
        'net/ipv4/ip_forward': '0',
        ...Object.fromEntries([web, nginx, 'eth0'].map((device) => [`net/ipv4/conf/${device}/forwarding`, '0'])),
      }),
    },
    ['F30 node: ip_forward 0'],
  ],
  [
    'forwarding off on the uplink',
    { sysctls: sysctls({ 'net/ipv4/conf/eth0/forwarding': '0' }) },
    ['F31 uplink eth0: forwarding 0'],
  ],
  [
    'a foreign rule',
    addedTo('rules4', { priority: 100, src: '10.244.0.0', srclen: 16, table: '77' }),
    ['F35 node: IPv4 rules for pods 100: from 10.244.0.0/16 lookup 77'],
  ],
  ['a rule for other addresses', addedTo('rules4', { priority: 100, src: '192.0.2.0', srclen: 24, table: '77' }), []],
  ['a default of DROP', { iptables: '*filter\n:FORWARD DROP [0:0]\nCOMMIT\n' }, ['F36 node: chain FORWARD DROP']],
  [
    'a default of DROP after which Calico accepts',
    {
      iptables:
        '*filter\n:FORWARD DROP [0:0]\n:cali-FORWARD - [0:0]\n-A FORWARD -j cali-FORWARD\n' +
        '-A FORWARD -m comment --comment "cali:x" -m mark --mark 0x10000/0x10000 -j ACCEPT\nCOMMIT\n',
    },
    [],
  ],
  [
    'Calico and kube-proxy in different backends',
    {
      iptables: '*filter\n:FORWARD ACCEPT [0:0]\n:cali-FORWARD - [0:0]\nCOMMIT\n',
      'iptables-legacy': '*nat\n:KUBE-SERVICES - [0:0]\nCOMMIT\n',
    },
    ['F37 node: iptables backend Calico in nft, kube-proxy in legacy'],
  ],
  [
    'kube-proxy with nftables and Felix with iptables',
    {
      'nft-kube-proxy': '{"nftables":[]}',
      iptables: '*filter\n:FORWARD ACCEPT [0:0]\n:cali-FORWARD - [0:0]\nCOMMIT\n',
    },
    ['F39 node: kube-proxy nftables'],
  ],
  [
    'the address of the node gone',
    {
      addresses: changedRecording('node-a.vxlan-dual.addr.json', (all) =>
        all.filter(({ ifname }) => ifname !== 'eth0'),
      ),
    },
    ['F53 node: IPv4 address of the node none', 'F53 node: IPv6 address of the node none'],
  ],
  ['tunnel device down', ofLink('vxlan.calico', { flags: [] }), ['F54 vxlan.calico: device vxlan, DOWN']],
  [
    'tunnel device gone',
    links((link) => (link['ifname'] === 'vxlan.calico' ? undefined : link)),
    ['F54 vxlan.calico: device none'],
  ],
  [
    'another tunnel address',
    {
      addresses: changedRecording('node-a.vxlan-dual.addr.json', (all) =>
        all.map((one) => (one['ifname'] === 'vxlan.calico' ? addressOn('vxlan.calico', '10.244.10.9', 32) : one)),
      ),
    },
    ['F55 vxlan.calico: address 10.244.10.9'],
  ],
  [
    'a second tunnel address',
    addedTo('addresses', addressOn('vxlan.calico', '10.244.10.9', 32)),
    ['F55 vxlan.calico: address 10.244.10.0,10.244.10.9'],
  ],
  [
    'no forwarding entry',
    { fdb: changedRecording('node-a.vxlan-dual.fdb-all.json', (all) => all.filter(({ dst }) => dst !== '10.90.0.2')) },
    ['F57 vxlan.calico: forwarding entry of node-b none'],
  ],
  [
    'a forwarding entry to an old address',
    {
      fdb: changedRecording('node-a.vxlan-dual.fdb-all.json', (all) =>
        all.map((one) => (one['dst'] === '10.90.0.2' ? { ...one, dst: '10.90.0.77' } : one)),
      ),
    },
    ['F57 vxlan.calico: forwarding entry of node-b 66:89:3a:22:7a:ac to 10.90.0.77'],
  ],
  [
    'no neighbour',
    {
      neighbours: changedRecording('node-a.vxlan-dual.neigh.json', (all) =>
        all.filter(({ dst }) => dst !== 'fd00:244:0:b::'),
      ),
    },
    ['F58 vxlan-v6.calico: neighbour of node-b none'],
  ],
  [
    'a neighbour that is not permanent',
    {
      neighbours: changedRecording('node-a.vxlan-dual.neigh.json', (all) =>
        all.map((one) => (one['dst'] === '10.244.20.64' ? { ...one, state: ['FAILED'], lladdr: undefined } : one)),
      ),
    },
    ['F58 vxlan.calico: neighbour of node-b 10.244.20.64 no MAC failed'],
  ],
  [
    'another user of the VNI',
    addedTo('links', {
      ifindex: 98,
      ifname: 'flannel.1',
      flags: ['UP'],
      linkinfo: { info_kind: 'vxlan', info_data: { id: 4096, port: 4789 } },
    }),
    ['F71 flannel.1: foreign VXLAN device VNI 4096 on port 4789'],
  ],
  ['another node name', { nodename: 'node-x' }, ['F112 node: nodename node-x']],
];

describe('each planted fault is found, and nothing else', () => {
  it.each(planted)('the planted fault is found alone: %s', (_, changes, found) => {
    expect(factTexts(factsOf(changes), 'wrong')).toEqual(found);
  });

  it('MTUs of tunnels and of new pods are compared with the settings', () => {
    const objects = objectsOfRecording();
    objects.felixConfigurations.push(felixConfiguration({ vxlanMTU: 1400 }));
    expect(factTexts(factsOf({}, objects), 'wrong')).toEqual([
      'F74 node: MTU of new pods 1430',
      'F74 vxlan.calico: MTU 1450',
    ]);
  });

  it('each wrong part of the identity of a VXLAN device is a finding', () => {
    const data = { id: 4097, local: '10.90.0.9', link: 'eth1', port: 8472, learning: true };
    const changes = ofLink('vxlan.calico', {
      address: '02:00:00:00:00:02',
      linkinfo: { info_kind: 'vxlan', info_data: data },
    });
    expect(factTexts(factsOf(changes), 'wrong')).toEqual([
      'F54 vxlan.calico: VNI 4097',
      'F54 vxlan.calico: port 8472',
      'F58 vxlan.calico: MAC 02:00:00:00:00:02',
      'F119 vxlan.calico: local address 10.90.0.9',
      'F119 vxlan.calico: parent eth1',
      'F54 vxlan.calico: learning on',
    ]);
    const bpf = objectsOfRecording();
    bpf.felixConfigurations.push(felixConfiguration({ bpfEnabled: true }));
    expect(factTexts(factsOf(changes, bpf), 'wrong')).toEqual([]);
  });

  it('a pod without its interface lacks its route too', () => {
    const objects = objectsOfRecording();
    objects.pods.push(recordedPod('node-a', 'default/new', '10.244.10.3'));
    expect(factTexts(factsOf({}, objects), 'wrong')).toEqual([
      'F04 pod default/new: interface none',
      'F06 pod default/new: route to 10.244.10.3/32 -',
    ]);
  });

  it('interfaces without a prefix that Felix knows are a finding', () => {
    const objects = objectsOfRecording();
    objects.felixConfigurations.push(felixConfiguration({ interfacePrefix: 'tap' }));
    expect(factTexts(factsOf({}, objects), 'wrong')).toContain(`F14 pod default/web-1: interface name ${web}`);
  });

  it('a permanent neighbour is judged where the MAC of the pod is known', () => {
    const entry = { dst: '10.244.10.1', dev: web, lladdr: '02:00:00:00:00:99', state: ['PERMANENT'] };
    const neighbours = changedRecording('node-a.vxlan-dual.neigh.json', (all) => [
      ...all.filter(({ dst }) => dst !== '10.244.10.1'),
      entry,
    ]);
    expect(factTexts(factsOf({ neighbours }), 'not observed')).toEqual([
      'F08 pod default/web-1: permanent neighbour 10.244.10.1 02:00:00:00:00:99, but the MAC of the pod is not known here',
    ]);
    const objects = objectsOfRecording();
    const [pod] = objects.pods;
    Object.assign(pod?.metadata.annotations ?? {}, { 'cni.projectcalico.org/hwAddr': '02-00-00-00-00-01' });
    expect(factTexts(factsOf({ neighbours }, objects), 'wrong')).toEqual([
      'F08 pod default/web-1: permanent neighbour 10.244.10.1 02:00:00:00:00:99',
    ]);
  });

  it('strict rp_filter is wrong for a pod with several networks or other source addresses', () => {
    const objects = objectsOfRecording();
    const [first, second] = objects.pods;
    Object.assign(first?.metadata.annotations ?? {}, { 'k8s.v1.cni.cncf.io/networks': 'storage' });
    Object.assign(second?.metadata.annotations ?? {}, {
      'cni.projectcalico.org/allowedSourcePrefixes': '["192.0.2.0/24"]',
    });
    const all = (value: string): Answers => ({ sysctls: sysctls({ 'net/ipv4/conf/all/rp_filter': value }) });
    expect(factTexts(factsOf(all('1'), objects), 'wrong')).toEqual([
      'F17 pod default/web-1: rp_filter 1',
      'F17 pod default/nginx: rp_filter 1',
    ]);
    expect(factTexts(factsOf(all('2'), objects), 'wrong')).toEqual(['F17 pod default/nginx: rp_filter 2']);
  });

  it('strict rp_filter is wrong while subnets disagree', () => {
    const objects = recordedObjects({ mode: 'vxlan-crosssubnet', nodes: ['node-a'] });
    objects.nodes.push(recordedNode('node-b', 'vxlan-crosssubnet', false, { ip: '10.90.1.9/16' }));
    const answers = { routes4: 'node-a.vxlan-crosssubnet.route4.details.json' };
    const strict = factTexts(factsOf(answers, objects), 'wrong').filter((line) => line.startsWith('F32'));
    expect(strict).toEqual(['F32 eth0: rp_filter 1', 'F32 vxlan.calico: rp_filter 1']);
    const loose = { ...answers, sysctls: sysctls({ 'net/ipv4/conf/all/rp_filter': '2' }) };
    expect(factTexts(factsOf(loose, objects), 'wrong').filter((line) => line.startsWith('F32'))).toEqual([]);
  });

  it('a node without the tunnel address that a pool gives it is a finding', () => {
    const objects = objectsOfRecording();
    delete objects.nodes[0]?.metadata.annotations?.['projectcalico.org/IPv4VXLANTunnelAddr'];
    expect(factTexts(factsOf({}, objects), 'wrong')).toContain('F54 vxlan.calico: address not recorded');
  });
});

it('the facts of one pod are its own and those that all pods of its node depend on', () => {
  const network = readNetwork(objectsOfRecording());
  const [pod] = network.workloads.get('node-a') ?? [];
  if (pod === undefined) throw new Error('no pod');
  const reading = readingOf('node-a', withPodMtu(recorded, 1430));
  const facts = verifyPod(
    network,
    network.nodes.get('node-a') as NetworkNode,
    { reading, state: nodeState(reading) },
    pod,
  );
  expect(factTexts(facts, 'wrong')).toEqual([]);
  expect(new Set(facts.map(({ subject }) => subject))).toEqual(new Set(['node', 'uplink eth0', 'pod default/web-1']));
});
