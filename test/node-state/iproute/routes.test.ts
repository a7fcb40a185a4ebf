// `ip route`: recordings read by hand, the plain form by hand (namespace.test.ts has the real one), and damaged texts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCidr, parseCidr } from '../../../src/net/cidr.ts';
import { formatIp, parseIp } from '../../../src/net/ip.ts';
import type { KernelRoute } from '../../../src/node-state/iproute/iproute.ts';
import { parseRoutes } from '../../../src/node-state/iproute/routes.ts';
import {
  answerOf,
  beginnings,
  damaged,
  damageTimeout,
  invented,
  problemOf,
  recording,
  recordings,
  someBeginnings,
} from '../../support/recorded/recordings.ts';

fc.configureGlobal({ seed: 20260101 });

const read = (name: string, version: 4 | 6 = 4) => answerOf(parseRoutes(recording('ip', name), version));

/** A route in short, in the order of `ip route`'s own words. */
function short({ destination, type, nextHops, protocol, mtu }: KernelRoute): string {
  const hops = nextHops.map(({ gateway, device, flags }) =>
    [gateway === undefined ? '' : `${formatIp(gateway)}%`, device, ...flags.map((flag) => ` ${flag}`)].join(''),
  );
  return [type, formatCidr(destination), ...hops, protocol, ...(mtu === undefined ? [] : [`mtu ${mtu}`])].join(' ');
}

const host = ['unicast 0.0.0.0/0 10.90.0.254%eth0 boot', 'unicast 10.90.0.0/24 eth0 kernel'];
const pods = ['unicast 10.244.10.1/32 cali0761ccbeace boot', 'unicast 10.244.10.2/32 calic440f455693 boot'];

