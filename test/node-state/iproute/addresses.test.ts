// `ip addr`: recordings of nodes and pods read by hand, and plain text by hand (namespace.test.ts has the real one).
import { describe, expect, it } from 'vitest';
import { formatIp, parseIp } from '../../../src/net/ip.ts';
import { parseAddresses } from '../../../src/node-state/iproute/addresses.ts';
import { answerOf, problemOf, recording } from '../../support/recorded/recordings.ts';

const read = (name: string) =>
  answerOf(parseAddresses(recording('ip', name))).map(
    ({ device, address, prefixLength, scope }) => `${device} ${formatIp(address)}/${prefixLength} ${scope}`,
  );

const lo = ['lo 127.0.0.1/8 host', 'lo ::1/128 host'];

describe('parseAddresses', () => {
  it.each([
    [
      'node-a.addr.json',
      [
        ...lo,
        'eth0 10.90.0.1/24 global',
        'eth0 2001:db8:90::1/64 global',
        'eth0 fe80::7cea:49ff:fe29:aedb/64 link',
        'cali0761ccbeace fe80::ecee:eeff:feee:eeee/64 link',
        'calic440f455693 fe80::ecee:eeff:feee:eeee/64 link',
      ],
    ],
    ['node-a.vxlan.addr.json', ['vxlan.calico 10.244.10.0/32 global', 'vxlan.calico fe80::6407:2ff:fec1:cc60/64 link']],
    [
      'pod-a1.addr.json',
      [
        ...lo,
        'eth0 10.244.10.1/32 global',
        'eth0 fd00:244:0:a::1/128 global',
        'eth0 fe80::243c:54ff:febf:e62e/64 link',
      ],
    ],
  ])('the addresses of %s are read', (name, addresses) => {
    expect(read(name)).toEqual(addresses);
  });

  it('tunnel addresses of both families are read', () => {
    expect(read('node-a.vxlan-dual.addr.json').filter((line) => /^vxlan.* global$/.test(line))).toEqual([
      'vxlan.calico 10.244.10.0/32 global',
      'vxlan-v6.calico fd00:244:0:a::/128 global',
    ]);
  });

  it('addresses are read from plain text, with a peer and for an interface without one', () => {
    const text = [
      '3: eth0@if4: <BROADCAST,UP> mtu 1500 qdisc noqueue state UP group default qlen 1000',
      '    link/ether ca:b5:ed:bc:c0:7f brd ff:ff:ff:ff:ff:ff link-netnsid 0',
      '    inet 10.90.0.1/24 brd 10.90.0.255 scope global eth0',
      '       valid_lft forever preferred_lft forever',
      '    inet 10.90.9.1 peer 10.90.9.2/32 scope global eth0:x',
      '    inet6 fe80::1/64 scope link tentative ',
      '7: br0: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN group default qlen 1000',
    ].join('\r\n');
    expect(answerOf(parseAddresses(text))).toEqual([
      { device: 'eth0', address: parseIp('10.90.0.1'), prefixLength: 24, scope: 'global' },
      { device: 'eth0', address: parseIp('10.90.9.1'), prefixLength: 32, scope: 'global' },
      { device: 'eth0', address: parseIp('fe80::1'), prefixLength: 64, scope: 'link' },
    ]);
  });

  it('a node without addresses differs from output that is not understood', () => {
    expect(answerOf(parseAddresses('[{},{"ifname":"lo","addr_info":[{}]}]'))).toEqual([]);
    expect(problemOf(parseAddresses(''))).toBe('no interface found');
    expect(problemOf(parseAddresses('[]'))).toBe('no interface found');
    expect(problemOf(parseAddresses('    inet 10.0.0.1/8 scope global\n'))).toMatch(/^no interface found: /);
  });

  it('invalid addresses are listed as skipped', () => {
    const json =
      '[{"ifname":"eth0","addr_info":[{"local":"10.0.0.1","prefixlen":33},{"local":"10.0.0.2","prefixlen":8}]}]';
    const plain = '2: eth0: <UP> mtu 1500\n    inet 10.0.0.1/33 scope global\n    inet 10.0.0.2/8 scope global\n';
    for (const text of [json, plain]) {
      expect(parseAddresses(text)).toMatchObject({
        ok: true,
        value: [{ address: parseIp('10.0.0.2') }],
        skipped: [expect.stringContaining('10.0.0.1')],
      });
    }
  });
});
