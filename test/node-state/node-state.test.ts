// A node's state from its reading: every probe, and each way in which an answer cannot be used.
import { describe, expect, it } from 'vitest';
import { nodeState } from '../../src/node-state/node-state.ts';
import { allProbes, type NodeReading, type ProbeName, type ProbeOutcome } from '../../src/node-state/probes.ts';
import { recording, someBeginnings } from '../support/recorded/recordings.ts';

const bird = (name: string): string => recording('birdc', name);
const ip = (name: string): string => recording('ip', name);

const stdout: Partial<Record<ProbeName, string>> = {
  'bird4-status': bird('show-status.v4.txt'),
  'bird4-protocols': bird('show-protocols-all.mixed.v4.txt'),
  'bird4-routes': bird('show-route-all.v4.txt'),
  'bird6-status': bird('show-status.v6.txt'),
  'bird6-protocols': bird('show-protocols-all.v6.txt'),
  'bird6-routes': bird('show-route-all.v6.txt'),
  links: ip('node-a.vxlan-dual.link.json'),
  addresses: ip('node-a.vxlan-dual.addr.json'),
  routes4: ip('node-a.vxlan-dual.route4.details.json'),
  routes6: ip('node-a.vxlan-dual.route6.details.json'),
  rules4: ip('node-a.rule4.json'),
  rules6: ip('node-a.rule6.json'),
  neighbours: ip('node-a.vxlan-dual.neigh.json'),
  fdb: ip('node-a.vxlan-dual.fdb-all.json'),
  sysctls: '/proc/sys/net/ipv4/ip_forward:1\n',
  mtu: '1450\n',
  nodename: 'node-a\n',
  nft: '{"nftables": [{"table": {"family": "ip", "name": "calico"}}]}',
};

type Answered = Extract<ProbeOutcome, { kind: 'answered' }>;

function reading(changes: Partial<Record<ProbeName, Partial<Answered>>> = {}): NodeReading {
  const outcomes = allProbes().map(({ name, alternatives }): [ProbeName, ProbeOutcome] => [
    name,
    {
      kind: 'answered',
      argv: alternatives[0] ?? [],
      exit: 0,
      stdout: stdout[name] ?? '',
      stderr: '',
      truncated: false,
      ...changes[name],
    },
  ]);
  return { node: 'node-a', outcomes: new Map(outcomes), unreachable: undefined };
}

const whyOf = (observed: { seen: boolean; why?: string }): string => {
  if (observed.seen) throw new Error(`seen: ${JSON.stringify(observed)}`);
  return observed.why ?? '';
};

const countOf = (observed: { seen: boolean; value?: unknown; why?: string }): number => {
  if (!observed.seen) throw new Error(observed.why);
  return Array.isArray(observed.value) ? observed.value.length : 1;
};

