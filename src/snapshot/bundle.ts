// Unpacks a snapshot bundle into a temporary folder, to be read.
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { CalictlError, systemText } from '../world/errors.ts';

export interface Unpacked {
  readonly folder: string;
  remove(): Promise<void>;
}

/** True for a path that stays within the folder. */
function isInside(name: string): boolean {
  return name !== '' && !name.startsWith('/') && !name.includes('\0') && !name.split('/').includes('..');
}

/** Unpacks into a new folder that only its owner may read; links are skipped. Errors: CalictlError for an invalid bundle. */
export async function unpackBundle(path: string): Promise<Unpacked> {
  const folder = await mkdtemp(join(tmpdir(), 'calictl-bundle-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const entries = extract();
    const reading = pipeline(createReadStream(path), createGunzip(), entries);
    reading.catch(() => undefined);
    for await (const entry of entries) {
      const { name, type } = entry.header;
      if (type === 'file' && isInside(name)) {
        const file = join(folder, name);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, Readable.from(entry));
      }
      entry.resume();
    }
    await reading;
    return { folder: await contentsOf(folder), remove };
  } catch (cause) {
    await remove();
    throw new CalictlError(`${path} is not a snapshot bundle: ${systemText(cause)}`, {
      code: 'BUNDLE_UNREADABLE',
      hint: 'Use a .tgz file written by calictl snapshot save.',
      cause,
    });
  }
}

/** A bundle that was packed by hand may have everything within one folder. */
async function contentsOf(folder: string): Promise<string> {
  const [only, ...more] = await readdir(folder, { withFileTypes: true });
  return only?.isDirectory() && more.length === 0 && only.name !== 'nodes' ? join(folder, basename(only.name)) : folder;
}
