// The files of a folder: which of them are manifests, whether they changed, and how one is written so that a crash at any
// moment leaves the old or the new content.
import { createHash } from 'node:crypto';
import { open, readdir, readFile, realpath, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import pMap from 'p-map';
import { DatastoreError } from '../datastore.ts';
import { errorCode } from './fs-errors.ts';

/** Holds the time at which a snapshot was captured; not a manifest. */
export const snapshotFile = 'snapshot.json';

/** Changes with every write of the file. */
export type Signature = string;

const READS_AT_ONCE = 16;

/**
 * All manifests below the folder (`.yaml`, `.yml` and `.json`) by path relative to it, sorted. Skips hidden files and
 * folders, and `nodes/` at the top (recorded outputs). Follows links to files.
 */
export async function listManifests(folder: string): Promise<Map<string, Signature>> {
  const paths: string[] = [];
  await walk(folder, '', paths);
  const signatures = await pMap(paths.sort(), (path) => signatureOf(join(folder, path)), {
    concurrency: READS_AT_ONCE,
  });
  const found = new Map<string, Signature>();
  paths.forEach((path, i) => {
    const signature = signatures[i];
    if (signature !== undefined) found.set(path, signature);
  });
  return found;
}

async function walk(folder: string, below: string, paths: string[]): Promise<void> {
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      if (path !== 'nodes') await walk(folder, path, paths);
    } else if (isManifestName(path) && (entry.isFile() || entry.isSymbolicLink())) {
      paths.push(path);
    }
  }
}

function isManifestName(path: string): boolean {
  return /\.(ya?ml|json)$/i.test(path) && path !== snapshotFile;
}

/** Undefined when it is not a file, or no longer exists. */
export async function signatureOf(path: string): Promise<Signature | undefined> {
  try {
    const stats = await stat(path, { bigint: true });
    const { dev, ino, size, mtimeNs, ctimeNs } = stats;
    return stats.isFile() ? `${dev}/${ino}/${size}/${mtimeNs}/${ctimeNs}` : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The text of each file that exists. Errors: invalid for a file that is not UTF-8. */
export async function readTexts(folder: string, paths: readonly string[]): Promise<Map<string, string>> {
  const texts = await pMap(paths, (path) => readText(join(folder, path)), { concurrency: READS_AT_ONCE });
  const read = new Map<string, string>();
  paths.forEach((path, i) => {
    const text = texts[i];
    if (text !== undefined) read.set(path, text);
  });
  return read;
}

/** Undefined when the file does not exist. The text is written back byte for byte, so all of it must be UTF-8. */
export async function readText(path: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new DatastoreError('invalid', `${path} is not UTF-8 text`, {
      cause,
      hint: 'Save it as UTF-8, or move it out of the folder.',
    });
  }
}

/**
 * Replaces the file, or creates it. Readers see the old or the new content, even if the process dies. The caller holds the
 * folder's lock. Behind a link, the file that it points to is replaced.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const old = await stat(target).catch(() => undefined);
  const folder = dirname(target);
  // One draft per file: what a killed process left is overwritten by the next write.
  const draft = join(
    folder,
    `.calictl-${createHash('sha256').update(basename(target)).digest('hex').slice(0, 16)}.tmp`,
  );
  await rm(draft, { force: true });
  try {
    await writeDraft(draft, text, old?.mode);
    await laterThan(draft, old?.mtimeMs);
    await rename(draft, target);
  } catch (error) {
    // On a full disk, a draft left behind would make the next write fail too.
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

async function writeDraft(draft: string, text: string, mode: number | undefined): Promise<void> {
  const handle = await open(draft, 'wx', mode === undefined ? 0o666 : mode & 0o777);
  try {
    if (mode !== undefined) await handle.chmod(mode & 0o7777);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Clocks of file systems are coarse: two writes within one tick must not look the same. */
async function laterThan(path: string, mtimeMs: number | undefined): Promise<void> {
  const { mtimeMs: now, atime } = await stat(path);
  if (mtimeMs !== undefined && now <= mtimeMs) await utimes(path, atime, (mtimeMs + 1) / 1000);
}

/** Removes the file for good: a crash right afterwards does not bring it back. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path);
  await syncFolder(dirname(path));
}

/** Where folders cannot be synced (Windows, some network file systems), the rename has to suffice. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(errorCode(error) ?? '')) throw error;
  }
}
