// The built program (dist/) as a process of its own: what bundling breaks shows only there.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const builtProgram = fileURLToPath(new URL('../../../bin/calictl.js', import.meta.url));
const main = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

export interface BuiltResult {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface BuiltOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs a command line of words to its end, with nothing on standard input and no environment but PATH and `env`. */
export function runBuilt(args: readonly string[], { env, cwd }: BuiltOptions = {}): Promise<BuiltResult> {
  if (!existsSync(main)) throw new Error('dist/ is missing: run `npm run build`');
  const PATH = process.env['PATH'] ?? '';
  const child = spawn(process.execPath, [builtProgram, ...args], {
    env: { PATH, ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      out[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit, signal) => resolve({ exit, signal, ...out }));
  });
}
