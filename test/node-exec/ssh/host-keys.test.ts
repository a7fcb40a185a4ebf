// Host key verification: every kind of line in known_hosts, on every hop; with real servers.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSsh } from '../../../src/node-exec/ssh/open-ssh.ts';
import type { SshSettings } from '../../../src/node-exec/ssh/settings.ts';
import { describeWithPrograms } from '../../support/program/parts.ts';
import { failureOf, nodeA, type SshHome, settingsFor, sshHome } from '../../support/servers/ssh-world.ts';
import { makeKey, publicKey, type Sshd, sshFolder, startSshd } from '../../support/servers/sshd.ts';

/** SHA256 fingerprint of a public key, printed by ssh-keygen. */
function fingerprint(path: string): string {
  const [, print = ''] = execFileSync('ssh-keygen', ['-lf', `${path}.pub`], { encoding: 'utf8' }).split(' ');
  return print;
}

describeWithPrograms('host keys', ['sshd', 'ssh-keygen', 'ssh-keyscan', 'unshare'], () => {
  let key: string;
  let sshd: Sshd;
  /** Another host's key. */
  let other: string;

  beforeAll(async () => {
    const folder = sshFolder();
    key = makeKey(folder, 'id');
    other = makeKey(folder, 'other');
    sshd = await startSshd({ authorized: [key], hostKeys: ['ed25519', 'rsa', 'ecdsa'] });
  });
  afterAll(() => sshd?.stop());

  async function echo(home: SshHome, settings: SshSettings): Promise<string> {
    const exec = openSsh(settings, home.world);
    try {
      return (await exec.run(nodeA, ['echo', 'in'])).stdout;
    } finally {
      await exec.close();
    }
  }
  const echoWith = (list: string, more: SshSettings = {}, home = sshHome()) => {
    home.write('.ssh/known_hosts', list);
    return echo(home, settingsFor(sshd, key, more));
  };
  const hostKey = (type: string): string => {
    const found = sshd.hostKeys.find((path) => path.endsWith(type));
    if (found === undefined) throw new Error(`no host key ${type}`);
    return found;
  };
  const line = (host: string, path: string): string => `${host} ${publicKey(path)}\n`;
  const listedHost = (): string => `[127.0.0.1]:${sshd.port}`;

  it.each(['ed25519', 'rsa', 'ecdsa'])('asks for the type of host key that is known: %s', async (type) => {
    expect(await echoWith(line(listedHost(), hostKey(type)))).toBe('in\n');
  });

  it.each([
    ['a host with its port', () => line(listedHost(), hostKey('ed25519'))],
    ['a host without its port', () => line('127.0.0.1', hostKey('ed25519'))],
    ['a pattern', () => line(`[127.0.0.*]:${sshd.port}`, hostKey('ed25519'))],
    ['several hosts', () => line(`elsewhere,${listedHost()}`, hostKey('ed25519'))],
    [
      'a host among other lines',
      () => `# list\n\nnonsense\n${line('elsewhere', other)}${line(listedHost(), hostKey('rsa'))}`,
    ],
    ['a host with two keys of one type', () => line(listedHost(), other) + line(listedHost(), hostKey('ed25519'))],
  ])('accepts a host key listed for %s', async (_, list) => {
    expect(await echoWith(list())).toBe('in\n');
  });

  it('finds a host in a hashed known_hosts', async () => {
    const home = sshHome();
    const file = home.write('.ssh/known_hosts', line(listedHost(), hostKey('ed25519')));
    execFileSync('ssh-keygen', ['-q', '-H', '-f', file], { stdio: 'ignore' });
    const hashed = readFileSync(file, 'utf8');
    expect(hashed).toMatch(/^\|1\|/);
    expect(await echoWith(hashed)).toBe('in\n');
  });

  it('looks for a host in every known_hosts file', async () => {
    const home = sshHome();
    home.write('.ssh/known_hosts', line('elsewhere', other));
    home.write('.ssh/known_hosts2', line(listedHost(), hostKey('ed25519')));
    expect(await echo(home, settingsFor(sshd, key))).toBe('in\n');

    const machine = sshHome();
    machine.write('ssh_known_hosts', line(listedHost(), hostKey('ed25519')));
    expect(await echo(machine, settingsFor(sshd, key, { systemFolder: machine.path }))).toBe('in\n');

    const configured = sshHome();
    configured.write('.ssh/config', 'UserKnownHostsFile ~/one ~/two\n');
    configured.write('two', line(listedHost(), hostKey('ed25519')));
    expect(await echo(configured, settingsFor(sshd, key))).toBe('in\n');
  });

  it('looks for a host only in the file of --ssh-known-hosts when it is given', async () => {
    const home = sshHome();
    const list = home.write('list', line(listedHost(), hostKey('ed25519')));
    expect(await echo(home, settingsFor(sshd, key, { knownHostsFile: list }))).toBe('in\n');
    home.write('.ssh/known_hosts', line(listedHost(), hostKey('ed25519')));
    const { reason } = await failureOf(echo(home, settingsFor(sshd, key, { knownHostsFile: '/dev/null/none' })));
    expect(reason).toBe('host-key');
  });

  it('looks for a host under its HostKeyAlias', async () => {
    const home = sshHome();
    home.write('.ssh/config', 'HostKeyAlias the-node\n');
    expect(await echoWith(line('the-node', hostKey('ed25519')), {}, home)).toBe('in\n');
    const { message, hint } = await failureOf(echoWith(line(listedHost(), hostKey('ed25519')), {}, home));
    expect(message).toContain('is not known');
    expect(hint).toContain('-o HostKeyAlias=the-node');
  });

  it('refuses an unknown host key, with its fingerprint and the command that accepts it', async () => {
    const home = sshHome();
    const { reason, message, hint } = await failureOf(echoWith('', {}, home));
    expect(reason).toBe('host-key');
    expect(message).toBe(
      `node-a: 127.0.0.1 port ${sshd.port}: the host key is not known (ED25519 ${fingerprint(hostKey('ed25519'))})`,
    );
    expect(hint).toContain('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub');
    const command = /accept the key: (.*)$/.exec(hint ?? '')?.[1] ?? '';
    execFileSync('sh', ['-c', command], { stdio: 'ignore' });
    expect(await echo(home, settingsFor(sshd, key))).toBe('in\n');
  });

  it('refuses an unknown host key even with StrictHostKeyChecking no', async () => {
    const home = sshHome();
    home.write('.ssh/config', 'StrictHostKeyChecking no\nUserKnownHostsFile none\n');
    expect((await failureOf(echo(home, settingsFor(sshd, key)))).reason).toBe('host-key');
  });

  it('refuses a changed host key, with the line that lists another', async () => {
    const home = sshHome();
    const { reason, message, hint } = await failureOf(echoWith(`# list\n${line(listedHost(), other)}`, {}, home));
    expect(reason).toBe('host-key');
    expect(message).toBe(
      `node-a: 127.0.0.1 port ${sshd.port}: the host key has changed (offered ED25519 ${fingerprint(hostKey('ed25519'))}, ` +
        `expected ${fingerprint(other)}, ${join(home.path, '.ssh/known_hosts')}:2)`,
    );
    expect(hint).toContain('Possible man-in-the-middle attack.');
  });

  it('refuses a server whose host key was replaced', async () => {
    const first = await startSshd({ authorized: [key] });
    const home = sshHome();
    home.write('.ssh/known_hosts', first.knownHosts);
    expect(await echo(home, settingsFor(first, key))).toBe('in\n');
    await first.stop();
    const second = await startSshd({ authorized: [key], hostKeyFiles: [other], port: first.port });
    expect((await failureOf(echo(home, settingsFor(second, key)))).message).toContain('has changed');
    await second.stop();
  });

  it('refuses a host key whose type is not the listed one as unknown', async () => {
    const server = await startSshd({ authorized: [key], hostKeys: ['rsa'] });
    const home = sshHome();
    home.write('.ssh/known_hosts', line(`[127.0.0.1]:${server.port}`, other));
    const { reason, message } = await failureOf(echo(home, settingsFor(server, key)));
    expect(reason).toBe('host-key');
    expect(message).toMatch(/is not known \(RSA SHA256:.*; listed is another type, ED25519, .*known_hosts:1\)$/);
    await server.stop();
  });

  it('refuses a revoked host key that is listed as known too', async () => {
    const list = line(listedHost(), hostKey('ed25519')) + line('@revoked *', hostKey('ed25519'));
    const { reason, message, hint } = await failureOf(echoWith(list));
    expect(reason).toBe('host-key');
    expect(message).toMatch(/the host key is marked as revoked \(ED25519 SHA256:.*, .*known_hosts:2\)$/);
    expect(hint).toContain('This key is revoked');
  });

  it('accepts a host key while another one is revoked', async () => {
    expect(await echoWith(line(listedHost(), hostKey('ed25519')) + line('@revoked *', other))).toBe('in\n');
  });

  it('refuses a host that is listed only with a certificate authority', async () => {
    const { reason, message, hint } = await failureOf(echoWith(line('@cert-authority *', other)));
    expect(reason).toBe('host-key');
    expect(message).toMatch(
      /only a certificate authority is listed \(.*known_hosts:1\), and calictl does not check host certificates$/,
    );
    expect(hint).toContain('--ssh-command');
  });

  it('accepts a host key that is listed next to a certificate authority', async () => {
    expect(await echoWith(line('@cert-authority *', other) + line(listedHost(), hostKey('ed25519')))).toBe('in\n');
  });

  it('reports a known_hosts file that cannot be read', async () => {
    const home = sshHome();
    const { reason, message } = await failureOf(echo(home, settingsFor(sshd, key, { knownHostsFile: home.path })));
    expect({ reason, message }).toEqual({
      reason: 'host-key',
      message: expect.stringContaining(`node-a: cannot read ${home.path}: `),
    });
  });

  it('accepts a host key listed for an IPv6 address', async () => {
    const server = await startSshd({ authorized: [key], address: '::1' });
    const home = sshHome();
    home.write('.ssh/known_hosts', server.knownHosts);
    expect(await echo(home, settingsFor(server, key))).toBe('in\n');
    await server.stop();
  });
});

