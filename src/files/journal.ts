// A journal of writes: JSON lines, one before and one after each write, on disk before the write is sent. Where it is kept and
// how it is written, not what its lines contain.
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { printJson } from '../text/json.ts';
import { CalictlError, systemText, UsageError } from '../world/errors.ts';
import type { Clock, World } from '../world/world.ts';
import { makeFolder } from './make-folder.ts';
import { outputPath, type StoredInFiles } from './output-path.ts';
import { openToAppend, readRegularFile } from './regular-file.ts';

export interface Journal {
  readonly path: string;
  /** Set once the journal could not be written: then no further write may be sent. */
  readonly failure?: CalictlError | undefined;
  /** Resolves when the line is on disk. */
  append(entry: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

/**
 * The path of the journal: the named file, otherwise a new one in `$XDG_STATE_HOME/calictl` or `~/.local/state/calictl`, where
 * without HOME the home of the user's account counts. A relative XDG_STATE_HOME is ignored, as its specification says.
 * Errors: UsageError for a path inside the folder that is the datastore, and without a home.
 */
export function journalPath(
  world: World,
  named: string | undefined,
  store: StoredInFiles,
  purpose: 'repair' | 'node-repair' = 'repair',
): string {
  return outputPath(world.cwd, named ?? newJournal(world, purpose), store, 'the journal', '--journal FILE');
}

function newJournal({ env, clock, self }: World, purpose: string): string {
  const stamp = clock.now().toISOString().replaceAll(/[:.]/g, '-');
  return join(stateFolder(env), `${purpose}-${stamp}-${self.pid}.jsonl`);
}

/** The directory of journals: `$XDG_STATE_HOME/calictl` or `~/.local/state/calictl`. Errors: UsageError without a home. */
export function stateFolder(env: World['env']): string {
  return join(stateHome(env), 'calictl');
}

function stateHome({ XDG_STATE_HOME: state = '', HOME: home = '' }: World['env']): string {
  if (isAbsolute(state)) return state;
  return join(isAbsolute(home) ? home : accountHome(), '.local', 'state');
}

function accountHome(): string {
  try {
    const { homedir } = userInfo();
    if (isAbsolute(homedir)) return homedir;
  } catch {
    // The user has no account, as in some containers.
  }
  throw new UsageError(
    'there is no home directory for the journal',
    'specify a file with --journal FILE',
    'JOURNAL_HOMELESS',
  );
}

/** True when the last line of the file has no end. What cannot be read is given an end too: an empty line does no harm. */
async function isCutOff(path: string): Promise<boolean> {
  try {
    const text = await readRegularFile(path);
    return text.length > 0 && text.at(-1) !== 0x0a;
  } catch {
    return true;
  }
}

/** Opens the journal for appending. Errors: CalictlError when it cannot be written. */
export async function openJournal(path: string, clock: Clock): Promise<Journal> {
  const failed = (cause: unknown): CalictlError =>
    new CalictlError(`the journal ${path} cannot be written: ${systemText(cause)}`, {
      code: 'JOURNAL_UNWRITABLE',
      hint: 'specify a writable file with --journal FILE; nothing is changed without a journal',
      cause,
    });
  const file = await makeFolder(dirname(path), 0o700)
    .then(() => openToAppend(path))
    .catch((cause: unknown) => {
      throw failed(cause);
    });

  // Lines that arrive during a flush share the next one, so that one fsync serves many writes in flight.
  // A line that a full disk cut off must not swallow the first one of this run.
  let waiting: string[] = (await isCutOff(path)) ? ['\n'] : [];
  let flushed: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();
  let failure: CalictlError | undefined;
  const flush = async (): Promise<void> => {
    const lines = waiting;
    waiting = [];
    flushed = undefined;
    try {
      // Unlike write, it goes on after a part was written, and fails when a full disk took only that part.
      await file.writeFile(lines.join(''));
      await file.datasync();
    } catch (cause) {
      failure ??= failed(cause);
      throw failure;
    }
  };
  return {
    path,
    get failure() {
      return failure;
    },
    append(entry) {
      if (failure !== undefined) return Promise.reject(failure);
      waiting.push(`${printJson({ time: clock.now().toISOString(), ...entry })}\n`);
      if (flushed === undefined) {
        flushed = running.then(flush);
        running = flushed.catch(() => undefined);
      }
      return flushed;
    },
    async close() {
      await running;
      await file.close();
    },
  };
}
