// `show protocols` of BIRD 1.6.8: recordings of every state, other spellings by hand, errors, and damaged texts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIp } from '../../../src/net/ip.ts';
import type { BirdProtocol } from '../../../src/node-state/bird/bird.ts';
import { parseBirdProtocols } from '../../../src/node-state/bird/protocols.ts';
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

const read = (name: string) => answerOf(parseBirdProtocols(recording('birdc', name)));
const heading = 'BIRD 1.6.8 ready.\nname     proto    table    state  since       info\n';
const one = (row: string): BirdProtocol | undefined => answerOf(parseBirdProtocols(`${heading}${row}\n`))[0];
const counts = (imported: number, exported: number, preferred: number) => ({
  imported,
  filtered: undefined,
  exported,
  preferred,
});

describe('parseBirdProtocols without details', () => {
  it('a protocol row may have a name wider than its column', () => {
    expect(
      read('show-protocols.mixed.v4.txt').map(({ name, proto, state, since, info }) => [
        name,
        proto,
        state,
        since,
        info,
      ]),
    ).toEqual([
      ['static1', 'Static', 'up', '14:25:55', ''],
      ['kernel1', 'Kernel', 'up', '14:25:55', ''],
      ['device1', 'Device', 'up', '14:25:55', ''],
      ['direct1', 'Direct', 'up', '14:25:55', ''],
      ['Mesh_10_90_0_2', 'BGP', 'up', '14:25:57', 'Established'],
      ['Mesh_10_90_0_77', 'BGP', 'start', '14:25:55', 'Passive'],
      ['Mesh_10_90_1_3', 'BGP', 'start', '14:25:55', 'Passive'],
      ['Global_10_90_0_254', 'BGP', 'up', '14:25:57', 'Established'],
      ['Node_10_90_0_254_port_1790', 'BGP', 'start', '14:25:55', 'Active Socket: Connection refused'],
      ['Node_10_90_1_254', 'BGP', 'start', '14:25:55', 'Connect'],
      ['Node_10_90_0_78', 'BGP', 'start', '14:25:55', 'Active Socket: No route to host'],
    ]);
  });

  it('protocols without all have no details', () => {
    for (const protocol of read('show-protocols.v6.txt')) {
      expect(protocol.table).toBe('master');
      expect(protocol.routes).toBeUndefined();
      expect(protocol.bgp).toBeUndefined();
    }
    expect(
      read('show-protocols.v6.txt')
        .map(({ name }) => name)
        .slice(4),
    ).toEqual(['Mesh_2001_db8_90__2', 'Mesh_2001_db8_91__3']);
  });

  it.each([
    ['show-protocols.bad-peer-as.v4.txt', 'Mesh_10_90_1_3', 'start', 'Idle BGP Error: Bad peer AS'],
    ['show-protocols.disabled.v4.txt', 'Global_10_90_0_254', 'down', ''],
    ['show-protocols.duplicate-router-id.v4.txt', 'Mesh_10_90_0_2', 'start', 'Active BGP Error: Bad BGP identifier'],
    [
      'show-protocols.duplicate-router-id.peer.v4.txt',
      'Mesh_10_90_0_1',
      'start',
      'Passive BGP Error: Bad BGP identifier',
    ],
    ['show-protocols.hold-timer-expired.v4.txt', 'Mesh_10_90_0_2', 'start', 'Connect BGP Error: Hold timer expired'],
    ['show-protocols.gr-recovery.v4.txt', 'kernel1', 'wait', ''],
    ['show-protocols.gr-recovery.v4.txt', 'Global_10_90_0_254', 'start', 'Active Socket: Connection reset by peer'],
    ['show-protocols.neighbor-graceful-restart.v4.txt', 'Mesh_10_90_0_2', 'start', 'Passive Socket: Connection closed'],
    ['show-protocols.remote-disabled.v4.txt', 'node_a', 'start', 'Active Received: Administrative shutdown'],
    ['show-protocols-pattern.v4.txt', 'Mesh_10_90_1_3', 'start', 'Passive'],
    ['show-protocols.rr-server.v4.txt', 'Node_10_90_1_3', 'up', 'Established'],
    ['show-protocols.rr-client.v4.txt', 'Node_10_90_0_2', 'up', 'Established'],
  ])('in %s the protocol %s is %s, %s', (file, name, state, info) => {
    expect(read(file).find((protocol) => protocol.name === name)).toMatchObject({
      proto: 'BGP',
      state,
      info,
      ...(name === 'kernel1' ? { proto: 'Kernel' } : {}),
    });
  });

  it.each([
    ['2026-11-28', 'Mesh_10_90_0_2 BGP      master   up     2026-11-28  Established   '],
    ['2026-11-28 09:15:01', 'Mesh_10_90_0_2 BGP      master   up     2026-11-28 09:15:01  Established   '],
    ['14:25:55.123', 'Mesh_10_90_0_2 BGP master up 14:25:55.123 Established'],
  ])('%s is the time of the last change', (since, row) => {
    expect(one(row)).toMatchObject({ since, info: 'Established' });
  });

  it('protocols may come without rows, without a banner and with CR LF', () => {
    expect(answerOf(parseBirdProtocols(heading))).toEqual([]);
    const text = recording('birdc', 'show-protocols.v6.txt').split('\n').slice(1).join('\r\n');
    expect(answerOf(parseBirdProtocols(text))).toHaveLength(6);
  });

  it('lines that are not protocol rows are skipped', () => {
    const parsed = parseBirdProtocols(
      `${heading}error: the connection to the pod was lost\nkernel1 Kernel master up\n`,
    );
    expect(parsed).toEqual({
      ok: true,
      value: [],
      skipped: ['error: the connection to the pod was lost', 'kernel1 Kernel master up'],
    });
  });
});

