import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { newHandle } from '../../../src/ipam/handles.ts';
import { journaled, journalPath, openJournal } from '../../../src/ipam-live/repair/journal.ts';
import { TestClock, testWorld } from '../../support/program/world.ts';

const never = new AbortController().signal;
const scratch = (): string => mkdtempSync(join(tmpdir(), 'calictl-journal-'));

it('a journal in the datastore folder is refused, also through symbolic links', () => {
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
    expect(() => journalPath(world, named, folder), `${named} in ${folder}`).toThrow(/inside the datastore folder/);
  }
  expect(journalPath(world, 'j', 'store')).toBe(join(top, 'j'));
  expect(journalPath(world, '..j', 'store')).toBe(join(top, '..j'));
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
