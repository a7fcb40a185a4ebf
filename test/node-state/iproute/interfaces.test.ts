// `ip link`: recordings of nodes and pods read by hand, and plain text by hand (namespace.test.ts has the real one).
import { describe, expect, it } from 'vitest';
import { parseIp } from '../../../src/net/ip.ts';
import { parseInterfaces } from '../../../src/node-state/iproute/interfaces.ts';
import { answerOf, problemOf, recording } from '../../support/recorded/recordings.ts';

const read = (name: string) => answerOf(parseInterfaces(recording('ip', name)));

describe('parseInterfaces', () => {
  it('the interfaces of a node with two pods are read', () => {
    expect(
      read('node-a.link.json').map(({ index, name, kind, mtu, peerIndex, peerNetnsId }) => [
        index,
        name,
        kind,
        mtu,
        peerIndex,
        peerNetnsId,
      ]),
    ).toEqual([
      [1, 'lo', undefined, 65536, undefined, undefined],
      [2, 'eth0', 'veth', 1500, 3, 0],
      [3, 'cali0761ccbeace', 'veth', 1450, 2, 1],
      [4, 'calic440f455693', 'veth', 1450, 2, 2],
    ]);
  });

  it('all fields of an interface are read', () => {
    expect(read('node-a.link-one-cali.json')).toEqual([
      {
        index: 3,
        name: 'cali0761ccbeace',
        flags: ['BROADCAST', 'MULTICAST', 'UP', 'LOWER_UP'],
        mtu: 1450,
        operState: 'UP',
        mac: 'ee:ee:ee:ee:ee:ee',
        kind: 'veth',
        peerIndex: 2,
        peerNetnsId: 1,
        vxlan: undefined,
      },
    ]);
  });

  it('VXLAN devices of both families are read', () => {
    const vxlan = { id: 4096, parent: 'eth0', port: 4789, learning: false };
    expect(read('node-a.vxlan.link.json')).toMatchObject([
      {
        name: 'vxlan.calico',
        mac: '66:07:02:c1:cc:60',
        kind: 'vxlan',
        vxlan: { ...vxlan, local: parseIp('10.90.0.1') },
      },
    ]);
    expect(read('node-a.vxlan-dual.link.json').map((link) => [link.name, link.mtu, link.vxlan?.local])).toEqual([
      ['vxlan.calico', 1450, parseIp('10.90.0.1')],
      ['vxlan-v6.calico', 1430, parseIp('2001:db8:90::1')],
    ]);
  });

  it.each(['node-a.stats.json', 'pod-a1.link.json', 'node-a.addr.json'])('the interfaces of %s are read', (name) => {
    expect(read(name).length).toBeGreaterThan(0);
  });

  it('an IPIP device has neither an Ethernet address nor another end', () => {
    const json =
      '[{"ifindex":9,"link":null,"ifname":"tunl0","flags":["NOARP","UP","LOWER_UP"],"mtu":1480,"operstate":"UNKNOWN",' +
      '"link_type":"ipip","address":"0.0.0.0","linkinfo":{"info_kind":"ipip","info_data":{"proto":"ipip"}}}]';
    const plain = [
      '9: tunl0@NONE: <NOARP,UP,LOWER_UP> mtu 1480 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000',
      '    link/ipip 0.0.0.0 brd 0.0.0.0 promiscuity 0 minmtu 0 maxmtu 0 ',
      '    ipip any remote any local any ttl inherit nopmtudisc numtxqueues 1 ',
    ].join('\n');
    const [tunnel] = answerOf(parseInterfaces(json));
    expect(tunnel).toEqual({
      index: 9,
      name: 'tunl0',
      flags: ['NOARP', 'UP', 'LOWER_UP'],
      mtu: 1480,
      operState: 'UNKNOWN',
      mac: undefined,
      kind: 'ipip',
      peerIndex: undefined,
      peerNetnsId: undefined,
      vxlan: undefined,
    });
    expect(answerOf(parseInterfaces(plain))).toEqual([tunnel]);
  });

  it('the namespace number of an interface is read from plain text', () => {
    const text = [
      '3: cali0761ccbeace@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UP mode DEFAULT group default',
      '    link/ether EE:EE:EE:EE:EE:EE brd ff:ff:ff:ff:ff:ff link-netnsid 1',
    ].join('\r\n');
    expect(answerOf(parseInterfaces(text))).toMatchObject([
      { index: 3, name: 'cali0761ccbeace', mac: 'ee:ee:ee:ee:ee:ee', peerIndex: 2, peerNetnsId: 1, kind: undefined },
    ]);
  });

  it('the interface under a VLAN is not its other end', () => {
    const text =
      '[{"ifindex":5,"link":"eth0","ifname":"eth0.100","linkinfo":{"info_kind":"vlan"}},{"ifindex":2,"ifname":"eth0"}]';
    expect(answerOf(parseInterfaces(text))[0]).toMatchObject({ kind: 'vlan', peerIndex: undefined });
  });

  it.each([
    ['', 'no interface found: nothing'],
    ['[]', 'no interface found: nothing'],
    ['[{"ifname":"eth0"}]', 'no interface found: {"ifname":"eth0"}'],
    ['[{"ifindex":1', 'incomplete or invalid JSON'],
    ['Device "cali00000000000" does not exist.\n', 'no interface found: Device "cali00000000000" does not exist.'],
  ])('interfaces that are not understood: %j', (text, problem) => {
    expect(problemOf(parseInterfaces(text))).toBe(problem);
  });

  it('interfaces in another language are not understood', () => {
    const problem = expect.stringContaining('no interface found: 1: lo: <SCHLEIFE,HOCH> gr 65536');
    expect(parseInterfaces('1: lo: <SCHLEIFE,HOCH> gr 65536\n')).toEqual({ ok: false, problem });
  });

  it('complete interfaces are read, the others are listed as skipped', () => {
    const text = '1: lo: <UP> mtu 65536 state UNKNOWN\n    link/loopback 00:00:00:00:00:00\n2: eth0: <UP mtu 1500\n';
    expect(parseInterfaces(text)).toMatchObject({
      ok: true,
      value: [{ name: 'lo' }],
      skipped: ['2: eth0: <UP mtu 1500'],
    });
  });
});
