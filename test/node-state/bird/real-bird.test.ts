// BIRD itself in a namespace: forms that no recording has, as BIRD 1.6.8 prints them.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { formatCidr } from '../../../src/net/cidr.ts';
import { parseIp } from '../../../src/net/ip.ts';
import { parseBirdProtocols } from '../../../src/node-state/bird/protocols.ts';
import { parseBirdRoutes } from '../../../src/node-state/bird/routes.ts';
import { parseBirdStatus } from '../../../src/node-state/bird/status.ts';
import { makeNamespace, type Namespace } from '../../support/lab/network-namespace.ts';
import { describeWithPrograms } from '../../support/program/parts.ts';
import { answerOf, problemOf } from '../../support/recorded/recordings.ts';

const network = `
link set lo up
link add eth0 type veth peer name eth1
link set eth0 up
link set eth1 up
address add 10.90.0.1/24 dev eth0
address add 10.91.0.1/24 dev eth1
address add fe80::1/64 dev eth0 nodad
route add 10.1.0.0/16 proto static nexthop via 10.90.0.2 dev eth0 weight 2 nexthop via 10.91.0.2 dev eth1
route add 10.3.0.0/16 via 10.90.0.9 dev eth0
`;

/** Its kernel has another route for 10.3.0.0/16 already, so that BIRD cannot put its own there. */
const config = `
router id 10.90.0.1;
timeformat route iso long;
timeformat protocol iso long;
table t2;
protocol device {}
protocol direct {}
protocol kernel { learn; import all; export all; merge paths; }
protocol static {
  route 10.2.0.0/16 multipath via 10.90.0.3 weight 3 via 10.91.0.3;
  route 10.3.0.0/16 blackhole;
  route 10.4.0.0/16 prohibit;
  route 10.5.0.0/16 unreachable;
}
protocol bgp 'peer-1.x:y' { local as 65001; neighbor 10.90.0.7 as 65002; import keep filtered; import limit 10; }
protocol bgp Global_10_90_0_8 { disabled; local as 65001; neighbor 10.90.0.8 as 65002; }
protocol pipe { peer table t2; }
`;

const config6 = `
router id 10.90.0.1;
protocol device {}
protocol kernel { export all; }
protocol static { route fd00:1::/64 via fe80::9%eth0; }
protocol bgp near { local as 65001; neighbor fe80::7%eth0 as 65002; }
`;

