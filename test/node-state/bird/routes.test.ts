// `show route` of BIRD 1.6.8: recordings, forms that BIRD's code prints and no recording has, and damaged texts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCidr, parseCidr } from '../../../src/net/cidr.ts';
import { formatIp, parseIp } from '../../../src/net/ip.ts';
import type { BirdRoute } from '../../../src/node-state/bird/bird.ts';
import { parseBirdRoutes } from '../../../src/node-state/bird/routes.ts';
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

const read = (name: string) => answerOf(parseBirdRoutes(recording('birdc', name), name.includes('.v6.') ? 6 : 4));

/** A route in short: where to, through what, from whom, and whether it is the best. */
function short({ destination, target, nextHops, protocol, primary, metric, origin }: BirdRoute): string {
  const hops = nextHops.map(({ gateway, device }) => [gateway && formatIp(gateway), device].filter(Boolean).join('%'));
  return [formatCidr(destination), target, ...hops, protocol, primary ? '*' : '-', metric ?? '', origin ?? '']
    .join(' ')
    .trimEnd();
}

const oneOf = (line: string, version: 4 | 6 = 4): BirdRoute | undefined =>
  answerOf(parseBirdRoutes(`BIRD 1.6.8 ready.\n${line}\n`, version))[0];

describe('parseBirdRoutes', () => {
  it('the BIRD routes of a node without encapsulation are read', () => {
    expect(read('show-route.v4.txt').map(short)).toEqual([
      '0.0.0.0/0 via 10.90.0.254%eth0 kernel1 *',
      '10.90.0.0/24 dev eth0 direct1 *',
      '198.51.100.0/24 via 10.90.0.254%eth0 Global_10_90_0_254 * 0 AS65001i',
      '10.244.20.64/26 via 10.90.0.2%eth0 Mesh_10_90_0_2 * 0 i',
      '10.244.10.0/26 blackhole static1 *',
      '10.244.10.1/32 dev cali0761ccbeace kernel1 *',
      '10.244.10.2/32 dev calic440f455693 kernel1 *',
    ]);
  });

  it('all fields of a BIRD route are read', () => {
    expect(read('show-route.v4.txt')[2]).toEqual({
      destination: parseCidr('198.51.100.0/24'),
      target: 'via',
      nextHops: [{ gateway: parseIp('10.90.0.254'), device: 'eth0', weight: undefined }],
      protocol: 'Global_10_90_0_254',
      since: '14:25:57',
      from: undefined,
      primary: true,
      preference: 100,
      metric: '0',
      origin: 'AS65001i',
      attributes: {},
    });
  });

  it('several BIRD routes of one network are read', () => {
    expect(read('show-route.vxlan.v4.txt').map(short)).toEqual([
      '0.0.0.0/0 via 10.90.0.254%eth0 kernel1 *',
      '10.90.0.0/24 dev eth0 direct1 *',
      '10.244.20.64/26 via 10.90.0.2%eth0 Mesh_10_90_0_2 * 0 i',
      '10.244.20.64/26 via 10.244.20.64%vxlan.calico kernel1 -',
      '10.244.10.0/26 blackhole static1 *',
      '10.244.10.0/26 blackhole kernel1 -',
      '10.244.10.0/32 dev vxlan.calico direct1 *',
      '10.244.10.1/32 dev cali0761ccbeace kernel1 *',
      '10.244.10.2/32 dev calic440f455693 kernel1 *',
    ]);
  });

  it('BIRD routes with an unreachable next hop are read', () => {
    const routes = read('show-route.tor.v4.txt');
    expect(routes.map(short).slice(2)).toEqual([
      '10.244.30.128/26 unreachable to_rr * - AS64512i',
      '10.244.20.64/26 unreachable to_rr * - AS64512i',
      '10.244.10.0/26 unreachable to_rr * - AS64512i',
    ]);
    expect(routes[2]?.from).toEqual(parseIp('10.90.0.2'));
  });

  it('a BIRD route from a reflector has its peer and an unknown metric', () => {
    const [, , reflected] = read('show-route-all.rr-client.v4.txt');
    expect(reflected).toMatchObject({ metric: '?', from: parseIp('10.90.0.2'), preference: 100 });
    expect(reflected?.attributes).toEqual({
      Type: 'BGP unicast univ',
      'BGP.origin': 'IGP',
      'BGP.as_path': '',
      'BGP.next_hop': '10.90.1.3',
      'BGP.local_pref': '100',
      'BGP.originator_id': '10.90.1.3',
      'BGP.cluster_list': '244.0.0.1',
    });
  });

  it('attributes belong to the BIRD route above them', () => {
    const routes = read('show-route-all.vxlan.v4.txt');
    expect(routes.map(short)).toEqual(read('show-route.vxlan.v4.txt').map(short));
    expect(routes.map(({ attributes }) => attributes['Kernel.source'])).toEqual([
      '3',
      undefined,
      undefined,
      '3',
      undefined,
      '80',
      undefined,
      '3',
      '3',
    ]);
    expect(routes[3]?.attributes['Kernel.mtu']).toBe('1450');
  });

  it('communities of BIRD routes are read', () => {
    const block = read('show-route-all.communities.v4.txt').find(
      ({ destination }) => formatCidr(destination) === '10.244.20.64/26',
    );
    expect(block?.attributes).toMatchObject({
      'BGP.community': '(64512,120)',
      'BGP.large_community': '(64512, 300, 100)',
    });
  });

  it('IPv6 routes of BIRD are read', () => {
    expect(read('show-route.v6.txt').map(short)).toEqual([
      '::/0 via 2001:db8:90::fe%eth0 kernel1 *',
      '2001:db8:90::/64 dev eth0 direct1 *',
      'fd00:244:0:a::/122 blackhole static1 *',
      'fd00:244:0:a::1/128 dev cali0761ccbeace kernel1 *',
      'fd00:244:0:b::/122 via 2001:db8:90::2%eth0 Mesh_2001_db8_90__2 * 0 i',
      'fd00:244:0:a::2/128 dev calic440f455693 kernel1 *',
    ]);
    expect(read('show-route-all.v6.txt')[3]?.attributes['Kernel.scope']).toBe('0');
  });

  it.each([
    ['show-route-all.ecmp.v4.txt', 9, 6],
    ['show-route.ecmp.v4.txt', 9, 6],
    ['show-route-all.rr-server.v4.txt', 8, 8],
    ['show-route.rr-server.v4.txt', 8, 8],
    ['show-route-export.v4.txt', 1, 1],
    ['show-route-export-all.v4.txt', 1, 1],
    ['show-route-for.v4.txt', 1, 1],
    ['show-route-for-all.v4.txt', 1, 1],
    ['show-route-noexport.v4.txt', 5, 5],
    ['show-route-primary.v4.txt', 7, 7],
    ['show-route-protocol.v4.txt', 1, 1],
    ['show-route-filtered.v4.txt', 0, 0],
    ['show-route.neighbor-graceful-restart.v4.txt', 7, 7],
  ])('%s has %i BIRD routes, %i of them best', (name, count, best) => {
    expect(read(name)).toHaveLength(count);
    expect(read(name).filter(({ primary }) => primary)).toHaveLength(best);
  });

  it('the next hops and attributes of a multipath BIRD route are read', () => {
    const text = [
      'BIRD 1.6.8 ready.',
      '10.244.20.64/26    multipath [kernel1 14:29:22] * (10)',
      '\tvia 10.90.0.1 on eth0 weight 1',
      '\tvia 10.90.0.2 on eth1 weight 5',
      '\tType: inherit unicast univ',
      '\tKernel.source: 12',
      '                   via 10.90.0.1 on eth0 [node_a 14:29:24] (100/0) [AS64512i]',
    ].join('\n');
    const [multipath, single] = answerOf(parseBirdRoutes(text, 4));
    expect(multipath).toMatchObject({
      target: 'via',
      nextHops: [
        { gateway: parseIp('10.90.0.1'), device: 'eth0', weight: 1 },
        { gateway: parseIp('10.90.0.2'), device: 'eth1', weight: 5 },
      ],
      attributes: { 'Kernel.source': '12' },
    });
    expect(single?.destination).toEqual(parseCidr('10.244.20.64/26'));
    expect(single?.nextHops).toHaveLength(1);
  });

  it.each<[string, Partial<BirdRoute>]>([
    ['10.0.0.0/8         prohibited [static1 14:25:55] * (200)', { target: 'prohibit', nextHops: [] }],
    ['10.0.0.0/8         blackhole [static1 14:25:55] ! (200)', { primary: true, kernelRefused: true }],
    ['10.0.0.0/8         blackhole [static1 2026-11-28] * (200)', { since: '2026-11-28' }],
    [
      '10.0.0.0/8         unreachable [p 2026-11-28 09:00:01 from 10.0.0.1] (100-/-) [AS1e]',
      { since: '2026-11-28 09:00:01', from: parseIp('10.0.0.1'), preference: 100, metric: '-', origin: 'AS1e' },
    ],
    ['10.0.0.0/8         via 10.0.0.2 on eth0.100 [ospf1 14:25:55] * E2 (150/10/20) [10.0.0.3]', { preference: 150 }],
    ['10.0.0.0/8         via 10.0.0.2 on eth0 [p 14:25:55] * (100s/7) []', { metric: '7', origin: '' }],
  ])('the BIRD route line is read: %s', (line, fields) => {
    expect(oneOf(line)).toMatchObject(fields);
  });

  it('a set of communities may continue on the next line', () => {
    const text =
      '10.0.0.0/8         blackhole [static1 14:25:55] * (200)\n\tBGP.community: (1,2) (3,4)\n\t\t(5,6) (7,8)\n';
    expect(answerOf(parseBirdRoutes(text, 4))[0]?.attributes).toEqual({ 'BGP.community': '(1,2) (3,4) (5,6) (7,8)' });
  });

  it('BIRD routes may come with CR LF and without a banner', () => {
    const text = recording('birdc', 'show-route-all.v4.txt').split('\n').slice(1).join('\r\n');
    expect(answerOf(parseBirdRoutes(text, 4)).map(short)).toEqual(read('show-route.v4.txt').map(short));
  });

  it('an invalid network is skipped with all lines that belong to it', () => {
    const text = [
      'BIRD 1.6.8 ready.',
      '10.0.0.0/8         blackhole [static1 14:25:55] * (200)',
      '10.244.20.64/99    via 10.90.0.2 on eth0 [Mesh_10_90_0_2 14:25:57] * (100/0) [i]',
      '\tBGP.origin: IGP',
      '                   via 10.244.20.64 on vxlan.calico [kernel1 14:33:32] (10)',
    ].join('\n');
    const parsed = parseBirdRoutes(text, 4);
    expect(parsed.ok && parsed.value.map(short)).toEqual(['10.0.0.0/8 blackhole static1 *']);
    expect(parsed.ok && parsed.value[0]?.attributes).toEqual({});
    expect(parsed.ok && parsed.skipped).toHaveLength(3);
  });

  it('a multipath BIRD route without its next hops is skipped', () => {
    const text = '10.0.0.0/8         blackhole [s 1] * (200)\n10.1.0.0/16        multipath [kernel1 14:29:22] * (10)\n';
    expect(parseBirdRoutes(text, 4)).toMatchObject({ value: [{ target: 'blackhole' }], skipped: [expect.any(String)] });
  });
});

