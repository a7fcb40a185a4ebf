// The host of a node, and its jump hosts.
import { describe, expect, it } from 'vitest';
import type { ConfigEntry } from '../../../src/node-exec/ssh/config-files.ts';
import { SshFailure } from '../../../src/node-exec/ssh/ssh-failure.ts';
import { hostSpecOf, parseHostSpec, type SshHost, sshHostOf } from '../../../src/node-exec/ssh/ssh-host.ts';
import { testWorld } from '../../support/program/world.ts';

const world = testWorld({ cwd: '/home/ada' });
const set = (key: string, ...values: string[]): ConfigEntry => ({ kind: 'set', key, values });
const host = (pattern: string, ...entries: ConfigEntry[]): ConfigEntry => ({
  kind: 'host',
  patterns: [pattern],
  entries,
});
const node = (name: string, ...addresses: string[]) => ({ name, addresses });

describe('parseHostSpec', () => {
  it.each([
    ['node-a', { host: 'node-a' }],
    ['10.0.0.1:2222', { host: '10.0.0.1', port: 2222 }],
    ['fd00::1', { host: 'fd00::1' }],
    ['fe80::1%eth0', { host: 'fe80::1%eth0' }],
    ['[fd00::1]:2222', { host: 'fd00::1', port: 2222 }],
    ['me@gate:7', { user: 'me', host: 'gate', port: 7 }],
    ['ssh://me@gate:7/', { user: 'me', host: 'gate', port: 7 }],
    ['a@b@c', { user: 'a@b', host: 'c' }],
    ['', undefined],
    ['host:', undefined],
    ['host:0', undefined],
    ['host:65536', undefined],
    ['-oProxyCommand=x', undefined],
    ['me@-x', undefined],
  ])('parses %j', (text, expected) => {
    expect(parseHostSpec(text)).toEqual(expected);
  });
});

describe('hostSpecOf', () => {
  const named = [host('node-a', set('hostname', '9.9.9.9'))];

  it('is the host of --ssh-host, else the name that ssh_config has, else the first address', () => {
    const hosts = new Map([['node-a', 'there:2222']]);
    expect(hostSpecOf(node('node-a', '10.0.0.1'), named, { hosts })).toEqual({ host: 'there', port: 2222 });
    expect(hostSpecOf(node('node-a', '10.0.0.1'), named, {})).toEqual({ host: 'node-a' });
    expect(hostSpecOf(node('node-b', '10.0.0.2', '10.0.0.3'), named, { hosts })).toEqual({ host: '10.0.0.2' });
  });

  it.each([
    ['there is no address', node('node-b'), {}],
    ['--ssh-host is malformed', node('node-a'), { hosts: new Map([['node-a', 'a b:x:y']]) }],
    ['the address would be an option', node('node-b', '-oProxyCommand=touch /tmp/owned'), {}],
  ])('finds no host when %s', (_, target, settings) => {
    expect(() => hostSpecOf(target, named, settings)).toThrow(SshFailure);
  });

  it('does not use a node name that would be an option', () => {
    expect(() => hostSpecOf(node('-oX'), [host('-oX')], {})).toThrow(SshFailure);
  });
});

describe('sshHostOf', () => {
  const chain = (found: SshHost | undefined): string[] =>
    found === undefined
      ? []
      : [...chain(found.via), `${found.config.user}@${found.config.hostName}:${found.config.port}`];

  it('returns the jump hosts, each with its own settings', () => {
    const entries = [
      host('10.*', set('proxyjump', 'one@gate:7,inner')),
      host('gate', set('hostname', 'gate.example'), set('proxyjump', 'outer')),
      host('inner', set('user', 'two'), set('proxyjump', 'never')),
      set('user', 'all'),
    ];
    expect(chain(sshHostOf(node('n', '10.0.0.1'), entries, { user: 'root' }, world))).toEqual([
      'all@outer:22',
      'one@gate.example:7',
      'two@inner:22',
      'root@10.0.0.1:22',
    ]);
  });

  it('refuses a ProxyJump loop', () => {
    const entries = [host('*', set('proxyjump', 'gate'))];
    expect(() => sshHostOf(node('n', '10.0.0.1'), entries, {}, world)).toThrow('ProxyJump gate is a loop');
  });

  it('offers the keys of the command line first, to every host', () => {
    const entries = [set('identityfile', '/config/key'), host('10.*', set('proxyjump', 'gate'))];
    const found = sshHostOf(node('n', '10.0.0.1'), entries, { keys: ['k'] }, world);
    expect(found.config.identityFiles).toEqual(['/home/ada/k', '/config/key']);
    expect(found.via?.config.identityFiles).toEqual(['/home/ada/k', '/config/key']);
  });
});
