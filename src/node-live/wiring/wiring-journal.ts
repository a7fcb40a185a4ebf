// The journal of a pod's wiring: one file for each interface of a node, which the next run reads. A run that was killed has a
// beginning without an end; what it began, and how that is undone, is in it.
import { join } from 'node:path';
import { stateFolder } from '../../files/journal.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { parseJson } from '../../text/json.ts';
import { isObject } from '../../text/plain-values.ts';
import { CalictlError, systemText } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';

/** A run that did not come to its end. */
export interface UnfinishedRun {
  /** What it was to make, as text: the namespace and all commands. */
  readonly wanted: string;
  /** The pod's network namespace: its path, and the kernel's number of it at that time. */
  readonly netns: string;
  readonly namespaceId: string;
  /** The process that began it. */
  readonly pid: number;
  readonly hostname: string;
  readonly incarnation: string;
  /** The commands that undo what it began, the last one first. */
  readonly undo: readonly (readonly string[])[];
}

/** The path of the journal of one interface of a node. Errors: UsageError without a home. */
export function wiringJournalPath(env: World['env'], node: string, hostInterface: string): string {
  const name = `wire-${node}-${hostInterface}`.replaceAll(/[^\w.-]/g, '_');
  return join(stateFolder(env), `${name}.jsonl`);
}

/**
 * The run that was cut off, with what runs before it had begun and it was to finish; undefined when there is none.
 * Errors: CalictlError when the journal cannot be read.
 */
export async function unfinishedRun(path: string): Promise<UnfinishedRun | undefined> {
  let text: string;
  try {
    text = (await readRegularFile(path)).toString();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new CalictlError(`the journal ${path} cannot be read: ${systemText(cause)}`, {
      code: 'JOURNAL_UNREADABLE',
      hint: 'it says what an interrupted run left behind; specify another file with --journal FILE to continue without it',
      cause,
    });
  }
  return parseUnfinished(text);
}

/** The same from the text of the journal. A last line that was cut off in the middle was not followed by a write. */
function parseUnfinished(text: string): UnfinishedRun | undefined {
  let run: Omit<UnfinishedRun, 'undo'> | undefined;
  /** What undoes each process that was begun, the last one first. */
  let undo: (readonly (readonly string[])[])[] = [];
  for (const line of text.split('\n')) {
    const entry = entryOf(line);
    if (entry === undefined) continue;
    const { phase } = entry;
    if (phase === 'begin') {
      const text = (key: string): string => String(entry[key] ?? '');
      run = {
        wanted: text('wanted'),
        netns: text('netns'),
        namespaceId: text('namespace'),
        pid: Number(entry['pid']),
        hostname: text('hostname'),
        incarnation: text('incarnation'),
      };
    } else if (phase === 'before') undo.unshift(undoOf(entry['undo']));
    // Of a process that failed it is known afterwards how far it came.
    else if (phase === 'after' && Array.isArray(entry['undo'])) undo[0] = undoOf(entry['undo']);
    else if (phase === 'end') {
      run = undefined;
      undo = [];
    }
  }
  return run && { ...run, undo: undo.flat() };
}

function entryOf(line: string): Record<string, unknown> | undefined {
  try {
    const entry = line === '' ? undefined : parseJson(line);
    return isObject(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Only the programs that plans use are ever run from a file. */
const programs: readonly unknown[] = ['ip', 'sysctl', 'nsenter'];

function undoOf(value: unknown): (readonly string[])[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (argv): argv is string[] =>
      Array.isArray(argv) && argv.every((word) => typeof word === 'string') && programs.includes(argv[0]),
  );
}
