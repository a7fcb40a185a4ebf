// `ip neigh` and forwarding databases: recordings read by hand (namespace.test.ts has the real programs).
import { describe, expect, it, test } from 'vitest';
import { parseIp } from '../../../src/net/ip.ts';
import { parseFdb } from '../../../src/node-state/iproute/fdb.ts';
import { parseNeighbours } from '../../../src/node-state/iproute/neighbours.ts';
import { answerOf, findingOf, recording } from '../../support/recorded/recordings.ts';

describe('parseNeighbours', () => {
  const read = (name: string) => answerOf(parseNeighbours(recording('ip', name)));

  it('reads permanent entries; the device is absent where only one was asked for', () => {
    expect(read('node-a.vxlan.neigh.json')).toEqual([
      { address: parseIp('10.244.30.128'), device: undefined, mac: '66:1a:b9:f1:6e:af', states: ['PERMANENT'] },
      { address: parseIp('10.244.20.64'), device: undefined, mac: '66:89:3a:22:7a:ac', states: ['PERMANENT'] },
    ]);
  });

  it('reads entries without a hardware address, and of both families', () => {
    const neighbours = read('node-a.vxlan-dual.neigh.json');
    expect(neighbours).toHaveLength(14);
    expect(neighbours[0]).toEqual({
      address: parseIp('10.90.0.78'),
      device: 'eth0',
      mac: undefined,
      states: ['FAILED'],
    });
    expect(neighbours.filter(({ states }) => states.includes('PERMANENT')).map(({ device }) => device)).toEqual([
      'vxlan.calico',
      'vxlan-v6.calico',
    ]);
    expect(read('node-a.neigh.json').filter(({ address }) => address.version === 6)).toHaveLength(10);
    expect(read('pod-a1.neigh.json')[0]?.address).toEqual(parseIp('169.254.1.1'));
  });

  it('reads plain text', () => {
    const text =
      '10.90.0.78 dev eth0 FAILED \r\nfe80::99 dev eth0 lladdr 66:89:3A:22:7A:AA router STALE \r\n10.9.9.9 dev eth0 INCOMPLETE\r\n';
    expect(answerOf(parseNeighbours(text))).toEqual([
      { address: parseIp('10.90.0.78'), device: 'eth0', mac: undefined, states: ['FAILED'] },
      { address: parseIp('fe80::99'), device: 'eth0', mac: '66:89:3a:22:7a:aa', states: ['STALE'] },
      { address: parseIp('10.9.9.9'), device: 'eth0', mac: undefined, states: ['INCOMPLETE'] },
    ]);
  });

  test.each([
    ['[{"dev":"eth0","state":["STALE"]}]', 'no neighbour in it: {"dev":"eth0","state":["STALE"]}'],
    ['Cannot find device "vxlan.calico"\n', 'no neighbour in it: Cannot find device "vxlan.calico"'],
  ])('does not understand %j', (text, problem) => {
    expect(findingOf(parseNeighbours(text))).toBe(problem);
  });
});

describe('parseFdb', () => {
  const read = (name: string) => answerOf(parseFdb(recording('ip', name)));

  it('reads the answer of bridge for one device', () => {
    expect(read('node-a.vxlan.fdb.json')).toEqual([
      { mac: '66:1a:b9:f1:6e:af', device: undefined, destination: parseIp('10.90.1.3'), states: ['PERMANENT'] },
      { mac: '66:89:3a:22:7a:ac', device: undefined, destination: parseIp('10.90.0.2'), states: ['PERMANENT'] },
    ]);
  });

  it('reads the answer of bridge for all devices', () => {
    const entries = read('node-a.vxlan-dual.fdb-all.json');
    expect(entries).toHaveLength(18);
    expect(entries.filter(({ destination }) => destination !== undefined)).toEqual([
      {
        mac: '66:89:3a:22:7a:ac',
        device: 'vxlan.calico',
        destination: parseIp('10.90.0.2'),
        states: ['PERMANENT'],
      },
      {
        mac: '66:35:be:36:cf:19',
        device: 'vxlan-v6.calico',
        destination: parseIp('2001:db8:90::2'),
        states: ['PERMANENT'],
      },
    ]);
  });

  it('reads the answer of ip', () => {
    expect(read('node-a.vxlan.fdb-via-ip-f-bridge.json')).toEqual([
      {
        mac: '66:89:3a:22:7a:ac',
        device: undefined,
        destination: parseIp('10.90.0.2'),
        states: ['NOARP', 'PERMANENT'],
      },
    ]);
  });

  it('reads plain text of both programs', () => {
    const expected = { mac: '66:89:3a:22:7a:ac', device: 'vxlan.calico', destination: parseIp('10.90.0.2') };
    expect(answerOf(parseFdb('66:89:3a:22:7a:ac dev vxlan.calico dst 10.90.0.2 self permanent\n'))).toEqual([
      { ...expected, states: ['PERMANENT'] },
    ]);
    expect(answerOf(parseFdb('10.90.0.2 dev vxlan.calico lladdr 66:89:3a:22:7a:ac NOARP PERMANENT \n'))).toEqual([
      { ...expected, states: ['NOARP', 'PERMANENT'] },
    ]);
    expect(answerOf(parseFdb('dev br0 lladdr 12:40:1e:e6:a2:ec PERMANENT \n'))).toEqual([
      { mac: '12:40:1e:e6:a2:ec', device: 'br0', destination: undefined, states: ['PERMANENT'] },
    ]);
  });

  it('does not understand what has no hardware address', () => {
    expect(findingOf(parseFdb('10.90.0.2 dev vxlan.calico\n'))).toBe('no entry in it: 10.90.0.2 dev vxlan.calico');
  });
});
