// A directory in which a suite runs commands on damaged data: each command must behave, and what it wrote can be seen.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { CommandLine } from './every-command.ts';
import { run } from './world.ts';

/** Far more than a healthy command takes. */
export const limitMs = 20_000;

export interface WatchedPlace {
  /** A path in it. */
  at(...names: readonly string[]): string;
  /** Names, sizes and texts of everything in it but the directories of these names; links and pipes by name only. */
  stateWithout(...names: readonly string[]): string;
  /**
   * Runs a command line on a datastore, in the directory of this name or in the place itself, with the journal in `state`. What it
   * printed is fit for a terminal, and it ended in time and for a known reason.
   */
  behaves(line: string | CommandLine, datastore: string, directory?: string): Promise<void>;
}

const rawControl = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Before each test of the suite the place has two empty directories, `state` and `work`. It is removed at the end. */
export function watchedPlace(prefix: string): WatchedPlace {
  let top = '';
  beforeAll(() => {
    top = mkdtempSync(join(tmpdir(), prefix));
  });
  beforeEach(() => {
    for (const name of readdirSync(top)) rmSync(join(top, name), { recursive: true });
    for (const name of ['state', 'work']) mkdirSync(join(top, name));
  });
  afterAll(() => rmSync(top, { recursive: true }));
  const at = (...names: readonly string[]): string => join(top, ...names);

  return {
    at,
    stateWithout(...names) {
      const left = names.map((name) => at(name));
      return readdirSync(top, { recursive: true, withFileTypes: true })
        .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
        .filter(({ path }) => !left.some((one) => path === one || path.startsWith(`${one}/`)))
        .map(({ entry, path }) =>
          entry.isFile() ? `${path} ${statSync(path).size} ${JSON.stringify(readFileSync(path, 'latin1'))}` : path,
        )
        .sort()
        .join('\n');
    },
    async behaves(line, datastore, directory = '') {
      const { argv, isEndless } = typeof line === 'string' ? { argv: line.split(' '), isEndless: false } : line;
      const signal = AbortSignal.timeout(isEndless ? 100 : limitMs);
      const env = { XDG_STATE_HOME: at('state'), EDITOR: 'true' };
      const { code, stdout, stderr } = await run(argv, { folder: datastore, env, cwd: at(directory), signal });
      const about = `${argv.join(' ')} on ${datastore}\n${stderr}`;
      if (!isEndless) expect(signal.aborted, about).toBe(false);
      expect([0, 1, 2, 3, 4, 5, ...(isEndless ? [130] : [])], about).toContain(code);
      expect(stderr, about).not.toMatch(/INTERNAL|unexpected error|\n\s+at /);
      expect(rawControl.exec(stdout)?.[0], about).toBeUndefined();
      expect(rawControl.exec(stderr)?.[0], about).toBeUndefined();
    },
  };
}
