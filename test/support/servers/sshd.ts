// A real sshd on a free port of this machine, with its own keys in its own folder. Needs root.
// It runs in a mount namespace, so that it can have users that the machine does not have.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { inject } from 'vitest';
import { endProcess } from '../program/global-setup.ts';
import { programPath } from '../program/parts.ts';
import { until } from '../program/until.ts';

export interface SshdOptions {
  /** Files of public keys that may log in. */
  readonly authorized: readonly string[];
  /** `ed25519` when absent. */
  readonly hostKeys?: readonly string[];
  /** Address it listens on; 127.0.0.1 when absent. */
  readonly address?: string;
  /** More lines of sshd_config, which come first and therefore take effect. */
  readonly config?: readonly string[];
  /** Files of private host keys to use in place of new ones. */
  readonly hostKeyFiles?: readonly string[];
  /** Port to listen on; a free one when absent. */
  readonly port?: number;
  /** Network namespace that it runs in. */
  readonly netns?: string;
  /** Files of the machine that its sessions see with other content: path to content. */
  readonly files?: Readonly<Record<string, string>>;
  /** The password hash of the users of these servers, as in /etc/shadow; none if absent. */
  readonly passwordHash?: string;
}

export interface Sshd {
  readonly address: string;
  readonly port: number;
  readonly folder: string;
  /** Paths of the private host keys; the public ones are next to them, with `.pub`. */
  readonly hostKeys: readonly string[];
  /** Lines of known_hosts for it. */
  readonly knownHosts: string;
  /** Everything that it has logged. */
  log(): string;
  /** The processes of its connections. */
  sessions(): number[];
  /** Ends it with all its connections. */
  stop(): Promise<void>;
}

/** Users that only these servers know: one is not root, one is root by another name. */
export const plainUser = 'calictl-plain';
export const rootByAnotherName = 'calictl-root';

let made = 0;

/** A folder for keys and settings that is removed at the end of the run. */
export function sshFolder(): string {
  const folder = join(inject('partsRunFolder'), `ssh-${process.pid}-${++made}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Makes a key pair and returns the path of the private key. */
export function makeKey(folder: string, name: string, type = 'ed25519', passphrase = ''): string {
  const path = join(folder, name);
  const bits = type === 'rsa' ? ['-b', '2048'] : [];
  execFileSync('ssh-keygen', ['-q', '-t', type, ...bits, '-N', passphrase, '-C', name, '-f', path]);
  return path;
}

/** The key in a line: type and key, without the comment. */
export function publicKey(path: string): string {
  return readFileSync(`${path}.pub`, 'utf8').trim().split(' ').slice(0, 2).join(' ');
}

export async function startSshd(options: SshdOptions): Promise<Sshd> {
  const folder = sshFolder();
  const { address = '127.0.0.1', port = await freePort(address) } = options;
  const hostKeys =
    options.hostKeyFiles ?? (options.hostKeys ?? ['ed25519']).map((type) => makeKey(folder, `host_${type}`, type));
  const authorized = join(folder, 'authorized_keys');
  writeFileSync(authorized, options.authorized.map((path) => `${publicKey(path)}\n`).join(''));
  const config = join(folder, 'sshd_config');
  writeFileSync(
    config,
    [
      ...(options.config ?? []),
      `ListenAddress ${address.includes(':') ? `[${address}]` : address}:${port}`,
      ...hostKeys.map((path) => `HostKey ${path}`),
      // Read as root: no other user can look into the folder.
      'AuthorizedKeysFile none',
      `AuthorizedKeysCommand ${programPath('cat')} ${authorized}`,
      'AuthorizedKeysCommandUser root',
      `PidFile ${join(folder, 'sshd.pid')}`,
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin yes',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'MaxStartups 100',
      'LogLevel VERBOSE',
      '',
    ].join('\n'),
  );
  // sshd wants it, and the package makes it only when it is started as a service.
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const logPath = join(folder, 'sshd.log');
  const log = openSync(logPath, 'w');
  const binds = Object.entries({ ...userFiles(options), ...options.files }).flatMap(([path, text], i) => {
    const copy = join(folder, `file-${i}`);
    writeFileSync(copy, text);
    // sudo requires this mode.
    chmodSync(copy, path === '/etc/sudoers' ? 0o440 : 0o644);
    return [copy, path];
  });
  const words = [programPath('sshd') ?? 'sshd', '-D', '-e', '-f', config];
  const inside = options.netns === undefined ? [] : ['nsenter', `--net=/run/netns/${options.netns}`, '--'];
  const argv = [...inside, 'unshare', '--mount', 'sh', '-c', bindScript, 'sh', ...binds, '--', ...words];
  const child = spawn(argv[0] ?? '', argv.slice(1), { stdio: ['ignore', log, log], detached: true });
  child.unref();
  writeFileSync(join(folder, 'child.pid'), String(child.pid));
  await until(() => readFileSync(logPath, 'utf8').includes('Server listening'), 'sshd listens').catch(
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
    sessions: () => (child.pid === undefined ? [] : childrenOf(child.pid)),
    stop: () => stopSshd(child, folder),
  };
}

/** Mounts each file over the path that follows it, then becomes sshd. */
const bindScript = 'while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit; shift 2; done; shift; exec "$@"';

/** The users of the machine, and those of these servers. */
function userFiles({ passwordHash = '*' }: SshdOptions): Record<string, string> {
  const with_ = (path: string, ...lines: string[]): string =>
    `${readFileSync(path, 'utf8').trimEnd()}\n${lines.join('\n')}\n`;
  return {
    '/etc/passwd': with_(
      '/etc/passwd',
      `${plainUser}:x:64321:65534::/:/bin/sh`,
      `${rootByAnotherName}:x:0:0::/:/bin/sh`,
    ),
    '/etc/shadow': with_(
      '/etc/shadow',
      ...[plainUser, rootByAnotherName].map((user) => `${user}:${passwordHash}:20000::::::`),
    ),
  };
}

async function stopSshd(child: ChildProcess, folder: string): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const gone = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
  // Its sessions end with their connections, each of which is held by a child of sshd.
  for (const session of childrenOf(pid)) {
    try {
      process.kill(session, 'SIGKILL');
    } catch {
      // It has ended by itself since it was listed.
    }
  }
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
