// New folders for temporary files, where the environment wants them (TMPDIR).
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CalictlError, systemText } from '../world/errors.ts';

/** Makes a folder whose name begins with `prefix`; only its owner may read it. Errors: CalictlError when it cannot be made. */
export async function newScratchFolder(prefix: string): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), prefix));
  } catch (cause) {
    throw new CalictlError(`no temporary directory can be made in ${tmpdir()}: ${systemText(cause)}`, {
      code: 'SCRATCH_UNWRITABLE',
      hint: 'Set TMPDIR to a writable directory.',
      cause,
    });
  }
}
