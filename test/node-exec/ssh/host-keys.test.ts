// Is the host who it should be: every kind of line in known_hosts, on every hop. Against real servers.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSsh } from '../../../src/node-exec/ssh/open-ssh.ts';
import type { SshSettings } from '../../../src/node-exec/ssh/settings.ts';
import { describeWithPrograms } from '../../support/program/parts.ts';
import { failureOf, nodeA, type SshHome, settingsFor, sshHome } from '../../support/servers/ssh-world.ts';
import { makeKey, publicKey, type Sshd, sshFolder, startSshd } from '../../support/servers/sshd.ts';

/** SHA256 of a public key as ssh-keygen prints it. */
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
  const knowing = (list: string, more: SshSettings = {}, home = sshHome()) => {
    home.write('.ssh/known_hosts', list);
    return echo(home, settingsFor(sshd, key, more));
  };
  const hostKey = (type: string): string => {
    const found = sshd.hostKeys.find((path) => path.endsWith(type));
    if (found === undefined) throw new Error(`no host key ${type}`);
    return found;
  };
  const line = (host: string, path: string): string => `${host} ${publicKey(path)}\n`;
  const place = (): string => `[127.0.0.1]:${sshd.port}`;

  it.each(['ed25519', 'rsa', 'ecdsa'])('are asked for as they are known: %s', async (type) => {
    expect(await knowing(line(place(), hostKey(type)))).toBe('in\n');
  });

  it.each([
    ['a host with its port', () => line(place(), hostKey('ed25519'))],
    ['a host without its port', () => line('127.0.0.1', hostKey('ed25519'))],
    ['a pattern', () => line(`[127.0.0.*]:${sshd.port}`, hostKey('ed25519'))],
    ['several hosts', () => line(`elsewhere,${place()}`, hostKey('ed25519'))],
    ['a line among others', () => `# list\n\nnonsense\n${line('elsewhere', other)}${line(place(), hostKey('rsa'))}`],
    ['one of two keys of a kind', () => line(place(), other) + line(place(), hostKey('ed25519'))],
  ])('are accepted by %s', async (_, list) => {
    expect(await knowing(list())).toBe('in\n');
  });

  it('are found in a hashed list', async () => {
    const home = sshHome();
    const file = home.write('.ssh/known_hosts', line(place(), hostKey('ed25519')));
    execFileSync('ssh-keygen', ['-q', '-H', '-f', file], { stdio: 'ignore' });
    const hashed = readFileSync(file, 'utf8');
    expect(hashed).toMatch(/^\|1\|/);
    expect(await knowing(hashed)).toBe('in\n');
  });

  it('are looked for in all lists', async () => {
    const home = sshHome();
    home.write('.ssh/known_hosts', line('elsewhere', other));
    home.write('.ssh/known_hosts2', line(place(), hostKey('ed25519')));
    expect(await echo(home, settingsFor(sshd, key))).toBe('in\n');

    const machine = sshHome();
    machine.write('ssh_known_hosts', line(place(), hostKey('ed25519')));
    expect(await echo(machine, settingsFor(sshd, key, { systemFolder: machine.path }))).toBe('in\n');

    const configured = sshHome();
    configured.write('.ssh/config', 'UserKnownHostsFile ~/one ~/two\n');
    configured.write('two', line(place(), hostKey('ed25519')));
    expect(await echo(configured, settingsFor(sshd, key))).toBe('in\n');
  });

  it('are looked for in the list of the command line only, when it names one', async () => {
    const home = sshHome();
    const list = home.write('list', line(place(), hostKey('ed25519')));
    expect(await echo(home, settingsFor(sshd, key, { knownHostsFile: list }))).toBe('in\n');
    home.write('.ssh/known_hosts', line(place(), hostKey('ed25519')));
    const { reason } = await failureOf(echo(home, settingsFor(sshd, key, { knownHostsFile: '/dev/null/none' })));
    expect(reason).toBe('host-key');
  });

  it('are listed under another name, when ssh_config says so', async () => {
    const home = sshHome();
    home.write('.ssh/config', 'HostKeyAlias the-node\n');
    expect(await knowing(line('the-node', hostKey('ed25519')), {}, home)).toBe('in\n');
    const { message, hint } = await failureOf(knowing(line(place(), hostKey('ed25519')), {}, home));
    expect(message).toContain('is not known');
    expect(hint).toContain('-o HostKeyAlias=the-node');
  });

  it('that are not known are refused, with the fingerprint and the way to accept them', async () => {
    const home = sshHome();
    const { reason, message, hint } = await failureOf(knowing('', {}, home));
    expect(reason).toBe('host-key');
    expect(message).toBe(
      `node-a: the host key of 127.0.0.1 port ${sshd.port} is not known: ED25519 ${fingerprint(hostKey('ed25519'))}`,
    );
    expect(hint).toContain('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub');
    const command = /accept it: (.*)$/.exec(hint ?? '')?.[1] ?? '';
    execFileSync('sh', ['-c', command], { stdio: 'ignore' });
    expect(await echo(home, settingsFor(sshd, key))).toBe('in\n');
  });

  it('that are not known are refused whatever ssh_config thinks of it', async () => {
    const home = sshHome();
    home.write('.ssh/config', 'StrictHostKeyChecking no\nUserKnownHostsFile none\n');
    expect((await failureOf(echo(home, settingsFor(sshd, key)))).reason).toBe('host-key');
  });

  it('that have changed are refused, with the line that knows better', async () => {
    const home = sshHome();
    const { reason, message, hint } = await failureOf(knowing(`# list\n${line(place(), other)}`, {}, home));
    expect(reason).toBe('host-key');
    expect(message).toBe(
      `node-a: the host key of 127.0.0.1 port ${sshd.port} has changed: it shows ED25519 ${fingerprint(hostKey('ed25519'))}, ` +
        `listed in ${join(home.path, '.ssh/known_hosts')}:2 is ${fingerprint(other)}`,
    );
    expect(hint).toContain('Somebody may be in between');
  });

  it('are refused when the server has got another one', async () => {
    const first = await startSshd({ authorized: [key] });
    const home = sshHome();
    home.write('.ssh/known_hosts', first.knownHosts);
    expect(await echo(home, settingsFor(first, key))).toBe('in\n');
    await first.stop();
    const second = await startSshd({ authorized: [key], hostKeyFiles: [other], port: first.port });
    expect((await failureOf(echo(home, settingsFor(second, key)))).message).toContain('has changed');
    await second.stop();
  });

  it('of another kind than the listed one are refused as not known', async () => {
    const server = await startSshd({ authorized: [key], hostKeys: ['rsa'] });
    const home = sshHome();
    home.write('.ssh/known_hosts', line(`[127.0.0.1]:${server.port}`, other));
    const { reason, message } = await failureOf(echo(home, settingsFor(server, key)));
    expect(reason).toBe('host-key');
    expect(message).toMatch(/is not known: RSA SHA256:.*; listed is another kind \(ED25519, .*known_hosts:1\)/);
    await server.stop();
  });

  it('that are revoked are refused, though they are listed too', async () => {
    const list = line(place(), hostKey('ed25519')) + line('@revoked *', hostKey('ed25519'));
    const { reason, message } = await failureOf(knowing(list));
    expect(reason).toBe('host-key');
    expect(message).toMatch(/is revoked in .*known_hosts:2: ED25519 SHA256:/);
  });

  it('of others that are revoked do not matter', async () => {
    expect(await knowing(line(place(), hostKey('ed25519')) + line('@revoked *', other))).toBe('in\n');
  });

  it('that only an authority vouches for are refused clearly', async () => {
    const { reason, message, hint } = await failureOf(knowing(line('@cert-authority *', other)));
    expect(reason).toBe('host-key');
    expect(message).toMatch(/certificate authority \(.*known_hosts:1\), which is not checked here/);
    expect(hint).toContain('--ssh-command');
  });

  it('are accepted beside an authority', async () => {
    expect(await knowing(line('@cert-authority *', other) + line(place(), hostKey('ed25519')))).toBe('in\n');
  });

  it('are not checked by a list that may not be read', async () => {
    const home = sshHome();
    const { reason, message } = await failureOf(echo(home, settingsFor(sshd, key, { knownHostsFile: home.path })));
    expect({ reason, message }).toEqual({
      reason: 'host-key',
      message: `node-a: the list of host keys ${home.path} cannot be read: it is a folder`,
    });
  });

  it('are known by IPv6 address', async () => {
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

  // The gate can be reached by its address; the others listen on the loopback device of its network namespace.
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

  it('lead to a node that cannot be reached without them', async () => {
    expect((await failureOf(echo(sshHome(), '', known(node)))).reason).toBe('unreachable');
    expect(await echo(sshHome(), jump(`${network}.2`), known(gate, node))).toBe('in\n');
  });

  it('lead over several', async () => {
    const home = sshHome();
    expect(await echo(home, jump(`root@${network}.2`, 'root@127.0.0.1:2201'), known(gate, inner, node))).toBe('in\n');
    expect(inner.log()).toContain('Accepted publickey for root');
  });

  it('are checked each', async () => {
    const hops = jump(`root@${network}.2`, 'root@127.0.0.1:2201');
    const of = (list: string) => failureOf(echo(sshHome(), hops, list));
    const missing = [await of(known(inner, node)), await of(known(gate, node)), await of(known(gate, inner))];
    expect(missing.map(({ reason, message }) => [reason, /host key of (.*) is not known/.exec(message)?.[1]])).toEqual([
      ['host-key', `${network}.2`],
      ['host-key', '127.0.0.1 port 2201'],
      ['host-key', '127.0.0.1 port 2202'],
    ]);
    expect(missing[2]?.hint).toContain(`ssh -J root@${network}.2:22,root@127.0.0.1:2201`);
  });

  it('say why they do not lead on', async () => {
    const closed = { ...node, port: 2203 };
    const refused = await failureOf(echo(sshHome(), jump(`${network}.2`), known(gate), closed));
    expect({ reason: refused.reason, message: refused.message }).toEqual({
      reason: 'unreachable',
      message: `node-a: the jump host ${network}.2 does not reach 127.0.0.1 port 2203: connection refused`,
    });
    const closedGate = jump(`root@${network}.2`, 'root@127.0.0.1:2202');
    const forbidden = await failureOf(echo(sshHome(), closedGate, known(gate, node), inner));
    expect(forbidden.message).toContain('the jump host 127.0.0.1 port 2202 does not forward to 127.0.0.1 port 2201');
  });

  it('are shared by all nodes behind them', async () => {
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
