// Errors to texts on stderr and exit codes. The one place that prints errors, and the only one that may show a stack.
import { printableLines } from '../output/printable.ts';
import { redacted } from '../output/redact.ts';
import { sentence } from '../text/wording.ts';
import { CalictlError, exitCodes, systemText } from '../world/errors.ts';
import type { World } from '../world/world.ts';

/** The text with secrets removed and control characters made visible; line ends stay. */
export function safe(text: string): string {
  return printableLines(redacted(text));
}

function causes(error: Error): string[] {
  const lines: string[] = [];
  for (let cause = error.cause; cause instanceof Error && lines.length < 8; cause = cause.cause) {
    lines.push(`cause: ${cause.stack ?? cause.message}`);
  }
  return lines;
}

/** An error of the operating system: a known cause, though no code of ours has put it into words. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** False for an error that no code has put into words: a fault of this program, or of data that it did not expect. */
export function isForeseen(error: unknown): boolean {
  return error instanceof CalictlError || isSystemError(error);
}

/** The code is at the end of the sentence; what more there is follows on lines of its own. */
function knownLines(error: CalictlError, debug: boolean): string[] {
  const [first, ...more] = error.message.split('\n');
  const lines = [`calictl: ${first}${error.code === 'USAGE' ? '' : ` (${error.code})`}`, ...more];
  if (error.hint !== undefined) lines.push(`hint: ${sentence(error.hint)}`);
  return debug ? [...lines, ...causes(error)] : lines;
}

function unknownLines(error: unknown, debug: boolean): string[] {
  const shown = error instanceof Error ? error : new Error(String(error));
  const lines = [`calictl: unexpected error: ${shown.message} (INTERNAL)`];
  if (!debug)
    return [
      ...lines,
      'hint: This is a bug in calictl: please report it, with the output of the same command with --debug.',
    ];
  return [...lines, shown.stack ?? '', ...causes(shown)];
}

/** `/tmp/x: no space left on device`, where the error names a path. */
function systemSentence(error: NodeJS.ErrnoException): string {
  return error.path === undefined ? error.message : `${error.path}: ${systemText(error)}`;
}

/** The lines for an error that is not a CalictlError. */
export function unforeseenLines(error: unknown, debug: boolean): string[] {
  return isSystemError(error) ? [`calictl: ${systemSentence(error)} (${error.code})`] : unknownLines(error, debug);
}

/** True when the person ended the command, and the error only says so. */
export function isInterruption(error: unknown, { signal }: World): boolean {
  return signal.aborted && !(error instanceof CalictlError && error.exit === exitCodes.partial);
}

/** Prints an error and returns the exit code that it stands for. */
export async function printError(error: unknown, world: World, debug: boolean): Promise<number> {
  const { stderr } = world.io;
  if (isInterruption(error, world)) {
    await stderr.write('calictl: interrupted\n');
    return exitCodes.interrupted;
  }
  const known = error instanceof CalictlError;
  const lines = known ? knownLines(error, debug) : unforeseenLines(error, debug);
  await stderr.write(`${safe(lines.join('\n'))}\n`);
  return known ? error.exit : exitCodes.failed;
}
