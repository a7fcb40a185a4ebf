// Logging in over the built-in SSH client: keys, agents, users, passwords, sudo; with a real sshd.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSsh } from '../../../src/node-exec/ssh/open-ssh.ts';
import type { SshSettings } from '../../../src/node-exec/ssh/settings.ts';
import { UsageError } from '../../../src/world/errors.ts';
import { describeWithPrograms, programPath } from '../../support/program/parts.ts';
import { until } from '../../support/program/until.ts';
import { testWorld } from '../../support/program/world.ts';
import { failureOf, nodeA, type SshHome, settingsFor, sshHome } from '../../support/servers/ssh-world.ts';
import { makeKey, plainUser, rootByAnotherName, type Sshd, sshFolder, startSshd } from '../../support/servers/sshd.ts';

describeWithPrograms('login by SSH', ['sshd', 'ssh-keygen', 'ssh-agent', 'ssh-add', 'unshare'], () => {
  let keys: { readonly good: string; readonly other: string; readonly locked: string; readonly rsa: string };
  let sshd: Sshd;
  let agent: { readonly socket: string; stop(): void };

  beforeAll(async () => {
    const folder = sshFolder();
    keys = {
      good: makeKey(folder, 'good'),
      other: makeKey(folder, 'other'),
      locked: makeKey(folder, 'locked', 'ed25519', 'a passphrase'),
      rsa: makeKey(folder, 'rsa', 'rsa'),
    };
    sshd = await startSshd({ authorized: [keys.good, keys.locked, keys.rsa] });
    agent = await startAgent(folder);
  });
  afterAll(async () => {
    agent?.stop();
    await sshd?.stop();
  });

  async function idOn(server: Sshd, home: SshHome, settings: SshSettings): Promise<string> {
    home.write('.ssh/known_hosts', server.knownHosts);
    const exec = openSsh(settings, home.world);
    try {
      return (await exec.run(nodeA, ['id', '-u'])).stdout;
    } finally {
      await exec.close();
    }
  }
  const idWith = (home: SshHome, key: string | undefined, more: SshSettings = {}) =>
    idOn(sshd, home, settingsFor(sshd, key, more));

  it.each(['good', 'rsa'] as const)('logs in with the key that is named (%s)', async (name) => {
    expect(await idWith(sshHome(), keys[name])).toBe('0\n');
  });

  it('logs in with a default key when none is named', async () => {
    const home = sshHome();
    copyFileSync(keys.good, join(home.path, '.ssh/id_ed25519'));
    expect(await idWith(home, undefined)).toBe('0\n');
  });

  it('logs in with the key and the user of ssh_config', async () => {
    const home = sshHome();
    home.write('.ssh/config', `Host 127.0.0.1\n  User root\n  IdentityFile ${keys.good}\n`);
    expect(await idWith(home, undefined, { user: undefined })).toBe('0\n');
  });

  it('offers the next key when one is rejected', async () => {
    expect(await idWith(sshHome(), undefined, { keys: [keys.other, keys.good] })).toBe('0\n');
  });

  describe('with an agent', () => {
    const home = () => sshHome({ SSH_AUTH_SOCK: agent.socket });

    it('logs in with a key of the agent', async () => {
      agentAdd(agent.socket, keys.good);
      expect(await idWith(home(), undefined)).toBe('0\n');
    });

    it('with IdentitiesOnly, uses only the key of the agent that a public key file names', async () => {
      agentAdd(agent.socket, keys.other, keys.rsa);
      const at = home();
      copyFileSync(`${keys.rsa}.pub`, join(at.path, 'rsa.pub'));
      at.write('.ssh/config', 'Host *\n  IdentitiesOnly yes\n  IdentityFile ~/rsa\n');
      expect(await idWith(at, undefined)).toBe('0\n');

      copyFileSync(`${keys.other}.pub`, join(at.path, 'other.pub'));
      at.write('.ssh/config', 'Host *\n  IdentitiesOnly yes\n  IdentityFile ~/other\n');
      const { reason, message } = await failureOf(idWith(at, undefined));
      expect(reason).toBe('unauthorized');
      expect(message).toContain('other (agent)');
      expect(message).not.toContain('ssh-agent key');
    });

    it('logs in with a key file when the agent is not running', async () => {
      expect(await idWith(sshHome({ SSH_AUTH_SOCK: '/dev/null/nowhere' }), keys.good)).toBe('0\n');
    });

    it('logs in with a key file when the agent does not reply, and does not wait for it on close', async () => {
      const socket = join(sshFolder(), 'silent');
      const silent = createServer().listen(socket);
      await once(silent, 'listening');
      const home = sshHome({ SSH_AUTH_SOCK: socket });
      expect(await idWith(home, keys.good)).toBe('0\n');
      const exec = openSsh(settingsFor(sshd, keys.good), home.world);
      expect((await failureOf(exec.run(nodeA, ['id'], { timeoutMs: 300 }))).reason).toBe('timeout');
      const began = performance.now();
      await exec.close();
      expect(performance.now() - began).toBeLessThan(1500);
      silent.close();
    });
  });

  it('reports the rejected keys and the accepted methods when no key is accepted', async () => {
    const { reason, message, hint } = await failureOf(idWith(sshHome(), keys.other));
    expect(reason).toBe('unauthorized');
    expect(message).toBe(
      `node-a: 127.0.0.1 port ${sshd.port}: permission denied for root (rejected: key ${keys.other}; accepted methods: publickey)`,
    );
    expect(hint).toContain('--ssh-key');
  });

  it('reports the user that was denied', async () => {
    const { reason, message } = await failureOf(idWith(sshHome(), keys.good, { user: 'nobody-at-all' }));
    expect(reason).toBe('unauthorized');
    expect(message).toContain('permission denied for nobody-at-all');
  });

  it('reports that there is no key to log in with', async () => {
    expect((await failureOf(idWith(sshHome(), undefined))).message).toContain(
      '(nothing to log in with; accepted methods: publickey)',
    );
  });

  it.each([
    ['has a passphrase', () => keys.locked, 'it has a passphrase; add it to ssh-agent'],
    ['is a public key', () => `${keys.good}.pub`, 'only a public key'],
    ['is missing', () => '/dev/null/nowhere', 'not a directory'],
    ['is not a key', () => '/etc/passwd', 'not a readable private key'],
  ])('reports a key file that %s, without showing the key', async (_, path, why) => {
    const { reason, message } = await failureOf(idWith(sshHome(), path()));
    expect(reason).toBe('unauthorized');
    expect(message).toContain(`not usable: key ${path()} (${why})`);
    expect(message).not.toMatch(/BEGIN|AAAA/);
  });

  describe('by password', () => {
    let server: Sshd;
    beforeAll(async () => {
      const passwordHash = execFileSync('openssl', ['passwd', '-6', 'open sesame'], { encoding: 'utf8' }).trim();
      server = await startSshd({ authorized: [], passwordHash, config: ['PasswordAuthentication yes'] });
    });
    afterAll(() => server?.stop());
    const settings = (more: SshSettings) => settingsFor(server, undefined, { user: rootByAnotherName, ...more });

    it('reads the password from standard input with --ssh-ask-password', async () => {
      expect(await idOn(server, sshHome({}, 'open sesame\nrest'), settings({ askPassword: true }))).toBe('0\n');
    });

    it('does not read a password without --ssh-ask-password', async () => {
      const { reason, message } = await failureOf(idOn(server, sshHome({}, 'open sesame\n'), settings({})));
      expect({ reason, takesPassword: message.includes('password') }).toEqual({
        reason: 'unauthorized',
        takesPassword: true,
      });
    });

    it('does not show a wrong password', async () => {
      const { message } = await failureOf(idOn(server, sshHome({}, 'wr0ng\n'), settings({ askPassword: true })));
      expect(message).toContain('rejected: the password');
      expect(message).not.toContain('wr0ng');
    });

    it('does not read a password from a terminal', () => {
      expect(() => openSsh(settings({ askPassword: true }), testWorld({ terminal: true }))).toThrow(UsageError);
    });
  });

  describe('as a user who is not root', () => {
    const folders: string[] = [];
    afterAll(() => {
      for (const folder of folders) rmSync(folder, { recursive: true });
    });

    /** A folder that the user can read, with a few programs of this machine. */
    function programs(...names: string[]): string {
      const folder = mkdtempSync(join(tmpdir(), 'calictl-ssh-path-'));
      folders.push(folder);
      chmodSync(folder, 0o755);
      for (const name of names) symlinkSync(programPath(name) ?? name, join(folder, name));
      return folder;
    }

    async function idAsPlainUser(config: string[], files: Record<string, string> = {}): Promise<string> {
      const server = await startSshd({ authorized: [keys.good], config, files });
      try {
        return await idOn(server, sshHome(), settingsFor(server, keys.good, { user: plainUser }));
      } finally {
        await server.stop();
      }
    }

    it('reports that sudo is not installed', async () => {
      const { reason, message, hint } = await failureOf(idAsPlainUser([`SetEnv PATH=${programs('sh', 'id')}`]));
      expect(reason).toBe('unauthorized');
      expect(message).toMatch(
        /^node-a: 127\.0\.0\.1 port \d+: logged in, but cannot become root: .* sudo is not installed$/,
      );
      expect(hint).toContain('--ssh-user root');
    });

    it('reports the message of sudo when it refuses', async () => {
      const folder = programs('sh', 'id');
      writeFileSync(join(folder, 'sudo'), '#!/bin/sh\necho "sudo: a password is required" >&2\nexit 1\n', {
        mode: 0o755,
      });
      const { reason, message } = await failureOf(idAsPlainUser([`SetEnv PATH=${folder}`]));
      expect({ reason, message }).toEqual({
        reason: 'unauthorized',
        message: expect.stringContaining('cannot become root: sudo: a password is required'),
      });
    });

    describe.skipIf(programPath('sudo') === undefined)('with the real sudo', () => {
      it('reports the message of the real sudo when it refuses', async () => {
        const { reason, message } = await failureOf(idAsPlainUser([], { '/etc/sudoers': 'root ALL=(ALL) ALL\n' }));
        expect(reason).toBe('unauthorized');
        expect(message).toContain('cannot become root: sudo: ');
      });

      it('becomes root with the real sudo, which resets PATH and the environment', async () => {
        const sudoers = `Defaults env_reset, use_pty\nDefaults secure_path="/usr/bin:/bin"\n${plainUser} ALL=(ALL) NOPASSWD: ALL\n`;
        expect(await idAsPlainUser([], { '/etc/sudoers': sudoers })).toBe('0\n');
      });
    });
  });

  it('does not use sudo for root under another name', async () => {
    expect(await idWith(sshHome(), keys.good, { user: rootByAnotherName })).toBe('0\n');
  });

  it.each([
    [
      'a login shell that runs no commands',
      'echo This account is currently not available.; exit 1',
      'currently not available',
    ],
    ['a login shell that exits silently', 'exit 3', 'the login shell exited with code 3'],
  ])('reports %s', async (_, command, reported) => {
    const server = await startSshd({ authorized: [keys.good], config: [`ForceCommand ${command}`] });
    const { reason, message } = await failureOf(idOn(server, sshHome(), settingsFor(server, keys.good)));
    expect(reason).toBe('unauthorized');
    expect(message).toContain('logged in, but cannot run a command: ');
    expect(message).toContain(reported);
    await server.stop();
  });

  it('drops what the login shell prints before the command', async () => {
    const noise = 'echo welcome; echo beware >&2; eval "$SSH_ORIGINAL_COMMAND"';
    const server = await startSshd({ authorized: [keys.good], config: [`ForceCommand ${noise}`] });
    const home = sshHome();
    home.write('.ssh/known_hosts', server.knownHosts);
    const exec = openSsh(settingsFor(server, keys.good), home.world);
    const { stdout, stderr } = await exec.run(nodeA, ['sh', '-c', 'echo out; echo err >&2']);
    expect({ stdout, stderr }).toEqual({ stdout: 'out\n', stderr: 'err\n' });
    await exec.close();
    await server.stop();
  });
});

async function startAgent(folder: string): Promise<{ readonly socket: string; stop(): void }> {
  const socket = join(folder, 'agent');
  const child = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
  writeFileSync(join(folder, 'agent.pid'), String(child.pid));
  await until(() => {
    try {
      execFileSync('ssh-add', ['-l'], {
        env: { SSH_AUTH_SOCK: socket, PATH: process.env['PATH'] ?? '' },
        stdio: 'ignore',
      });
    } catch (error) {
      // 1: the agent replies, and has no key yet.
      return (error as { status?: number }).status === 1;
    }
    return true;
  }, 'ssh-agent replies');
  return { socket, stop: () => void child.kill() };
}

/** Gives the agent exactly these keys. */
function agentAdd(socket: string, ...paths: string[]): void {
  const env = { SSH_AUTH_SOCK: socket, PATH: process.env['PATH'] ?? '' };
  execFileSync('ssh-add', ['-D'], { env, stdio: 'ignore' });
  execFileSync('ssh-add', paths, { env, stdio: 'ignore' });
}