describeWithPrograms('BIRD in a namespace', ['ip', 'bird', 'bird6', 'birdc'], () => {
  let node: Namespace;
  let folder: string;
  const started: ChildProcess[] = [];
  const ask = (name: string, ...command: readonly string[]): string =>
    node.run('birdc', '-s', join(folder, `${name}.ctl`), ...command);

  const start = (program: 'bird' | 'bird6', text: string): void => {
    const path = (end: string): string => join(folder, `${program}.${end}`);
    writeFileSync(path('conf'), text);
    started.push(node.start(program, '-f', '-c', path('conf'), '-s', path('ctl'), '-P', path('pid')));
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'calictl-bird-'));
    node = makeNamespace('bird');
    node.ip(network);
    start('bird', config);
    start('bird6', config6);
    await vi.waitFor(
      () => {
        const routes = answerOf(parseBirdRoutes(ask('bird', 'show', 'route'), 4));
        expect(routes.filter(({ protocol, kernelRefused }) => protocol === 'kernel1' || kernelRefused)).toHaveLength(3);
        expect(answerOf(parseBirdRoutes(ask('bird6', 'show', 'route'), 6))).toHaveLength(1);
      },
      { timeout: 20_000, interval: 100 },
    );
  });

  afterAll(() => {
    for (const daemon of started) daemon.kill();
    node?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('the status of a real BIRD is read', () => {
    const status = answerOf(parseBirdStatus(ask('bird', 'show', 'status')));
    expect(status).toMatchObject({ routerId: '10.90.0.1', message: 'Daemon is up and running' });
    expect(status.lastReboot).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  it.each([[[]], [['all']]])(
    'several next hops, refused and prohibited routes of a real BIRD are read (show route %j)',
    (options) => {
      const routes = answerOf(parseBirdRoutes(ask('bird', 'show', 'route', ...options), 4));
      const route = (network_: string, protocol: string) =>
        routes.find((one) => formatCidr(one.destination) === network_ && one.protocol === protocol);
      expect(routes).toHaveLength(8);
      expect(route('10.2.0.0/16', 'static1')?.nextHops).toEqual([
        { gateway: parseIp('10.90.0.3'), device: 'eth0', weight: 3 },
        { gateway: parseIp('10.91.0.3'), device: 'eth1', weight: 1 },
      ]);
      expect(route('10.1.0.0/16', 'kernel1')?.nextHops).toHaveLength(2);
      expect(route('10.1.0.0/16', 'kernel1')?.attributes['Kernel.source']).toBe(options.length > 0 ? '4' : undefined);
      expect(route('10.3.0.0/16', 'static1')).toMatchObject({
        target: 'blackhole',
        primary: true,
        kernelRefused: true,
      });
      expect(route('10.3.0.0/16', 'kernel1')).toMatchObject({ target: 'via', primary: false });
      expect(route('10.4.0.0/16', 'static1')?.target).toBe('prohibit');
      expect(route('10.5.0.0/16', 'static1')?.target).toBe('unreachable');
      for (const { since } of routes) expect(since).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    },
  );

  it('long times, quoted names, filtered routes, a disabled peer and a pipe of a real BIRD are read', () => {
    const protocols = answerOf(parseBirdProtocols(ask('bird', 'show', 'protocols', 'all')));
    expect(protocols.map(({ name }) => name)).toEqual([
      ...['device1', 'direct1', 'kernel1', 'static1', 'peer-1.x:y', 'Global_10_90_0_8', 'pipe1'],
    ]);
    const [, , , , peer, idle, pipe] = protocols;
    expect(peer?.since).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(peer?.routes).toEqual({ imported: 0, filtered: 0, exported: 0, preferred: 0 });
    expect(peer?.bgp?.neighborAs).toBe(65002);
    expect(idle).toMatchObject({ state: 'down', info: '', routes: undefined, bgp: { state: 'Down' } });
    expect(pipe).toMatchObject({ proto: 'Pipe', info: '=> t2', routes: undefined, bgp: undefined });
  });

  it('link-local neighbours and gateways of a real BIRD are read', () => {
    const protocols = answerOf(parseBirdProtocols(ask('bird6', 'show', 'protocols', 'all')));
    expect(protocols.find(({ name }) => name === 'near')?.bgp?.neighborAddress).toEqual(parseIp('fe80::7'));
    expect(answerOf(parseBirdRoutes(ask('bird6', 'show', 'route', 'all'), 6))).toMatchObject([
      { target: 'via', nextHops: [{ gateway: parseIp('fe80::9'), device: 'eth0' }] },
    ]);
  });

  it('a table without routes of a real BIRD is read', () => {
    expect(answerOf(parseBirdRoutes(ask('bird', 'show', 'route', 'table', 't2'), 4))).toEqual([]);
  });

  it.each([
    ['show protocols nope', 'nope is not a protocol'],
    ['show protocols "zz*"', 'No protocols match'],
    ['show route for 9.9.9.9', 'Network not in table'],
    ['show route protocol nope', 'nope is not a protocol'],
    ['show route table nope', 'nope is not a table'],
    ['show route 10.0.0.0', 'syntax error'],
    ['sh', "No such command. Press `?' for help."],
  ])('the error of a real BIRD for "%s" is found by every parser', (command, problem) => {
    const text = ask('bird', ...command.split(' '));
    expect(problemOf(parseBirdRoutes(text, 4))).toBe(problem);
    expect(problemOf(parseBirdProtocols(text))).toBe(problem);
    expect(problemOf(parseBirdStatus(text))).toBe(problem);
  });
});
