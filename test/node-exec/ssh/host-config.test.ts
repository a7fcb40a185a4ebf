// What ssh_config means for a host: as the manual says, and as `ssh -G` of the real ssh does.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfigFiles } from '../../../src/node-exec/ssh/config-files.ts';
import { hostConfig, isNamed } from '../../../src/node-exec/ssh/host-config.ts';
import { SshFailure } from '../../../src/node-exec/ssh/ssh-failure.ts';
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
  it('takes the first value of each setting, and all files of keys', () => {
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

  it('logs in as ssh does when nothing is said', () => {
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

  it('expands what stands for the host', () => {
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

  it('excludes what is negated, and knows keywords in any case', () => {
    const lines = ['host * !node-b', ' PORT=1', 'HOST node-b', ' pOrT = 2'];
    expect([configOf('node-a', ...lines).port, configOf('node-b', ...lines).port]).toEqual([1, 2]);
  });

  it('judges Match by host, user and name as written', () => {
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

  it('reads Match final in a second pass', () => {
    expect(configOf('a', 'Match final', '  Port 5', 'Host a', '  User x').port).toBe(5);
    expect(configOf('a', 'Match final', '  Port 5', 'Host a', '  Port 6').port).toBe(6);
  });

  it('takes the way that is named first', () => {
    expect(configOf('a', 'ProxyJump one,two', 'ProxyCommand nc %h %p').proxyJump).toBe('one,two');
    expect(configOf('a', 'ProxyJump none', 'ProxyCommand nc %h %p').proxyJump).toBeUndefined();
    expect(configOf('a', 'ProxyCommand none').proxyJump).toBeUndefined();
  });

  it('finds the agent where it is said to be', () => {
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
    ['a command that is not run', ['ProxyCommand nc %h %p']],
    ['a condition that is not judged', ['Match exec "true"']],
    ['a token that is not known', ['IdentityFile /%z']],
    ['a variable that is not set', ['IdentityFile ${NOT_SET}/x']],
    ['a port that is none', ['Port 70000']],
  ])('refuses %s', (_, lines) => {
    expect(() => configOf('a', ...lines)).toThrow(SshFailure);
  });

  it('does not mind such a condition where another settles it', () => {
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
    ['node-a', ['Match host node-a'], false],
    ['node-a', [], false],
  ])('%s by %j: %s', (host, lines, expected) => {
    expect(isNamed(read(...lines), host)).toBe(expected);
  });
});

describe('readConfigFiles', () => {
  it("reads the user's settings before the machine's, and does without either", () => {
    expect(readConfigFiles({ systemFolder }, world).flatMap(({ kind }) => kind)).toEqual(['file', 'file']);
    write(join(home, '.ssh/config'), 'Port 1');
    write(join(systemFolder, 'ssh_config'), 'Port 2', 'User machine');
    expect(hostConfig(readConfigFiles({ systemFolder }, world), 'a', {}, world)).toMatchObject({
      port: 1,
      user: 'machine',
    });
  });

  it('includes files by pattern, in order, from the folder that ssh would look in', () => {
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

  it('refuses a file that is named and not there, one in a circle, and one that is none', () => {
    expect(() => readConfigFiles({ configFile: 'nowhere' }, world)).toThrow(UsageError);
    write(join(home, '.ssh/config'), 'Include config');
    expect(() => readConfigFiles({}, world)).toThrow(/included in itself/);
    expect(() => read('IdentityFile "never ends')).toThrow(/cannot understand/);
    expect(() => readConfigFiles({ configFile: folder }, world)).toThrow(/cannot read/);
  });

  it('reads nothing for none', () => {
    expect(readConfigFiles({ configFile: 'none' }, world)).toEqual([]);
  });
});

describe.skipIf(programPath('ssh') === undefined)('as ssh -G does (needs ssh)', () => {
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

  it.each(['web1', 'web2', 'web9', 'web10', 'db', 'WEB1', 'other'])('for %s', (host) => {
    const configFile = write(join(home, 'config'), ...lines);
    const printed = execFileSync('ssh', ['-F', configFile, '-G', host], { encoding: 'utf8' });
    const theirs = (key: string): string[] =>
      [...printed.matchAll(new RegExp(`^${key} (.*)$`, 'gm'))].map(([, value]) => value ?? '');
    const ours = hostConfig(readConfigFiles({ configFile }, world), host, {}, world);
    // ssh prints files of keys as they are written, without a home folder of ours.
    const written = (path: string): string => path.replace(home, '~').replace(/\/%h$/, `/${ours.hostName}`);
    const expand = (path: string): string => path.replaceAll('%r', ours.user).replaceAll('%h', ours.hostName);
    expect({
      hostname: [ours.hostName],
      port: [String(ours.port)],
      user: [ours.user],
      identitiesonly: [ours.identitiesOnly ? 'yes' : 'no'],
      proxyjump: ours.proxyJump === undefined ? [] : [ours.proxyJump],
      hostkeyalias: ours.hostKeyAlias === undefined ? [] : [ours.hostKeyAlias],
      connecttimeout: [ours.connectTimeoutMs === undefined ? 'none' : String(ours.connectTimeoutMs / 1000)],
      identityfile: ours.identityFiles?.map(written),
    }).toEqual({
      hostname: theirs('hostname'),
      port: theirs('port'),
      user: theirs('user'),
      identitiesonly: theirs('identitiesonly'),
      proxyjump: theirs('proxyjump'),
      hostkeyalias: theirs('hostkeyalias'),
      connecttimeout: theirs('connecttimeout'),
      identityfile: theirs('identityfile').map(expand),
    });
  });
});
