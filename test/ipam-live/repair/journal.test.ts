import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { journalPath, openJournal } from '../../../src/files/journal.ts';
import { newHandle } from '../../../src/ipam/handles.ts';
import { journaled } from '../../../src/ipam-live/repair/journal.ts';
import { TestClock, testWorld } from '../../support/program/world.ts';

const never = new AbortController().signal;
const scratch = (): string => mkdtempSync(join(tmpdir(), 'calictl-journal-'));

it('a journal in the datastore directory is refused, also through symbolic links', () => {
  const top = scratch();
  mkdirSync(join(top, 'store'));
  symlinkSync(join(top, 'store'), join(top, 'link'));
  const world = testWorld({ cwd: top });
  for (const [folder, named] of [
    ['store', 'store/j'],
    ['link', 'store/j'],
    ['store', 'link/new/j'],
    ['.', 'j'],
  ] as const) {
    expect(() => journalPath(world, named, { folder }), `${named} in ${folder}`).toThrow(
      /inside the datastore directory/,
    );
  }
  expect(journalPath(world, 'j', { folder: 'store' })).toBe(join(top, 'j'));
  expect(journalPath(world, '..j', { folder: 'store' })).toBe(join(top, '..j'));
});

it('a journal that would write into the datastore by a link to nowhere, a hard link or over its bundle is refused', () => {
  const top = scratch();
  mkdirSync(join(top, 'store', 'sub'), { recursive: true });
  writeFileSync(join(top, 'store', 'sub', 'pods.yaml'), '');
  writeFileSync(join(top, 'case.tgz'), '');
  symlinkSync(join(top, 'store', 'new.yaml'), join(top, 'to-nowhere'));
  symlinkSync('to-nowhere', join(top, 'twice'));
  linkSync(join(top, 'store', 'sub', 'pods.yaml'), join(top, 'hard'));
  const world = testWorld({ cwd: top });
  for (const named of ['to-nowhere', 'twice', 'hard']) {
    expect(() => journalPath(world, named, { folder: 'store' }), named).toThrow(/inside the datastore directory/);
  }
  expect(() => journalPath(world, './case.tgz', { folder: 'store', bundle: 'case.tgz' })).toThrow(/over the datastore/);
});

it('without a name the journal is where XDG_STATE_HOME, HOME or the account of the user say', () => {
  const folder = (env: Record<string, string>): string =>
    dirname(journalPath({ ...testWorld(), cwd: '/cwd', env }, undefined, {}));
  expect(folder({ XDG_STATE_HOME: '/state', HOME: '/home/a' })).toBe('/state/calictl');
  expect(folder({ XDG_STATE_HOME: 'state', HOME: '/home/a' })).toBe('/home/a/.local/state/calictl');
  expect(folder({ HOME: '/home/a' })).toBe('/home/a/.local/state/calictl');
  expect(folder({})).toBe(join(userInfo().homedir, '.local/state/calictl'));
});

it('a journal that is a named pipe is refused, and one below /proc does not take for ever', async () => {
  const pipe = join(scratch(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const clock = new TestClock('2026-01-01T00:00:00Z');
  await expect(openJournal(pipe, clock)).rejects.toThrow(`the journal ${pipe} cannot be written: a named pipe`);
  await expect(openJournal('/proc/new/folder/j', clock)).rejects.toThrow(/cannot be written: no such file/);
});

it('the journal has a line before each write and a line with its outcome after it', async () => {
  const path = join(scratch(), 'sub', 'j.jsonl');
  const journal = await openJournal(path, new TestClock('2026-01-01T00:00:00Z'));
  const store = journaled(ipamStoreOf(new MemoryDatastore()), journal, never);
  const handle = newHandle('net.c1', { '10.0.0.0/26': 1 });
  const made = await store.handles.create(handle);
  await store.handles.create(handle);
  if (made.ok) await store.handles.remove(made.value);
  await journal.close();
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ write, phase, op, kind, name, outcome }) => [write, phase, op, kind, name, outcome])).toEqual([
    [1, 'before', 'create', 'IPAMHandle', 'net.c1', undefined],
    [1, 'after', 'create', 'IPAMHandle', 'net.c1', 'written'],
    [2, 'before', 'create', 'IPAMHandle', 'net.c1', undefined],
    [2, 'after', 'create', 'IPAMHandle', 'net.c1', 'already-exists'],
    [3, 'before', 'delete', 'IPAMHandle', 'net.c1', undefined],
    [3, 'after', 'delete', 'IPAMHandle', 'net.c1', 'written'],
  ]);
});