describe('parseBirdProtocols with details', () => {
  it('the details of an established session are read', () => {
    const [mesh] = read('show-protocols-all.mesh-established.v4.txt');
    expect(mesh).toEqual({
      name: 'Mesh_10_90_0_2',
      proto: 'BGP',
      table: 'master',
      state: 'up',
      since: '14:25:57',
      info: 'Established',
      routes: counts(1, 1, 1),
      bgp: {
        state: 'Established',
        neighborAddress: parseIp('10.90.0.2'),
        neighborAs: 64512,
        neighborId: '10.90.0.2',
        session: ['internal', 'multihop', 'AS4', 'add-path-rx', 'add-path-tx'],
        sourceAddress: parseIp('10.90.0.1'),
        lastError: undefined,
      },
    });
  });

  it('a disabled session has no routes section', () => {
    const [peer] = read('show-protocols-all.disabled.v4.txt');
    expect(peer).toMatchObject({ state: 'down', info: '', routes: undefined });
    expect(peer?.bgp).toMatchObject({ state: 'Down', neighborAs: 65001, session: [], lastError: undefined });
  });

  it.each([
    ['active-conn-refused', 'Active', 65001, 'Socket: Connection refused'],
    ['bad-peer-as', 'Idle', 64512, 'BGP Error: Bad peer AS'],
    ['received-bad-peer-as', 'Idle', 64512, 'Received: Bad peer AS'],
    ['connect-no-route-to-host', 'Connect', 65078, 'Socket: No route to host'],
    ['connect-password-mismatch', 'Connect', 65001, undefined],
    ['duplicate-router-id', 'Active', 64512, 'BGP Error: Bad BGP identifier'],
    ['hold-timer-expired', 'Connect', 64512, 'BGP Error: Hold timer expired'],
    ['idle-not-directly-connected', 'Idle', 64512, undefined],
    ['passive', 'Passive', 64512, undefined],
    ['neighbor-graceful-restart', 'Passive', 64512, 'Socket: Connection closed'],
  ])('in %s the session is %s, AS %i, %s', (file, state, neighborAs, lastError) => {
    const [peer] = read(`show-protocols-all.${file}.v4.txt`);
    expect(peer?.bgp).toMatchObject({ state, neighborAs, lastError, session: [], sourceAddress: undefined });
    expect(peer?.routes).toEqual(file === 'neighbor-graceful-restart' ? counts(1, 0, 1) : counts(0, 0, 0));
  });

  it.each([
    ['kernel', 'up', counts(3, 3, 3)],
    ['kernel-wait', 'wait', counts(3, 0, 3)],
    ['device', 'up', counts(0, 0, 0)],
    ['direct', 'up', counts(1, 0, 1)],
    ['static', 'up', counts(1, 0, 1)],
  ])('in %s the routes are %s', (file, state, routes) => {
    expect(read(`show-protocols-all.${file}.v4.txt`)).toMatchObject([{ state, routes, bgp: undefined }]);
  });

  it('protocols separated by blank lines are read', () => {
    const all = read('show-protocols-all.mixed.v4.txt');
    expect(all.map(({ name }) => name)).toEqual(read('show-protocols.mixed.v4.txt').map(({ name }) => name));
    expect(all.filter(({ bgp }) => bgp === undefined).map(({ name }) => name)).toEqual([
      'static1',
      'kernel1',
      'device1',
      'direct1',
    ]);
  });

  it('the sessions of a route reflector with its clients are read', () => {
    const sessions = read('show-protocols-all.rr-server.v4.txt').flatMap(({ bgp }) => (bgp === undefined ? [] : [bgp]));
    expect(sessions.map(({ session }) => session.slice(0, 3))).toEqual([
      ['internal', 'multihop', 'route-reflector'],
      ['internal', 'multihop', 'route-reflector'],
      ['external', 'multihop', 'AS4'],
    ]);
  });

  it('IPv6 peers are read', () => {
    const peers = read('show-protocols-all.v6.txt').filter(({ proto }) => proto === 'BGP');
    expect(peers.map(({ bgp }) => bgp?.neighborAddress)).toEqual([
      parseIp('2001:db8:90::2'),
      parseIp('2001:db8:91::3'),
    ]);
    expect(peers[0]?.bgp?.sourceAddress).toEqual(parseIp('2001:db8:90::1'));
  });

  it('filtered routes are counted where BIRD keeps them', () => {
    const text = recording('birdc', 'show-protocols-all.mesh-established.v4.txt').replace(
      '1 imported, 1 exported',
      '1 imported, 4 filtered, 1 exported',
    );
    expect(answerOf(parseBirdProtocols(text))[0]?.routes).toEqual({ ...counts(1, 1, 1), filtered: 4 });
  });

  it('a link-local neighbour is read without its interface', () => {
    const text = recording('birdc', 'show-protocols-all.v6.txt').replace('2001:db8:90::2\n', 'fe80::2%eth0\n');
    expect(answerOf(parseBirdProtocols(text))[4]?.bgp?.neighborAddress).toEqual(parseIp('fe80::2'));
  });

  it('a protocol detail that is not understood is left out and listed as skipped', () => {
    const text = recording('birdc', 'show-protocols-all.passive.v4.txt').replace('64512', 'sixty');
    expect(parseBirdProtocols(text)).toMatchObject({
      ok: true,
      value: [{ bgp: { neighborAs: undefined, state: 'Passive' } }],
      skipped: ['Mesh_10_90_0_77: Neighbor AS: sixty'],
    });
  });
});

