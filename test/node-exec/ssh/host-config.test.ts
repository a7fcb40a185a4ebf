// What ssh_config means for a host: by the manual, and compared with `ssh -G` of the real ssh.
// LONG=1 compares many more generated settings.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfigFiles } from '../../../src/node-exec/ssh/config-files.ts';
import { type HostConfig, hostConfig, isNamed } from '../../../src/node-exec/ssh/host-config.ts';
import { SshFailure } from '../../../src/node-exec/ssh/ssh-failure.ts';
import { parseHostSpec } from '../../../src/node-exec/ssh/ssh-host.ts';
import { UsageError } from '../../../src/world/errors.ts';
import { programPath } from '../../support/program/parts.ts';
import { testWorld } from '../../support/program/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'calictl-ssh-config-'));
const home = join(folder, 'home');
const world = testWorld({ env: { HOME: home, KEYS: '/keys' }, cwd: folder });
const systemFolder = join(folder, 'etc');

afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  rmSync(home, { recursive: true, force: true });
  rmSync(systemFolder, { recursive: true, force: true });
});

function write(path: string, ...lines: readonly string[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const read = (...lines: readonly string[]) => {
  const configFile = write(join(home, 'config'), ...lines);
  return readConfigFiles({ configFile }, world);
};
const configOf = (host: string, ...lines: readonly string[]) => hostConfig(read(...lines), host, {}, world);

describe('hostConfig', () => {
  it('uses the first value of each setting, and all key files', () => {
    const config = configOf(
      'node-a',
      'Host node-*',
      '  User first',
      '  IdentityFile ~/.ssh/one',
      'Host *',
      '  User second',
      '  Port 2222',
      '  IdentityFile "/a b/two"',
      '  HostName %h.example',
    );
    expect(config).toMatchObject({
      user: 'first',
      port: 2222,
      hostName: 'node-a.example',
      identityFiles: [join(home, '.ssh/one'), '/a b/two'],
    });
  });

  it("uses ssh's defaults without any setting", () => {
    expect(configOf('10.0.0.1')).toMatchObject({
      hostName: '10.0.0.1',
      port: 22,
      user: userInfo().username,
      identityFiles: undefined,
      identitiesOnly: false,
      proxyJump: undefined,
      userKnownHosts: undefined,
    });
  });

  it('expands tokens, variables and the home directory', () => {
    const config = configOf(
      'n1',
      'HostName %h.x',
      'Port 7',
      'User u',
      'IdentityFile ~/%r-%h-%p-%n-%%',
      'IdentityFile ${KEYS}/k',
      'UserKnownHostsFile ~/kh-%k /other',
    );
    expect(config.identityFiles).toEqual([join(home, 'u-n1.x-7-n1-%'), '/keys/k']);
    expect(config.userKnownHosts).toEqual([join(home, 'kh-n1'), '/other']);
  });

  it('excludes a negated pattern, and accepts keywords in any case', () => {
    const lines = ['host * !node-b', ' PORT=1', 'HOST node-b', ' pOrT = 2'];
    expect([configOf('node-a', ...lines).port, configOf('node-b', ...lines).port]).toEqual([1, 2]);
  });

  it('evaluates Match by host, original host and user', () => {
    const lines = [
      'Host alias',
      '  HostName real.example',
      'Match host *.example originalhost alias',
      '  Port 1',
      'Match user root !host real.example',
      '  Port 2',
      'Match all',
      '  Port 3',
    ];
    expect([configOf('alias', ...lines).port, hostConfig(read(...lines), 'other', { user: 'me' }, world).port]).toEqual(
      [1, 3],
    );
    expect(hostConfig(read(...lines), 'other', { user: 'root' }, world).port).toBe(2);
  });

  it('ignores the case of a host name in Match, but not in Host', () => {
    expect(configOf('NODE-A', 'Match host node-a', '  Port 5').port).toBe(5);
    expect(configOf('NODE-A', 'Host node-a', '  Port 5').port).toBe(22);
  });

  it('accepts a Match criterion with an equals sign', () => {
    expect(configOf('a', 'Match host=a', '  Port 5').port).toBe(5);
    expect(configOf('b', 'Match host=a', '  Port 5').port).toBe(22);
  });

  it('reads Match final in a second pass', () => {
    expect(configOf('a', 'Match final', '  Port 5', 'Host a', '  User x').port).toBe(5);
    expect(configOf('a', 'Match final', '  Port 5', 'Host a', '  Port 6').port).toBe(6);
  });

  it('uses whichever of ProxyJump and ProxyCommand comes first', () => {
    expect(configOf('a', 'ProxyJump one,two', 'ProxyCommand nc %h %p').proxyJump).toBe('one,two');
    expect(configOf('a', 'ProxyJump none', 'ProxyCommand nc %h %p').proxyJump).toBeUndefined();
    expect(configOf('a', 'ProxyCommand none').proxyJump).toBeUndefined();
  });

  it('finds the agent that ssh_config or the environment names', () => {
    const env = { HOME: home, SSH_AUTH_SOCK: '/usual', OTHER: '/other' };
    const agentOf = (...lines: string[]) => hostConfig(read(...lines), 'a', {}, testWorld({ env })).agent;
    expect([
      agentOf(),
      agentOf('IdentityAgent none'),
      agentOf('IdentityAgent $OTHER'),
      agentOf('IdentityAgent SSH_AUTH_SOCK'),
      agentOf('IdentityAgent ~/sock'),
    ]).toEqual(['/usual', undefined, '/other', '/usual', join(home, 'sock')]);
  });

  it.each([
    ['5', 5000],
    ['1m30s', 90_000],
    ['2H', 7_200_000],
    ['none', undefined],
    ['soon', undefined],
  ])('reads ConnectTimeout %s', (time, expected) => {
    expect(configOf('a', `ConnectTimeout ${time}`).connectTimeoutMs).toBe(expected);
  });

  it.each([
    ['a ProxyCommand', ['ProxyCommand nc %h %p']],
    ['Match exec', ['Match exec "true"']],
    ['an unknown token', ['IdentityFile /%z']],
    ['an unset variable', ['IdentityFile ${NOT_SET}/x']],
    ['an invalid port', ['Port 70000']],
  ])('refuses %s', (_, lines) => {
    expect(() => configOf('a', ...lines)).toThrow(SshFailure);
  });

  it('does not refuse Match exec after a criterion that does not hold', () => {
    expect(configOf('a', 'Match host b exec "false"', '  Port 9').port).toBe(22);
  });
});

describe('isNamed', () => {
  it.each([
    ['node-a', ['Host node-a'], true],
    ['node-a', ['Host *'], false],
    ['node-a', ['Host node-*'], true],
    ['node-a', ['Host * !node-b'], false],
    ['node-a', ['Host other node-?'], true],
    ['node-a', ['Host node-* !node-a'], false],
    ['node-a', ['Host * node-a'], true],
    ['node-a', ['Match host node-a'], false],
    ['node-a', [], false],
  ])('finds %s named by %j: %s', (host, lines, expected) => {
    expect(isNamed(read(...lines), host)).toBe(expected);
  });
});

describe('readConfigFiles', () => {
  it("reads the user's settings before those of the system, and needs neither", () => {
    expect(readConfigFiles({ systemFolder }, world).flatMap(({ kind }) => kind)).toEqual(['file', 'file']);
    write(join(home, '.ssh/config'), 'Port 1');
    write(join(systemFolder, 'ssh_config'), 'Port 2', 'User machine');
    expect(hostConfig(readConfigFiles({ systemFolder }, world), 'a', {}, world)).toMatchObject({
      port: 1,
      user: 'machine',
    });
  });

  it('includes files by pattern, in order, from the directory where ssh looks for them', () => {
    write(join(home, '.ssh/config'), 'Include conf.d/*.conf', 'Host b', '  Include ~/only-b', 'Host *', '  Port 9');
    write(join(home, '.ssh/conf.d/2.conf'), 'User two', 'Port 2');
    write(join(home, '.ssh/conf.d/1.conf'), 'Host a', '  User one');
    write(join(home, '.ssh/conf.d/.hidden.conf'), 'User hidden');
    write(join(home, 'only-b'), 'User three', 'HostName from-b', 'Host a', 'HostName never');
    write(join(systemFolder, 'ssh_config'), 'Include ssh_config.d/*');
    write(join(systemFolder, 'ssh_config.d/x'), 'ConnectTimeout 3');
    const entries = readConfigFiles({ systemFolder }, world);
    expect(hostConfig(entries, 'a', {}, world)).toMatchObject({
      user: 'one',
      port: 2,
      hostName: 'a',
      connectTimeoutMs: 3000,
    });
    expect(hostConfig(entries, 'b', {}, world)).toMatchObject({ user: 'two', hostName: 'from-b' });
  });

  it.each([
    ['a missing file that is named', { configFile: 'nowhere' }, /cannot read .*nowhere: /],
    ['a directory', { configFile: folder }, /cannot read/],
  ])('refuses %s', (_, settings, message) => {
    expect(() => readConfigFiles(settings, world)).toThrow(UsageError);
    expect(() => readConfigFiles(settings, world)).toThrow(message);
  });

  it('refuses a file that includes itself', () => {
    write(join(home, '.ssh/config'), 'Include config');
    expect(() => readConfigFiles({}, world)).toThrow(/too many recursive Include lines/);
  });

  it('refuses a malformed line with its number', () => {
    expect(() => read('User root', 'IdentityFile "never closed')).toThrow(/config line 2: invalid quotes$/);
    expect(() => read('Host')).toThrow(/config line 1: no argument after keyword "Host"$/);
  });

  it('reads no file when the file is named none', () => {
    expect(readConfigFiles({ configFile: 'none' }, world)).toEqual([]);
  });
});

describe.skipIf(programPath('ssh') === undefined)('hostConfig compared with ssh -G (needs ssh)', () => {
  // ssh takes the home folder from the user database.
  const here = testWorld({ env: { HOME: homedir() }, cwd: folder });

  it.each(['web1', 'web2', 'web9', 'web10', 'db', 'WEB1', 'other'])('agrees on %s', (host) => {
    const lines = [
      'Host web* !web9',
      '  HostName %h.example.org',
      '  User deploy',
      '  IdentityFile ~/.ssh/web_%r',
      '  ProxyJump gate,second@inner:2200',
      'Host web? db',
      '  Port 2200',
      '  IdentitiesOnly yes',
      'Match originalhost db user deploy',
      '  Port 1',
      'Match host "web1.example.org,web2.*" !user root',
      '  HostKeyAlias webs',
      '  UserKnownHostsFile ~/.ssh/kh1 /etc/kh2',
      'Match final host *.example.org',
      '  ConnectTimeout 7',
      'Host *',
      '  User fallback',
      '  IdentityFile /etc/keys/%h',
    ];
    const { theirs, ours } = bothFor(host, lines);
    expect(ours).toEqual(theirs);
  });

  it('agrees on generated settings', { timeout: 300_000 }, () => {
    const hosts = fc.constantFrom('node-a', 'node-b', 'gate', '10.0.0.1', 'NODE-A', 'x.example');
    let compared = 0;
    const property = fc.property(configLines, hosts, (lines, host) => {
      const { theirs, ours } = bothFor(host, lines);
      // ssh has refused the settings as a whole.
      if (theirs === undefined) return;
      compared += 1;
      expect(ours).toEqual(theirs);
    });
    const numRuns = process.env['LONG'] ? 5000 : 150;
    fc.assert(property, { numRuns, seed: 5 });
    expect(compared).toBeGreaterThan(numRuns * 0.8);
  });

  interface Compared {
    readonly hostname: string;
    readonly port: string;
    readonly user: string;
    readonly identitiesonly: string;
    readonly proxyjump: unknown;
    readonly hostkeyalias: string | undefined;
    readonly connecttimeout: string;
    readonly identityfile: readonly string[] | undefined;
    readonly userknownhostsfile: string | undefined;
    readonly globalknownhostsfile: string | undefined;
    readonly identityagent: string | undefined;
  }

  function bothFor(host: string, lines: readonly string[]): { theirs: Compared | undefined; ours: Compared } {
    const configFile = write(join(home, 'config'), ...lines);
    const config = hostConfig(readConfigFiles({ configFile }, here), host, {}, here);
    const { status, stdout } = spawnSync('ssh', ['-F', configFile, '-G', '--', host], { encoding: 'utf8' });
    return { theirs: status === 0 ? theirsOf(stdout, config, host) : undefined, ours: oursOf(config) };
  }

  const jumpsOf = (text: string | undefined) => text?.split(',').map(parseHostSpec);

  function oursOf(config: HostConfig): Compared {
    return {
      hostname: config.hostName,
      port: String(config.port),
      user: config.user,
      identitiesonly: config.identitiesOnly ? 'yes' : 'no',
      proxyjump: jumpsOf(config.proxyJump),
      hostkeyalias: config.hostKeyAlias,
      connecttimeout: config.connectTimeoutMs === undefined ? 'none' : String(config.connectTimeoutMs / 1000),
      identityfile: config.identityFiles,
      userknownhostsfile: config.userKnownHosts?.join(' '),
      globalknownhostsfile: config.globalKnownHosts?.join(' '),
      identityagent: config.agent,
    };
  }

  /** What ssh printed. It prints key files unexpanded, and its defaults as if they were set. */
  function theirsOf(printed: string, { hostName, user, port }: HostConfig, host: string): Compared {
    const all = (key: string): string[] =>
      [...printed.matchAll(new RegExp(`^${key} (.*)$`, 'gm'))].map(([, value]) => value ?? '');
    const only = (key: string): string => all(key)[0] ?? '';
    const tokens: Record<string, string> = { d: homedir(), h: hostName, n: host, p: String(port), r: user };
    const expand = (path: string): string =>
      path.replace(/^~(?=\/)/, homedir()).replace(/%([dhnpr])/g, (_, letter: string) => tokens[letter] ?? '');
    const keys = all('identityfile');
    const unless = (isDefault: boolean, value: string): string | undefined =>
      isDefault ? undefined : value === 'none' ? '' : value;
    const [userFiles, globalFiles, agent] = [
      only('userknownhostsfile'),
      only('globalknownhostsfile'),
      only('identityagent'),
    ];
    return {
      hostname: only('hostname'),
      port: only('port'),
      user: only('user'),
      identitiesonly: only('identitiesonly'),
      proxyjump: jumpsOf(all('proxyjump').find((jump) => jump !== 'none')),
      hostkeyalias: all('hostkeyalias')[0],
      connecttimeout: only('connecttimeout'),
      identityfile:
        keys[0] === '~/.ssh/id_rsa' ? undefined : keys.filter((file) => file.toLowerCase() !== 'none').map(expand),
      userknownhostsfile: unless(/\/known_hosts2$/.test(userFiles), userFiles),
      globalknownhostsfile: unless(/\/ssh_known_hosts2$/.test(globalFiles), globalFiles),
      identityagent: ['', 'none', 'SSH_AUTH_SOCK'].includes(agent) ? undefined : agent,
    };
  }
});

const oneOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const patterns = fc.array(
  oneOf('*', 'node-a', 'node-*', 'node-?', '!node-a', 'gate', '10.0.0.1', '10.*', '*.example', 'NODE-A', '"node-a"'),
  { minLength: 1, maxLength: 3 },
);
const equals = oneOf(' ', '=', ' = ', '\t', '  ', '= ');
const setting = fc
  .tuple(
    oneOf('', '  ', '\t'),
    fc.oneof(
      fc.tuple(oneOf('HostName', 'hostname'), oneOf('%h.example', 'REAL.example', '10.0.0.9', '"quoted"', 'fd00::1')),
      fc.tuple(oneOf('User'), oneOf('root', '"me too"', "'me too'", 'a#b', 'a\\b', 'DOM\\\\u', 'a\\"b')),
      fc.tuple(oneOf('Port', 'PORT'), oneOf('22', '2222', '"7"', '022')),
      fc.tuple(
        oneOf('IdentityFile'),
        oneOf('~/.ssh/k1', '"/a b/k2"', "'/a b/k3'", '/k/%h-%r', '%d/x', 'none', '/k/%n%p', '/a\\ b', '"/a\\ b"'),
      ),
      fc.tuple(oneOf('IdentitiesOnly'), oneOf('yes', 'no', 'true', 'false', 'YES')),
      fc.tuple(oneOf('HostKeyAlias'), oneOf('alias', 'ALIAS')),
      fc.tuple(oneOf('ConnectTimeout'), oneOf('5', '1m', '1m30s', 'none', '0')),
      fc.tuple(oneOf('UserKnownHostsFile'), oneOf('~/kh', '/kh1 /kh2', '"/one file"', 'none', '/kh-%h-%k', '/kh-%n')),
      fc.tuple(oneOf('GlobalKnownHostsFile'), oneOf('/g1', '/g1 /g2', 'none')),
      fc.tuple(oneOf('IdentityAgent'), oneOf('none', '~/agent.sock', '/run/%u/a', 'SSH_AUTH_SOCK')),
      fc.tuple(oneOf('Compression', 'ForwardAgent'), oneOf('yes')),
    ),
    equals,
    oneOf('', '', ' ', ' # comment', '\t#x', '\r'),
  )
  .map(([indent, [key, value], separator, end]) => `${indent}${key}${separator}${value}${end}`);
// ssh 9.2 takes the rest of this line as the value, a comment too.
const jump = oneOf('gate', 'me@gate:7,inner', 'none', 'ssh://gate', 'NONE').map((value) => `ProxyJump ${value}`);
const criterion = fc.oneof(
  fc
    .tuple(oneOf('host', 'originalhost', '!host', '!originalhost', 'Host'), patterns)
    .map(([key, list]) => `${key} ${list.join(',').replaceAll('"', '')}`),
  fc
    .tuple(oneOf('user', '!user', 'localuser', '!localuser'), oneOf('root', 'me', 'me,root', '*', '!root,*'))
    .map((words) => words.join(' ')),
);
const section = fc.oneof(
  fc.tuple(patterns, equals).map(([list, separator]) => `Host${separator}${list.join(' ')}`),
  fc.array(criterion, { minLength: 1, maxLength: 2 }).map((criteria) => `Match ${criteria.join(' ')}`),
  oneOf('Match all', 'Match final', 'Match final host *.example', 'Match canonical', '# a comment', '', '   '),
);
const configLines = fc.array(
  fc.oneof({ weight: 6, arbitrary: setting }, { weight: 1, arbitrary: jump }, { weight: 3, arbitrary: section }),
  { maxLength: 14 },
);
