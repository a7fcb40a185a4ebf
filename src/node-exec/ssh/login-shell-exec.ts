// NodeExec over anything that starts a command line in a node's login shell: the same for our own SSH and the system's.
import type { Readable } from 'node:stream';
import { UsageError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { cancelled, timedOut } from '../child-program.ts';
import {
  type CommandResult,
  defaultMaxBytes,
  defaultTimeoutMs,
  type NodeExec,
  type NodeTarget,
  type RunOptions,
  TransportError,
} from '../node-exec.ts';
import { parseSteps, stepsArgv } from '../steps-script.ts';
import { untilAborted } from '../until-aborted.ts';
import { remoteCommand } from './remote-command.ts';
import { type Collected, collect, type Ended, passOn, type RemoteProcess } from './remote-program.ts';
import { lastLine, SshFailure } from './ssh-failure.ts';
import { StartMarkerStream } from './start-marker-stream.ts';

export interface LoginShellAccess {
  readonly description: string;
  /** Where the node is, for people. Errors: SshFailure. */
  placeOf(node: NodeTarget): string;
  /**
   * Starts a command line in the node's login shell, when it is its turn. Gives up when the signal is aborted.
   * Errors: SshFailure.
   */
  start(node: NodeTarget, commandLine: string, signal: AbortSignal): Promise<RemoteProcess>;
  close(): Promise<void>;
}

/** How long a program may take to end after it was told to; the node does it in less. */
const endMs = 10_000;

interface Running {
  readonly remote: RemoteProcess;
  readonly stdout: StartMarkerStream;
  readonly stderr: StartMarkerStream;
  /** It has ended, and all that it printed has come through. */
  readonly done: Promise<Ended>;
}

/** What was seen of a command until it ended, or until nobody waited any more. */
interface Seen {
  readonly collected: Collected | undefined;
  readonly durationMs: number;
  readonly outcome: { readonly exit: number } | { readonly error: TransportError };
}

/** The way to nodes over such an access; closing it closes the access. */
export function loginShellExec(access: LoginShellAccess, world: Pick<World, 'clock' | 'random'>): NodeExec {
  const marker = `calictl-${world.random.uuid()}`;

  async function start(
    node: NodeTarget,
    argv: readonly string[],
    input: Buffer | 'none',
    signal: AbortSignal,
  ): Promise<Running> {
    const line = remoteCommand(argv, { marker, input: typeof input === 'string' ? input : input.length });
    const remote = await untilAborted(access.start(node, line, signal), signal, (late) => late.drop());
    if (typeof input !== 'string') remote.stdin.write(input);
    const [stdout, stderr] = [new StartMarkerStream(marker), new StartMarkerStream(marker)];
    const through = [passed(remote.stdout, stdout), passed(remote.stderr, stderr)];
    const done = Promise.all([remote.ended, ...through]).then(([ended]) => ended);
    return { remote, stdout, stderr, done };
  }

  async function seen(
    node: NodeTarget,
    argv: readonly string[],
    input: Buffer | 'none',
    options: RunOptions,
  ): Promise<Seen> {
    const { timeoutMs = defaultTimeoutMs, maxBytes = defaultMaxBytes } = options;
    checkArgv(argv);
    const began = world.clock.now().getTime();
    const deadline = AbortSignal.timeout(Math.ceil(timeoutMs));
    const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
    let collected: Collected | undefined;
    let running: Running | undefined;
    const answer = (outcome: Seen['outcome']): Seen => ({
      collected,
      durationMs: world.clock.now().getTime() - began,
      outcome,
    });
    try {
      signal.throwIfAborted();
      running = await start(node, argv, input, signal);
      collected = collect(running, maxBytes);
      return answer({ exit: exitOf(await untilAborted(running.done, signal), running, access.placeOf(node)) });
    } catch (error) {
      running?.remote.drop();
      if (options.signal?.aborted) return answer({ error: cancelled(node.name) });
      if (deadline.aborted) return answer({ error: timedOut(whereOf(access, node), argv, timeoutMs) });
      if (error instanceof SshFailure) return answer({ error: error.on(node.name) });
      throw error;
    }
  }

  return {
    transport: 'ssh',
    description: access.description,

    async run(node, argv, options = {}) {
      const { outcome, ...rest } = await seen(
        node,
        argv,
        options.stdin === undefined ? 'none' : Buffer.from(options.stdin),
        options,
      );
      if ('error' in outcome) throw outcome.error;
      return resultOf(outcome.exit, rest);
    },

    async runSteps(node, steps, options = {}) {
      for (const { argv } of steps) checkArgv(argv);
      const mark = world.random.uuid().replaceAll('-', '');
      const { outcome, ...rest } = await seen(node, stepsArgv(mark, steps), 'none', options);
      const unfinished = 'error' in outcome ? outcome.error : endedEarly(access, node, outcome.exit, rest.collected);
      return parseSteps(mark, steps, resultOf(0, rest), unfinished);
    },

    async stream(node, argv, options) {
      checkArgv(argv);
      const { signal = new AbortController().signal } = options;
      let running: Running | undefined;
      try {
        signal.throwIfAborted();
        running = await start(node, argv, 'none', signal);
        return exitOf(await streamed(running, options, signal), running, access.placeOf(node));
      } catch (error) {
        running?.remote.drop();
        if (signal.aborted && running === undefined) throw cancelled(node.name);
        throw error instanceof SshFailure ? error.on(node.name) : error;
      }
    },

    close: () => access.close(),
  };
}

/** Pipes one into the other; resolves when all is through. */
function passed(source: Readable, target: StartMarkerStream): Promise<void> {
  source.pipe(target);
  // A source that was let go of has no end to pass on.
  source.once('close', () => target.end());
  return new Promise((resolve) => void target.once('end', resolve));
}

/** Passes the streams on until the end; when the signal is aborted, the end of the input tells the node to stop it. */
async function streamed(
  running: Running,
  options: Parameters<NodeExec['stream']>[2],
  signal: AbortSignal,
): Promise<Ended> {
  const { remote, stdout, stderr, done } = running;
  let late: NodeJS.Timeout | undefined;
  const stop = (): void => {
    remote.stdin.end();
    late = setTimeout(() => remote.drop(), endMs);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    const taken = Promise.all([
      passOn(stdout, (bytes) => options.onStdout(bytes)),
      passOn(stderr, (bytes) => options.onStderr(bytes)),
    ]);
    const [ended] = await Promise.all([done, taken]);
    return ended;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
  }
}

/** Errors: SshFailure when the command was not started, or nobody knows how it ended. */
function exitOf({ exit, failure }: Ended, { stdout, stderr }: Running, place: string): number {
  const started = stderr.seen;
  // A command that was started may say whatever ssh says; of its connection only the break is left to tell.
  if (started && exit !== undefined && failure?.reason !== 'broken') return exit;
  if (failure !== undefined) throw failure;
  const words = lastLine(stderr.before) ?? lastLine(stdout.before);
  if (words !== undefined && /\bsudo\b/.test(words)) {
    throw new SshFailure(
      'unauthorized',
      `${place} lets us in, but not as root: ${words}`,
      'Log in as root (--ssh-user root), or let the user become root without a password (NOPASSWD in sudoers).',
    );
  }
  throw new SshFailure(
    'unauthorized',
    `${place} lets us in, but starts no command: ${words ?? `its login shell ended with ${exit}`}`,
    'The user needs a POSIX shell as login shell there: name another user with --ssh-user.',
  );
}

function resultOf(exit: number, { collected, durationMs }: Omit<Seen, 'outcome'>): CommandResult {
  return {
    exit,
    stdout: collected?.stdout.text() ?? '',
    stderr: collected?.stderr.text() ?? '',
    durationMs,
    truncated: collected !== undefined && (collected.stdout.truncated || collected.stderr.truncated),
  };
}

/** For steps whose end is not in what was printed, although the shell that runs them ended. */
function endedEarly(
  access: LoginShellAccess,
  node: NodeTarget,
  exit: number,
  collected: Collected | undefined,
): TransportError {
  const where = whereOf(access, node);
  return collected?.stdout.truncated || collected?.stderr.truncated
    ? new TransportError('broken', `${where}: it printed more than is kept`, { hint: 'Ask for less at once.' })
    : new TransportError('broken', `${where}: the shell that ran the commands ended with ${exit}`);
}

function whereOf(access: LoginShellAccess, node: NodeTarget): string {
  try {
    return `${node.name} (${access.placeOf(node)})`;
  } catch {
    // Nothing says where it is, and that was said already.
    return node.name;
  }
}

/** Errors: UsageError for what cannot be started over a shell. */
function checkArgv(argv: readonly string[]): void {
  const [program = ''] = argv;
  if (program === '') throw new UsageError('the command names no program');
  if (program.startsWith('-')) throw new UsageError(`a program cannot be named ${program}`, 'name its path: ./-x');
  if (argv.some((word) => word.includes('\0'))) {
    throw new UsageError('an argument has a NUL byte in it', 'leave it out');
  }
}
