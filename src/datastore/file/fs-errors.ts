// Errors of the file system as errors of a datastore.
import { systemText } from '../../world/errors.ts';
import { DatastoreError } from '../datastore.ts';

/** The code of a failed system call, such as `ENOENT`; undefined for every other error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** True when the folder may not be written to: a reader goes on without the lock, a writer gives up. */
export function isReadOnly(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '');
}

/** `doing`: what failed, with the path: `write to ./dump`. Errors of other origin are returned unchanged. */
export function asDatastoreError(error: unknown, doing: string): unknown {
  if (errorCode(error) === undefined) return error;
  const reason = isReadOnly(error) ? 'unauthorized' : 'unavailable';
  return new DatastoreError(reason, `cannot ${doing}: ${systemText(error)}`, { cause: error });
}
