// The editor of the user: which one it is, and how it is started.
import { spawn } from 'node:child_process';
import { splitWords } from '../../node-exec/shell-quote.ts';
import { CalictlError, exitCodes, UsageError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';

const hint = 'set KUBE_EDITOR or EDITOR to an editor';

/**
 * Program and arguments: of KUBE_EDITOR, else of EDITOR, as in kubectl, else vi.
 * Errors: UsageError for an unterminated quote; for vi when there is no terminal to show it.
 */
export function editorOf({ env, io }: Pick<World, 'env' | 'io'>): readonly string[] {
  for (const name of ['KUBE_EDITOR', 'EDITOR']) {
    const words = splitWords(env[name] ?? '');
    if (words.length > 0) return words;
  }
  if (!io.stdin.isTerminal) throw new UsageError('there is no terminal for an editor', hint, 'NO_TERMINAL');
  return ['vi'];
}

/**
 * Edits the file in the editor, which has the terminal until it ends. It is started without a shell, with the environment
 * of calictl. Errors: CalictlError when it cannot be started, or does not end with 0.
 */
export async function editFile(argv: readonly string[], file: string, world: World): Promise<void> {
  const [program = '', ...args] = argv;
  const { code, signal } = await world.lendTerminal(
    () =>
      new Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>((resolve, reject) => {
        const child = spawn(program, [...args, file], { env: { ...world.env }, stdio: 'inherit' });
        // It has files of its own to put in order.
        const end = (): void => void child.kill('SIGTERM');
        world.signal.addEventListener('abort', end, { once: true });
        const settle = (done: () => void) => (): void => {
          world.signal.removeEventListener('abort', end);
          done();
        };
        child.on('error', (error: NodeJS.ErrnoException) => settle(() => reject(notStarted(program, error)))());
        child.on('exit', (code, signal) => settle(() => resolve({ code, signal }))());
      }),
  );
  world.signal.throwIfAborted();
  if (code === 0) return;
  const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
  const exit = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.failed;
  throw new CalictlError(`the editor ${program} ${how}: nothing was written`, { code: 'EDITOR', exit });
}

function notStarted(program: string, error: NodeJS.ErrnoException): CalictlError {
  const reason = error.code === 'ENOENT' ? 'not found' : error.message;
  return new CalictlError(`the editor ${program} cannot be started: ${reason}`, { code: 'EDITOR', hint, cause: error });
}
