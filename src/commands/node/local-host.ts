// What node commands that work on this machine only have in common.
import { runProgram } from '../../node-exec/child-program.ts';
import type { CommandResult } from '../../node-exec/node-exec.ts';
import { isRoot } from '../../node-exec/processes.ts';
import { CalictlError } from '../../world/errors.ts';
import type { OutputStream } from '../../world/world.ts';
import type { Context } from '../command.ts';

/** Errors: CalictlError when this machine does not run Linux or, with `asRoot`, for any user except root. */
export function requireThisMachine({ world }: Context, { asRoot }: { readonly asRoot: boolean }): void {
  if (world.platform !== 'linux') throw new CalictlError('this command works on Linux only', { code: 'NOT_LINUX' });
  if (!asRoot || isRoot()) return;
  throw new CalictlError('this command must be run as root', { code: 'NOT_ROOT', hint: 'run it with sudo' });
}

/** Where lines about the progress of the work go: to standard output; with -o json to standard error. */
export function progressStream({ world }: Context, { output }: { readonly output: 'text' | 'json' }): OutputStream {
  return output === 'json' ? world.io.stderr : world.io.stdout;
}

/** Runs a program here for at most so many milliseconds. Errors: TransportError when the time was up, or on Ctrl-C. */
export function runHere({ world }: Context, argv: readonly string[], timeoutMs: number): Promise<CommandResult> {
  return runProgram(argv, 'this machine', world, { timeoutMs, signal: world.signal });
}
