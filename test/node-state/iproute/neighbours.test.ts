// `ip neigh` and forwarding databases: recordings read by hand (namespace.test.ts has the real programs).
import { describe, expect, it } from 'vitest';
import { parseIp } from '../../../src/net/ip.ts';
import { parseFdb } from '../../../src/node-state/iproute/fdb.ts';
import { parseNeighbours } from '../../../src/node-state/iproute/neighbours.ts';
import { answerOf, problemOf, recording } from '../../support/recorded/recordings.ts';

describe('parseNeighbours', () => {
  const read = (name: string) => answerOf(parseNeighbours(recording('ip', name)));

  it('permanent neighbours are read, without the interface where the command named it', () => {
    expect(read('node-a.vxlan.neigh.json')).toEqual([
      { address: parseIp('10.244.30.128'), device: undefined, mac: '66:1a:b9:f1:6e:af', states: ['PERMANENT'] },
      { address: parseIp('10.244.20.64'), device: undefined, mac: '66:89:3a:22:7a:ac', states: ['PERMANENT'] },
    ]);
  });

  it('neighbours without a MAC and of both families are read', () => {
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

  it('neighbours are read from plain text', () => {
    const text =
      '10.90.0.78 dev eth0 FAILED \r\nfe80::99 dev eth0 lladdr 66:89:3A:22:7A:AA router STALE \r\n10.9.9.9 dev eth0 INCOMPLETE\r\n';
    expect(answerOf(parseNeighbours(text))).toEqual([
      { address: parseIp('10.90.0.78'), device: 'eth0', mac: undefined, states: ['FAILED'] },
      { address: parseIp('fe80::99'), device: 'eth0', mac: '66:89:3a:22:7a:aa', states: ['STALE'] },
      { address: parseIp('10.9.9.9'), device: 'eth0', mac: undefined, states: ['INCOMPLETE'] },
    ]);
  });

  it.each([
    ['[{"dev":"eth0","state":["STALE"]}]', 'no neighbour found: {"dev":"eth0","state":["STALE"]}'],
    ['Cannot find device "vxlan.calico"\n', 'no neighbour found: Cannot find device "vxlan.calico"'],
  ])('neighbours that are not understood: %j', (text, problem) => {
    expect(problemOf(parseNeighbours(text))).toBe(problem);
  });
});

describe('parseFdb', () => {
  const read = (name: string) => answerOf(parseFdb(recording('ip', name)));

  it('forwarding entries of one device are read from bridge', () => {
    expect(read('node-a.vxlan.fdb.json')).toEqual([
      { mac: '66:1a:b9:f1:6e:af', device: undefined, destination: parseIp('10.90.1.3'), states: ['PERMANENT'] },
      { mac: '66:89:3a:22:7a:ac', device: undefined, destination: parseIp('10.90.0.2'), states: ['PERMANENT'] },
    ]);
  });

  it('forwarding entries of all devices are read from bridge', () => {
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

  it('forwarding entries are read from ip', () => {
    expect(read('node-a.vxlan.fdb-via-ip-f-bridge.json')).toEqual([
      {
        mac: '66:89:3a:22:7a:ac',
        device: undefined,
        destination: parseIp('10.90.0.2'),
        states: ['NOARP', 'PERMANENT'],
      },
    ]);
  });

  it('forwarding entries are read from plain text of both programs', () => {
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

  it('a forwarding entry without a MAC is not understood', () => {
    expect(problemOf(parseFdb('10.90.0.2 dev vxlan.calico\n'))).toBe('no entry found: 10.90.0.2 dev vxlan.calico');
  });
});
