// The program of KUBECTL_EXTERNAL_DIFF, which compares two directories with a file for each object.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newScratchFolder } from '../../files/scratch-folder.ts';
import { runProgram } from '../../node-exec/child-program.ts';
import { CalictlError, exitCodes } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { type Difference, textOf } from './comparison.ts';

/** A program that shows differences may wait for a person: a day. */
const longestMs = 24 * 60 * 60 * 1000;
const maxBytes = 256 * 1024 * 1024;

/** Program and arguments; as kubectl, arguments with other characters than these are left out. Undefined when not set. */
export function externalDiffOf({ env }: Pick<World, 'env'>): readonly string[] | undefined {
  const [program, ...args] = (env['KUBECTL_EXTERNAL_DIFF'] ?? '').split(' ').filter((word) => word !== '');
  return program === undefined ? undefined : [program, ...args.filter((word) => /^[a-zA-Z0-9=-]+$/.test(word))];
}

/** The names of files sort as the objects do, and no object can name a file outside of its directory. */
function fileNameOf({ target: { kind, object } }: Difference): string {
  const { namespace = '', name } = object.metadata;
  return [kind.kind, namespace, name].map(encodeURIComponent).join('.');
}

/**
 * Runs the program on the objects that differ. Returns what it printed.
 * Errors: CalictlError when it cannot be started, or ends with an exit code above 1, which means that it failed.
 */
export async function externalDiff(
  argv: readonly string[],
  differences: readonly Difference[],
  world: World,
): Promise<string> {
  const folder = await newScratchFolder('calictl-diff-');
  try {
    const [live, applied] = [join(folder, 'LIVE'), join(folder, 'APPLIED')];
    await mkdir(live);
    await mkdir(applied);
    for (const difference of differences) {
      const name = fileNameOf(difference);
      if (difference.live !== undefined) await writeFile(join(live, name), textOf(difference.live));
      await writeFile(join(applied, name), textOf(difference.applied));
    }
    const [program = ''] = argv;
    const options = { timeoutMs: longestMs, maxBytes, signal: world.signal };
    const { exit, stdout, stderr } = await runProgram([...argv, live, applied], program, world, options);
    if (exit <= 1) return stdout;
    throw new CalictlError(
      `${program}, named by KUBECTL_EXTERNAL_DIFF, ended with exit code ${exit}: ${stderr.trim()}`,
      {
        code: 'EXTERNAL_DIFF',
        exit: exitCodes.partial,
        hint: 'unset KUBECTL_EXTERNAL_DIFF to see the differences without it',
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
