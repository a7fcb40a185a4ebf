// Runs programs of this machine to their end, for suites that set up a system with them.
import { spawn } from 'node:child_process';

export interface ProgramResult {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program, with `stdin` as what it reads. Rejects only when it cannot be started. */
export function runProgram(argv: readonly string[], stdin = ''): Promise<ProgramResult> {
  const [program = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args);
    const out = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      out.stderr += text;
    });
    child.on('error', reject);
    child.on('close', (exit, signal) => resolve({ exit: exit ?? (signal === null ? 1 : 128), ...out }));
    // A program that does not read its input may have ended before it is written.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
  });
}

/** Returns the output of a program. Errors: an exit code other than 0, with the program and its error output. */
export async function printedBy(argv: readonly string[], stdin = ''): Promise<string> {
  const { exit, stdout, stderr } = await runProgram(argv, stdin);
  if (exit !== 0) throw new Error(`${argv.join(' ')} ended with ${exit}: ${stderr.trim() || stdout.trim()}`);
  return stdout;
}