describe('parseRoutes from JSON', () => {
  it.each([
    ['node-a.noencap.route4.details.json', 'bird', ['unicast 10.244.20.64/26 10.90.0.2%eth0 bird']],
    ['node-a.noencap.route4.json', 'bird', ['unicast 10.244.20.64/26 10.90.0.2%eth0 bird']],
    [
      'node-a.vxlan.route4.details.json',
      '80',
      [
        'unicast 10.244.20.64/26 10.244.20.64%vxlan.calico onlink boot mtu 1450',
        'unicast 10.244.30.128/26 10.244.30.128%vxlan.calico onlink boot mtu 1450',
      ],
    ],
    [
      'node-a.vxlan.route4.json',
      '80',
      [
        'unicast 10.244.20.64/26 10.244.20.64%vxlan.calico onlink boot mtu 1450',
        'unicast 10.244.30.128/26 10.244.30.128%vxlan.calico onlink boot mtu 1450',
      ],
    ],
    [
      'node-a.vxlan-crosssubnet.route4.details.json',
      '80',
      [
        'unicast 10.244.20.64/26 10.90.0.2%eth0 onlink 80',
        'unicast 10.244.30.128/26 10.244.30.128%vxlan.calico onlink boot mtu 1450',
      ],
    ],
    [
      'node-a.vxlan-dual.route4.details.json',
      '80',
      ['unicast 10.244.20.64/26 10.244.20.64%vxlan.calico onlink boot mtu 1450'],
    ],
    [
      'node-a.ipip-emulated.route4.details.json',
      'bird',
      ['unicast 10.244.20.64/26 10.90.0.2%tunl0 onlink bird', 'unicast 10.244.30.128/26 10.90.1.3%tunl0 onlink bird'],
    ],
    [
      'node-a.ipip-emulated.route4.json',
      'bird',
      ['unicast 10.244.20.64/26 10.90.0.2%tunl0 onlink bird', 'unicast 10.244.30.128/26 10.90.1.3%tunl0 onlink bird'],
    ],
    [
      'node-a.ipip-crosssubnet-emulated.route4.details.json',
      'bird',
      ['unicast 10.244.20.64/26 10.90.0.2%eth0 bird', 'unicast 10.244.30.128/26 10.90.1.3%tunl0 onlink bird'],
    ],
    [
      'node-a.ipip-felix-emulated.route4.details.json',
      '80',
      ['unicast 10.244.20.64/26 10.90.0.2%tunl0 onlink 80 mtu 1480'],
    ],
  ])('reads %s', (name, owner, remote) => {
    expect(read(name).map(short)).toEqual([...host, `blackhole 10.244.10.0/26 ${owner}`, ...pods, ...remote]);
  });

  it('all fields of a kernel route are read', () => {
    expect(read('node-a.noencap.route4.details.json')[1]).toEqual({
      destination: parseCidr('10.90.0.0/24'),
      type: 'unicast',
      nextHops: [{ gateway: undefined, device: 'eth0', flags: [] }],
      protocol: 'kernel',
      scope: 'link',
      source: parseIp('10.90.0.1'),
      metric: undefined,
      mtu: undefined,
      table: undefined,
    });
  });

  it('the protocol of a kernel route is filled in when left out, its scope is not', () => {
    const [first] = read('node-a.noencap.route4.json');
    expect(first).toMatchObject({ protocol: 'boot', scope: undefined, type: 'unicast' });
    expect(read('node-a.noencap.route4.details.json')[0]?.scope).toBe('global');
  });

  it('an IPv6 blackhole has no next hop', () => {
    const routes = read('node-a.noencap.route6.details.json', 6);
    expect(routes.map(short)).toEqual([
      'unicast 2001:db8:90::/64 eth0 kernel',
      'unicast fd00:244:0:a::1/128 cali0761ccbeace boot',
      'unicast fd00:244:0:a::2/128 calic440f455693 boot',
      'blackhole fd00:244:0:a::/122 bird',
      'unicast fd00:244:0:b::/122 2001:db8:90::2%eth0 bird',
      'unicast fe80::/64 eth0 kernel',
      'unicast fe80::/64 cali0761ccbeace kernel',
      'unicast fe80::/64 calic440f455693 kernel',
      'unicast ::/0 2001:db8:90::fe%eth0 boot',
    ]);
    expect(routes.map(({ metric }) => metric)).toEqual([256, 1024, 1024, 1024, 1024, 256, 256, 256, 1024]);
    expect(read('node-a.vxlan-dual.route6.details.json', 6).map(short)).toContain(
      'unicast fd00:244:0:b::/122 fd00:244:0:b::%vxlan-v6.calico onlink boot mtu 1430',
    );
  });

  it('several next hops of a kernel route are read', () => {
    expect(read('router.ecmp.route4.details.json').map(short)).toEqual([
      'unicast 10.90.0.0/24 eth0 kernel',
      'unicast 10.90.1.0/24 eth1 kernel',
      'unicast 10.96.0.10/32 10.90.0.1%eth0 10.90.0.2%eth0 bird',
      'unicast 10.244.10.0/26 10.90.0.1%eth0 10.90.0.2%eth0 bird',
      'unicast 10.244.20.64/26 10.90.0.1%eth0 10.90.0.2%eth0 bird',
      'blackhole 198.51.100.0/24 bird',
    ]);
  });

  it('kernel routes have their table, which is undefined for the main one', () => {
    const routes = read('node-a.route4.all-tables.json');
    expect(routes.filter(({ table }) => table === undefined)).toHaveLength(6);
    expect(routes.filter(({ table }) => table === 'local').map(short)).toEqual([
      'local 10.90.0.1/32 eth0 kernel',
      'broadcast 10.90.0.255/32 eth0 kernel',
      'local 127.0.0.0/8 lo kernel',
      'local 127.0.0.1/32 lo kernel',
      'broadcast 127.255.255.255/32 lo kernel',
    ]);
  });

  it('all other recordings of kernel routes are read', () => {
    expect(read('node-a.wireguard-emulated.table1.json').map(short)).toEqual([
      'unicast 10.244.20.64/26 wireguard.cali boot',
      'throw 10.244.30.128/26 boot',
    ]);
    expect(read('node-b.vxlan-borrowed.route4.details.json').map(short)).toContain(
      'unicast 10.244.20.70/32 10.244.10.0%vxlan.calico onlink boot mtu 1450',
    );
    expect(read('pod-a1.route4.json').map(short)).toEqual([
      'unicast 0.0.0.0/0 169.254.1.1%eth0 boot',
      'unicast 169.254.1.1/32 eth0 boot',
    ]);
    expect(read('pod-a1.route6.json', 6).map(short)).toContain('unicast ::/0 fe80::ecee:eeff:feee:eeee%eth0 boot');
  });

  it('unknown keys and empty entries of kernel routes are ignored', () => {
    const text = '[{},{"dst":"10.0.0.0/8","dev":"eth0","protocol":80,"table":254,"colour":"red","flags":["onlink"]}]';
    expect(answerOf(parseRoutes(text, 4)).map(short)).toEqual(['unicast 10.0.0.0/8 eth0 onlink 80']);
  });

  it('a gateway of the other family is read', () => {
    const text = '[{"dst":"10.0.0.0/8","via":{"family":"inet6","host":"fe80::1"},"dev":"eth0","flags":[]}]';
    expect(answerOf(parseRoutes(text, 4)).map(short)).toEqual(['unicast 10.0.0.0/8 fe80::1%eth0 boot']);
  });

  it.each([
    ['an invalid destination', '{"dst":"10.0.0.300","dev":"eth0"}'],
    ['one of the other family', '{"dst":"fd00::/64","dev":"eth0"}'],
    ['a mapped one', '{"dst":"::ffff:0.0.0.0/90","dev":"eth0"}'],
    ['no destination', '{"dev":"eth0"}'],
    ['neither gateway nor device', '{"dst":"10.0.0.0/8"}'],
    ['a gateway that is none', '{"dst":"10.0.0.0/8","gateway":"nowhere","dev":"eth0"}'],
    [
      'one such among the next hops',
      '{"dst":"10.0.0.0/8","nexthops":[{"dev":"eth0"},{"gateway":"nowhere","dev":"eth0"}]}',
    ],
    ['an unknown type', '{"type":"wormhole","dst":"10.0.0.0/8","dev":"eth0"}'],
    ['no object', '7'],
  ])('a kernel route is skipped: %s', (_what, entry) => {
    expect(parseRoutes(`[{"dst":"default","dev":"eth0"},${entry}]`, 4)).toMatchObject({
      ok: true,
      value: [{ destination: parseCidr('0.0.0.0/0') }],
      skipped: [entry],
    });
  });

  it.each([
    ['[', 'incomplete or invalid JSON'],
    ['{"dst":"default"}', 'not a list of entries'],
    ['[7]', 'no route found: 7'],
    ['RTNETLINK answers: Invalid argument\n', 'no route found: RTNETLINK answers: Invalid argument'],
    ['Object "-j" is unknown, try "ip help".\n', 'no route found: Object "-j" is unknown, try "ip help".'],
  ])('kernel routes that are not understood: %j', (text, problem) => {
    expect(problemOf(parseRoutes(text, 4))).toBe(problem);
  });
});

