// Programs of this machine, run to their end. For suites that build things out of them.
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
    // A program that reads nothing may be gone before this is written.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
  });
}

/** What a program prints. Rejects, with the program and what it complained of, when it does not end with 0. */
export async function printedBy(argv: readonly string[], stdin = ''): Promise<string> {
  const { exit, stdout, stderr } = await runProgram(argv, stdin);
  if (exit !== 0) throw new Error(`${argv.join(' ')} ended with ${exit}: ${stderr.trim() || stdout.trim()}`);
  return stdout;
}
