import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderLock, type FolderWorld } from '../../../src/datastore/file/folder-lock.ts';
import { type LockAttempt, tryLock } from '../../../src/datastore/file/lock-file.ts';
import { RefusedError } from '../../../src/world/errors.ts';
import { realWorld, type TestFolder, testFolder } from '../../support/program/test-folder.ts';
import { TestClock } from '../../support/program/world.ts';

let folder: TestFolder;
let path: string;
beforeEach(() => {
  folder = testFolder();
  path = join(folder.path, '.lock');
});
afterEach(() => folder.remove());

const { random } = realWorld;
/** A process of which others know whether it lives. */
const processNamed = (name: string, isAlive: (other: string) => boolean | undefined) => ({
  pid: 1,
  hostname: 'test',
  incarnation: name,
  isAlive: (_pid: number, incarnation: string) => isAlive(incarnation),
});
const living = (name: string) => processNamed(name, () => true);
const heir = (name: string) => processNamed(name, (other) => other !== 'dead');

async function release(attempt: LockAttempt): Promise<void> {
  if (attempt.held) await attempt.release();
}

describe('a lock file', () => {
  it('a lock has one holder at a time and leaves nothing behind', async () => {
    const first = await tryLock(path, living('a'), random);
    expect(first.held).toBe(true);
    expect(await tryLock(path, living('b'), random)).toMatchObject({
      held: false,
      alive: true,
      holder: { pid: 1, hostname: 'test', incarnation: 'a' },
    });
    await release(first);
    expect(readdirSync(folder.path)).toEqual([]);
    await release(await tryLock(path, living('b'), random));
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('the lock of a dead process goes to one of many takers', async () => {
    for (let round = 0; round < 20; round++) {
      await tryLock(path, living('dead'), random);
      const takers = Array.from({ length: 8 }, (_, i) => tryLock(path, heir(`heir-${i}`), random));
      const attempts = await Promise.all(takers);
      const winners = attempts.filter(({ held }) => held);
      expect(winners.length).toBeLessThanOrEqual(1);
      // When all of them blocked each other, the next one gets it.
      const winner = winners[0] ?? (await tryLock(path, heir('next'), random));
      expect(winner.held).toBe(true);
      expect(readFileSync(path, 'utf8')).not.toContain('"dead"');
      await release(winner);
      expect(readdirSync(folder.path)).toEqual([]);
    }
  });

  it('the lock of a process that died while taking over goes on too', async () => {
    await tryLock(path, living('dead'), random);
    await tryLock(`${path}.takeover`, living('dead'), random);
    const attempt = await tryLock(path, heir('a'), random);
    expect(attempt.held).toBe(true);
    await release(attempt);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('a lock left unreadable by a crash of the machine is taken over', async () => {
    writeFileSync(path, '');
    const attempt = await tryLock(path, living('a'), random);
    expect(attempt.held).toBe(true);
  });

  it('the lock of a process on another machine is left alone', async () => {
    await tryLock(path, living('elsewhere'), random);
    const stranger = processNamed('a', () => undefined);
    expect(await tryLock(path, stranger, random)).toMatchObject({ held: false, alive: undefined });
  });

  it('a lock that another process removed and took is not released by its former holder', async () => {
    const first = await tryLock(path, living('a'), random);
    writeFileSync(path, JSON.stringify({ pid: 2, hostname: 'x', incarnation: 'b', token: 'other' }));
    await release(first);
    expect(existsSync(path)).toBe(true);
  });
});

describe('the locks of a directory', () => {
  const world = (clock: TestClock, name: string): FolderWorld => ({ clock, random, self: heir(name) });

  it('the lock of a directory is waited on while its holder lives', async () => {
    const clock = new TestClock('2025-06-15T16:00:00Z');
    const first = await new FolderLock(folder.path, world(clock, 'a')).hold(undefined);
    let pauses = 0;
    const waiting = new TestClock('2025-06-15T16:00:00Z');
    waiting.onSleep = () => {
      pauses++;
      if (pauses === 3) void first.release();
    };
    const second = await new FolderLock(folder.path, world(waiting, 'b')).hold(undefined);
    expect(pauses).toBeGreaterThanOrEqual(3);
    await second.release();
  });

  it('the lock of a directory is waited on no longer than the call may take', async () => {
    const clock = new TestClock('2025-06-15T16:00:00Z');
    await new FolderLock(folder.path, world(clock, 'a')).hold(undefined);
    const call = new FolderLock(folder.path, world(clock, 'b')).hold({ timeoutMs: 500 });
    await expect(call).rejects.toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('process 1 on'),
    });
    const waitedMs = clock.now().getTime() - new Date('2025-06-15T16:00:00Z').getTime();
    expect(waitedMs).toBeGreaterThanOrEqual(500);
    expect(waitedMs).toBeLessThan(600);
  });

  it('Ctrl-C ends the wait for the lock of a directory', async () => {
    const clock = new TestClock('2025-06-15T16:00:00Z');
    await new FolderLock(folder.path, world(clock, 'a')).hold(undefined);
    const stop = new AbortController();
    clock.onSleep = () => stop.abort(new Error('stopped by hand'));
    const call = new FolderLock(folder.path, world(clock, 'b')).hold({ signal: stop.signal });
    await expect(call).rejects.toThrow('stopped by hand');
  });

  it('the repair lock keeps living repairs apart, and not from a dead one', async () => {
    const clock = new TestClock('2025-06-15T16:00:00Z');
    const first = await new FolderLock(folder.path, world(clock, 'a')).forRepairs(undefined);
    const other = new FolderLock(folder.path, world(clock, 'b'));
    await expect(other.forRepairs(undefined)).rejects.toBeInstanceOf(RefusedError);
    await first.release();
    await new FolderLock(folder.path, world(clock, 'dead')).forRepairs(undefined);
    await (await other.forRepairs(undefined)).release();
  });
});
