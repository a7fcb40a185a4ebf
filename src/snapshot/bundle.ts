// Unpacks a snapshot bundle into a temporary folder, to be read: never more than its limits, and what a killed run left is
// removed by the next one.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { newOwnedFolder } from '../files/owned-folder.ts';
import { openRegularFile } from '../files/regular-file.ts';
import { sizeText } from '../text/wording.ts';
import { CalictlError, systemText } from '../world/errors.ts';
import type { ProcessIdentity } from '../world/world.ts';

export interface Unpacked {
  readonly folder: string;
  remove(): Promise<void>;
}

export interface UnpackOptions {
  /** Bytes that the bundle may unpack to, as the user gave it. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes that a bundle may unpack to, unless another limit is given: ten times the dump of a large cluster. */
const usualBundleLimit = 2 * 1024 ** 3;
/** Dumps are compressed to a tenth or less; a hundred times as much is made to fill a disk. */
const highestRatio = 200;
/** Below this the ratio does not matter: many equal objects, or nodes, compress well. */
const harmlessBytes = 256 * 1024 ** 2;
const mostFiles = 200_000;

/** A bundle that is refused, with the reason. */
class BundleTooLarge extends Error {}
/** The folder for temporary files cannot be written to. */
class ScratchUnwritable extends Error {}

/** True for a path that stays within the folder. */
function isInside(name: string): boolean {
  return name !== '' && !name.startsWith('/') && !name.includes('\0') && !name.split('/').includes('..');
}

/** Counts what comes out of a bundle. Errors: BundleTooLarge; the reason of the signal. */
class Budget {
  readonly #packed: number;
  readonly #limit: number | undefined;
  readonly #signal: AbortSignal | undefined;
  #bytes = 0;
  #files = 0;

  /** `limit`: as the user gave it; then the ratio does not count. */
  constructor(packed: number, limit: number | undefined, signal: AbortSignal | undefined) {
    this.#packed = packed;
    this.#limit = limit;
    this.#signal = signal;
  }

  addFile(claimed: number): void {
    this.#files++;
    if (this.#files > mostFiles) throw new BundleTooLarge(`it has more than ${mostFiles} files`);
    this.#check(this.#bytes + claimed);
  }

  addBytes(count: number): void {
    this.#bytes += count;
    this.#check(this.#bytes);
  }

  #check(bytes: number): void {
    this.#signal?.throwIfAborted();
    const limit = this.#limit ?? usualBundleLimit;
    if (bytes > limit) throw new BundleTooLarge(`it unpacks to more than ${sizeText(limit)}`);
    if (this.#limit === undefined && bytes > harmlessBytes && bytes > this.#packed * highestRatio) {
      throw new BundleTooLarge(`its ${sizeText(this.#packed)} unpack to more than ${sizeText(bytes - 1)}`);
    }
  }
}

/**
 * Unpacks into a new folder that only its owner may read; links are skipped. Errors: CalictlError for
 * an invalid bundle, one beyond the limits, and when there is no room for it; the reason of the signal. Then nothing is left.
 */
export async function unpackBundle(
  path: string,
  self: ProcessIdentity,
  options: UnpackOptions = {},
): Promise<Unpacked> {
  const scratch = await newScratch(path, self);
  const remove = (): Promise<void> => rm(scratch, { recursive: true, force: true });
  const folder = join(scratch, 'bundle');
  try {
    await mkdir(folder);
    await unpackInto(folder, path, options);
    return { folder: await contentsOf(folder), remove };
  } catch (cause) {
    await remove();
    options.signal?.throwIfAborted();
    throw unpackError(path, cause);
  }
}

async function unpackInto(folder: string, path: string, { limit, signal }: UnpackOptions): Promise<void> {
  const file = await openRegularFile(path);
  const budget = new Budget((await file.stat()).size, limit, signal);
  const entries = extract();
  const reading = pipeline(file.createReadStream(), createGunzip(), entries);
  reading.catch(() => undefined);
  for await (const entry of entries) {
    const { name, type, size = 0 } = entry.header;
    // What is skipped is unpacked too, and takes time.
    budget.addFile(size);
    if (type === 'file' && isInside(name)) await writeEntry(folder, name, entry, budget);
    else for await (const piece of entry) budget.addBytes((piece as Buffer).length);
  }
  await reading;
}

/** True for an error of a bundle whose names exclude each other, or are too long; false where TMPDIR is to blame. */
function namesAreWrong({ code = '' }: NodeJS.ErrnoException): boolean {
  return ['EEXIST', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL', 'EILSEQ'].includes(code);
}

async function writeEntry(folder: string, name: string, entry: AsyncIterable<unknown>, budget: Budget): Promise<void> {
  const path = join(folder, name);
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of entry) {
      budget.addBytes((piece as Buffer).length);
      yield piece as Buffer;
    }
  };
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Readable.from(counted()));
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    if (namesAreWrong(cause as NodeJS.ErrnoException))
      throw new Error(`no file can be called ${name}: ${systemText(cause)}`, { cause });
    throw new ScratchUnwritable(systemText(cause), { cause });
  }
}

function unpackError(path: string, cause: unknown): CalictlError {
  if (cause instanceof BundleTooLarge) {
    return new CalictlError(`${path} is not unpacked: ${cause.message}`, {
      code: 'BUNDLE_TOO_LARGE',
      hint: 'If you trust it, allow more with --bundle-limit SIZE, such as 8GiB; or unpack it into a directory.',
      cause,
    });
  }
  if (cause instanceof ScratchUnwritable) return noRoom(path, cause);
  return new CalictlError(`${path} is not a snapshot bundle: ${systemText(cause)}`, {
    code: 'BUNDLE_UNREADABLE',
    hint: 'Use a .tgz file written by calictl snapshot save.',
    cause,
  });
}

function noRoom(path: string, cause: unknown): CalictlError {
  return new CalictlError(`${path} cannot be unpacked in ${tmpdir()}: ${systemText(cause)}`, {
    code: 'BUNDLE_NO_ROOM',
    hint: 'Free some space there, or set TMPDIR to a directory that has more.',
    cause,
  });
}

/** A bundle that was packed by hand may have everything within one folder. */
async function contentsOf(folder: string): Promise<string> {
  const [only, ...more] = await readdir(folder, { withFileTypes: true });
  return only?.isDirectory() && more.length === 0 && only.name !== 'nodes' ? join(folder, basename(only.name)) : folder;
}

async function newScratch(path: string, self: ProcessIdentity): Promise<string> {
  return newOwnedFolder(tmpdir(), 'calictl-bundle-', self).catch((cause: unknown) => {
    throw noRoom(path, cause);
  });
}
