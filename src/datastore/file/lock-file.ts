// A lock that is a file: the process that creates it holds it. It names its holder, so that the lock of a dead process
// is taken over at once, and by one process only.
import { link, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readRegularFile, UnsuitableFileError } from '../../files/regular-file.ts';
import type { ProcessIdentity, Random } from '../../world/world.ts';
import { DatastoreError } from '../datastore.ts';
import { errorCode } from './fs-errors.ts';

export interface LockHolder {
  readonly pid: number;
  readonly hostname: string;
  readonly incarnation: string;
  /** Unique to each time that the lock is taken. */
  readonly token: string;
}

export type LockAttempt =
  | { readonly held: true; release(): Promise<void> }
  /** `alive` undefined: unknown (another machine). `holder` undefined: the lock file is not readable. */
  | { readonly held: false; readonly holder: LockHolder | undefined; readonly alive: boolean | undefined };

/** Counts the locks of this process, so that tokens differ whatever the source of randomness. */
let takings = 0;

/** A lock guards the take-over of a lock, which another lock may guard, …: each level needs a death within microseconds. */
const MAX_DEPTH = 3;

/** How often a lock that is gone when it is read is tried again. */
const mostAttempts = 5;

interface Placed {
  readonly done: boolean;
  readonly whole: boolean;
}

/** Tries once, never waits. Errors: those of the file system (no such folder, no permission to write). */
export async function tryLock(path: string, self: ProcessIdentity, random: Random, depth = 0): Promise<LockAttempt> {
  const { pid, hostname, incarnation } = self;
  const mine: LockHolder = { pid, hostname, incarnation, token: `${random.uuid()}.${++takings}` };
  const draft = draftName(path, mine);
  try {
    await writeFile(draft, `${JSON.stringify(mine)}\n`, { flag: 'wx' });
    let found: FoundLock | undefined;
    let placed: Placed;
    for (let attempt = 0; ; attempt += 1) {
      placed = await placeLock(draft, path);
      if (placed.done) return held(path, mine);
      found = await readLock(path);
      if (found !== undefined) break;
      // Its holder released it in between.
      if (attempt === mostAttempts) return busy(undefined, true);
    }
    const alive = isAlive(found, self, placed.whole);
    if (alive !== false) return busy(found.holder, alive);
    return await takeOver({ path, draft, mine, dead: found }, self, random, depth);
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

/**
 * Removes the drafts of locks that processes left when they were killed. The lock itself is taken over by the next holder.
 * Errors: none; what cannot be removed stays.
 */
export async function removeLeftDrafts(path: string, self: ProcessIdentity): Promise<void> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(`${basename(path)}.`))) {
    const found = await readLock(join(folder, name)).catch(() => undefined);
    const holder = found?.holder;
    if (holder === undefined || self.isAlive(holder.pid, holder.incarnation) !== false) continue;
    await unlink(join(folder, name)).catch(() => undefined);
  }
}

function draftName(path: string, holder: LockHolder): string {
  return `${path}.${holder.pid}.${holder.token}`;
}

/** `whole`: locks appear with their content here, so an unreadable one is not being created but was left by a crash. */
function isAlive(found: FoundLock, self: ProcessIdentity, whole: boolean): boolean | undefined {
  if (found.holder === undefined) return whole ? false : undefined;
  return self.isAlive(found.holder.pid, found.holder.incarnation);
}

interface FoundLock {
  readonly text: string;
  readonly holder: LockHolder | undefined;
}

interface TakeOver {
  readonly path: string;
  readonly draft: string;
  readonly mine: LockHolder;
  readonly dead: FoundLock;
}

/**
 * Replaces a dead holder's lock by the draft. A second lock ensures that only one process does so at a time; a slower
 * process finds that the lock is no longer the dead one's, and leaves it alone.
 */
async function takeOver(
  { path, draft, mine, dead }: TakeOver,
  self: ProcessIdentity,
  random: Random,
  depth: number,
): Promise<LockAttempt> {
  if (depth === MAX_DEPTH) return busy(dead.holder, undefined);
  const guard = await tryLock(`${path}.takeover`, self, random, depth + 1);
  if (!guard.held) return busy(dead.holder, true);
  try {
    const now = await readLock(path);
    if (now?.text !== dead.text) return busy(now?.holder, true);
    await rename(draft, path);
    if (dead.holder !== undefined) await unlink(draftName(path, dead.holder)).catch(() => undefined);
    return held(path, mine);
  } finally {
    await guard.release();
  }
}

function busy(holder: LockHolder | undefined, alive: boolean | undefined): LockAttempt {
  return { held: false, holder, alive };
}

function held(path: string, mine: LockHolder): LockAttempt {
  return {
    held: true,
    release: async () => {
      const found = await readLock(path);
      if (found?.holder?.token === mine.token) await unlink(path);
    },
  };
}

/**
 * Makes the draft the lock unless there is one: by a hard link, which appears with its content (`whole`), or, on file
 * systems without hard links, by an exclusive file.
 */
async function placeLock(draft: string, path: string): Promise<Placed> {
  try {
    await link(draft, path);
    return { done: true, whole: true };
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return { done: false, whole: true };
    if (!NO_LINKS.has(errorCode(error) ?? '')) throw error;
  }
  try {
    await writeFile(path, await readFile(draft), { flag: 'wx' });
    return { done: true, whole: false };
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return { done: false, whole: false };
    throw error;
  }
}

/** Errors of file systems without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'UNKNOWN']);

async function readLock(path: string): Promise<FoundLock | undefined> {
  try {
    const text = (await readRegularFile(path)).toString('utf8');
    return { text, holder: parseHolder(text) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (!(error instanceof UnsuitableFileError)) throw error;
    throw new DatastoreError('unavailable', `the lock ${path} cannot be read: ${error.message}`, {
      hint: 'It is not a lock file of calictl: remove it.',
      cause: error,
    });
  }
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const value = JSON.parse(text) as Partial<LockHolder> | null;
    if (typeof value?.pid !== 'number' || typeof value.incarnation !== 'string') return undefined;
    if (typeof value.token !== 'string') return undefined;
    return { hostname: '', ...value } as LockHolder;
  } catch {
    return undefined;
  }
}
