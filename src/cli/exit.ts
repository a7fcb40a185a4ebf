// Errors -> texts on stderr and exit codes. The one place that prints errors, and the only one that may show a stack.
import { calicoctlText } from '../commands/calicoctl-errors.ts';
import { printable } from '../output/columns.ts';
import { redacted } from '../output/redact.ts';
import { CalictlError, exitCodes, StdoutFailure, type UsageError } from '../world/errors.ts';
import type { World } from '../world/world.ts';

/** What printing depends on. */
export interface ErrorManner {
  readonly compat: boolean;
  readonly debug: boolean;
}

/** The text with secrets removed and control characters made visible; line ends stay. */
export function safe(text: string): string {
  return redacted(text).split('\n').map(printable).join('\n');
}

/** Compat mode knows 0 and 1 only, and findings are no failure there. */
export function exitFor(code: number, compat: boolean): number {
  if (!compat || code === exitCodes.ok || code === exitCodes.interrupted) return code;
  return code === exitCodes.findings ? exitCodes.ok : exitCodes.failed;
}

/** A usage error that calicoctl answers with the usage block instead of a message. */
export function isPlainUsageError(error: unknown): error is UsageError {
  return error instanceof CalictlError && error.code === 'USAGE';
}

function causes(error: Error): string[] {
  const lines: string[] = [];
  for (let cause = error.cause; cause instanceof Error && lines.length < 8; cause = cause.cause) {
    lines.push(`cause: ${cause.stack ?? cause.message}`);
  }
  return lines;
}

/** An error of the operating system: a known cause, though nobody put it into words. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** False for an error that nobody put into words: a fault of this program, or of data that it did not expect. */
export function isForeseen(error: unknown): boolean {
  return error instanceof CalictlError || error instanceof StdoutFailure || isSystemError(error);
}

/** The code stands at the end of the sentence; what more there is follows on lines of its own. */
function knownLines(error: CalictlError, debug: boolean): string[] {
  const [sentence, ...more] = error.message.split('\n');
  const lines = [`calictl: ${sentence}${error.code === 'USAGE' ? '' : ` (${error.code})`}`, ...more];
  if (error.hint !== undefined) lines.push(`hint: ${error.hint}`);
  return debug ? [...lines, ...causes(error)] : lines;
}

function unknownLines(error: unknown, debug: boolean): string[] {
  const shown = error instanceof Error ? error : new Error(String(error));
  const lines = [`calictl: unexpected error: ${shown.message} (INTERNAL)`];
  if (!debug)
    return [
      ...lines,
      'hint: this is a fault of calictl: please report it, with what the same command prints with --debug',
    ];
  return [...lines, shown.stack ?? '', ...causes(shown)];
}

/** Prints an error and answers the exit code that it stands for. */
export async function printError(error: unknown, world: World, manner: ErrorManner): Promise<number> {
  const { stdout, stderr } = world.io;
  if (world.signal.aborted && !(error instanceof CalictlError && error.exit === exitCodes.partial)) {
    if (!manner.compat) await stderr.write('calictl: interrupted\n');
    return exitCodes.interrupted;
  }
  if (error instanceof StdoutFailure) {
    await stdout.write(`${safe(error.message)}\n`);
    return exitCodes.failed;
  }
  if (error instanceof CalictlError) {
    const lines = manner.compat ? [calicoctlText(error)] : knownLines(error, manner.debug);
    await stderr.write(`${safe(lines.join('\n'))}\n`);
    return exitFor(error.exit, manner.compat);
  }
  const lines = isSystemError(error)
    ? [`calictl: ${error.message} (${error.code})`]
    : unknownLines(error, manner.debug);
  await stderr.write(`${safe(lines.join('\n'))}\n`);
  return exitCodes.failed;
}
