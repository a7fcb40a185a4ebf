// known_hosts files, compared with what ssh-keygen writes and finds in them.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { appliesTo, knownHostsName, parseKnownHosts } from '../../../src/node-exec/ssh/known-hosts.ts';
import { programPath } from '../../support/program/parts.ts';

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZk2WTrtCXFuFSbTXeRrCzSUVzG4lPOVfR0ZQbBzTNm';
const applies = (hosts: string, name: string): boolean => {
  const [line] = parseKnownHosts(`${hosts} ${key}\n`, 'f');
  return line !== undefined && appliesTo(line, name);
};

describe('parseKnownHosts', () => {
  it('reads the marks of lines, and skips malformed lines', () => {
    const text = [
      '# comment',
      '',
      `a ${key} comment of it`,
      `@revoked b ${key}`,
      `  @cert-authority *.c\t${key}`,
      `@unknown d ${key}`,
      'e ssh-ed25519',
      'f ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIGZk2WTrtCXFuFSbTXeRrCzSUVzG4lPOVfR0ZQbBzTNm',
      'g ssh-ed25519 AAAA',
      `#h ${key}`,
      `i ${key}\r`,
    ].join('\n');
    expect(parseKnownHosts(text, 'list').map(({ mark, hosts, line, file }) => [mark, hosts, line, file])).toEqual([
      ['none', 'a', 3, 'list'],
      ['revoked', 'b', 4, 'list'],
      ['cert-authority', '*.c', 5, 'list'],
      ['none', 'i', 11, 'list'],
    ]);
  });
});

describe('appliesTo', () => {
  it.each([
    ['node-a', 'node-a', true],
    ['node-a', 'node-ab', false],
    ['node-a,10.0.0.1', '10.0.0.1', true],
    ['10.0.0.*', '10.0.0.77', true],
    ['10.0.0.?', '10.0.0.77', false],
    ['10.0.0.?', '10.0.0.7', true],
    ['*,!node-b', 'node-a', true],
    ['*,!node-b', 'node-b', false],
    ['!node-b', 'node-a', false],
    ['[node-a]:2222', '[node-a]:2222', true],
    ['[node-a]:2222', 'node-a', false],
    ['[10.0.0.*]:2222', '[10.0.0.9]:2222', true],
    ['Node-A', 'node-a', true],
    ['node.a', 'nodexa', false],
    ['|1|bad', 'node-a', false],
    ['|2|c2FsdA==|aGFzaA==', 'node-a', false],
  ])('%s applies to %s: %s', (hosts, name, expected) => {
    expect(applies(hosts, name)).toBe(expected);
  });

  it('names a host with its port unless that is 22', () => {
    expect([knownHostsName('a', 22), knownHostsName('fd00::1', 2222)]).toEqual(['a', '[fd00::1]:2222']);
  });
});

describe.skipIf(programPath('ssh-keygen') === undefined)('compared with ssh-keygen (needs ssh-keygen)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-known-'));
  const list = join(folder, 'known_hosts');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('finds hosts that ssh-keygen hashed', () => {
    const names = ['node-a', '[node-b]:2222', '10.0.0.1'];
    writeFileSync(list, names.map((name) => `${name} ${key}\n`).join(''));
    execFileSync('ssh-keygen', ['-q', '-H', '-f', list], { stdio: 'ignore' });
    const lines = parseKnownHosts(readFileSync(list, 'utf8'), list);
    expect(lines.every(({ hosts }) => hosts.startsWith('|1|'))).toBe(true);
    expect(names.map((name) => lines.filter((line) => appliesTo(line, name)).map(({ line }) => line))).toEqual([
      [1],
      [2],
      [3],
    ]);
    expect(lines.filter((line) => appliesTo(line, 'node-b'))).toEqual([]);
  });

  it.each(['10.1.2.3', '[10.1.2.3]:22', 'x.example', '[x.example]:2222', 'db.example'])(
    'finds the same lines as ssh-keygen for %s',
    (name) => {
      const hosts = ['10.1.*', '10.1.2.?', '*.example,!db.example', '[*.example]:2222', 'X.EXAMPLE', '!10.1.2.3,10.*'];
      writeFileSync(list, hosts.map((host) => `${host} ${key}\n`).join(''));
      const { stdout } = spawnSync('ssh-keygen', ['-F', name, '-f', list], { encoding: 'utf8' });
      const theirs = [...stdout.matchAll(/^# Host .* found: line (\d+)/gm)].map(([, line]) => Number(line));
      const ours = parseKnownHosts(readFileSync(list, 'utf8'), list).filter((line) => appliesTo(line, name));
      expect(ours.map(({ line }) => line)).toEqual(theirs);
    },
  );
});
