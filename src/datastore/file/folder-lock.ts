// The two locks of a folder: one for the moment of a write, one for as long as a repair runs.
import { join } from 'node:path';
import { RefusedError } from '../../world/errors.ts';
import type { Clock, ProcessIdentity, Random } from '../../world/world.ts';
import { type CallOptions, DatastoreError, type RepairLock } from '../datastore.ts';
import { asDatastoreError, isReadOnly } from './fs-errors.ts';
import { type LockHolder, tryLock } from './lock-file.ts';

/** What the store needs of the world. */
export interface FolderWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly self: ProcessIdentity;
}

const WRITE_LOCK = '.calictl.lock';
const REPAIR_LOCK = '.calictl-repair.lock';
const TIMEOUT_MS = 60_000;

export class FolderLock {
  readonly #folder: string;
  readonly #world: FolderWorld;

  constructor(folder: string, world: FolderWorld) {
    this.#folder = folder;
    this.#world = world;
  }

  /** The lock of a write; waits for a living holder. Errors: unavailable when the time is up; those of the file system. */
  async hold(options: CallOptions | undefined): Promise<{ release(): Promise<void> }> {
    const { clock, random, self } = this.#world;
    const path = join(this.#folder, WRITE_LOCK);
    const timeoutMs = options?.timeoutMs ?? TIMEOUT_MS;
    for (let waitedMs = 0; ; ) {
      const attempt = await tryLock(path, self, random);
      if (attempt.held) return attempt;
      if (waitedMs >= timeoutMs) {
        throw new DatastoreError('unavailable', `${this.#folder} is locked${holderText(attempt.holder)}`, {
          hint:
            attempt.alive === undefined
              ? `It cannot be told from here whether that process lives. If it does not, remove ${path}.`
              : 'Wait until that process has ended, then run this again.',
        });
      }
      const pauseMs = Math.ceil(2 + random.float() * 18);
      await clock.sleep(pauseMs, options?.signal);
      waitedMs += pauseMs;
    }
  }

  /** The lock of a repair; never waits. Errors: RefusedError when somebody has it, or when the folder is read-only. */
  async forRepairs(options: CallOptions | undefined): Promise<RepairLock> {
    options?.signal?.throwIfAborted();
    const path = join(this.#folder, REPAIR_LOCK);
    try {
      const attempt = await tryLock(path, this.#world.self, this.#world.random);
      if (attempt.held) return { lost: new AbortController().signal, release: () => attempt.release() };
      throw new RefusedError(
        `another repair of ${this.#folder} is running${holderText(attempt.holder)}`,
        'REPAIR_LOCKED',
        attempt.alive === undefined
          ? `It cannot be told from here whether that process lives. If it does not, remove ${path}.`
          : 'Wait until it has ended, then run this again.',
      );
    } catch (error) {
      if (isReadOnly(error)) throw new RefusedError(`${this.#folder} may not be written to`, 'DATASTORE_READ_ONLY');
      throw asDatastoreError(error, `lock ${this.#folder}`);
    }
  }
}

function holderText(holder: LockHolder | undefined): string {
  return holder === undefined ? '' : ` by process ${holder.pid} on ${holder.hostname}`;
}
