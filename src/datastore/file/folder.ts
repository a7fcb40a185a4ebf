// The files of a folder: which of them are manifests, whether they changed, and how one is written so that a crash at any
// moment leaves the old or the new content.
import { createHash } from 'node:crypto';
import type { Dirent, Stats } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import pMap from 'p-map';
import { otherThanFile, readRegularFile, UnsuitableFileError } from '../../files/regular-file.ts';
import { systemText } from '../../world/errors.ts';
import { DatastoreError } from '../datastore.ts';
import { errorCode, isReadOnly } from './fs-errors.ts';

/** Holds the time at which a snapshot was captured; not a manifest. */
export const snapshotFile = 'snapshot.json';

/** Changes with every write of the file. */
export type Signature = string;

const READS_AT_ONCE = 16;

/** A file or folder whose objects are not known, and why. */
export interface Unreadable {
  /** Relative to the folder. */
  readonly path: string;
  readonly reason: string;
}

/** The manifests below a folder. */
export interface Listing {
  /** By path relative to the folder, sorted. */
  readonly manifests: ReadonlyMap<string, Signature>;
  readonly unreadable: readonly Unreadable[];
}

/**
 * All manifests below the folder (`.yaml`, `.yml` and `.json`). Skips hidden files and folders, and `nodes/` at the top
 * (recorded outputs). Follows links to files. What may hold objects and cannot be read is `unreadable`: a named pipe, a link
 * that leads nowhere, a folder without permission.
 */
export async function listManifests(folder: string): Promise<Listing> {
  const paths: string[] = [];
  const unreadable: Unreadable[] = [];
  await walk(folder, '', paths, unreadable);
  const found = await pMap(paths.sort(), (path) => look(join(folder, path)), { concurrency: READS_AT_ONCE });
  const manifests = new Map<string, Signature>();
  paths.forEach((path, i) => {
    const seen = found[i];
    if (seen?.signature !== undefined) manifests.set(path, seen.signature);
    else if (seen?.problem !== undefined) unreadable.push({ path, reason: seen.problem });
  });
  return { manifests, unreadable };
}

async function walk(folder: string, below: string, paths: string[], unreadable: Unreadable[]): Promise<void> {
  for (const entry of await entriesOf(folder, below, unreadable)) {
    if (entry.name.startsWith('.')) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      if (path !== 'nodes') await walk(folder, path, paths, unreadable);
    } else if (isManifestName(path)) {
      paths.push(path);
    } else if (entry.isSymbolicLink() && path !== 'nodes' && (await leadsToManifests(folder, path))) {
      unreadable.push({ path, reason: 'a link to a directory, which is not followed' });
    }
  }
}

/** None for a folder that was removed meanwhile. The folder itself must be readable. */
async function entriesOf(folder: string, below: string, unreadable: Unreadable[]): Promise<Dirent[]> {
  try {
    return await readdir(join(folder, below), { withFileTypes: true });
  } catch (error) {
    if (below === '' || errorCode(error) === undefined) throw error;
    if (errorCode(error) !== 'ENOENT') unreadable.push({ path: below, reason: systemText(error) });
    return [];
  }
}

/** True for a link to a folder outside that has manifests: what is inside is read anyway. */
async function leadsToManifests(folder: string, path: string): Promise<boolean> {
  try {
    const [top, target] = await Promise.all([realpath(folder), realpath(join(folder, path))]);
    if (target === top || target.startsWith(`${top}/`) || top.startsWith(`${target}/`)) return false;
    return (await readdir(target)).some((name) => !name.startsWith('.') && isManifestName(name));
  } catch {
    return false;
  }
}

function isManifestName(path: string): boolean {
  return /\.(ya?ml|json)$/i.test(path) && path !== snapshotFile;
}

/** What is at the path: the signature of a file, or why it cannot be one; neither when it no longer exists. */
async function look(path: string): Promise<{ signature?: Signature; problem?: string }> {
  try {
    const stats = await stat(path, { bigint: true });
    const { dev, ino, size, mtimeNs, ctimeNs } = stats;
    const other = otherThanFile(stats);
    return other === undefined
      ? { signature: `${dev}/${ino}/${size}/${mtimeNs}/${ctimeNs}` }
      : { problem: `${other}, not a file` };
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT') return { problem: systemText(error) };
    const link = await readlink(path).catch(() => undefined);
    return link === undefined ? {} : { problem: `a link to ${link}, which does not exist` };
  }
}

/** Undefined when it is not a file, or no longer exists. */
export async function signatureOf(path: string): Promise<Signature | undefined> {
  return (await look(path)).signature;
}

/** The texts of files, and those that cannot be read. */
export interface Texts {
  readonly texts: ReadonlyMap<string, string>;
  readonly unreadable: readonly Unreadable[];
}

/** The text of each file that exists. Errors: invalid for a file that is not UTF-8. */
export async function readTexts(folder: string, paths: readonly string[]): Promise<Texts> {
  const texts = new Map<string, string>();
  const unreadable: Unreadable[] = [];
  const read = async (path: string): Promise<void> => {
    try {
      const text = await readText(join(folder, path));
      if (text !== undefined) texts.set(path, text);
    } catch (error) {
      if (errorCode(error) === undefined && !(error instanceof UnsuitableFileError)) throw error;
      unreadable.push({ path, reason: systemText(error) });
    }
  };
  await pMap(paths, read, { concurrency: READS_AT_ONCE });
  return { texts, unreadable };
}

/**
 * Undefined when the file does not exist. The text is written back byte for byte, so all of it must be UTF-8.
 * Errors: UnsuitableFileError, those of the file system, invalid for a file that is not UTF-8.
 */
export async function readText(path: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readRegularFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new DatastoreError('invalid', `${path} is not UTF-8 text`, {
      cause,
      hint: 'Save it as UTF-8, or move it out of the directory.',
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
    await writeDraft(draft, text, old);
    await laterThan(draft, old?.mtimeMs);
    await rename(draft, target);
  } catch (error) {
    // On a full disk, a draft left behind would make the next write fail too.
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

/** Owner and mode are those of the old file. Only root may give a file away, and only root meets files of others here. */
async function writeDraft(draft: string, text: string, old: Stats | undefined): Promise<void> {
  const handle = await open(draft, 'wx', old === undefined ? 0o666 : old.mode & 0o777);
  try {
    if (old !== undefined) {
      const draftStats = await handle.stat();
      if (draftStats.uid !== old.uid || draftStats.gid !== old.gid) await keepOwner(handle, old);
      // After the change of owner, which takes away the set-id bits.
      await handle.chmod(old.mode & 0o7777);
    }
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwner(handle: FileHandle, { uid, gid }: Stats): Promise<void> {
  try {
    await handle.chown(uid, gid);
  } catch (error) {
    // A user who may write into the folder of another cannot give files away; the group may still be kept.
    if (!isReadOnly(error)) throw error;
    await handle.chown(-1, gid).catch(() => undefined);
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
