// Commands over the system's ssh, beyond the contract: its messages, its options, hostile names; with a real sshd.
import { existsSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NodeExec, TransportError } from '../../../src/node-exec/node-exec.ts';
import type { SshSettings } from '../../../src/node-exec/ssh/settings.ts';
import { openSshCommand } from '../../../src/node-exec/ssh/ssh-command.ts';
import { UsageError } from '../../../src/world/errors.ts';
import { describeWithPrograms } from '../../support/program/parts.ts';
import { isRunning } from '../../support/program/processes.ts';
import { until } from '../../support/program/until.ts';
import { failureOf, nodeA, settingsFor, sshHome } from '../../support/servers/ssh-world.ts';
import { makeKey, plainUser, publicKey, type Sshd, sshFolder, startSshd } from '../../support/servers/sshd.ts';

describeWithPrograms("the system's ssh", ['sshd', 'ssh', 'ssh-keygen', 'unshare'], () => {
  let keys: { readonly good: string; readonly other: string };
  let sshd: Sshd;

  beforeAll(async () => {
    const folder = sshFolder();
    keys = { good: makeKey(folder, 'good'), other: makeKey(folder, 'other') };
    sshd = await startSshd({ authorized: [keys.good] });
  });
  afterAll(() => sshd?.stop());

  function opened(more: SshSettings = {}, list = sshd.knownHosts, command = 'ssh'): NodeExec {
    const home = sshHome();
    const knownHostsFile = home.write('known hosts', list);
    const settings = settingsFor(sshd, keys.good, { configFile: 'none', knownHostsFile, ...more });
    return openSshCommand(command, settings, home.world);
  }
  const label = (): string => `127.0.0.1 port ${sshd.port}`;

  /** A command that already sleeps on the node, and how it fails. */
  async function sleeping(exec: NodeExec, time: string): Promise<readonly [Promise<TransportError>]> {
    let begun = false;
    const failure = failureOf(
      exec.stream(nodeA, ['sh', '-c', 'echo; exec sleep "$1"', 'sh', time], {
        onStdout: () => {
          begun = true;
        },
        onStderr: () => undefined,
      }),
    );
    await until(() => begun, 'the command runs');
    return [failure];
  }

  it("runs a command over the system's ssh", async () => {
    expect((await opened().run(nodeA, ['echo', "it's"])).stdout).toBe("it's\n");
  });

  it.each([
    ['an unknown host key', 'host-key', /the host key is not known \(Host key verification failed\.\)$/, {}, ''],
    ['a changed host key', 'host-key', /the host key has changed \(/, {}, 'changed'],
    ['a revoked host key', 'host-key', /the host key is marked as revoked \(/, {}, 'revoked'],
    ['a rejected key', 'unauthorized', /permission denied \(.*Permission denied \(publickey\)/, 'other', undefined],
    [
      'a port where nothing listens',
      'unreachable',
      /Connection refused$/,
      { hosts: new Map([['node-a', '127.0.0.1:1']]) },
      undefined,
    ],
  ] as const)('reports %s', async (_, reason, expected, more, list) => {
    const host = `[127.0.0.1]:${sshd.port}`;
    const lines = {
      changed: `${host} ${publicKey(keys.other)}\n`,
      revoked: `@revoked * ${sshd.knownHosts.split(' ').slice(1).join(' ')}${sshd.knownHosts}`,
    };
    const text = list === undefined ? undefined : list === '' ? '' : lines[list];
    const settings = more === 'other' ? { keys: [keys.other] } : more;
    const error = await failureOf(opened(settings, text).run(nodeA, ['true']));
    expect({ reason: error.reason, message: error.message }).toEqual({
      reason,
      message: expect.stringMatching(expected),
    });
    expect(error.message).toMatch(/^node-a: 127\.0\.0\.1 port \d+: /);
    expect(error.hint).toBeDefined();
  });

  it("does not take a command's message for one of ssh", async () => {
    const script = 'echo "root@x: Permission denied (publickey)." >&2; exit 255';
    const { exit, stderr } = await opened().run(nodeA, ['sh', '-c', script]);
    expect({ exit, stderr }).toEqual({ exit: 255, stderr: 'root@x: Permission denied (publickey).\n' });
  });

  it('reports a lost connection', async () => {
    const time = `9201.${process.pid}`;
    const [running] = await sleeping(opened(), time);
    for (const session of sshd.sessions()) process.kill(session, 'SIGKILL');
    const { reason, message } = await running;
    expect(reason).toBe('broken');
    expect(message).toContain(`${label()}: the connection was lost`);
    await until(() => !isRunning(`sleep ${time}`), 'the command is gone');
  });

  it('reports that a user who is not root cannot become root', async () => {
    const server = await startSshd({ authorized: [keys.good], config: ['SetEnv PATH=/nowhere'] });
    const settings = { user: plainUser, hosts: new Map([['node-a', `127.0.0.1:${server.port}`]]) };
    const { reason } = await failureOf(opened(settings, server.knownHosts).run(nodeA, ['true']));
    expect(reason).toBe('unauthorized');
    await server.stop();
  });

  it('accepts options in --ssh-command, and uses the host names of its ssh_config', async () => {
    const home = sshHome();
    const list = home.write('list', sshd.knownHosts);
    const config = home.write(
      'my config',
      [
        'Host node-a',
        '  HostName 127.0.0.1',
        `  Port ${sshd.port}`,
        '  User root',
        `  IdentityFile ${keys.good}`,
        `  UserKnownHostsFile ${list}`,
        '',
      ].join('\n'),
    );
    const known = { name: 'node-a', addresses: ['192.0.2.1'] };
    for (const command of [`ssh -F '${config}'`, `ssh "-F${config}" -v`]) {
      const exec = openSshCommand(command, { systemFolder: home.path }, home.world);
      expect((await exec.run(known, ['echo', 'in'])).stdout).toBe('in\n');
    }
  });

  it('reads the default ssh_config when no other is given', async () => {
    const home = sshHome();
    home.write('.ssh/config', 'Host node-a\n  HostName 127.0.0.1\n');
    const exec = openSshCommand('ssh', { systemFolder: home.path }, home.world);
    // The real ssh looks in the home folder of the user database, where this name is not known.
    const { reason, message } = await failureOf(exec.run(nodeA, ['true']));
    expect({ reason, message }).toEqual({
      reason: 'unreachable',
      message: expect.stringContaining('node-a: node-a: '),
    });
  });

  it('runs nothing that is hidden in a node name or an address', async () => {
    const owned = '/tmp/calictl-owned-by-ssh';
    rmSync(owned, { force: true });
    const evil = { name: `x; touch ${owned}`, addresses: [`-oProxyCommand=touch ${owned}`] };
    expect((await failureOf(opened().run(evil, ['true']))).reason).toBe('unreachable');
    const exec = opened({ hosts: new Map([[evil.name, `127.0.0.1:${sshd.port}`]]) });
    expect((await exec.run(evil, ['printf', '%s', evil.name])).stdout).toBe(evil.name);
    expect(existsSync(owned)).toBe(false);
  });

  it('reports a program that does not exist', async () => {
    const { reason, message } = await failureOf(opened({}, '', 'no-such-ssh -v').run(nodeA, ['true']));
    expect({ reason, message }).toEqual({
      reason: 'unreachable',
      message: 'node-a: cannot start no-such-ssh: command not found',
    });
  });

  it.each([
    ['an unterminated quote', "ssh -F 'x", {}],
    ['an empty command', ' ', {}],
    ['a password from standard input', 'ssh', { askPassword: true }],
  ])('refuses %s', (_, command, more) => {
    expect(() => opened(more, '', command)).toThrow(UsageError);
  });

  it('ends a running command when the transport is closed', async () => {
    const time = `9202.${process.pid}`;
    const exec = opened();
    const [running] = await sleeping(exec, time);
    await exec.close();
    expect((await running).reason).toBe('broken');
    await until(() => !isRunning(`sleep ${time}`), 'the command is gone');
  });
});
