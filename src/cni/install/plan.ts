// What an installation or its removal has to do, decided from what is there. Rules: docs/reference/cni.md#installation
import { RefusedError } from '../../world/errors.ts';
import { type Mark, markOf, type WantedFile } from './installed-file.ts';
import type { InstallRecord, RecordedFile } from './record.ts';

/** What happens to one file. */
export interface PlannedFile {
  readonly path: string;
  readonly action: 'create' | 'replace' | 'keep' | 'remove' | 'restore';
  readonly wanted?: WantedFile;
  /** What was found there when it was planned. */
  readonly found: Mark | undefined;
  /** Where a file of another program is kept, or is taken from. */
  readonly backup?: string;
  /** True for a backup that has to be made first. */
  readonly savesFirst?: true;
}

export interface Plan {
  /** In the order in which they are done. */
  readonly files: readonly PlannedFile[];
  /** The record before the first change, and after the last one. */
  readonly before: InstallRecord;
  readonly after: InstallRecord;
}

/** The mark of what is at a path. */
export type Look = (path: string) => Promise<Mark | undefined>;

/** Plans an installation of these files, in this order: what is needed comes before what needs it. */
export async function planInstall(wanted: readonly WantedFile[], record: InstallRecord, look: Look): Promise<Plan> {
  const files: PlannedFile[] = [];
  for (const file of wanted) files.push(await plannedFile(file, recordedAt(record, file.path), look));
  const others = record.files.filter(({ path }) => !wanted.some((file) => file.path === path));
  const recorded = files.map(({ path, wanted: to, backup }): RecordedFile => {
    const marks = to === undefined ? [] : [markOf(to.content)];
    return { path, marks, ...(backup !== undefined && { backup }) };
  });
  const before = recorded.map((file) => ({
    ...file,
    marks: [...new Set([...(recordedAt(record, file.path)?.marks ?? []), ...file.marks])],
  }));
  return {
    files,
    before: { path: record.path, files: [...before, ...others] },
    after: { path: record.path, files: [...recorded, ...others] },
  };
}

async function plannedFile(wanted: WantedFile, recorded: RecordedFile | undefined, look: Look): Promise<PlannedFile> {
  const { path } = wanted;
  const found = await look(path);
  const isOwn = found !== undefined && recorded?.marks.includes(found) === true;
  const planned = { path, wanted, found, ...(recorded?.backup !== undefined && { backup: recorded.backup }) };
  if (found === undefined) return { ...planned, action: 'create' };
  if (isOwn) return { ...planned, action: found === markOf(wanted.content) ? 'keep' : 'replace' };
  return { ...planned, action: 'replace', ...(await backupFor(path, found, look)) };
}

/** A name that is free, or that has the same file already: an earlier run was interrupted after it. */
async function backupFor(path: string, mark: Mark, look: Look): Promise<Pick<PlannedFile, 'backup' | 'savesFirst'>> {
  for (let number = 1; ; number++) {
    const backup = `${path}.before-calictl${number === 1 ? '' : `-${number}`}`;
    const there = await look(backup);
    if (there === undefined) return { backup, savesFirst: true };
    if (there === mark) return { backup };
  }
}

/**
 * Plans the removal of everything that the record lists, in the reverse order. Errors: RefusedError when a file is not as
 * calictl wrote it any more: it may be in use.
 */
export async function planUninstall(record: InstallRecord, look: Look): Promise<Plan> {
  const files: PlannedFile[] = [];
  for (const { path, marks, backup } of [...record.files].reverse()) {
    const found = await look(path);
    const former = backup === undefined ? undefined : await look(backup);
    // A removal that was interrupted has put the former file back already.
    const isRestored = backup !== undefined && former === undefined && found !== undefined && !marks.includes(found);
    if (isRestored) {
      files.push({ path, action: 'keep', found });
    } else if (found !== undefined && !marks.includes(found)) {
      throw new RefusedError(
        `${path} was changed since calictl wrote it`,
        'CNI_FILE_CHANGED',
        `remove it yourself if nothing uses it; then run the command again. Nothing was removed`,
      );
    } else if (backup !== undefined && former !== undefined) {
      files.push({ path, action: 'restore', found, backup });
    } else {
      files.push({ path, action: found === undefined ? 'keep' : 'remove', found });
    }
  }
  return { files, before: record, after: { path: record.path, files: [] } };
}

function recordedAt({ files }: InstallRecord, path: string): RecordedFile | undefined {
  return files.find((file) => file.path === path);
}
