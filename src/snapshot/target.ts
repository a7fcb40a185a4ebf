// Where a snapshot goes: a folder or a .tgz file. It appears under its name when it is whole, or not at all.
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { CalictlError, RefusedError, systemText } from '../world/errors.ts';
import { noTime } from './pack-folder.ts';

export interface SnapshotTarget {
  /** Adds a file; the path has `/` between folders. */
  write(path: string, text: string): Promise<void>;
  /** Makes it appear under its name. */
  finish(): Promise<void>;
  /** Removes what was written. */
  abandon(): Promise<void>;
}

/** A bundle by the end of its name. */
function isBundle(path: string): boolean {
  return /\.(tgz|tar\.gz)$/i.test(path);
}

/** Opens a target. Errors: RefusedError when there is something under that name, CalictlError when it cannot be written. */
export async function openTarget(path: string): Promise<SnapshotTarget> {
  const found = await stat(path).catch(() => undefined);
  const emptyFolder = found?.isDirectory() && !isBundle(path) && (await readdir(path)).length === 0;
  if (found !== undefined && !emptyFolder) {
    throw new RefusedError(`${path} exists already`, 'SNAPSHOT_EXISTS', 'name another path');
  }
  try {
    await mkdir(dirname(path), { recursive: true });
    // Beside its place, so that the last step is a rename.
    const scratch = await mkdtemp(join(dirname(path), `.${basename(path)}.`));
    return isBundle(path) ? bundleTarget(path, scratch) : folderTarget(path, scratch);
  } catch (cause) {
    throw new CalictlError(`${path} cannot be written: ${systemText(cause)}`, { code: 'SNAPSHOT_UNWRITABLE', cause });
  }
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
  const archive = pack();
  const whole = pipeline(archive, createGzip(), createWriteStream(file, { mode: 0o600 }));
  // Said by finish; a failure before must not end the process.
  whole.catch(() => undefined);
  return {
    write: (name, text) =>
      Promise.race([
        new Promise<void>((done, failed) => {
          archive.entry({ name, mtime: noTime, mode: 0o644 }, text, (error) => (error ? failed(error) : done()));
        }),
        whole,
      ]),
    async finish() {
      archive.finalize();
      await whole;
      await rename(file, path);
      await rm(scratch, { recursive: true });
    },
    async abandon() {
      archive.destroy();
      await whole.catch(() => undefined);
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
