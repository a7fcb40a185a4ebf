// Reads a file that a person names on the command line. It may be a pipe (`--kubeconfig <(…)`): that is read without waiting
// for a writer that does not come, and without a read that Ctrl-C cannot end.
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { sizeText } from '../text/wording.ts';
import { otherThanFile, UnsuitableFileError } from './regular-file.ts';

/** How long a named pipe may be without a writer. */
const writerWaitMs = 5_000;
const pollMs = 20;
const pieceSize = 1 << 18;

/** A read that finds nothing returns at once: neither opening nor reading holds a thread that would keep the process alive. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The bytes of a regular file or of a pipe; the null device is empty.
 * Errors: UnsuitableFileError for anything else, for more than `maxBytes`, and for a pipe that nobody writes into; those of
 * the file system; the reason of the signal.
 */
export async function readInputFile(path: string, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENXIO' ? new UnsuitableFileError('a socket, not a file') : error;
  });
  try {
    const stats = await file.stat();
    if (stats.isFIFO()) return await readPipe(file, path, maxBytes, signal);
    if (await isNullDevice(stats)) return Buffer.alloc(0);
    const other = otherThanFile(stats);
    if (other !== undefined) throw new UnsuitableFileError(`${other}, not a file`);
    if (stats.size > maxBytes) throw tooLarge(maxBytes);
    return await readBounded(file, maxBytes);
  } finally {
    await file.close();
  }
}

const tooLarge = (maxBytes: number): UnsuitableFileError =>
  new UnsuitableFileError(`too large: more than ${sizeText(maxBytes)}`);

async function isNullDevice(stats: Stats): Promise<boolean> {
  if (!stats.isCharacterDevice()) return false;
  const device = await open(devNull, flags);
  try {
    return (await device.stat()).rdev === stats.rdev;
  } finally {
    await device.close();
  }
}

/** Files below /proc say that they are empty, so only the bytes themselves tell how many there are. */
async function readBounded(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const pieces = new Pieces(maxBytes);
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(pieceSize), 0, pieceSize, null);
    if (bytesRead === 0) return pieces.all();
    pieces.add(buffer.subarray(0, bytesRead));
  }
}

/** A pipe that the shell opened (`<(…)`) gets no other writer; one with a name may get its first one late. */
const isInherited = (path: string): boolean => /^\/(dev\/(fd\/|stdin$)|proc\/self\/fd\/)/.test(path);

async function readPipe(file: FileHandle, path: string, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const pieces = new Pieces(maxBytes);
  let patienceMs = isInherited(path) ? 0 : writerWaitMs;
  for (;;) {
    signal.throwIfAborted();
    const bytes = await readPiece(file);
    if (bytes === undefined) patienceMs = 0;
    else if (bytes.length > 0) {
      pieces.add(bytes);
      continue;
    } else if (pieces.size > 0 || patienceMs === 0) return pieces.all();
    else {
      patienceMs -= pollMs;
      if (patienceMs <= 0) throw new UnsuitableFileError('a named pipe that no program writes to');
    }
    await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Empty where nobody has the pipe open for writing; undefined where a writer has, but nothing is written yet. */
async function readPiece(file: FileHandle): Promise<Buffer | undefined> {
  try {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(pieceSize), 0, pieceSize, null);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

/** What was read, up to a limit. */
class Pieces {
  readonly #pieces: Buffer[] = [];
  readonly #maxBytes: number;
  size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.size > this.#maxBytes) throw tooLarge(this.#maxBytes);
    this.#pieces.push(bytes);
  }

  all(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}