describeWithPrograms('jump hosts', ['sshd', 'ssh-keygen', 'unshare', 'nsenter', 'ip'], () => {
  const netns = `calictl-jump-${process.pid}`;
  const [outside, inside] = [`cjo${process.pid % 100_000}`, `cji${process.pid % 100_000}`];
  const network = `198.18.${process.pid % 256}`;
  let key: string;
  let gate: Sshd;
  let inner: Sshd;
  let node: Sshd;

  const ip = (...words: string[]): void => void execFileSync('ip', words);

  // The gate is reachable by its address; the others listen on the loopback device of its network namespace.
  beforeAll(async () => {
    ip('netns', 'add', netns);
    ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', netns);
    ip('addr', 'add', `${network}.1/30`, 'dev', outside);
    ip('link', 'set', outside, 'up');
    for (const words of [`addr add ${network}.2/30 dev ${inside}`, `link set ${inside} up`, 'link set lo up']) {
      ip('-n', netns, ...words.split(' '));
    }
    key = makeKey(sshFolder(), 'id');
    gate = await startSshd({ authorized: [key], address: `${network}.2`, port: 22, netns });
    inner = await startSshd({ authorized: [key], port: 2201, netns });
    node = await startSshd({ authorized: [key], port: 2202, netns, config: ['AllowTcpForwarding no'] });
  });
  afterAll(async () => {
    for (const server of [gate, inner, node]) await server?.stop();
    execFileSync('ip', ['netns', 'del', netns]);
  });

  const known = (...servers: Sshd[]): string =>
    servers.map((server) => server.knownHosts.replace(`[${gate.address}]:22`, gate.address)).join('');

  async function echo(home: SshHome, config: string, list: string, target = node): Promise<string> {
    home.write('.ssh/config', config);
    home.write('.ssh/known_hosts', list);
    const exec = openSsh(settingsFor(target, key), home.world);
    try {
      return (await exec.run(nodeA, ['echo', 'in'], { timeoutMs: 20_000 })).stdout;
    } finally {
      await exec.close();
    }
  }
  const jump = (...hops: string[]): string =>
    `Host 127.0.0.1\n  ProxyJump ${hops.join(',')}\nHost ${network}.2\n  User root\n`;

  it('reaches a node through a jump host that cannot be reached directly', async () => {
    expect((await failureOf(echo(sshHome(), '', known(node)))).reason).toBe('unreachable');
    expect(await echo(sshHome(), jump(`${network}.2`), known(gate, node))).toBe('in\n');
  });

  it('reaches a node through several jump hosts', async () => {
    const home = sshHome();
    expect(await echo(home, jump(`root@${network}.2`, 'root@127.0.0.1:2201'), known(gate, inner, node))).toBe('in\n');
    expect(inner.log()).toContain('Accepted publickey for root');
  });

  it('verifies the host key of every jump host', async () => {
    const hops = jump(`root@${network}.2`, 'root@127.0.0.1:2201');
    const of = (list: string) => failureOf(echo(sshHome(), hops, list));
    const missing = [await of(known(inner, node)), await of(known(gate, node)), await of(known(gate, inner))];
    expect(
      missing.map(({ reason, message }) => [reason, /^node-a: (.*): the host key is not known/.exec(message)?.[1]]),
    ).toEqual([
      ['host-key', `${network}.2`],
      ['host-key', '127.0.0.1 port 2201'],
      ['host-key', '127.0.0.1 port 2202'],
    ]);
    expect(missing[2]?.hint).toContain(`ssh -J root@${network}.2:22,root@127.0.0.1:2201`);
  });

  it('reports why a jump host does not connect to the node', async () => {
    const closed = { ...node, port: 2203 };
    const refused = await failureOf(echo(sshHome(), jump(`${network}.2`), known(gate), closed));
    expect({ reason: refused.reason, message: refused.message }).toEqual({
      reason: 'unreachable',
      message: `node-a: jump host ${network}.2 cannot reach 127.0.0.1 port 2203: connection refused`,
    });
    const closedGate = jump(`root@${network}.2`, 'root@127.0.0.1:2202');
    const forbidden = await failureOf(echo(sshHome(), closedGate, known(gate, node), inner));
    expect(forbidden.message).toContain('jump host 127.0.0.1 port 2202 refuses to forward to 127.0.0.1 port 2201');
  });

  it('uses one connection to a jump host for all nodes behind it', async () => {
    const home = sshHome();
    home.write('.ssh/config', jump(`${network}.2`));
    home.write('.ssh/known_hosts', known(gate, inner, node));
    const before = gate.log().split('Accepted publickey').length;
    const hosts = new Map([
      ['node-a', '127.0.0.1:2202'],
      ['node-b', '127.0.0.1:2201'],
    ]);
    const exec = openSsh(settingsFor(node, key, { hosts }), home.world);
    const names = ['node-a', 'node-b'];
    const answers = await Promise.all(names.map((name) => exec.run({ name, addresses: [] }, ['echo', name])));
    expect(answers.map(({ stdout }) => stdout)).toEqual(['node-a\n', 'node-b\n']);
    expect(gate.log().split('Accepted publickey').length - before).toBe(1);
    await exec.close();
  });
});
