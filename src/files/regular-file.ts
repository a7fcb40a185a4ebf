// Opens regular files only: a named pipe would make the program wait for ever, and a device has no end.
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { sizeText } from '../text/wording.ts';

/** A path that leads to something else than a regular file, or to a file that is too large to be read. */
export class UnsuitableFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnsuitableFileError';
  }
}

/** What `lstat`, `stat` and directory entries have in common. */
type FileType = Pick<Stats, 'isDirectory' | 'isFIFO' | 'isSocket' | 'isFile'>;

/** What it is, when it is not a regular file: `a named pipe`. Undefined for a regular file. */
export function otherThanFile(type: FileType): string | undefined {
  if (type.isFile()) return undefined;
  if (type.isDirectory()) return 'a directory';
  if (type.isFIFO()) return 'a named pipe';
  return type.isSocket() ? 'a socket' : 'a device';
}

/** With O_NONBLOCK neither opening nor reading a named pipe waits; regular files ignore it. */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The largest text that a string of Node can hold is a little larger. */
export const largestText = 500 * 1024 ** 2;

function refuseUnsuitable(stats: Stats, maxBytes: number): void {
  const other = otherThanFile(stats);
  if (other !== undefined) throw new UnsuitableFileError(`${other}, not a file`);
  if (stats.size > maxBytes) {
    throw new UnsuitableFileError(`too large: ${sizeText(stats.size)}, more than ${sizeText(maxBytes)}`);
  }
}

/**
 * Opens a regular file for reading; links are followed. The caller closes it.
 * Errors: UnsuitableFileError for anything else and for a file of more than `maxBytes`; those of the file system.
 */
export async function openRegularFile(path: string, maxBytes = Number.POSITIVE_INFINITY): Promise<FileHandle> {
  // A socket cannot be opened at all: what it is has to be asked before the file system refuses.
  const file = await open(path, readFlags).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENXIO' ? new UnsuitableFileError('a socket, not a file') : error;
  });
  try {
    refuseUnsuitable(await file.stat(), maxBytes);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The bytes of a regular file. Errors: those of `openRegularFile`. */
export async function readRegularFile(path: string, maxBytes = largestText): Promise<Buffer> {
  const file = await openRegularFile(path, maxBytes);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Writing does not wait for a reader of a named pipe either: opening one without a reader is an error. */
const writeFlags = constants.O_WRONLY | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/**
 * Writes a file, or to a terminal or the null device; anything that may not take all of it at once is refused. `forOwnerOnly`:
 * nobody else may read the file, also when it was there before. Errors: UnsuitableFileError, those of the file system.
 */
export async function writeOutputFile(path: string, text: string, forOwnerOnly = false): Promise<void> {
  const file = await openOutput(path, writeFlags, forOwnerOnly ? 0o600 : 0o644);
  try {
    const stats = await file.stat();
    if (stats.isFIFO() || stats.isSocket()) throw new UnsuitableFileError(`${otherThanFile(stats)}, not a file`);
    if (stats.isFile() && forOwnerOnly) await file.chmod(0o600);
    if (stats.isFile()) await file.truncate();
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

/** Opens a regular file to append to it, readable by its owner only. The caller closes it. Errors: as writeOutputFile. */
export async function openToAppend(path: string): Promise<FileHandle> {
  const file = await openOutput(path, writeFlags | constants.O_APPEND, 0o600);
  const other = otherThanFile(await file.stat());
  if (other === undefined) return file;
  await file.close();
  throw new UnsuitableFileError(`${other}, not a file`);
}

/** A named pipe without a reader, and a socket, cannot be opened. */
async function openOutput(path: string, flags: number, mode: number): Promise<FileHandle> {
  return open(path, flags, mode).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENXIO' ? new UnsuitableFileError('a named pipe or a socket, not a file') : error;
  });
}
