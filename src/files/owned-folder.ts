// Temporary folders that name the process that made them, so that the next run removes those of killed processes.
import { mkdtemp, readdir, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../text/plain-values.ts';
import type { ProcessIdentity } from '../world/world.ts';
import { readRegularFile } from './regular-file.ts';

/** In each folder: the process that made it. */
const ownerFile = 'owner.json';
/** A folder without its owner's name is being made, or was left by a process that was killed at that moment. */
const unnamedForMs = 60_000;

/**
 * Makes a folder below `parent` whose name begins with `prefix`, readable by its owner only, and removes what killed
 * processes of the same user left there. Errors: those of the file system.
 */
export async function newOwnedFolder(parent: string, prefix: string, self: ProcessIdentity): Promise<string> {
  const folder = await mkdtemp(join(parent, prefix));
  try {
    const { pid, incarnation } = self;
    await writeFile(join(folder, ownerFile), JSON.stringify({ pid, incarnation }));
    const { uid, mtimeMs } = await stat(folder);
    for (const name of await readdir(parent)) {
      // What cannot be removed stays: another run removes it too, or it is not what it looks like.
      if (name.startsWith(prefix)) await removeIfLeft(join(parent, name), uid, mtimeMs, self).catch(() => undefined);
    }
    return folder;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Removes the folder if its process has ended; `nowMs` is the time of the file system. */
async function removeIfLeft(folder: string, uid: number, nowMs: number, self: ProcessIdentity): Promise<void> {
  const stats = await stat(folder);
  if (stats.uid !== uid) return;
  const owner = await ownerOf(folder);
  if (owner !== undefined) {
    if (self.isAlive(owner.pid, owner.incarnation) === false) await rm(folder, { recursive: true, force: true });
    return;
  }
  if (nowMs - stats.mtimeMs < unnamedForMs) return;
  // Nothing was put into it yet; a folder with more in it is not of this kind, and is not removed.
  const names = await readdir(folder);
  if (names.some((name) => name !== ownerFile)) return;
  if (names.length > 0) await unlink(join(folder, ownerFile));
  await rmdir(folder);
}

/** Undefined when the folder does not name its process in full. */
async function ownerOf(folder: string): Promise<{ pid: number; incarnation: string } | undefined> {
  try {
    const owner: unknown = JSON.parse((await readRegularFile(join(folder, ownerFile), 4096)).toString());
    if (!isObject(owner)) return undefined;
    const { pid, incarnation } = owner;
    return typeof pid === 'number' && typeof incarnation === 'string' ? { pid, incarnation } : undefined;
  } catch {
    return undefined;
  }
}
