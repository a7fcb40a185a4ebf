// One command in a node's login shell: its start, its output after the marker lines, and its exit code.
import type { Readable } from 'node:stream';
import type { NodeTarget, StreamOptions } from '../node-exec.ts';
import { endOnAbort } from '../supervised.ts';
import { untilAborted } from '../until-aborted.ts';
import { remoteCommandLine } from './remote-command.ts';
import { passOn, type RemoteEnd, type RemoteProcess } from './remote-process.ts';
import { lastLine, SshFailure } from './ssh-failure.ts';
import { StartMarkerStream } from './start-marker-stream.ts';

/** What runs command lines in the login shells of nodes. */
export interface LoginShellAccess {
  readonly description: string;
  /** Label of the node's host, for messages. Errors: SshFailure. */
  hostLabel(node: NodeTarget): string;
  /**
   * Starts a command line in the node's login shell, when there is room for one more. Gives up when the signal is aborted.
   * Errors: SshFailure.
   */
  start(node: NodeTarget, commandLine: string, signal: AbortSignal): Promise<RemoteProcess>;
  close(): Promise<void>;
}

export interface LoginShellCommand {
  readonly remote: RemoteProcess;
  readonly stdout: StartMarkerStream;
  readonly stderr: StartMarkerStream;
  /** Resolves when the command has ended and all of its output has arrived. Never rejects. */
  readonly done: Promise<RemoteEnd>;
}

/**
 * Starts `argv` as root on the node. `marker` is a line that nothing else prints; `input` is what the command reads.
 * Errors: SshFailure; the reason of the signal; UsageError for an argument with a NUL byte.
 */
export async function startCommand(
  access: LoginShellAccess,
  marker: string,
  node: NodeTarget,
  argv: readonly string[],
  input: Buffer | 'none',
  signal: AbortSignal,
): Promise<LoginShellCommand> {
  const line = remoteCommandLine(argv, { marker, input: input === 'none' ? input : input.length });
  const remote = await untilAborted(access.start(node, line, signal), signal, (late) => late.drop());
  if (input !== 'none') remote.stdin.write(input);
  const [stdout, stderr] = [new StartMarkerStream(marker), new StartMarkerStream(marker)];
  const piped = [pipe(remote.stdout, stdout), pipe(remote.stderr, stderr)];
  const done = Promise.all([remote.ended, ...piped]).then(([ended]) => ended);
  return { remote, stdout, stderr, done };
}

/** Pipes one stream into the other; resolves when everything has passed. */
function pipe(source: Readable, target: StartMarkerStream): Promise<void> {
  source.pipe(target);
  // A destroyed source emits no `end`.
  source.once('close', () => target.end());
  return new Promise((resolve) => void target.once('end', resolve));
}

/**
 * Passes the output on until the command ends. When the signal is aborted, the end of its input makes the node end it.
 * Errors: what a receiver throws.
 */
export async function streamCommand(
  { remote, stdout, stderr, done }: LoginShellCommand,
  options: StreamOptions,
  signal: AbortSignal,
): Promise<RemoteEnd> {
  const release = endOnAbort(
    signal,
    () => remote.stdin.end(),
    () => remote.drop(),
  );
  try {
    const received = Promise.all([
      passOn(stdout, (bytes) => options.onStdout(bytes)),
      passOn(stderr, (bytes) => options.onStderr(bytes)),
    ]);
    const [ended] = await Promise.all([done, received]);
    return ended;
  } finally {
    release();
  }
}

/**
 * The exit code of a command that ended this way; `host` is the label of its host.
 * Errors: SshFailure when the command was not started, or its exit code is unknown.
 */
export function exitCodeOf({ exit, failure }: RemoteEnd, { stdout, stderr }: LoginShellCommand, host: string): number {
  // Once the command was started, messages that look like ssh's are the command's own; only a lost connection counts.
  if (stderr.started && exit !== undefined && failure?.reason !== 'broken') return exit;
  if (failure !== undefined) throw failure;
  const message = lastLine(stderr.before) ?? lastLine(stdout.before);
  if (message !== undefined && /\bsudo\b/.test(message)) {
    throw new SshFailure(
      'unauthorized',
      `${host}: logged in, but cannot become root: ${message}`,
      'Log in as root (--ssh-user root), or allow the user to run sudo without a password (NOPASSWD in sudoers).',
    );
  }
  throw new SshFailure(
    'unauthorized',
    `${host}: logged in, but cannot run a command: ${message ?? `the login shell exited with code ${exit}`}`,
    'The login shell must be a POSIX shell; to log in as another user: --ssh-user.',
  );
}
