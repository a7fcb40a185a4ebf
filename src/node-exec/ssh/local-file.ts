// Reading the files of an SSH client at once: only regular ones, because a read of a pipe may never return.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { otherThanFile } from '../../files/regular-file.ts';
import { sizeText } from '../../text/wording.ts';

/** Far more than any list of known hosts has. */
const largestFile = 64 << 20;

/**
 * The content of a file; a device is empty, as /dev/null is.
 * Errors: those of the file system; Error for a folder, a pipe or a socket, and for a file that is too large.
 */
export function readLocalFile(path: string): Buffer {
  // Opened first: what a path leads to may change between a look at it and its opening.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (stats.isCharacterDevice()) return Buffer.alloc(0);
    const other = otherThanFile(stats);
    if (other !== undefined) throw new Error(`${other}, not a file`);
    if (stats.size > largestFile) throw new Error(`too large: more than ${sizeText(largestFile)}`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
