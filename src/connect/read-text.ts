// Reading the files of a connection: a kubeconfig may be a pipe (`--kubeconfig <(…)`), which must not make the program deaf.
import { createReadStream, type Stats, statSync } from 'node:fs';
import { ConnectionError } from './connection-error.ts';

/** Far more than any kubeconfig has. */
const largestFile = 16 << 20;

/**
 * The whole text of a file or a pipe. Errors: those of the file system; Error for an endless file; the reason of the signal,
 * at once even where nobody writes into the pipe.
 */
export function readText(path: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const interrupted = (): void => reject(signal.reason);
    signal.addEventListener('abort', interrupted, { once: true });
    const pieces: Buffer[] = [];
    let size = 0;
    const stream = createReadStream(path)
      .on('data', (piece) => {
        pieces.push(piece as Buffer);
        size += piece.length;
        if (size > largestFile) stream.destroy(new Error(`it is larger than ${largestFile >> 20} MiB`));
      })
      .on('end', () => resolve(Buffer.concat(pieces).toString('utf8')))
      .on('error', reject)
      .on('close', () => signal.removeEventListener('abort', interrupted));
  });
}

/** Errors: ConnectionError for a pipe or a device, from which a read may never return. `what` is its role: `the CA file`. */
export function refuseSpecialFile(what: string, path: string): void {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch {
    // The read itself reports it.
  }
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return;
  throw new ConnectionError(`${what} ${path} is not a regular file`, {
    hint: 'Name a file with --kubeconfig or in it.',
  });
}
