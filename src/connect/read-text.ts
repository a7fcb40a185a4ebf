// Reading the files of a connection. A kubeconfig may be a pipe (`--kubeconfig <(…)`); what it names must be files.
import { type Stats, statSync } from 'node:fs';
import { readInputFile } from '../files/input-file.ts';
import { otherThanFile } from '../files/regular-file.ts';
import { sizeText } from '../text/wording.ts';
import { ConnectionError } from './connection-error.ts';

/** Far more than any kubeconfig, certificate or token has. */
const largestFile = 16 << 20;

/** The whole text of a file or a pipe. Errors: those of readInputFile. */
export async function readText(path: string, signal: AbortSignal): Promise<string> {
  return (await readInputFile(path, largestFile, signal)).toString('utf8');
}

/**
 * Errors: ConnectionError for anything but a file of reasonable size: client-node reads it whole, and of a pipe or a device
 * for ever. `what` is its role: `the CA file`.
 */
export function refuseSpecialFile(what: string, path: string): void {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch {
    // The read itself reports it.
  }
  if (stats === undefined) return;
  const other = otherThanFile(stats);
  const isLarge = stats.size > largestFile;
  if (other === undefined && !isLarge) return;
  throw new ConnectionError(
    `${what} ${path} is ${other === undefined ? `too large: ${sizeText(stats.size)}, more than ${sizeText(largestFile)}` : `${other}, not a file`}`,
    { hint: 'Use a regular file, with --kubeconfig and in it.' },
  );
}
