// The lock that all IPAM plugins of a node share, Calico's own too: flock(2) on one file. It spares the datastore conflicts;
// nothing that is right depends on it. Rules: docs/reference/cni.md#lock

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { World } from '../../world/world.ts';
import type { Log } from '../log.ts';
import { helperEnv } from '../programs.ts';

/**
 * Runs the work while the lock is held, however long its holder takes. Without the program flock, or the right to the file,
 * the work runs without it. Errors: those of the work, and the reason of the signal when it is aborted before the work.
 */
export async function withIpamLock<T>(path: string, world: World, log: Log, work: () => Promise<T>): Promise<T> {
  world.signal.throwIfAborted();
  const file = await lockedFile(path, world, log);
  try {
    world.signal.throwIfAborted();
    return await work();
  } finally {
    // Closing the file releases the lock; the end of the process does too, however it ends.
    if (file !== undefined) closeSync(file);
  }
}

async function lockedFile(path: string, world: World, log: Log): Promise<number | undefined> {
  let file: number | undefined;
  let why: string | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true });
    file = openSync(path, 'a', 0o600);
    why = await flock(file, world);
  } catch (error) {
    why = String(error);
  }
  if (why === undefined) return file;
  if (file !== undefined) closeSync(file);
  if (!world.signal.aborted) log.warning('continuing without the IPAM lock', { path, why });
  return undefined;
}

/**
 * Node has no flock: a program takes the lock for the open file that it inherits, which stays locked after the program has
 * ended, because the lock belongs to the open file. Returns why it was not taken.
 */
function flock(file: number, world: World): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn('flock', ['-x', '3'], {
      env: helperEnv(world.env),
      stdio: ['ignore', 'ignore', 'ignore', file],
    });
    const stop = (): void => {
      child.kill('SIGKILL');
    };
    const end = (why: string | undefined): void => {
      world.signal.removeEventListener('abort', stop);
      resolve(why);
    };
    world.signal.addEventListener('abort', stop, { once: true });
    child.on('error', (error) => end(error.message));
    child.on('close', (code) => end(code === 0 ? undefined : `flock ended with ${code}`));
  });
}
