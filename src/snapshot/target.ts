// Where a snapshot is written: a folder or a .tgz file. It appears under its name when it is complete, or not at all.
import { lstat, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../files/make-folder.ts';
import { CalictlError, RefusedError, systemText } from '../world/errors.ts';
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
 * Opens a target. Errors, of its methods too: RefusedError when the name exists already, CalictlError when it cannot be
 * written.
 */
export async function openTarget(path: string): Promise<SnapshotTarget> {
  const found = await lstat(path).catch(() => undefined);
  const emptyFolder = found?.isDirectory() && !isBundle(path) && (await readdir(path)).length === 0;
  if (found !== undefined && !emptyFolder) throw exists(path);
  const unwritable = (cause: unknown): never => {
    throw new CalictlError(`${path} cannot be written: ${systemText(cause)}`, { code: 'SNAPSHOT_UNWRITABLE', cause });
  };
  try {
    await makeFolder(dirname(path));
    // In the same folder, so that the last step is a rename.
    const scratch = await mkdtemp(join(dirname(path), '.calictl-snapshot-'));
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
  return {
    async write(name, text) {
      const file = join(scratch, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    },
    finish: () => rename(scratch, path),
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
      // Fails if another process has created the file meanwhile; the rename alone would overwrite it.
      await writeFile(path, '', { flag: 'wx', mode: 0o600 });
      await rename(file, path);
      await rm(scratch, { recursive: true });
    },
    async abandon() {
      await archive.abandon();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
