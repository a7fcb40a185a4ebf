// A network namespace for a test that compares two output formats of the same programs.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';

export interface Namespace {
  readonly name: string;
  /** Runs a program in it and returns its output. Errors: an exit code other than 0. */
  run(...argv: readonly string[]): string;
  /** Starts a program in it; the caller ends it. */
  start(...argv: readonly string[]): ChildProcess;
  /** Runs `ip` commands, one per line. */
  ip(batch: string): void;
  remove(): void;
}

const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` };

function output(argv: readonly string[], input?: string): string {
  const [program = '', ...args] = argv;
  return execFileSync(program, args, {
    encoding: 'utf8',
    env,
    stdio: 'pipe',
    ...(input === undefined ? {} : { input }),
  });
}

/** Creates a namespace whose name contains the process id, so that concurrent runs do not interfere. */
export function makeNamespace(purpose: string): Namespace {
  const name = `calictl-${purpose}-${process.pid}`;
  const inside = (argv: readonly string[]): readonly string[] => ['ip', 'netns', 'exec', name, ...argv];
  output(['ip', 'netns', 'add', name]);
  return {
    name,
    run: (...argv) => output(inside(argv)),
    start: (...argv) => {
      const [program = '', ...args] = inside(argv);
      return spawn(program, args, { env, stdio: 'ignore' });
    },
    ip: (batch) => {
      output(['ip', '-n', name, '-batch', '-'], batch);
    },
    remove: () => {
      output(['ip', 'netns', 'del', name]);
    },
  };
}
