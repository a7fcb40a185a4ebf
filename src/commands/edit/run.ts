// What calictl edit does: reads the objects, lets the user edit them until the text is valid, and writes what was changed.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { DatastoreError } from '../../datastore/datastore.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { newScratchFolder } from '../../files/scratch-folder.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import { CalictlError, exitCodes, UsageError } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import { targetsOf } from '../get/targets.ts';
import { type Target, type Written, writeAll } from '../object-writes.ts';
import type { WritesShown } from '../object-writes-text.ts';
import { manifestTargets, namedTargets } from '../write-targets.ts';
import { errors as errorsOfWrites } from '../written-result.ts';
import type { EditInput } from './command.ts';
import { bodyOf, type EditProblem, isBlank, withHeading, withoutHeading } from './edit-text.ts';
import { editedObjects, type Original } from './edited-objects.ts';
import { editFile, editorOf } from './editor.ts';

const readsAtOnce = 24;

export interface EditResult extends WritesShown {
  /** The file with the changes that could not be written. */
  readonly kept?: string;
}

/** Errors: UsageError for words that name no objects. */
async function targetsIn(ctx: Context, input: EditInput): Promise<readonly Target[]> {
  if (input.kind === undefined) return manifestTargets(ctx, input);
  const { targets } = targetsOf(input.kind, input.names);
  return targets.flatMap(({ kind, name }) => {
    if (name === undefined) {
      throw new UsageError(
        'no names given',
        'specify the names of the objects; calictl get lists those of a kind',
        'NO_NAMES',
      );
    }
    return namedTargets(kind, [name], input.namespace);
  });
}

/** The object as it is stored, read by a client that writes nothing. Errors: those of reading it, and the refusal of an update, before anybody edits in vain. */
async function readOriginal(trial: ResourceClient, { kind, object }: Target): Promise<Original> {
  const { name, namespace } = object.metadata;
  const stored = await trial.one(kind, { name, namespace });
  await trial.update(kind, stored).catch((error: unknown) => {
    const isRefusal =
      error instanceof DatastoreError && (error.code === 'WRITE_REFUSED' || error.reason === 'unsupported');
    if (isRefusal) throw error;
  });
  return { kind, object: stored };
}

const write =
  (client: ResourceClient) =>
  async ({ kind, object }: Target) => ({ outcome: 'edited' as const, object: await client.update(kind, object) });

/** What the user must put right, when that is why nothing was written. */
function refusals(written: readonly Written[]): readonly EditProblem[] | undefined {
  const problems = written.flatMap(({ error }) =>
    error instanceof DatastoreError && error.reason === 'invalid'
      ? [{ text: error.hint === undefined ? error.message : `${error.message} (${error.hint})` }]
      : [],
  );
  return problems.length === written.length ? problems : undefined;
}

/** The file that is edited, in a directory that only the user can enter. */
class EditedFile {
  readonly path: string;
  readonly #folder: string;
  /** The text before the user saw it. */
  #first: string | undefined;

  private constructor(folder: string, name: string) {
    this.#folder = folder;
    this.path = join(folder, name);
  }

  static async create(originals: readonly Original[]): Promise<EditedFile> {
    const [only, ...others] = originals;
    const named =
      only === undefined || others.length > 0 ? 'objects' : `${only.kind.kind}-${only.object.metadata.name}`;
    return new EditedFile(await newScratchFolder('calictl-edit-'), `${encodeURIComponent(named.toLowerCase())}.yaml`);
  }

  async give(text: string): Promise<void> {
    await writeFile(this.path, text, { mode: 0o600 });
    this.#first ??= text;
  }

  async read(): Promise<string> {
    return (await readRegularFile(this.path)).toString('utf8');
  }

