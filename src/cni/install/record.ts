// The record of an installation, next to the configuration: which files calictl wrote, and where the former ones are.
import { join } from 'node:path';
import { readRegularFile } from '../../files/regular-file.ts';
import { parseJson } from '../../text/json.ts';
import { isObject } from '../../text/plain-values.ts';
import { CalictlError, systemText } from '../../world/errors.ts';
import type { Mark } from './installed-file.ts';

/** Runtimes read files that end in .conf, .conflist and .json only. */
const recordName = 'calictl-cni.record';

export interface RecordedFile {
  readonly path: string;
  /** While an installation is under way, both its mark and that of the one before. */
  readonly marks: readonly Mark[];
  /** Where the file of another program is that was there before. */
  readonly backup?: string;
}

export interface InstallRecord {
  readonly path: string;
  readonly files: readonly RecordedFile[];
}

export function recordText({ files }: InstallRecord): string {
  return `${JSON.stringify({ apiVersion: 'calictl/v1', kind: 'CNIInstallation', files }, undefined, 2)}\n`;
}

/** The record in the directory; empty when there is none. Errors: CalictlError when it cannot be understood. */
export async function readRecord(netDir: string): Promise<InstallRecord> {
  const path = join(netDir, recordName);
  let text: string;
  try {
    text = (await readRegularFile(path)).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { path, files: [] };
    throw unusable(path, systemText(error), error);
  }
  const files = filesIn(text);
  if (files === undefined) throw unusable(path, 'it is not a record of calictl cni install');
  return { path, files };
}

function unusable(path: string, why: string, cause?: unknown): CalictlError {
  const hint = 'if no installation is to be removed with it any more, delete the record';
  return new CalictlError(`${path} cannot be read: ${why}`, { code: 'CNI_RECORD', hint, cause });
}

function filesIn(text: string): readonly RecordedFile[] | undefined {
  try {
    const value = parseJson(text);
    if (!isObject(value) || value['kind'] !== 'CNIInstallation' || !Array.isArray(value['files'])) return undefined;
    const files: unknown[] = value['files'];
    return files.every(isRecorded) ? files : undefined;
  } catch {
    return undefined;
  }
}

function isRecorded(value: unknown): value is RecordedFile {
  if (!isObject(value)) return false;
  const { path, marks, backup } = value;
  const areTexts = Array.isArray(marks) && marks.every((mark) => typeof mark === 'string');
  return typeof path === 'string' && areTexts && (backup === undefined || typeof backup === 'string');
}
