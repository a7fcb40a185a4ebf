// A program on this machine, started without a shell: its output is limited, and it ends at its deadline or on Ctrl-C.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock, World } from '../world/world.ts';
import { CapturedOutput } from './captured-output.ts';
import { startDeadline } from './deadline.ts';
import type { CommandResult, RunOptions, StreamOptions } from './node-exec.ts';
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

/** Exit code and message of a program that could not be started, as a shell would report them. */
function notStarted(error: NodeJS.ErrnoException, program: string): Exit {
  const why = error.code === 'ENOENT' ? 'not found' : error.code === 'EACCES' ? 'permission denied' : error.message;
  return { exit: error.code === 'ENOENT' ? 127 : 126, why: `${program}: ${why}\n` };
}

/**
 * Starts the program and resolves when it has ended. When `stop` is aborted it gets SIGINT, and SIGKILL a second later;
 * whatever it started is ended with it. A process that it left behind in another group, and that keeps the output open,
 * then does not delay the result.
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
        // Its own process group, so that the whole group can be ended.
        detached: true,
      });
    } catch (error) {
      // The program name is empty or contains a NUL byte.
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
      // Background commands of a shell ignore SIGINT.
      if (options.stop.aborted && pid !== undefined) world.signalGroup(pid, 'SIGKILL');
      options.stop.removeEventListener('abort', stop);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(exit);
    };
    child.on('error', (error) => finish(notStarted(error, program)));
    child.on('exit', (code, signal) => {
      ended = { exit: code ?? exitOfSignal(signal ?? '') };
      // Its last output may still be in the pipes, so wait for `close`; but once stopped, do not wait for a process that
      // it left behind and that keeps them open.
      if (options.stop.aborted) finish(ended);
    });
    child.on('close', () => finish(ended ?? { exit: 1 }));
    child.stdout?.on('data', (bytes: Buffer) => onStdout(bytes, child));
    child.stderr?.on('data', (bytes: Buffer) => onStderr(bytes, child));
    // A program that does not read its input closes it; that is not an error here.
    child.stdin?.on('error', () => undefined).end(options.stdin);
    if (options.stop.aborted) stop();
    else options.stop.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Runs a program and returns its result. `where` names the node in errors.
 * Errors: TransportError when the time was up or the caller's signal was aborted; the program has been ended then.
 */
export async function runProgram(
  argv: readonly string[],
  where: string,
  world: ChildWorld,
  options: RunOptions = {},
): Promise<CommandResult> {
  const began = world.clock.now().getTime();
  const deadline = startDeadline(options);
  const output = new CapturedOutput(options.maxBytes);
  const { exit, why } = await runChild(
    argv,
    world,
    { stdin: options.stdin, stop: deadline.signal },
    (bytes) => output.addStdout(bytes),
    (bytes) => output.addStderr(bytes),
  );
  const failure = deadline.failure(where, argv);
  if (failure !== undefined) throw failure;
  const result = output.result(exit, world.clock.now().getTime() - began);
  return why === undefined ? result : { ...result, stderr: why };
}

/**
 * Passes the program's output on as it comes, and pauses it while the receiver is busy. Returns the exit code.
 * Errors: what a receiver throws; the program has been ended then.
 */
export async function streamProgram(
  argv: readonly string[],
  world: ChildWorld,
  options: StreamOptions,
): Promise<number> {
  const failed = new AbortController();
  const stop = options.signal === undefined ? failed.signal : AbortSignal.any([options.signal, failed.signal]);
  const passOn =
    (receive: StreamOptions['onStdout'], name: 'stdout' | 'stderr') =>
    (bytes: Buffer, child: ChildProcess): void => {
      const received = receive(bytes);
      if (received === undefined) return;
      child[name]?.pause();
      const resume = (): unknown => child[name]?.resume();
      received.then(resume, (cause: unknown) => failed.abort(cause));
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