describe('nodeState', () => {
  it('the node state has the answer of every probe', () => {
    const state = nodeState(reading());
    expect(state.skipped).toEqual(new Map());
    expect({
      status: [countOf(state.bird[4].status), countOf(state.bird[6].status)],
      protocols: [countOf(state.bird[4].protocols), countOf(state.bird[6].protocols)],
      birdRoutes: [countOf(state.bird[4].routes), countOf(state.bird[6].routes)],
      routes: [countOf(state.routes4), countOf(state.routes6)],
      rules: [countOf(state.rules4), countOf(state.rules6)],
      links: countOf(state.interfaces),
      addresses: countOf(state.addresses),
      neighbours: countOf(state.neighbours),
      fdb: countOf(state.fdb),
      packetFilter: [countOf(state.iptables), countOf(state.nft)],
    }).toEqual({
      status: [1, 1],
      protocols: [11, 6],
      birdRoutes: [7, 6],
      routes: [6, 12],
      rules: [3, 2],
      links: 2,
      addresses: 11,
      neighbours: 14,
      fdb: 18,
      packetFilter: [0, 1],
    });
    expect(state.mtu).toMatchObject({ seen: true, value: 1450 });
    expect(state.nodename).toMatchObject({ seen: true, value: 'node-a', argv: ['cat', '/var/lib/calico/nodename'] });
    expect(state.sysctls).toMatchObject({ seen: true, value: new Map([['net/ipv4/ip_forward', '1']]) });
    expect(state.felix).toMatchObject({ seen: true, value: 'live' });
  });

  it('each answer of BIRD that was not seen has its own reason', () => {
    const state = nodeState(
      reading({
        'bird4-status': { exit: 1, stdout: '', stderr: bird('error-no-socket.txt') },
        'bird4-protocols': { stdout: bird('error-restricted.txt') },
      }),
    );
    expect(whyOf(state.bird[4].status)).toBe(
      'birdcl exited with code 1: Unable to connect to server control socket (/var/run/calico/bird.ctl): No such file or directory',
    );
    expect(whyOf(state.bird[4].protocols)).toBe('the output of birdcl was not understood: Access denied');
    expect(state.bird[4].routes.seen).toBe(true);
  });

  it.each<[string, Partial<Answered>, string]>([
    [
      'a failure',
      { exit: 1, stdout: '', stderr: 'Cannot open netlink socket: Permission denied\n' },
      'ip exited with code 1: Cannot open netlink socket: Permission denied',
    ],
    ['an answer that is cut', { truncated: true }, 'the output of ip exceeds the limit'],
    ['nothing in place of JSON', { stdout: '' }, 'ip printed nothing'],
    [
      'half of the JSON',
      { stdout: ip('node-a.vxlan-dual.route4.details.json').slice(0, 200) },
      'the output of ip was not understood: incomplete or invalid JSON',
    ],
  ])('a part of the node state is not seen: %s', (_what, change, why) => {
    expect(whyOf(nodeState(reading({ routes4: change })).routes4)).toBe(why);
  });

  it('an answer of BIRD that ends in the middle of a line is not seen', () => {
    for (const half of someBeginnings([bird('show-protocols-all.mixed.v4.txt')]).slice(1)) {
      const { protocols } = nodeState(reading({ 'bird4-protocols': { stdout: half } })).bird[4];
      if (!half.endsWith('\n')) expect(whyOf(protocols)).toBe('the output of birdcl ends in the middle of a line');
    }
  });

  it('empty plain text of ip is an empty table', () => {
    const state = nodeState(reading({ routes4: { argv: ['ip', '-d', '-4', 'route', 'show'], stdout: '' } }));
    expect(countOf(state.routes4)).toBe(0);
  });

  it('settings are read even if one file could not be read', () => {
    expect(nodeState(reading({ sysctls: { exit: 2 } })).sysctls.seen).toBe(true);
    const usage = { exit: 2, stdout: '', stderr: 'grep: unrecognized option: include\n' };
    expect(whyOf(nodeState(reading({ sysctls: usage })).sysctls)).toBe(
      'grep exited with code 2: grep: unrecognized option: include',
    );
  });

  it('lines of an answer that were not understood are kept', () => {
    const state = nodeState(reading({ neighbours: { stdout: '[{"dst":"10.0.0.1","state":["STALE"]},{"dst":"?"}]' } }));
    expect(countOf(state.neighbours)).toBe(1);
    expect([...state.skipped]).toEqual([['neighbours', ['{"dst":"?"}']]]);
  });

  it.each([
    ['mtu', 'fourteen hundred', 'the output of cat was not understood: not a number: fourteen hundred'],
    ['nodename', '', 'the output of cat was not understood: not a name: '],
  ] as const)('an invalid %s is not seen', (name, text, why) => {
    expect(whyOf(nodeState(reading({ [name]: { stdout: text } }))[name])).toBe(why);
  });

  it.each<[string, Partial<Answered>, Partial<Answered>, string]>([
    ['its own check wins', { exit: 1 }, { stdout: 'run: felix: (pid 1) 2s' }, 'not live'],
    ['else the processes count', { exit: 127 }, { stdout: 'down: felix: 2s' }, 'not running'],
  ])('the state of Felix: %s', (_what, felix, felixProcess, value) => {
    const state = nodeState(reading({ felix, 'felix-process': { argv: ['sv', 'status'], ...felixProcess } }));
    expect(state.felix).toMatchObject({ seen: true, value });
  });

  it('Felix is not seen when neither probe answered', () => {
    const state = nodeState(reading({ felix: { exit: 126 }, 'felix-process': { exit: 127 } }));
    expect(whyOf(state.felix)).toBe('calico-node exited with code 126');
  });

  it('nothing is seen of a node that was not reached', () => {
    const lost: ProbeOutcome = { kind: 'unanswered', argv: ['ip'], reason: 'connection refused' };
    const outcomes = new Map(allProbes().map(({ name }) => [name, lost] as const));
    const unreachable = { code: 'NODE_UNREACHABLE', message: 'connection refused', hint: undefined };
    const { node, unreachable: why, bird: birds, skipped, ...facts } = nodeState({ node: 'b', outcomes, unreachable });
    expect([node, why, skipped.size]).toEqual(['b', unreachable, 0]);
    for (const fact of [...Object.values(facts), ...Object.values(birds[4]), ...Object.values(birds[6])]) {
      expect(fact).toEqual({ seen: false, why: 'connection refused', argv: ['ip'] });
    }
  });

  it('a probe that was not run is not seen', () => {
    const state = nodeState({ node: 'b', outcomes: new Map(), unreachable: undefined });
    expect(state.routes4).toEqual({ seen: false, why: 'not read', argv: [] });
  });
});
