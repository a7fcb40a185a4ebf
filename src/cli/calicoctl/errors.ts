// Errors as calicoctl prints them: its words, no hints, exit codes 0 and 1; some of them on stdout.
import { calicoctlText } from '../../commands/calicoctl-errors.ts';
import { CalictlError, exitCodes, StdoutFailure, type UsageError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { isInterruption, safe, unforeseenLines } from '../print-error.ts';

/** calicoctl knows 0 and 1 only, and findings are not a failure there. */
export function calicoctlExit(code: number): number {
  if (code === exitCodes.ok || code === exitCodes.interrupted) return code;
  return code === exitCodes.findings ? exitCodes.ok : exitCodes.failed;
}

/** A usage error that calicoctl answers with the usage block instead of a message. */
export function isPlainUsageError(error: unknown): error is UsageError {
  return error instanceof CalictlError && error.code === 'USAGE';
}

/** Prints an error and returns the exit code that it stands for. */
export async function printCalicoctlError(error: unknown, world: World): Promise<number> {
  const { stdout, stderr } = world.io;
  if (isInterruption(error, world)) return exitCodes.interrupted;
  if (error instanceof StdoutFailure) {
    await stdout.write(`${safe(error.message)}\n`);
    return exitCodes.failed;
  }
  const known = error instanceof CalictlError;
  const lines = known ? [calicoctlText(error)] : unforeseenLines(error, false);
  await stderr.write(`${safe(lines.join('\n'))}\n`);
  return known ? calicoctlExit(error.exit) : exitCodes.failed;
}
