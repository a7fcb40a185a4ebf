// The IPAM lock, and a program that is ended while it waits for it.
import { type ChildProcess, spawn } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withIpamLock } from '../../../src/cni/ipam/ipam-lock.ts';
import { openLog } from '../../../src/cni/log.ts';
import { describeWithPrograms } from '../../support/program/parts.ts';
import { type TestFolder, testFolder } from '../../support/program/test-folder.ts';
import { until } from '../../support/program/until.ts';
import { testWorld } from '../../support/program/world.ts';

describeWithPrograms('the IPAM lock', ['flock'], () => {
  let files: TestFolder;
  let path: string;
  let aborted: AbortController;
  const held: ChildProcess[] = [];
  beforeEach(() => {
    files = testFolder();
    path = join(files.path, 'ipam.lock');
    aborted = new AbortController();
  });
  afterEach(() => {
    for (const holder of held.splice(0)) holder.kill();
    files.remove();
  });

  async function hold(): Promise<void> {
    const holder = spawn('flock', ['-x', path, 'sh', '-c', 'echo held; read line'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    held.push(holder);
    await new Promise((resolve) => holder.stdout.once('data', resolve));
  }

  const conf = { level: 'info', path: '', maxSize: 1, maxAge: 1, maxCount: 1 };

  /** Whether the work was done, and how the call ended. */
  async function locked(): Promise<{ isDone: boolean; error: unknown }> {
    let isDone = false;
    const world = testWorld({ signal: aborted.signal });
    const work = async (): Promise<void> => {
      isDone = true;
    };
    const error = await withIpamLock(path, world, openLog(conf, world), work).catch((failure: unknown) => failure);
    return { isDone, error };
  }

  it('makes a program that is ended already do no work and not wait', async () => {
    await hold();
    aborted.abort(new Error('ended'));
    expect(await locked()).toMatchObject({ isDone: false, error: { message: 'ended' } });
  });

  it('is given up, and the work is not done, when the program is ended while it waits', async () => {
    await hold();
    const waiting = locked();
    const inode = statSync(path).ino;
    const isWaiting = (): boolean => new RegExp(`-> FLOCK .*:${inode} `).test(readFileSync('/proc/locks', 'utf8'));
    await until(isWaiting, 'flock waits for the lock');
    aborted.abort(new Error('ended'));
    expect(await waiting).toMatchObject({ isDone: false, error: { message: 'ended' } });
  });

  it('leaves no listener on the signal when it is released', async () => {
    expect(await locked()).toEqual({ isDone: true, error: undefined });
    expect(getEventListeners(aborted.signal, 'abort')).toEqual([]);
  });
});
