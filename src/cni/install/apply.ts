// Carries out a plan. Each file takes its place by a rename, when it is complete and on the disk: a run that is killed leaves
// the former file or the new one, and the next run goes on.
import { link, open, readdir, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../files/make-folder.ts';
import { CalictlError, systemText } from '../../world/errors.ts';
import { type Content, markAt, markOf } from './installed-file.ts';
import type { Plan, PlannedFile } from './plan.ts';
import { type InstallRecord, recordText } from './record.ts';

export interface ApplyOptions {
  /** Part of the names of drafts, different for each process. */
  readonly draftName: string;
  /** Runs the program at this path. Errors: whatever says why it does not run here. */
  tryProgram(path: string): Promise<void>;
  readonly signal: AbortSignal;
  /** Called between the steps; a test ends the run there as a kill would. */
  readonly between?: (step: string) => void;
}

/**
 * Carries out the plan. Errors: CalictlError when a file cannot be written or is not what was planned for any more; what was
 * done before stays, and is complete.
 */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<void> {
  const { files, before, after } = plan;
  const writer = new Writer(options);
  await writer.removeDrafts([...files.map(({ path }) => path), before.path]);
  if (files.every(({ action }) => action === 'keep') && recordText(before) === recordText(after)) return;
  const isInstalling = after.files.length > 0;
  if (isInstalling) await at(before.path, () => writer.put(before.path, recordContent(before)));
  for (const file of files) {
    options.signal.throwIfAborted();
    await at(file.path, () => writer.carryOut(file));
  }
  await at(after.path, () => (isInstalling ? writer.put(after.path, recordContent(after)) : writer.remove(after.path)));
}

/** Errors of the file system get the path, those of programs that do not run are what they are. */
async function at(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new CalictlError(`${path} cannot be written: ${systemText(cause)}`, { code: 'UNWRITABLE', cause });
  }
}

function recordContent(record: InstallRecord): Content {
  return { type: 'file', bytes: Buffer.from(recordText(record)), mode: 0o600 };
}

class Writer {
  readonly #options: ApplyOptions;

  constructor(options: ApplyOptions) {
    this.#options = options;
  }

  #between(step: string): void {
    this.#options.between?.(step);
  }

  async carryOut(file: PlannedFile): Promise<void> {
    const { path, action, wanted, backup, savesFirst } = file;
    if (action === 'keep') return;
    await this.#requireUnchanged(file);
    if (action === 'remove') await this.remove(path);
    else if (action === 'restore' && backup !== undefined) await this.#restore(backup, path);
    else if (wanted !== undefined) {
      if (savesFirst && backup !== undefined) await this.#save(path, backup);
      await this.put(path, wanted.content, wanted.isProgram);
    }
  }

  /** What another program wrote after the plan was made is neither replaced nor removed. */
  async #requireUnchanged({ path, found }: PlannedFile): Promise<void> {
    if ((await markAt(path)) === found) return;
    throw new CalictlError(`${path} was changed by another program`, {
      code: 'CNI_FILE_CHANGED',
      hint: 'run the command again',
    });
  }

  /** Writes a draft, reads it back, and puts it in its place. Errors: those of the file system, CalictlError. */
  async put(path: string, content: Content, isProgram = false): Promise<void> {
    await makeFolder(dirname(path), 0o755);
    const draft = join(dirname(path), `.${basename(path)}.${this.#options.draftName}.draft`);
    if (content.type === 'link') await symlink(content.target, draft);
    else await writeDraft(draft, content.bytes, content.mode);
    this.#between(`drafted ${path}`);
    if ((await markAt(draft)) !== markOf(content)) {
      throw new CalictlError(`${path} was not replaced: what was written cannot be read back`, {
        code: 'CNI_READ_BACK',
      });
    }
    if (isProgram) await this.#options.tryProgram(draft);
    await rename(draft, path);
    this.#between(`renamed ${path}`);
    await syncFolder(path);
  }

  /** Gives the file a second name; the first one leads to it until the new file takes its place. */
  async #save(path: string, backup: string): Promise<void> {
    await link(path, backup);
    await syncFolder(backup);
    this.#between(`saved ${path}`);
  }

  async #restore(backup: string, path: string): Promise<void> {
    await rename(backup, path);
    await syncFolder(path);
    this.#between(`restored ${path}`);
  }

  async remove(path: string): Promise<void> {
    await rm(path, { force: true });
    await syncFolder(path);
    this.#between(`removed ${path}`);
  }

  /** Drafts that killed runs left. */
  async removeDrafts(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const folder = dirname(path);
      const names = await readdir(folder).catch(() => []);
      const isDraft = (name: string): boolean => name.startsWith(`.${basename(path)}.`) && name.endsWith('.draft');
      for (const name of names.filter(isDraft)) await rm(join(folder, name), { force: true });
    }
  }
}

async function writeDraft(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(bytes);
    // The mode of a new file is narrowed by the umask.
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A rename is on the disk when its directory is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
