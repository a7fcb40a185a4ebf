// Nodes by the system's own ssh, or by a program that takes the same words: it reads all of ssh_config by itself.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { UsageError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import type { NodeExec, NodeTarget } from '../node-exec.ts';
import { splitWords } from '../shell-quote.ts';
import { givenPath, readConfigFiles } from './config-files.ts';
import { loginShellExec } from './login-shell-exec.ts';
import { failureFromMessages } from './openssh-messages.ts';
import type { Ended, RemoteProcess } from './remote-program.ts';
import type { SshSettings } from './settings.ts';
import { SshFailure } from './ssh-failure.ts';
import { type HostSpec, hostSpecOf } from './ssh-host.ts';

export type SshCommandWorld = Pick<World, 'env' | 'cwd' | 'platform' | 'clock' | 'random'>;

/** The last of its words that are kept: they say why it failed. */
const maxWords = 8 * 1024;

/**
 * `command` is the program and its first arguments, as words of a shell. It is started without one.
 * Errors: UsageError for no command, a quote that does not end, an ssh_config that cannot be read, or a password wanted.
 */
export function openSshCommand(command: string, settings: SshSettings, world: SshCommandWorld): NodeExec {
  const words = splitWords(command);
  if (words.length === 0)
    throw new UsageError('--ssh-command names no program', "write it like --ssh-command 'ssh -F file'");
  if (settings.askPassword) {
    throw new UsageError(
      '--ssh-ask-password does not go with --ssh-command',
      'that program asks for what it needs itself',
    );
  }
  const configFile = settings.configFile ?? optionOf(words, '-F');
  const entries = readConfigFiles({ ...settings, configFile }, world);
  const hostOf = (node: NodeTarget): HostSpec => hostSpecOf(node, entries, settings);
  const running = new Set<RemoteProcess>();

  return loginShellExec(
    {
      description: `${words[0]}${settings.user === undefined ? '' : ` as ${settings.user}`}`,
      placeOf: (node) => placeOf(hostOf(node)),
      async start(node, commandLine, signal) {
        signal.throwIfAborted();
        const host = hostOf(node);
        const argv = [...words, ...optionsOf(settings, host, world), host.host, '--', commandLine];
        const remote = startSsh(argv, placeOf(host), world);
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

const placeOf = ({ host, port }: HostSpec): string => (port === undefined ? host : `${host} port ${port}`);

/** The value of an option among the words: `-F file` or `-Ffile`. */
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

function startSsh(argv: readonly string[], place: string, world: SshCommandWorld): RemoteProcess {
  const [program = '', ...args] = argv;
  let child: ChildProcessWithoutNullStreams;
  try {
    // A group of its own: Ctrl-C is for us, and told to the node in our own way.
    child = spawn(program, args, { env: { ...world.env, LC_ALL: 'C' }, cwd: world.cwd, detached: true });
  } catch (error) {
    throw notStarted(program, error);
  }
  let said = '';
  let dropped = false;
  child.stderr.on('data', (bytes: Buffer) => {
    said = (said + bytes.toString('utf8')).slice(-maxWords);
  });
  // Writing to a command that is gone.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (error) => resolve({ exit: undefined, failure: notStarted(program, error) }));
    child.once('close', (code) => {
      // ssh itself was ended, or ends with 255 as a command may.
      const exit = dropped ? undefined : (code ?? undefined);
      const failure = dropped
        ? new SshFailure('broken', `${place}: the connection was ended`)
        : exit === undefined || exit === 255
          ? failureFromMessages(said, place)
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
  const why = code === 'ENOENT' ? 'there is no such program' : code === 'EACCES' ? 'permission denied' : String(error);
  return new SshFailure('unreachable', `cannot start ${program}: ${why}`, 'Name another with --ssh-command.');
}
