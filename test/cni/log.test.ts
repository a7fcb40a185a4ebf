// The log of the plugin: what is written where, and how a full file is renamed.
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openLog } from '../../src/cni/log.ts';
import { type TestFolder, testFolder } from '../support/program/test-folder.ts';
import { TestClock, testWorld } from '../support/program/world.ts';

let files: TestFolder;
afterEach(() => files.remove());

const conf = { level: 'info', maxSize: 1, maxAge: 30, maxCount: 2 };

describe('the log of the plugin', () => {
  it('writes a line with time, level and fields to standard error and to the file', () => {
    files = testFolder();
    const world = testWorld({ clock: new TestClock('2026-03-02T09:15:00Z') });
    const log = openLog({ ...conf, path: join(files.path, 'cni.log') }, world);
    log.info('assigned', { address: '10.0.0.1' });
    log.debug('not at this level');
    const line = `2026-03-02T09:15:00.000Z [INFO][${process.pid}] assigned address="10.0.0.1"\n`;
    expect(world.io.stderr.text).toBe(line);
    expect(files.read('cni.log')).toBe(line);
  });

  it('renames a full file, keeps the newest of the old ones, and removes the others', () => {
    files = testFolder();
    const path = join(files.path, 'cni.log');
    const clock = new TestClock('2026-03-02T09:15:00Z');
    for (let index = 0; index < 4; index++) {
      writeFileSync(path, 'x'.repeat(2 ** 20));
      openLog({ ...conf, path }, testWorld({ clock })).info('next');
      clock.advance(60_000);
    }
    expect(readdirSync(files.path).sort()).toEqual([
      'cni-2026-03-02T09-17-00.000.log',
      'cni-2026-03-02T09-18-00.000.log',
      'cni.log',
    ]);
    expect(statSync(path).size).toBeLessThan(200);
  });

  it('never removes a file of another program whose name begins in the same way', () => {
    files = testFolder();
    const path = join(files.path, 'cni.log');
    const others = ['cni-audit.log', 'cni-2026-03-02.log', 'cni-2026-03-02T09-15-00.000-old.log', 'cni-.log'];
    for (const name of others) files.write(name, '');
    const clock = new TestClock('2126-03-02T09:15:00Z');
    for (let index = 0; index < 2; index++) {
      writeFileSync(path, 'x'.repeat(2 ** 20));
      openLog({ ...conf, path, maxCount: 0 }, testWorld({ clock })).info('next');
    }
    expect(readdirSync(files.path).sort()).toEqual([...others, 'cni.log'].sort());
  });

  it('a file that cannot be written does not end the plugin', () => {
    files = testFolder();
    const world = testWorld();
    openLog({ ...conf, path: '/dev/null/nowhere/cni.log' }, world).error('failed');
    expect(world.io.stderr.text).toContain('[ERROR]');
  });
});