describe('output that is not a list of protocols', () => {
  it.each([
    ['error-no-protocol.txt', 'Mesh_10_9_9_9 is not a protocol'],
    ['error-restricted.txt', 'Access denied'],
    ['error-syntax.txt', "No such command. Press `?' for help."],
    [
      'error-no-socket.txt',
      'Unable to connect to server control socket (/var/run/calico/bird.ctl): No such file or directory',
    ],
    ['show-route.v4.txt', 'no line "name proto table state since info": BIRD 1.6.8 ready.'],
    ['raw.show-protocols.v4.txt', 'no line "name proto table state since info": 0001 BIRD 1.6.8 ready.'],
  ])('%s is not a list of protocols', (name, problem) => {
    expect(problemOf(parseBirdProtocols(recording('birdc', name)))).toBe(problem);
  });

  it('empty output is not a list of protocols', () => {
    expect(problemOf(parseBirdProtocols(''))).toBe('no line "name proto table state since info"');
  });

  it(
    'damaged protocol lists never yield names or addresses that are not in them',
    () => {
      const holds = (text: string): void => {
        const parsed = parseBirdProtocols(text);
        if (!parsed.ok) return;
        const found = parsed.value.flatMap(({ name, proto, table, state, since, bgp }) => [
          ...[name, proto, table, state, ...since.split(' '), bgp?.state, bgp?.neighborId, bgp?.lastError],
          ...[bgp?.neighborAddress, bgp?.sourceAddress],
        ]);
        expect(invented(text, found)).toEqual([]);
      };
      const texts = recordings('birdc')
        .filter(([name]) => name.includes('show-protocols'))
        .map(([, text]) => text);
      beginnings(recording('birdc', 'show-protocols-all.neighbor-graceful-restart.v4.txt')).forEach(holds);
      someBeginnings(texts).forEach(holds);
      fc.assert(fc.property(damaged(texts), holds), { numRuns: 200 });
    },
    damageTimeout,
  );
});
