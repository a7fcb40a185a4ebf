// Nodes over the system's ssh, or a program that takes the same arguments; it reads all of ssh_config itself.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { UsageError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import type { NodeExec, NodeTarget } from '../node-exec.ts';
import { splitWords } from '../shell-quote.ts';
import { givenPath, readConfigFiles } from './config-files.ts';
import { loginShellExec } from './login-shell-exec.ts';
import { failureFromMessages } from './openssh-messages.ts';
import type { RemoteEnd, RemoteProcess } from './remote-process.ts';
import type { SshSettings } from './settings.ts';
import { SshFailure } from './ssh-failure.ts';
import { type HostSpec, hostLabel, hostSpecOf } from './ssh-host.ts';

export type SshCommandWorld = Pick<World, 'env' | 'cwd' | 'platform' | 'clock' | 'random'>;

/** How much of its last messages is kept, in characters: they say why it failed. */
const maxMessages = 8 * 1024;

/**
 * Opens the system's ssh as a transport. `command` is the program and its first arguments, quoted as for a shell; no shell
 * runs it.
 * Errors: UsageError for an empty command, an unterminated quote, an ssh_config that cannot be read or parsed, and
 * --ssh-ask-password.
 */
export function openSshCommand(command: string, settings: SshSettings, world: SshCommandWorld): NodeExec {
  const words = splitWords(command);
  if (words.length === 0) throw new UsageError('--ssh-command is empty', "for example: --ssh-command 'ssh -F file'");
  if (settings.askPassword) {
    throw new UsageError('--ssh-ask-password cannot be used with --ssh-command', 'that program logs in by itself');
  }
  const configFile = settings.configFile ?? optionOf(words, '-F');
  const entries = readConfigFiles({ ...settings, configFile }, world);
  const hostOf = (node: NodeTarget): HostSpec => hostSpecOf(node, entries, settings);
  const running = new Set<RemoteProcess>();

  return loginShellExec(
    {
      description: `${words[0]}${settings.user === undefined ? '' : ` as ${settings.user}`}`,
      hostLabel: (node) => specLabel(hostOf(node)),
      async start(node, commandLine, signal) {
        signal.throwIfAborted();
        const host = hostOf(node);
        const argv = [...words, ...optionsOf(settings, host, world), host.host, '--', commandLine];
        const remote = startSsh(argv, specLabel(host), world);
        running.add(remote);
        remote.ended.then(() => running.delete(remote));
        return remote;
      },
      async close() {
        const left = [...running];
        for (const remote of left) remote.drop();
        await Promise.all(left.map(({ ended }) => ended));
      },
    },
    world,
  );
}

const specLabel = ({ host, port }: HostSpec): string => hostLabel(host, port);

/** The value of an option of the command: `-F file` or `-Ffile`. */
function optionOf(words: readonly string[], option: string): string | undefined {
  const at = words.findIndex((word) => word.startsWith(option));
  if (at < 0) return undefined;
  return words[at] === option ? words[at + 1] : words[at]?.slice(option.length);
}

function optionsOf(settings: SshSettings, { user = settings.user, port }: HostSpec, world: SshCommandWorld): string[] {
  const { keys = [], configFile, knownHostsFile } = settings;
  return [
    ...['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=5'],
    ...(configFile === undefined ? [] : ['-F', configFile === 'none' ? configFile : givenPath(configFile, world)]),
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...keys.flatMap((key) => ['-i', givenPath(key, world)]),
    ...(knownHostsFile === undefined
      ? []
      : ['-o', `UserKnownHostsFile="${givenPath(knownHostsFile, world)}"`, '-o', 'GlobalKnownHostsFile=none']),
  ];
}

function startSsh(argv: readonly string[], label: string, world: SshCommandWorld): RemoteProcess {
  const [program = '', ...args] = argv;
  let child: ChildProcessWithoutNullStreams;
  try {
    // Its own process group: Ctrl-C must reach only this program, which then ends the command on the node.
    child = spawn(program, args, { env: { ...world.env, LC_ALL: 'C' }, cwd: world.cwd, detached: true });
  } catch (error) {
    throw notStarted(program, error);
  }
  let messages = '';
  let dropped = false;
  child.stderr.on('data', (bytes: Buffer) => {
    messages = (messages + bytes.toString('utf8')).slice(-maxMessages);
  });
  // Input for a command that has ended.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<RemoteEnd>((resolve) => {
    child.once('error', (error) => resolve({ exit: undefined, failure: notStarted(program, error) }));
    child.once('close', (code) => {
      // No exit code: ssh was killed. 255: ssh failed, or the command exited with 255.
      const exit = dropped ? undefined : (code ?? undefined);
      const failure = dropped
        ? new SshFailure('broken', `${label}: the connection was closed`)
        : exit === undefined || exit === 255
          ? failureFromMessages(messages, label)
          : undefined;
      resolve({ exit, failure });
    });
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    drop: () => {
      dropped = true;
      child.stdin.destroy();
      child.kill();
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

function notStarted(program: string, error: unknown): SshFailure {
  const code = (error as NodeJS.ErrnoException).code;
  const why = code === 'ENOENT' ? 'command not found' : code === 'EACCES' ? 'permission denied' : String(error);
  return new SshFailure('unreachable', `cannot start ${program}: ${why}`, 'Use another program with --ssh-command.');
}
