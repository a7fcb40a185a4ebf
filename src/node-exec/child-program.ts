// A program of this machine, started without a shell: its output capped, its end by deadline or Ctrl-C certain.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock, World } from '../world/world.ts';
import { ByteCap } from './byte-cap.ts';
import {
  type CommandResult,
  defaultMaxBytes,
  defaultTimeoutMs,
  type RunOptions,
  type StreamOptions,
  TransportError,
} from './node-exec.ts';
import { exitOfSignal } from './signal-exit.ts';

/** What starting a program here needs of the world. */
export interface ChildWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'now'>;
  readonly signalGroup: World['signalGroup'];
}

interface Exit {
  readonly exit: number;
  /** Set when the program could not be started. */
  readonly why?: string;
}

/** Node's own answer to a program that cannot be started, as a shell would say it. */
function notStarted(error: NodeJS.ErrnoException, program: string): Exit {
  const why = error.code === 'ENOENT' ? 'not found' : error.code === 'EACCES' ? 'permission denied' : error.message;
  return { exit: error.code === 'ENOENT' ? 127 : 126, why: `${program}: ${why}\n` };
}

/**
 * Starts the program and resolves at its end. When `stop` is aborted it gets SIGINT, and SIGKILL a second later. Then what
 * it started ends with it, and what that keeps open (in a group of its own) is not waited for.
 */
function runChild(
  argv: readonly string[],
  world: ChildWorld,
  options: { readonly stdin?: string | undefined; readonly stop: AbortSignal },
  onStdout: (bytes: Buffer, child: ChildProcess) => void,
  onStderr: (bytes: Buffer, child: ChildProcess) => void,
): Promise<Exit> {
  const [program = '', ...args] = argv;
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        env: { ...world.env },
        stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
        // A group of its own, which ends as one.
        detached: true,
      });
    } catch (error) {
      // A program name with a NUL byte, or none at all.
      resolve({ exit: 126, why: error instanceof Error ? error.message : String(error) });
      return;
    }
    let ended: Exit | undefined;
    let killTimer: NodeJS.Timeout | undefined;
    const { pid } = child;
    const stop = (): void => {
      if (pid === undefined) return;
      if (ended !== undefined) {
        finish(ended);
        return;
      }
      world.signalGroup(pid, 'SIGINT');
      killTimer = setTimeout(() => world.signalGroup(pid, 'SIGKILL'), 1000);
    };
    const finish = (exit: Exit): void => {
      clearTimeout(killTimer);
      // A shell's background commands do not hear SIGINT.
      if (options.stop.aborted && pid !== undefined) world.signalGroup(pid, 'SIGKILL');
      options.stop.removeEventListener('abort', stop);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(exit);
    };
    child.on('error', (error) => finish(notStarted(error, program)));
    child.on('exit', (code, signal) => {
      ended = { exit: code ?? exitOfSignal(signal ?? '') };
      // What it printed last may still be in the pipes; a child of its own that keeps them open does not hold us up.
      if (options.stop.aborted) finish(ended);
    });
    child.on('close', () => finish(ended ?? { exit: 1 }));
    child.stdout?.on('data', (bytes: Buffer) => onStdout(bytes, child));
    child.stderr?.on('data', (bytes: Buffer) => onStderr(bytes, child));
    // A program that does not read its input closes it: no error of ours.
    child.stdin?.on('error', () => undefined).end(options.stdin);
    if (options.stop.aborted) stop();
    else options.stop.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Runs a program to its end. `where` names the node for errors.
 * Errors: TransportError when the time was up or the caller's signal was aborted; the program is ended then.
 */
export async function runProgram(
  argv: readonly string[],
  where: string,
  world: ChildWorld,
  options: RunOptions = {},
): Promise<CommandResult> {
  const { timeoutMs = defaultTimeoutMs, maxBytes = defaultMaxBytes, signal, stdin } = options;
  const began = world.clock.now().getTime();
  const deadline = AbortSignal.timeout(Math.ceil(timeoutMs));
  const [stdout, stderr] = [new ByteCap(maxBytes), new ByteCap(maxBytes)];
  const { exit, why } = await runChild(
    argv,
    world,
    { stdin, stop: signal === undefined ? deadline : AbortSignal.any([signal, deadline]) },
    (bytes) => stdout.add(bytes),
    (bytes) => stderr.add(bytes),
  );
  if (signal?.aborted) throw cancelled(where);
  if (deadline.aborted) throw timedOut(where, argv, timeoutMs);
  return {
    exit,
    stdout: stdout.text(),
    stderr: why ?? stderr.text(),
    durationMs: world.clock.now().getTime() - began,
    truncated: stdout.truncated || stderr.truncated,
  };
}

/**
 * Passes the program's output on as it comes, and holds it back while the taker is busy. Answers its exit code.
 * Errors: what a taker throws; the program is ended then.
 */
export async function streamProgram(
  argv: readonly string[],
  world: ChildWorld,
  options: StreamOptions,
): Promise<number> {
  const failed = new AbortController();
  const stop = options.signal === undefined ? failed.signal : AbortSignal.any([options.signal, failed.signal]);
  const passOn =
    (take: (bytes: Uint8Array) => Promise<void> | void, name: 'stdout' | 'stderr') =>
    (bytes: Buffer, child: ChildProcess): void => {
      const taken = take(bytes);
      if (taken === undefined) return;
      child[name]?.pause();
      const resume = (): unknown => child[name]?.resume();
      taken.then(resume, (cause: unknown) => failed.abort(cause));
    };
  const { exit, why } = await runChild(
    argv,
    world,
    { stop },
    passOn(options.onStdout, 'stdout'),
    passOn(options.onStderr, 'stderr'),
  );
  failed.signal.throwIfAborted();
  if (why !== undefined) await options.onStderr(Buffer.from(why));
  return exit;
}

/** For a call that was stopped by its signal. */
export function cancelled(where: string): TransportError {
  return new TransportError('cancelled', `stopped while ${where} was asked`);
}

/** For a call that was not done by its deadline. */
export function timedOut(where: string, argv: readonly string[], timeoutMs: number): TransportError {
  return new TransportError('timeout', `${where}: no answer from ${argv[0] ?? ''} within ${timeoutMs / 1000} seconds`, {
    hint: 'Give it more time with --timeout, or look at what keeps the node busy.',
  });
}
