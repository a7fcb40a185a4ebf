// What node commands that work on this machine only ask for first.
import type { CommandResult } from '../../node-exec/node-exec.ts';
import { isRoot } from '../../node-exec/processes.ts';
import { CalictlError, StdoutFailure } from '../../world/errors.ts';
import type { OutputStream } from '../../world/world.ts';
import type { Context, Input } from '../command.ts';

/** Errors: not Linux, or (with `asRoot`) another user than root; in compat mode in calicoctl's words. */
export function requireThisMachine({ world, compat }: Context, asRoot: boolean): void {
  if (world.platform !== 'linux') {
    const text = "'calicoctl node' commands are not available on this OS";
    if (compat) throw new StdoutFailure(`Error executing command: ${text}`);
    throw new CalictlError('this command works on Linux only', { code: 'NOT_LINUX' });
  }
  if (!asRoot || isRoot()) return;
  if (compat) throw new StdoutFailure('Need super user privileges: Operation not permitted');
  throw new CalictlError('this command needs the rights of root', { code: 'NOT_ROOT', hint: 'run it with sudo' });
}

/** Where lines that tell of the work go: standard output, as calicoctl has it; beside JSON, standard error. */
export function tellingOf(ctx: Context, input: Input): OutputStream {
  return input.text('output') === 'json' ? ctx.world.io.stderr : ctx.world.io.stdout;
}

/** Runs a program here for at most so many milliseconds. Errors: TransportError when the time was up, or on Ctrl-C. */
export async function runHere({ world }: Context, argv: readonly string[], timeoutMs: number): Promise<CommandResult> {
  const { runProgram } = await import('../../node-exec/child-program.ts');
  return runProgram(argv, 'this machine', world, { timeoutMs, signal: world.signal });
}
