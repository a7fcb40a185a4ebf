// Reading the files of an SSH client at once: only regular ones, because a read of a pipe may never return.
import { readFileSync, statSync } from 'node:fs';

/**
 * The content of a file; a device is empty, as /dev/null is.
 * Errors: those of the file system; Error for a pipe or a socket.
 */
export function readLocalFile(path: string): Buffer {
  const stats = statSync(path);
  if (stats.isCharacterDevice()) return Buffer.alloc(0);
  if (stats.isFIFO() || stats.isSocket()) throw new Error('not a regular file');
  return readFileSync(path);
}
