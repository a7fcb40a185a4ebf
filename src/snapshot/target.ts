// Where a snapshot is written: a folder or a .tgz file. It appears under its name when it is complete, or not at all.
import { chmod, link, lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../files/make-folder.ts';
import { newOwnedFolder } from '../files/owned-folder.ts';
import { CalictlError, RefusedError, systemText } from '../world/errors.ts';
import type { ProcessIdentity } from '../world/world.ts';
import { openArchive } from './archive.ts';

export interface SnapshotTarget {
  /** Adds a file; its path is separated by `/`. */
  write(path: string, text: string): Promise<void>;
  /** Makes the snapshot appear under its name. */
  finish(): Promise<void>;
  /** Removes what was written. */
  abandon(): Promise<void>;
}

/** Whether the name is that of a bundle. */
function isBundle(path: string): boolean {
  return /\.(tgz|tar\.gz)$/i.test(path);
}

/**
 * Opens a target, and removes what killed processes left in its folder. Errors, of its methods too: RefusedError when the name exists already, CalictlError when it cannot be
 * written.
 */
export async function openTarget(path: string, self: ProcessIdentity): Promise<SnapshotTarget> {
  const found = await lstat(path).catch(() => undefined);
  const emptyFolder = found?.isDirectory() && !isBundle(path) && (await readdir(path)).length === 0;
  if (found !== undefined && !emptyFolder) throw exists(path);
  const unwritable = (cause: unknown): never => {
    throw new CalictlError(`${path} cannot be written: ${systemText(cause)}`, { code: 'SNAPSHOT_UNWRITABLE', cause });
  };
  try {
    await makeFolder(dirname(path));
    // In the same folder, so that the last step is a rename.
    const scratch = await newOwnedFolder(dirname(path), '.calictl-snapshot-', self);
    const target = isBundle(path) ? bundleTarget(path, scratch) : folderTarget(path, scratch);
    return {
      write: (name, text) => target.write(name, text).catch(unwritable),
      finish: () =>
        target.finish().catch((cause: NodeJS.ErrnoException) => {
          // Another process was faster.
          if (cause.code === 'ENOTEMPTY' || cause.code === 'EEXIST') throw exists(path);
          unwritable(cause);
        }),
      abandon: () => target.abandon(),
    };
  } catch (cause) {
    return unwritable(cause);
  }
}

function exists(path: string): RefusedError {
  return new RefusedError(`${path} already exists`, 'SNAPSHOT_EXISTS', 'use another path');
}

function folderTarget(path: string, scratch: string): SnapshotTarget {
  const folder = join(scratch, 'snapshot');
  return {
    async write(name, text) {
      const file = join(folder, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    },
    async finish() {
      await mkdir(folder, { recursive: true });
      await chmod(folder, 0o700);
      await rename(folder, path);
      await rm(scratch, { recursive: true });
    },
    abandon: () => rm(scratch, { recursive: true, force: true }),
  };
}

function bundleTarget(path: string, scratch: string): SnapshotTarget {
  const file = join(scratch, basename(path));
  const archive = openArchive(file);
  return {
    write: (name, text) => archive.file(name, text),
    async finish() {
      await archive.finish();
      await placeNew(file, path);
      await rm(scratch, { recursive: true });
    },
    async abandon() {
      await archive.abandon();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** Gives the file another name. Errors: EEXIST if there is such a file: another process was faster. */
async function placeNew(file: string, path: string): Promise<void> {
  try {
    await link(file, path);
  } catch (error) {
    if (['EEXIST', 'ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    // The file system has no hard links. The rename alone would overwrite a file.
    await writeFile(path, '', { flag: 'wx', mode: 0o600 });
    await rename(file, path);
  }
}
