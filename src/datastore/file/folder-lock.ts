// The two locks of a folder: one is held for a single write, the other as long as a repair runs.
import { join } from 'node:path';
import { RefusedError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { type CallOptions, DatastoreError, type RepairLock } from '../datastore.ts';
import { asDatastoreError, isReadOnly } from './fs-errors.ts';
import { type LockHolder, removeLeftDrafts, tryLock } from './lock-file.ts';

/** What the store needs of the world. */
export type FolderWorld = Pick<World, 'clock' | 'random' | 'self'>;

const WRITE_LOCK = '.calictl.lock';
const REPAIR_LOCK = '.calictl-repair.lock';
const TIMEOUT_MS = 60_000;

export class FolderLock {
  readonly #folder: string;
  readonly #world: FolderWorld;
  readonly #tidied = new Set<string>();

  constructor(folder: string, world: FolderWorld) {
    this.#folder = folder;
    this.#world = world;
  }

  /** The lock of a write; waits while its holder is alive. Errors: unavailable after the timeout; those of the file system. */
  async hold(options: CallOptions | undefined): Promise<{ release(): Promise<void> }> {
    const { clock, random, self } = this.#world;
    const path = join(this.#folder, WRITE_LOCK);
    const timeoutMs = options?.timeoutMs ?? TIMEOUT_MS;
    for (let waitedMs = 0; ; ) {
      const attempt = await tryLock(path, self, random);
      if (attempt.held) {
        await this.#tidyOnce(path);
        return attempt;
      }
      if (waitedMs >= timeoutMs) {
        throw new DatastoreError('unavailable', `${this.#folder} is locked${holderText(attempt.holder)}`, {
          hint: lockHint(attempt.alive, path),
        });
      }
      const pauseMs = Math.ceil(2 + random.float() * 18);
      await clock.sleep(pauseMs, options?.signal);
      waitedMs += pauseMs;
    }
  }

  /** Once for each lock, while it is held. */
  async #tidyOnce(path: string): Promise<void> {
    if (this.#tidied.has(path)) return;
    this.#tidied.add(path);
    await removeLeftDrafts(path, this.#world.self);
  }

  /** The lock of a repair; never waits. Errors: RefusedError when another repair holds it, or when the folder is read-only. */
  async forRepairs(options: CallOptions | undefined): Promise<RepairLock> {
    options?.signal?.throwIfAborted();
    const path = join(this.#folder, REPAIR_LOCK);
    try {
      const attempt = await tryLock(path, this.#world.self, this.#world.random);
      if (attempt.held) await this.#tidyOnce(path);
      if (attempt.held) return { lost: new AbortController().signal, release: () => attempt.release() };
      throw new RefusedError(
        `another repair of ${this.#folder} is running${holderText(attempt.holder)}`,
        'REPAIR_LOCKED',
        lockHint(attempt.alive, path),
      );
    } catch (error) {
      if (isReadOnly(error))
        throw new RefusedError(`cannot write to ${this.#folder}: it is read-only`, 'DATASTORE_READ_ONLY');
      throw asDatastoreError(error, `lock ${this.#folder}`);
    }
  }
}

/** What to do about a lock. `alive` undefined: the holder runs on another machine, or cannot be identified. */
function lockHint(alive: boolean | undefined, path: string): string {
  return alive === undefined
    ? `Whether that process is still running cannot be determined from here. If it is not, remove ${path}.`
    : 'Wait until that process has ended, then run the command again.';
}

function holderText(holder: LockHolder | undefined): string {
  return holder === undefined ? '' : ` by process ${holder.pid} on ${holder.hostname}`;
}
