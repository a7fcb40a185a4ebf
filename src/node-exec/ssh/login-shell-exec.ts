// NodeExec over anything that runs a command line in a node's login shell: the built-in SSH client and the system's ssh.
import { UsageError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { CapturedOutput } from '../captured-output.ts';
import { cancelled, startDeadline } from '../deadline.ts';
import {
  type CommandResult,
  type NodeExec,
  type NodeTarget,
  type RunOptions,
  type Step,
  type StepOutcome,
  type StreamOptions,
  TransportError,
} from '../node-exec.ts';
import { parseSteps, stepsArgv } from '../steps-script.ts';
import { untilAborted } from '../until-aborted.ts';
import {
  exitCodeOf,
  type LoginShellAccess,
  type LoginShellCommand,
  startCommand,
  streamCommand,
} from './login-shell-command.ts';
import { SshFailure } from './ssh-failure.ts';

type LoginShellWorld = Pick<World, 'clock' | 'random'>;

/** What a command printed, and how it ended, or why nothing is known of its end. */
interface Captured {
  readonly output: CapturedOutput;
  readonly durationMs: number;
  readonly end: { readonly exit: number } | { readonly error: TransportError };
}

/** A transport over such an access; closing it closes the access. */
export function loginShellExec(access: LoginShellAccess, world: LoginShellWorld): NodeExec {
  return new LoginShellExec(access, world);
}

class LoginShellExec implements NodeExec {
  readonly transport = 'ssh';
  readonly description: string;
  readonly #access: LoginShellAccess;
  readonly #world: LoginShellWorld;
  readonly #marker: string;

  constructor(access: LoginShellAccess, world: LoginShellWorld) {
    this.description = access.description;
    this.#access = access;
    this.#world = world;
    this.#marker = `calictl-${world.random.uuid()}`;
  }

  async run(node: NodeTarget, argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const input = options.stdin === undefined ? 'none' : Buffer.from(options.stdin);
    const { output, durationMs, end } = await this.#capture(node, argv, input, options);
    if ('error' in end) throw end.error;
    return output.result(end.exit, durationMs);
  }

  async runSteps(node: NodeTarget, steps: readonly Step[], options: RunOptions = {}): Promise<StepOutcome[]> {
    for (const { argv } of steps) checkArgv(argv);
    const stepMarker = this.#world.random.uuid().replaceAll('-', '');
    const { output, durationMs, end } = await this.#capture(node, stepsArgv(stepMarker, steps), 'none', options);
    const where = whereIs(node, this.#access);
    const unfinished = 'error' in end ? end.error : (output.limitExceeded(where) ?? shellExited(where, end.exit));
    return parseSteps(stepMarker, steps, output.result(0, durationMs), unfinished);
  }

  async stream(node: NodeTarget, argv: readonly string[], options: StreamOptions): Promise<number> {
    checkArgv(argv);
    const { signal = new AbortController().signal } = options;
    let command: LoginShellCommand | undefined;
    try {
      signal.throwIfAborted();
      command = await startCommand(this.#access, this.#marker, node, argv, 'none', signal);
      return exitCodeOf(await streamCommand(command, options, signal), command, this.#access.hostLabel(node));
    } catch (error) {
      command?.remote.drop();
      if (signal.aborted && command === undefined) throw cancelled(node.name);
      throw error instanceof SshFailure ? error.on(node.name) : error;
    }
  }

  close(): Promise<void> {
    return this.#access.close();
  }

  /** Runs a command under the deadline of the options and keeps its output, also when it fails. */
  async #capture(
    node: NodeTarget,
    argv: readonly string[],
    input: Buffer | 'none',
    options: RunOptions,
  ): Promise<Captured> {
    checkArgv(argv);
    const began = this.#world.clock.now().getTime();
    const deadline = startDeadline(options);
    const output = new CapturedOutput(options.maxBytes);
    const captured = (end: Captured['end']): Captured => {
      return { output, durationMs: this.#world.clock.now().getTime() - began, end };
    };
    let command: LoginShellCommand | undefined;
    try {
      deadline.signal.throwIfAborted();
      command = await startCommand(this.#access, this.#marker, node, argv, input, deadline.signal);
      command.stdout.on('data', (bytes: Buffer) => output.addStdout(bytes));
      command.stderr.on('data', (bytes: Buffer) => output.addStderr(bytes));
      const ended = await untilAborted(command.done, deadline.signal);
      return captured({ exit: exitCodeOf(ended, command, this.#access.hostLabel(node)) });
    } catch (error) {
      command?.remote.drop();
      const failure = deadline.failure(whereIs(node, this.#access), argv);
      if (failure !== undefined) return captured({ error: failure });
      if (error instanceof SshFailure) return captured({ error: error.on(node.name) });
      throw error;
    }
  }
}

/** For steps without an end in the output, although the shell that runs them has ended. */
function shellExited(where: string, exit: number): TransportError {
  return new TransportError('broken', `${where}: the shell that ran the commands exited with code ${exit}`);
}

/** `node-a (10.0.0.1 port 2222)`. */
function whereIs(node: NodeTarget, access: LoginShellAccess): string {
  try {
    return `${node.name} (${access.hostLabel(node)})`;
  } catch {
    // The node has no known host; the command itself failed for that reason and reports it.
    return node.name;
  }
}

/** Errors: UsageError for a command that cannot be run in a login shell. */
function checkArgv(argv: readonly string[]): void {
  const [program = ''] = argv;
  if (program === '') throw new UsageError('no program to run');
  if (program.startsWith('-'))
    throw new UsageError(`a program name cannot start with '-': ${program}`, 'use its path: ./-x');
  if (argv.some((word) => word.includes('\0'))) throw new UsageError('an argument contains a NUL byte', 'remove it');
}
