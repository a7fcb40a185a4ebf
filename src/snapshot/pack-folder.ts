// Packs a folder into a .tar.gz whose bytes depend on the files only.
import { createWriteStream } from 'node:fs';
import { readdir, readFile, readlink, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';

/** Every time of an archive, so that it says nothing of when it was packed. */
export const noTime = new Date(0);

/**
 * Packs all files and links below `folder` under the name `top`; the file appears when it is whole.
 * Errors: those of the file system.
 */
export async function packFolder(folder: string, top: string, path: string): Promise<void> {
  const archive = pack();
  const partial = `${path}.partial`;
  const whole = pipeline(archive, createGzip(), createWriteStream(partial, { mode: 0o600 }));
  whole.catch(() => undefined);
  try {
    for (const entry of await entriesBelow(folder)) {
      await Promise.race([add(archive, join(folder, entry.path), `${top}/${entry.path}`, entry.isLink), whole]);
    }
    archive.finalize();
    await whole;
    await rename(partial, path);
  } catch (error) {
    archive.destroy();
    await rm(partial, { force: true });
    throw error;
  }
}

async function entriesBelow(folder: string): Promise<{ path: string; isLink: boolean }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => ({ path: relative(folder, join(entry.parentPath, entry.name)), isLink: entry.isSymbolicLink() }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function add(archive: Pack, path: string, name: string, isLink: boolean): Promise<void> {
  if (isLink) {
    archive.entry({ name, type: 'symlink', linkname: await readlink(path), mtime: noTime });
    return;
  }
  const bytes = await readFile(path);
  await new Promise<void>((done, failed) => {
    archive.entry({ name, mtime: noTime, mode: 0o644 }, bytes, (error) => (error ? failed(error) : done()));
  });
}
