// The real `ip` and `bridge` in a namespace: plain text and JSON are read as the same, and as what was created.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCidr } from '../../../src/net/cidr.ts';
import { parseIp } from '../../../src/net/ip.ts';
import { parseAddresses } from '../../../src/node-state/iproute/addresses.ts';
import { parseFdb } from '../../../src/node-state/iproute/fdb.ts';
import { parseInterfaces } from '../../../src/node-state/iproute/interfaces.ts';
import { parseNeighbours } from '../../../src/node-state/iproute/neighbours.ts';
import { parseRoutes } from '../../../src/node-state/iproute/routes.ts';
import { parseRules } from '../../../src/node-state/iproute/rules.ts';
import type { Parsed } from '../../../src/node-state/parse-result.ts';
import { makeNamespace, type Namespace } from '../../support/lab/network-namespace.ts';
import { describeWithPrograms } from '../../support/program/parts.ts';
import { answerOf } from '../../support/recorded/recordings.ts';

const setup = (pod: string): string => `
link set lo up
link add eth0 type veth peer name upstream
link set eth0 up
link set upstream up
link add cali1 mtu 1450 type veth peer name eth0 netns ${pod}
link set cali1 up
address add 10.90.0.1/24 brd + dev eth0
address add 10.90.9.1 peer 10.90.9.2/32 dev eth0 label eth0:x
address add 2001:db8:90::1/64 dev eth0 nodad
link add vxlan.calico address 66:07:02:c1:cc:60 type vxlan id 4096 local 10.90.0.1 dev eth0 dstport 4789 nolearning
link add vxlan-v6.calico type vxlan id 4096 local 2001:db8:90::1 dev eth0 dstport 4789 nolearning
link add learns type vxlan id 7 dstport 8472
link set vxlan.calico up
link set vxlan-v6.calico up
link add br0 type bridge
address add 10.244.10.0/32 dev vxlan.calico
route add default via 10.90.0.254 dev eth0
route add 10.244.10.1 dev cali1 scope link
route add blackhole 10.244.10.0/26 proto 80
route add unreachable 10.244.11.0/26 metric 7
route add prohibit 10.244.12.0/26
route add throw 10.244.13.0/26 table 1
route add 10.244.20.64/26 dev cali1 scope link table 1
route add 10.244.20.64/26 via 10.244.20.64 dev vxlan.calico onlink mtu 1450
route add 10.244.21.64/26 via 10.90.0.2 dev eth0 proto bird src 10.90.0.1 mtu lock 1400 advmss 1300
route add 10.244.22.64/26 proto bird nexthop via 10.90.0.3 dev eth0 weight 2 nexthop via 10.90.0.4 dev eth0 onlink
route add 10.244.23.0/26 via inet6 fe80::1 dev eth0
route add ::/0 via fe80::5 dev eth0
route add fd00:244:0:b::/122 via fd00:244:0:b:: dev vxlan-v6.calico onlink mtu 1430
route add blackhole fd00:244:0:a::/122 proto 80
route add fd00:9::/64 nexthop via fe80::7 dev eth0 nexthop via fe80::8 dev eth0
rule add not fwmark 0x200000/0x200000 priority 99 lookup 1
rule add from 10.0.0.0/8 to 10.1.0.0/16 iif cali1 lookup 7 priority 500
rule add from 10.5.5.5 iif gone goto 600 priority 550
rule add fwmark 5 blackhole priority 600
neigh add 10.244.20.64 lladdr 66:89:3a:22:7a:ac dev vxlan.calico nud permanent
neigh add 10.90.0.78 dev eth0 nud failed
neigh add fe80::99 lladdr 66:89:3a:22:7a:aa dev eth0 router nud stale
`;

