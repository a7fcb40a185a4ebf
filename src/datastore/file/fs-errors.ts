// What the file system says, as errors of a datastore.
import { DatastoreError } from '../datastore.ts';

/** `ENOENT` and its like; undefined for every error that no system call gave. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** True when the folder may not be written to: a reader does without the lock, a writer gives up. */
export function isReadOnly(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '');
}

/** `doing`: what could not be done, with the path: `write to ./dump`. Errors of other origin come back as they are. */
export function asDatastoreError(error: unknown, doing: string): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  const text = REASONS[code];
  const reason = isReadOnly(error) ? 'unauthorized' : 'unavailable';
  return new DatastoreError(reason, `cannot ${doing}: ${text ?? (error as Error).message}`, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  ENOENT: 'it is not there (any more)',
  ENOTDIR: 'it is not a folder',
  EISDIR: 'it is a folder',
  EMFILE: 'too many open files',
  EIO: 'input/output error',
};
