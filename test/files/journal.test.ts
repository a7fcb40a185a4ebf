// The journal of writes: each line is whole, whatever an earlier run left in the file.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openJournal } from '../../src/files/journal.ts';

const clock = { now: () => new Date('2026-03-05T10:00:00Z') } as Parameters<typeof openJournal>[1];
const line = '{"time":"2026-03-05T10:00:00.000Z","phase":"begin"}\n';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-journal-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['no line', '', line],
  ['a whole line', '{"phase":"end"}\n', `{"phase":"end"}\n${line}`],
  ['a line that was cut off', '{"phase":"aft', `{"phase":"aft\n${line}`],
])('a journal that has %s is continued on a line of its own', async (name, before, after) => {
  const path = join(folder, name);
  writeFileSync(path, before);
  const journal = await openJournal(path, clock);
  await journal.append({ phase: 'begin' });
  await journal.close();
  expect(readFileSync(path, 'utf8')).toBe(after);
});
