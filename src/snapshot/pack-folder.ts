// Packs a folder into a .tar.gz whose bytes depend only on the files.
import { readdir, readFile, readlink, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { openArchive } from './archive.ts';

/** What an archive is called until it is complete. */
export const partialName = (path: string): string => `${path}.partial`;

/**
 * Packs all files and links below `folder` under the name `top`; the archive appears when it is complete.
 * Errors: those of the file system.
 */
export async function packFolder(folder: string, top: string, path: string): Promise<void> {
  const partial = partialName(path);
  const archive = openArchive(partial);
  try {
    for (const { path: name, isLink } of await entriesBelow(folder)) {
      const source = join(folder, name);
      if (isLink) await archive.link(`${top}/${name}`, await readlink(source));
      else await archive.file(`${top}/${name}`, await readFile(source));
    }
    await archive.finish();
    await rename(partial, path);
  } catch (error) {
    await archive.abandon();
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
