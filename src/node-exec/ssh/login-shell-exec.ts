// NodeExec over anything that runs a command line in a node's login shell: the built-in SSH client and the system's ssh.
import { UsageError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { CapturedOutput } from '../captured-output.ts';
import { cancelled, startDeadline } from '../deadline.ts';
import { type NodeExec, type NodeTarget, type RunOptions, TransportError } from '../node-exec.ts';
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

/** What a command printed, and how it ended, or why nothing is known of its end. */
interface Captured {
  readonly output: CapturedOutput;
  readonly durationMs: number;
  readonly end: { readonly exit: number } | { readonly error: TransportError };
}

/** A transport over such an access; closing it closes the access. */
export function loginShellExec(access: LoginShellAccess, world: Pick<World, 'clock' | 'random'>): NodeExec {
  const marker = `calictl-${world.random.uuid()}`;

  async function capture(
    node: NodeTarget,
    argv: readonly string[],
    input: Buffer | 'none',
    options: RunOptions,
  ): Promise<Captured> {
    checkArgv(argv);
    const began = world.clock.now().getTime();
    const deadline = startDeadline(options);
    const output = new CapturedOutput(options.maxBytes);
    const captured = (end: Captured['end']): Captured => {
      return { output, durationMs: world.clock.now().getTime() - began, end };
    };
    let command: LoginShellCommand | undefined;
    try {
      deadline.signal.throwIfAborted();
      command = await startCommand(access, marker, node, argv, input, deadline.signal);
      command.stdout.on('data', (bytes: Buffer) => output.addStdout(bytes));
      command.stderr.on('data', (bytes: Buffer) => output.addStderr(bytes));
      const ended = await untilAborted(command.done, deadline.signal);
      return captured({ exit: exitCodeOf(ended, command, access.hostLabel(node)) });
    } catch (error) {
      command?.remote.drop();
      const failure = deadline.failure(whereIs(node, access), argv);
      if (failure !== undefined) return captured({ error: failure });
      if (error instanceof SshFailure) return captured({ error: error.on(node.name) });
      throw error;
    }
  }

  return {
    transport: 'ssh',
    description: access.description,

    async run(node, argv, options = {}) {
      const input = options.stdin === undefined ? 'none' : Buffer.from(options.stdin);
      const { output, durationMs, end } = await capture(node, argv, input, options);
      if ('error' in end) throw end.error;
      return output.result(end.exit, durationMs);
    },

    async runSteps(node, steps, options = {}) {
      for (const { argv } of steps) checkArgv(argv);
      const stepMarker = world.random.uuid().replaceAll('-', '');
      const { output, durationMs, end } = await capture(node, stepsArgv(stepMarker, steps), 'none', options);
      const where = whereIs(node, access);
      const unfinished = 'error' in end ? end.error : (output.limitExceeded(where) ?? shellExited(where, end.exit));
      return parseSteps(stepMarker, steps, output.result(0, durationMs), unfinished);
    },

    async stream(node, argv, options) {
      checkArgv(argv);
      const { signal = new AbortController().signal } = options;
      let command: LoginShellCommand | undefined;
      try {
        signal.throwIfAborted();
        command = await startCommand(access, marker, node, argv, 'none', signal);
        return exitCodeOf(await streamCommand(command, options, signal), command, access.hostLabel(node));
      } catch (error) {
        command?.remote.drop();
        if (signal.aborted && command === undefined) throw cancelled(node.name);
        throw error instanceof SshFailure ? error.on(node.name) : error;
      }
    },

    close: () => access.close(),
  };
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
