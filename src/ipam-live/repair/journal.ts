// The repair journal: JSON lines, one before and one after each write, on disk before the write is sent.
// After a crash it shows what was being done; no program reads it.
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { makeFolder } from '../../files/make-folder.ts';
import { outputPath, type StoredInFiles } from '../../files/output-path.ts';
import { openToAppend } from '../../files/regular-file.ts';
import type { IpamObjects, IpamStore, Outcome } from '../../ipam/ipam-store.ts';
import type { KubeObject } from '../../resources/object.ts';
import { printJson } from '../../text/json.ts';
import { CalictlError, systemText, UsageError } from '../../world/errors.ts';
import type { Clock, World } from '../../world/world.ts';

export interface Journal {
  readonly path: string;
  /** Set once the journal could not be written: then no further write to the datastore may be sent. */
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
export function journalPath(world: World, named: string | undefined, store: StoredInFiles): string {
  return outputPath(world.cwd, named ?? newJournal(world), store, 'the journal', '--journal FILE');
}

function newJournal({ env, clock, self }: World): string {
  const stamp = clock.now().toISOString().replaceAll(/[:.]/g, '-');
  return join(stateFolder(env), 'calictl', `repair-${stamp}-${self.pid}.jsonl`);
}

function stateFolder({ XDG_STATE_HOME: state = '', HOME: home = '' }: World['env']): string {
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

/** Opens the journal for appending. Errors: CalictlError when it cannot be written. */
export async function openJournal(path: string, clock: Clock): Promise<Journal> {
  const failed = (cause: unknown): CalictlError =>
    new CalictlError(`the journal ${path} cannot be written: ${systemText(cause)}`, {
      code: 'JOURNAL_UNWRITABLE',
      hint: 'specify a writable file with --journal FILE; nothing is repaired without a journal',
      cause,
    });
  const file = await makeFolder(dirname(path), 0o700)
    .then(() => openToAppend(path))
    .catch((cause: unknown) => {
      throw failed(cause);
    });

  // Lines that arrive during a flush share the next one, so that one fsync serves many writes in flight.
  let waiting: string[] = [];
  let flushed: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();
  let failure: CalictlError | undefined;
  const flush = async (): Promise<void> => {
    const lines = waiting;
    waiting = [];
    flushed = undefined;
    try {
      await file.write(lines.join(''));
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

/**
 * The same store, with every write recorded in the journal before it is sent and when its outcome is known. Once `lost` is
 * aborted, no write is sent and its reason is thrown instead.
 */
export function journaled(store: IpamStore, journal: Journal, lost: AbortSignal): IpamStore {
  let writes = 0;
  const wrap = <T extends KubeObject>(objects: IpamObjects<T>): IpamObjects<T> => {
    async function write<R>(op: string, object: T, call: () => Promise<Outcome<R>>): Promise<Outcome<R>> {
      lost.throwIfAborted();
      writes += 1;
      const head = { write: writes, op, kind: object.kind, name: object.metadata.name };
      const content = op === 'delete' ? { metadata: { uid: object.metadata.uid } } : { spec: object.spec };
      await journal.append({ ...head, phase: 'before', resourceVersion: object.metadata.resourceVersion, ...content });
      // The write was made whether or not the journal can record it; the next write checks the journal first.
      const after = (entry: Readonly<Record<string, unknown>>): Promise<void> =>
        journal.append({ ...head, phase: 'after', ...entry }).catch(() => undefined);
      try {
        const outcome = await call();
        await after({ outcome: outcome.ok ? 'written' : outcome.why });
        return outcome;
      } catch (error) {
        await after({ outcome: 'unknown', error: String(error) });
        throw error;
      }
    }
    return {
      get: (name) => objects.get(name),
      list: () => objects.list(),
      create: (object) => write('create', object, () => objects.create(object)),
      update: (object) => write('update', object, () => objects.update(object)),
      remove: (object) => write('delete', object, () => objects.remove(object)),
    };
  };
  return {
    affinitiesOf: (owner, version) => store.affinitiesOf(owner, version),
    config: () => store.config(),
    pools: () => store.pools(),
    reservations: () => store.reservations(),
    nodeLabels: (name) => store.nodeLabels(name),
    blocks: wrap(store.blocks),
    affinities: wrap(store.affinities),
    handles: wrap(store.handles),
  };
}
