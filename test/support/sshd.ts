// A real sshd on a free port of this machine, with keys of its own in a folder of its own. Needs root.
// It runs in a mount namespace, so that it can have users that the machine does not have.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { inject } from 'vitest';
import { programPath } from './parts.ts';
import { endProcess } from './real-parts.ts';
import { until } from './until.ts';

export interface SshdOptions {
  /** Files of public keys that may log in. */
  readonly authorized: readonly string[];
  /** `ed25519` when absent. */
  readonly hostKeys?: readonly string[];
  /** Address it listens on; 127.0.0.1 when absent. */
  readonly address?: string;
  /** More lines of sshd_config, which come first and so count. */
  readonly config?: readonly string[];
  /** Uses these files as its host keys in place of new ones. */
  readonly hostKeyFiles?: readonly string[];
}

export interface Sshd {
  readonly address: string;
  readonly port: number;
  readonly folder: string;
  /** Paths of the private host keys, `.pub` beside them. */
  readonly hostKeys: readonly string[];
  /** Lines of known_hosts for it. */
  readonly knownHosts: string;
  /** All that it logged. */
  log(): string;
  /** Ends it with all its sessions. */
  stop(): Promise<void>;
}

/** A user that only these servers know: may log in, is not root. */
export const plainUser = 'calictl-plain';

let made = 0;

/** A folder for keys and settings that goes away at the end of the run. */
export function sshFolder(): string {
  const folder = join(inject('partsRunFolder'), `ssh-${process.pid}-${++made}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Makes a key pair; answers the path of the private half. */
export function makeKey(folder: string, name: string, type = 'ed25519', passphrase = ''): string {
  const path = join(folder, name);
  const bits = type === 'rsa' ? ['-b', '2048'] : [];
  execFileSync('ssh-keygen', ['-q', '-t', type, ...bits, '-N', passphrase, '-C', name, '-f', path]);
  return path;
}

/** A line's key part: type and key, without the comment. */
export function publicKey(path: string): string {
  return readFileSync(`${path}.pub`, 'utf8').trim().split(' ').slice(0, 2).join(' ');
}

export async function startSshd(options: SshdOptions): Promise<Sshd> {
  const folder = sshFolder();
  const { address = '127.0.0.1' } = options;
  const port = await freePort(address);
  const hostKeys =
    options.hostKeyFiles ?? (options.hostKeys ?? ['ed25519']).map((type) => makeKey(folder, `host_${type}`, type));
  const authorized = join(folder, 'authorized_keys');
  writeFileSync(authorized, options.authorized.map((path) => `${publicKey(path)}\n`).join(''));
  // The plain user's login reads it too.
  chmodSync(authorized, 0o644);
  const passwd = join(folder, 'passwd');
  const line = `${plainUser}:x:64321:65534::/:/bin/sh`;
  writeFileSync(passwd, `${readFileSync('/etc/passwd', 'utf8').trimEnd()}\n${line}\n`);
  const shadow = join(folder, 'shadow');
  writeFileSync(shadow, `${readFileSync('/etc/shadow', 'utf8').trimEnd()}\n${plainUser}:*:20000::::::\n`);
  const config = join(folder, 'sshd_config');
  writeFileSync(
    config,
    [
      ...(options.config ?? []),
      `ListenAddress ${address.includes(':') ? `[${address}]` : address}:${port}`,
      ...hostKeys.map((path) => `HostKey ${path}`),
      `AuthorizedKeysFile ${authorized}`,
      `PidFile ${join(folder, 'sshd.pid')}`,
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin yes',
      'PasswordAuthentication no',
      'MaxStartups 100',
      'LogLevel VERBOSE',
      '',
    ].join('\n'),
  );
  // sshd wants it, and the package makes it only when it is started as a service.
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const logPath = join(folder, 'sshd.log');
  const log = openSync(logPath, 'w');
  const script = 'mount --bind "$1" /etc/passwd && mount --bind "$2" /etc/shadow && shift 2 && exec "$@"';
  const words = [programPath('sshd') ?? 'sshd', '-D', '-e', '-f', config];
  const child = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', passwd, shadow, ...words], {
    stdio: ['ignore', log, log],
    detached: true,
  });
  child.unref();
  writeFileSync(join(folder, 'unshare.pid'), String(child.pid));
  await until(() => readFileSync(logPath, 'utf8').includes('Server listening'), `sshd listens, see ${logPath}`).catch(
    (error: unknown) => {
      throw new Error(`${error}\n${readFileSync(logPath, 'utf8')}`);
    },
  );
  return {
    address,
    port,
    folder,
    hostKeys,
    knownHosts: hostKeys.map((path) => `[${address}]:${port} ${publicKey(path)}\n`).join(''),
    log: () => readFileSync(logPath, 'utf8'),
    stop: () => stopSshd(child, folder),
  };
}

async function stopSshd(child: ChildProcess, folder: string): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const gone = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
  // Its sessions end with their connections, which a child of sshd holds each.
  for (const session of childrenOf(pid)) process.kill(session, 'SIGKILL');
  endProcess(pid, folder);
  await gone;
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function freePort(address: string): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, address, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