describe('output that is not a list of routes', () => {
  it.each([
    ['show-route-nonexistent.v4.txt', 4, 'Network not in table'],
    ['error-restricted.txt', 4, 'Access denied'],
    ['show-route-count.v4.txt', 4, 'no route found: 7 of 7 routes for 7 networks'],
    ['show-route.v4.txt', 6, 'no route found: 0.0.0.0/0          via 10.90.0.254 on eth0 [kernel1 14:25:55] * (10)'],
    ['raw.show-route.v4.txt', 4, 'no route found: 0001 BIRD 1.6.8 ready.'],
  ] as const)('%s as IPv%i is not a list of routes', (name, version, problem) => {
    expect(problemOf(parseBirdRoutes(recording('birdc', name), version))).toBe(problem);
  });

  it('empty output and half a banner are not a list of BIRD routes', () => {
    expect(problemOf(parseBirdRoutes('', 4))).toBe('nothing was printed');
    expect(problemOf(parseBirdRoutes('BIRD 1.6.8 rea', 4))).toBe('no route found: BIRD 1.6.8 rea');
  });

  it(
    'damaged BIRD routes never yield networks, gateways or names that are not in them',
    () => {
      const holds = (text: string): void => {
        for (const version of [4, 6] as const) {
          const parsed = parseBirdRoutes(text, version);
          if (!parsed.ok) continue;
          const found = parsed.value.flatMap(({ destination, nextHops, protocol, since, from, attributes }) => [
            ...[destination, from, protocol, ...since.split(' '), ...Object.keys(attributes)],
            ...nextHops.flatMap(({ gateway, device }) => [gateway, device]),
          ]);
          expect(invented(text, found)).toEqual([]);
        }
      };
      const texts = recordings('birdc')
        .filter(([name]) => name.includes('show-route'))
        .map(([, text]) => text);
      beginnings(recording('birdc', 'show-route.rr-client.v4.txt')).forEach(holds);
      someBeginnings(texts).forEach(holds);
      fc.assert(fc.property(damaged(texts), holds), { numRuns: 200 });
    },
    damageTimeout,
  );

  it('a long line of BIRD does not take long', () => {
    const line = `10.0.0.0/8 via 1.1.1.1 on e ${' [a b'.repeat(200_000)}`;
    expect(parseBirdRoutes(line, 4).ok).toBe(false);
  });
});
