// Nodes over the built-in SSH client (package ssh2): keys, agent, jump hosts, and verification of every host key.
import type { Client, ClientChannel } from 'ssh2';
import { UsageError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import type { NodeExec, NodeTarget } from '../node-exec.ts';
import { exitOfSignal } from '../signal-exit.ts';
import { readConfigFiles } from './config-files.ts';
import type { Connections } from './connections.ts';
import { loginShellExec } from './login-shell-exec.ts';
import type { RemoteEnd, RemoteProcess } from './remote-process.ts';
import type { SshSettings } from './settings.ts';
import { brokenHint, SshFailure } from './ssh-failure.ts';
import { type SshHost, sshHostLabel, sshHostOf } from './ssh-host.ts';

export type SshExecWorld = Pick<World, 'env' | 'cwd' | 'platform' | 'clock' | 'random' | 'io'>;

/** Commands at once on one connection; sshd allows 10 by default (MaxSessions). */
const sessionsPerHost = 8;

/**
 * Opens SSH as a transport: reads the settings, but connects to nothing yet.
 * Errors: UsageError for an ssh_config that cannot be read or parsed, and for a password to be read from a terminal.
 */
export function openSsh(settings: SshSettings, world: SshExecWorld): NodeExec {
  const entries = readConfigFiles(settings, world);
  const password = passwordOf(settings, world);
  const hosts = new Map<string, SshHost>();
  const sessions = new Map<string, Sessions>();
  let connections: Promise<Connections> | undefined;

  function hostOf(node: NodeTarget): SshHost {
    const host = hosts.get(node.name) ?? sshHostOf(node, entries, settings, world);
    hosts.set(node.name, host);
    return host;
  }

  const access = {
    description: settings.user === undefined ? 'SSH' : `SSH as ${settings.user}`,
    hostLabel: (node: NodeTarget): string => sshHostLabel(hostOf(node)),
    async start(node: NodeTarget, commandLine: string, signal: AbortSignal): Promise<RemoteProcess> {
      const host = hostOf(node);
      // The package is large, so it is loaded only when it is needed.
      connections ??= import('./connections.ts').then((module) => new module.Connections(settings, world, password));
      const turn = sessions.get(node.name) ?? new Sessions();
      sessions.set(node.name, turn);
      const leave = await turn.enter();
      try {
        signal.throwIfAborted();
        const client = await (await connections).to(host);
        signal.throwIfAborted();
        const running = await startOn(client, host, commandLine);
        running.ended.then(leave);
        return running;
      } catch (error) {
        leave();
        throw error;
      }
    },
    async close(): Promise<void> {
      await (await connections)?.close();
    },
  };
  return loginShellExec(access, world);
}

/** Limits how many commands run at once. */
class Sessions {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when there is room, with the function that must be called at the end of the command. */
  async enter(): Promise<() => void> {
    if (this.#running >= sessionsPerHost) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    };
  }
}

function startOn(client: Client, host: SshHost, commandLine: string): Promise<RemoteProcess> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      reject(new SshFailure('broken', `${sshHostLabel(host)}: cannot start a command: ${error.message}`, brokenHint));
    };
    try {
      client.exec(commandLine, (error, channel) => (error ? failed(error) : resolve(processOf(channel, client, host))));
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

function processOf(channel: ClientChannel, client: Client, host: SshHost): RemoteProcess {
  let exit: number | undefined;
  channel.on('exit', (code: number | null, signal?: string) => {
    exit = code ?? exitOfSignal(signal ?? '');
  });
  // Input for a command that has ended.
  channel.on('error', () => undefined);
  const ended = new Promise<RemoteEnd>((resolve) => {
    const finish = (): void => {
      client.off('close', finish);
      const broken = new SshFailure('broken', `${sshHostLabel(host)}: the connection was lost`, brokenHint);
      resolve({ exit, failure: exit === undefined ? broken : undefined });
    };
    channel.once('close', finish);
    client.once('close', finish);
  });
  return { stdin: channel, stdout: channel, stderr: channel.stderr, ended, drop: () => channel.close() };
}

/** The password is read once, when the first host is connected to. */
function passwordOf(settings: SshSettings, { io }: SshExecWorld): () => Promise<string | undefined> {
  if (!settings.askPassword) return async () => undefined;
  if (io.stdin.isTerminal) {
    throw new UsageError(
      '--ssh-ask-password does not read from a terminal, which would show the password',
      'pipe it in: read -rs P; printf \'%s\\n\' "$P" | calictl … --ssh-ask-password',
    );
  }
  let read: Promise<string | undefined> | undefined;
  return () => {
    read ??= io.stdin.readLine();
    return read;
  };
}
