// Where an output file may be: never in the folder that is the datastore, whatever links lead there.
import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { UsageError } from '../world/errors.ts';

/** Links that lead to each other are followed this often. */
const mostLinks = 40;

/** The path with links resolved, as far as it exists; a link to a file that does not exist yet leads to that file. */
function realLocation(path: string, links = 0): string {
  try {
    return realpathSync(path);
  } catch {
    const target = links < mostLinks ? targetOf(path) : undefined;
    if (target !== undefined) return realLocation(resolve(dirname(path), target), links + 1);
    const parent = dirname(path);
    return parent === path ? path : join(realLocation(parent, links), basename(path));
  }
}

/** Where a link leads; undefined for anything else. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** True when the path is, or would be, the place or below it. */
function isWithin(place: string, path: string): boolean {
  const route = relative(realLocation(place), realLocation(path));
  return route !== '..' && !route.startsWith(`..${sep}`);
}

/** Undefined for what does not exist or cannot be looked at. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** True when a file below the folder is the same file under another name: a hard link. */
function hasHardLink(place: string, path: string): boolean {
  const stats = statsOf(path);
  if (stats === undefined || !stats.isFile() || stats.nlink < 2) return false;
  return readdirSync(place, { recursive: true, encoding: 'utf8' }).some((name) => {
    const other = lstatSync(join(place, name), { throwIfNoEntry: false });
    return other?.dev === stats.dev && other.ino === stats.ino;
  });
}

/** A datastore that is files: its folder, and the bundle that the folder was unpacked from. */
export interface StoredInFiles {
  readonly folder?: string | undefined;
  readonly bundle?: string | undefined;
}

/**
 * The absolute path of an output file. `what` is how a message calls it: `the journal`.
 * Errors: UsageError for a path inside the datastore's folder, or of its bundle.
 */
export function outputPath(cwd: string, named: string, store: StoredInFiles, what: string, flag: string): string {
  const path = resolve(cwd, named);
  for (const place of [store.folder, store.bundle]) {
    if (place === undefined) continue;
    const absolute = resolve(cwd, place);
    if (!isWithin(absolute, path) && !(place === store.folder && hasHardLink(absolute, path))) continue;
    throw new UsageError(
      `${what} ${path} would be ${place === store.folder ? 'inside the datastore directory' : 'written over the datastore'}`,
      `specify a file elsewhere with ${flag}`,
      'OUTPUT_IN_DATASTORE',
    );
  }
  return path;
}