  /** True when there is something in it that the user would miss. */
  async isWorthKeeping(): Promise<boolean> {
    return this.read().then(
      (text) => text !== this.#first,
      () => false,
    );
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}

function notValid(problems: readonly EditProblem[], isAgain: boolean): CalictlError {
  const message = isAgain ? 'edit cancelled, no valid changes were saved' : 'the saved text is not valid';
  return new CalictlError([message, ...problems.map(({ text }) => `  ${text}`)].join('\n'), {
    code: 'INVALID_EDIT',
    exit: exitCodes.usage,
    hint: 'Nothing was written.',
  });
}

interface Session {
  readonly ctx: Context;
  readonly client: ResourceClient;
  readonly editor: readonly string[];
  readonly file: EditedFile;
}

/** Lets the user edit until something valid, nothing or the same again is saved. Returns what was written. */
async function edited(
  { ctx, client, editor, file }: Session,
  originals: readonly Original[],
): Promise<readonly Written[]> {
  let body = bodyOf(originals.map(({ object }) => object));
  let problems: readonly EditProblem[] = [];
  for (let isFirst = true; ; isFirst = false) {
    await file.give(withHeading(body, problems));
    await editFile(editor, file.path, ctx.world);
    const saved = withoutHeading(await file.read());
    if (saved === body) {
      if (!isFirst) throw notValid(problems, true);
      await ctx.note('Edit cancelled, no changes made.');
      return [];
    }
    if (isBlank(saved)) {
      await ctx.note('Edit cancelled, the saved file is empty.');
      return [];
    }
    body = saved;
    const { changed, problems: wrong } = editedObjects(saved, originals);
    problems = wrong;
    if (wrong.length === 0) {
      if (changed.length === 0) {
        await ctx.note('Edit cancelled, no changes made.');
        return [];
      }
      const written = await writeAll(ctx, changed, write(client), { doing: 'writing' });
      const refused = refusals(written);
      if (refused === undefined) return written;
      problems = refused;
    }
    // A program that edits would only do the same again.
    if (!ctx.world.io.stdin.isTerminal) throw notValid(problems, false);
  }
}

/** The error with the place of the changes in its hint. */
function keptIn(file: string, error: CalictlError): CalictlError {
  const { code, exit, hint, message } = error;
  const where = `Your changes are in ${file}, which is kept`;
  const before = hint === undefined ? '' : hint.endsWith('.') ? `${hint} ` : `${hint}. `;
  return new CalictlError(message, { code, exit, hint: before + where, cause: error });
}

export async function run(ctx: Context, input: EditInput): Promise<EditResult> {
  const targets = await targetsIn(ctx, input);
  if (targets.length === 0) return { written: [] };
  const editor = editorOf(ctx.world);
  const store = await ctx.datastore();
  const client = new ResourceClient(store, ctx.world, { note: (line) => ctx.note(line) });
  const trial = new ResourceClient(store, ctx.world, { dryRun: 'client', expected: targets });
  const originals = await pMap(targets, (target) => readOriginal(trial, target), { concurrency: readsAtOnce });
  const file = await EditedFile.create(originals);
  let isKept = false;
  try {
    const written = await edited({ ctx, client, editor, file }, originals);
    const failed = written.filter(({ done }) => done === undefined);
    if (failed.length === 0) return { written };
    isKept = true;
    if (failed.length < written.length) await file.give(bodyOf(failed.map(({ target }) => target.object)));
    return { written, kept: file.path };
  } catch (error) {
    isKept = await file.isWorthKeeping();
    // After an interruption only that is reported, not the error: Ctrl-C may reach this program after it ended the editor.
    const isReported = error instanceof CalictlError && !ctx.world.signal.aborted;
    if (isKept && isReported) throw keptIn(file.path, error);
    if (isKept) await ctx.note(`Your changes are in ${file.path}, which is kept.`);
    throw error;
  } finally {
    if (!isKept) await file.remove();
  }
}

/** The last error says where the changes are. */
export function errors(result: EditResult): readonly Error[] {
  const all = errorsOfWrites(result);
  const { kept } = result;
  return all.map((error, at) => {
    const isLast = at === all.length - 1;
    return isLast && kept !== undefined && error instanceof CalictlError ? keptIn(kept, error) : error;
  });
}

export { exit, formats } from '../written-result.ts';
