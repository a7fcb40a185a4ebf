// Makes the folders of a path. Node's own recursive mkdir never ends where a file system refuses new folders as `no such
// file`, as /proc does.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the folder and those above it; `mode` is that of the new ones. Errors: those of the file system. */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const parent = dirname(path);
  const state = await stat(path).catch(() => undefined);
  if (state?.isDirectory()) return;
  if (parent !== path) await makeFolder(parent, mode);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Another process was faster.
    if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) throw error;
  }
}