describe('parseRoutes from plain text', () => {
  it('kernel routes are read from plain text', () => {
    const text = [
      'default via 10.90.0.254 dev eth0 ',
      '10.90.0.0/24 dev eth0 proto kernel scope link src 10.90.0.1 ',
      'blackhole 10.244.10.0/26 proto 80 ',
      '10.244.10.1 dev cali0761ccbeace scope link linkdown ',
      'unreachable 10.244.11.0/26 metric 7 ',
      '10.244.20.64/26 via 10.244.20.64 dev vxlan.calico onlink mtu 1450 ',
      '10.244.21.64/26 via 10.90.0.2 dev eth0 proto bird src 10.90.0.1 mtu lock 1400 advmss 1300 ',
      '10.244.22.64/26 proto bird ',
      '\tnexthop via 10.90.0.3 dev eth0 weight 2 ',
      '\tnexthop via 10.90.0.4 dev eth0 weight 1 onlink ',
      '10.244.23.0/26 via inet6 fe80::1 dev eth0 ',
      'throw 10.244.13.0/26 table 1 ',
    ].join('\r\n');
    const routes = answerOf(parseRoutes(text, 4));
    expect(routes.map(short)).toEqual([
      ...host,
      'blackhole 10.244.10.0/26 80',
      'unicast 10.244.10.1/32 cali0761ccbeace linkdown boot',
      'unreachable 10.244.11.0/26 boot',
      'unicast 10.244.20.64/26 10.244.20.64%vxlan.calico onlink boot mtu 1450',
      'unicast 10.244.21.64/26 10.90.0.2%eth0 bird mtu 1400',
      'unicast 10.244.22.64/26 10.90.0.3%eth0 10.90.0.4%eth0 onlink bird',
      'unicast 10.244.23.0/26 fe80::1%eth0 boot',
      'throw 10.244.13.0/26 boot',
    ]);
    expect(routes[1]).toMatchObject({ scope: 'link', source: parseIp('10.90.0.1') });
    expect(routes.map(({ table }) => table).at(-1)).toBe('1');
    expect(routes[4]?.metric).toBe(7);
  });

  it('empty output is an empty table of kernel routes', () => {
    expect(answerOf(parseRoutes('', 6))).toEqual([]);
    expect(answerOf(parseRoutes('[ ]\n', 6))).toEqual([]);
  });

  it('a kernel route with its own encapsulation is skipped', () => {
    const text = '10.0.0.0/8 dev eth0\n10.1.0.0/16  encap ip id 7 src 0.0.0.0 dst 10.0.0.9 ttl 0 tos 0 dev eth1\n';
    expect(parseRoutes(text, 4)).toMatchObject({
      ok: true,
      value: [{ source: undefined }],
      skipped: [expect.any(String)],
    });
  });
});

it(
  'damaged kernel routes never yield networks, gateways or interfaces that are not in them',
  () => {
    const holds = (text: string): void => {
      for (const version of [4, 6] as const) {
        const parsed = parseRoutes(text, version);
        if (!parsed.ok) continue;
        const found = parsed.value.flatMap(({ destination, nextHops, source }) => [
          ...[destination, source],
          ...nextHops.flatMap(({ gateway, device }) => [gateway, device]),
        ]);
        expect(invented(text, found)).toEqual([]);
      }
    };
    const plain =
      'default via 10.90.0.254 dev eth0 \n10.1.0.0/16 proto bird \n\tnexthop via 10.90.0.3 dev eth0 weight 2 \n';
    beginnings(plain).forEach(holds);
    someBeginnings(recordings('ip').map(([, text]) => text)).forEach(holds);
    fc.assert(fc.property(damaged([...recordings('ip').map(([, text]) => text), plain, plain, plain]), holds), {
      numRuns: 300,
    });
  },
  damageTimeout,
);