describeWithPrograms('ip and bridge in a namespace', ['ip', 'bridge'], () => {
  let node: Namespace;
  let pod: Namespace;

  beforeAll(() => {
    node = makeNamespace('node');
    pod = makeNamespace('pod');
    node.ip(setup(pod.name));
    node.run(
      'bridge',
      'fdb',
      'add',
      '66:89:3a:22:7a:ac',
      'dev',
      'vxlan.calico',
      'dst',
      '10.90.0.2',
      'self',
      'permanent',
    );
    node.run('bridge', 'fdb', 'add', '66:35:be:36:cf:19', 'dev', 'vxlan-v6.calico', 'dst', '2001:db8:90::2', 'self');
  });

  afterAll(() => {
    node?.remove();
    pod?.remove();
  });

  const parsers: readonly (readonly [command: string, parse: (text: string) => Parsed<unknown>])[] = [
    ['ip -d link show', parseInterfaces],
    ['ip addr show', parseAddresses],
    ['ip -d addr show', parseAddresses],
    ['ip -4 route show', (text) => parseRoutes(text, 4)],
    ['ip -6 route show', (text) => parseRoutes(text, 6)],
    ['ip -d -4 route show', (text) => parseRoutes(text, 4)],
    ['ip -d -6 route show', (text) => parseRoutes(text, 6)],
    ['ip -d -4 route show table all', (text) => parseRoutes(text, 4)],
    ['ip -4 route show table 1', (text) => parseRoutes(text, 4)],
    ['ip -4 rule show', (text) => parseRules(text, 4)],
    ['ip -d -4 rule show', (text) => parseRules(text, 4)],
    ['ip -6 rule show', (text) => parseRules(text, 6)],
    ['ip neigh show', parseNeighbours],
    ['ip neigh show dev vxlan.calico', parseNeighbours],
    ['ip -f bridge neigh show', parseFdb],
    ['bridge fdb show', parseFdb],
    ['bridge fdb show dev vxlan.calico', parseFdb],
  ];

  it.each(parsers)('%s prints the same as JSON and as plain text', (command, parse) => {
    const [program = '', ...args] = command.split(' ');
    const plain = answerOf(parse(node.run(program, ...args)));
    const json = answerOf(parse(node.run(program, '-j', ...args)));
    // Entries of the kernel's own (multicast) may come between the two. Plain text has the name of a namespace that JSON
    // has the number of.
    const settled = (value: unknown): unknown =>
      Array.isArray(value)
        ? value
            .filter((entry: { mac?: string }) => !/^(33:33|01:00)/.test(entry.mac ?? ''))
            .map((entry: object) => ('peerNetnsId' in entry ? { ...entry, peerNetnsId: 'a number or none' } : entry))
        : value;
    expect(settled(plain)).toEqual(settled(json));
    expect(plain).not.toEqual([]);
  });

  it('the interfaces of a namespace are read as they were created', () => {
    const links = answerOf(parseInterfaces(node.run('ip', '-j', '-d', 'link', 'show')));
    const link = (name: string) => links.find((candidate) => candidate.name === name);
    const podEnd = answerOf(parseInterfaces(pod.run('ip', '-d', 'link', 'show'))).find(({ name }) => name === 'eth0');
    expect(link('cali1')).toMatchObject({ kind: 'veth', mtu: 1450, vxlan: undefined, peerIndex: podEnd?.index });
    expect(podEnd?.peerIndex).toBe(link('cali1')?.index);
    expect(link('eth0')?.peerIndex).toBe(link('upstream')?.index);
    expect(link('vxlan.calico')).toMatchObject({
      kind: 'vxlan',
      mac: '66:07:02:c1:cc:60',
      vxlan: { id: 4096, local: parseIp('10.90.0.1'), parent: 'eth0', port: 4789, learning: false },
    });
    expect(link('vxlan-v6.calico')?.vxlan?.local).toEqual(parseIp('2001:db8:90::1'));
    expect(link('learns')?.vxlan).toEqual({ id: 7, local: undefined, parent: undefined, port: 8472, learning: true });
    expect(link('br0')).toMatchObject({ kind: 'bridge', peerIndex: undefined });
  });

  it('routes, rules, neighbours and forwarding entries of a namespace are read as they were created', () => {
    const routes = answerOf(parseRoutes(node.run('ip', '-4', 'route', 'show'), 4));
    expect(routes.filter(({ protocol }) => protocol === 'bird').map(({ nextHops }) => nextHops)).toEqual([
      [{ gateway: parseIp('10.90.0.2'), device: 'eth0', flags: [] }],
      [
        { gateway: parseIp('10.90.0.3'), device: 'eth0', flags: [] },
        { gateway: parseIp('10.90.0.4'), device: 'eth0', flags: ['onlink'] },
      ],
    ]);
    expect(answerOf(parseRules(node.run('ip', '-4', 'rule', 'show'), 4))[1]).toEqual({
      priority: 99,
      not: true,
      source: undefined,
      destination: undefined,
      inputDevice: undefined,
      mark: '0x200000/0x200000',
      table: '1',
    });
    expect(answerOf(parseRules(node.run('ip', '-4', 'rule', 'show'), 4))[2]).toMatchObject({
      source: parseCidr('10.0.0.0/8'),
      destination: parseCidr('10.1.0.0/16'),
      inputDevice: 'cali1',
      table: '7',
    });
    expect(answerOf(parseNeighbours(node.run('ip', 'neigh', 'show', 'dev', 'vxlan.calico')))).toEqual([
      { address: parseIp('10.244.20.64'), device: undefined, mac: '66:89:3a:22:7a:ac', states: ['PERMANENT'] },
    ]);
    for (const argv of [
      ['bridge', 'fdb', 'show'],
      ['ip', '-f', 'bridge', 'neigh', 'show'],
    ]) {
      expect(answerOf(parseFdb(node.run(...argv)))).toContainEqual(
        expect.objectContaining({
          mac: '66:89:3a:22:7a:ac',
          device: 'vxlan.calico',
          destination: parseIp('10.90.0.2'),
          states: expect.arrayContaining(['PERMANENT']),
        }),
      );
    }
  });

  it('an empty namespace is read', () => {
    expect(answerOf(parseRoutes(pod.run('ip', '-j', '-4', 'route', 'show'), 4))).toEqual([]);
    expect(answerOf(parseRoutes(pod.run('ip', '-4', 'route', 'show'), 4))).toEqual([]);
    expect(answerOf(parseNeighbours(pod.run('ip', '-j', 'neigh', 'show')))).toEqual([]);
    expect(answerOf(parseFdb(pod.run('ip', '-j', '-f', 'bridge', 'neigh', 'show', 'dev', 'lo')))).toEqual([]);
    expect(answerOf(parseAddresses(pod.run('ip', 'addr', 'show')))).toEqual([]);
  });

  describe('a rule with a condition that is not kept', () => {
    it('a rule with a further condition is read and listed as skipped, in both forms', () => {
      node.ip('rule add ipproto tcp dport 80 lookup 9 priority 700\n');
      for (const form of [['-j'], []]) {
        const parsed = parseRules(node.run('ip', ...form, '-4', 'rule', 'show'), 4);
        expect(parsed.ok && parsed.value.map(({ priority }) => priority)).toContain(700);
        expect(parsed.ok && parsed.skipped).toEqual([expect.stringContaining('tcp')]);
      }
      node.ip('rule del priority 700\n');
    });
  });
});
