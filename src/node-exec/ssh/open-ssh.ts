// Nodes by SSH, spoken by this program itself (package ssh2): keys, agent, jump hosts, and a check of every host key.
import type { Client, ClientChannel } from 'ssh2';
import { UsageError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import type { NodeExec, NodeTarget } from '../node-exec.ts';
import { exitOfSignal } from '../signal-exit.ts';
import { readConfigFiles } from './config-files.ts';
import type { Connections } from './connections.ts';
import { loginShellExec } from './login-shell-exec.ts';
import type { Ended, RemoteProcess } from './remote-program.ts';
import type { SshSettings } from './settings.ts';
import { SshFailure, tryAgain } from './ssh-failure.ts';
import { placeOf, type SshHost, sshHostOf } from './ssh-host.ts';

export type SshExecWorld = Pick<World, 'env' | 'cwd' | 'platform' | 'clock' | 'random' | 'io'>;

/** sshd's MaxSessions is 10; somebody else may use the connection's host as well, not the connection. */
const sessionsPerHost = 8;

/**
 * Reads the settings; nothing is connected yet.
 * Errors: UsageError for an ssh_config that cannot be read, or a password asked for where it would be seen.
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
    placeOf: (node: NodeTarget): string => placeOf(hostOf(node)),
    async start(node: NodeTarget, commandLine: string, signal: AbortSignal): Promise<RemoteProcess> {
      const host = hostOf(node);
      // The package is large: it is loaded when a host is really called.
      connections ??= import('./connections.ts').then((room) => new room.Connections(settings, world, password));
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

/** Lets so many in at once as sshd does. */
class Sessions {
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  /** Resolves, when there is room, to what says that one has left. */
  async enter(): Promise<() => void> {
    if (this.#inside >= sessionsPerHost) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inside += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside -= 1;
      else next();
    };
  }
}

function startOn(client: Client, host: SshHost, commandLine: string): Promise<RemoteProcess> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      reject(new SshFailure('broken', `${placeOf(host)} does not start a command: ${error.message}`, tryAgain));
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
  // Writing to a command that is gone.
  channel.on('error', () => undefined);
  const ended = new Promise<Ended>((resolve) => {
    const finish = (): void => {
      client.off('close', finish);
      const broken = new SshFailure('broken', `the connection to ${placeOf(host)} broke off`, tryAgain);
      resolve({ exit, failure: exit === undefined ? broken : undefined });
    };
    channel.once('close', finish);
    client.once('close', finish);
  });
  return { stdin: channel, stdout: channel, stderr: channel.stderr, ended, drop: () => channel.close() };
}

/** The password is read once, when the first host is called. */
function passwordOf(settings: SshSettings, { io }: SshExecWorld): () => Promise<string | undefined> {
  if (!settings.askPassword) return async () => undefined;
  if (io.stdin.isTerminal) {
    throw new UsageError(
      'a password that is typed here would be seen',
      'hand it over: read -rs P; printf \'%s\\n\' "$P" | calictl … --ssh-ask-password',
    );
  }
  let read: Promise<string | undefined> | undefined;
  return () => {
    read ??= io.stdin.readLine();
    return read;
  };
}
