// The files that -f names: files, folders, patterns and standard input, read in order.
import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CalictlError, systemText, UsageError } from '../world/errors.ts';
import type { World } from '../world/world.ts';
import { readInputFile } from './input-file.ts';
import { largestText, readRegularFile, UnsuitableFileError } from './regular-file.ts';

/** A text and where it is from: a path as the user gave it, or below the folder that they gave; `-` for standard input. */
export interface InputText {
  readonly name: string;
  readonly text: string;
}

/** What one -f gave. */
export interface NamedInput {
  readonly given: string;
  readonly isFolder: boolean;
  /** One at a time: no more than one is in memory unless the caller keeps it. */
  readonly texts: () => AsyncIterable<InputText>;
}

const manifestName = /\.(?:ya?ml|json)$/i;
const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function unreadable(path: string, cause: unknown): CalictlError {
  const reason = cause instanceof UnsuitableFileError ? cause.message : systemText(cause);
  return new CalictlError(`${path} cannot be read: ${reason}`, { code: 'INPUT_FILE', exit: 2, cause });
}

/** The text of what is read. Errors: CalictlError with exit 2. */
async function textOf(path: string, bytes: Promise<Buffer>): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await bytes);
  } catch (error) {
    if (error instanceof TypeError) throw unreadable(path, new UnsuitableFileError('it is not UTF-8 text'));
    throw unreadable(path, error);
  }
}

/** Paths of the manifests in a folder, by name. Links to files are followed, links to folders are not. */
async function* manifestsIn(folder: string, recursive: boolean, cwd: string): AsyncGenerator<string> {
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  for (const entry of entries.sort((a, b) => byCodeUnit(a.name, b.name))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (recursive) yield* manifestsIn(path, recursive, cwd);
    } else if (manifestName.test(entry.name)) yield path;
  }
}

/** The regular expression of one part of a pattern: `*`, `?` and `[a-z]` as shells have them. */
function expressionOf(part: string): RegExp {
  const source = part.replace(/\[!?[^\]]+\]|[*?]|[.+^${}()|[\]\\/]/g, (found) => {
    if (found === '*') return '.*';
    if (found === '?') return '.';
    if (found.length > 2) return found.replace(/^\[!/, '[^').replaceAll('\\', '\\\\');
    return `\\${found}`;
  });
  return new RegExp(`^${source}$`, 'su');
}

/** Paths that the pattern matches, by name; a part that begins with a dot must be named. */
async function matches(pattern: string, cwd: string): Promise<string[]> {
  const name = basename(pattern);
  const parent = dirname(pattern);
  const parents = /[*?[]/.test(parent) ? await matches(parent, cwd) : [parent];
  const expression = expressionOf(name);
  const found: string[] = [];
  for (const folder of parents) {
    if (!/[*?[]/.test(name)) {
      const path = join(folder, name);
      if (await exists(resolve(cwd, path))) found.push(path);
      continue;
    }
    const names = await readdir(resolve(cwd, folder)).catch(() => []);
    const fitting = names.filter((one) => expression.test(one) && (name.startsWith('.') || !one.startsWith('.')));
    found.push(
      ...fitting.sort(byCodeUnit).map((one) => (parent === '.' && !pattern.startsWith('./') ? one : join(folder, one))),
    );
  }
  return found;
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

const isUrl = (given: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(given);

interface InputOptions {
  readonly recursive: boolean;
  /** Whether `*`, `?` and `[…]` in a name that no file has are a pattern. */
  readonly patterns: boolean;
}

/** One input for each path, `-` or pattern, in their order. Errors: UsageError, CalictlError with exit 2. */
export async function namedInputs(
  given: readonly string[],
  options: InputOptions,
  world: Pick<World, 'io' | 'cwd' | 'signal'>,
): Promise<NamedInput[]> {
  if (given.filter((one) => one === '-').length > 1) {
    throw new UsageError('standard input can be read only once', 'leave out all but one -f -', 'INPUT_FILE');
  }
  const inputs: NamedInput[] = [];
  for (const one of given) {
    if (one === '-') {
      inputs.push({ given: one, isFolder: false, texts: () => standardInput(world) });
      continue;
    }
    if (isUrl(one)) {
      const hint = 'download it and read the file, or pipe it in with -f -';
      throw new UsageError(`${one} is a URL: only files, directories and standard input are read`, hint, 'INPUT_FILE');
    }
    const paths =
      options.patterns && /[*?[]/.test(one) && !(await exists(resolve(world.cwd, one)))
        ? await matches(one, world.cwd)
        : [one];
    if (paths.length === 0) throw new UsageError(`no file matches ${one}`, undefined, 'INPUT_FILE');
    for (const path of paths) inputs.push(await fileOrFolder(path, options.recursive, world));
  }
  return inputs;
}

async function* standardInput({ io }: Pick<World, 'io'>): AsyncGenerator<InputText> {
  yield { name: '-', text: await io.stdin.readAll() };
}

/** A file that the user names may be a pipe, as `<(…)` is, or the null device; in a folder only files are read. */
async function fileOrFolder(
  path: string,
  recursive: boolean,
  { cwd, signal }: Pick<World, 'cwd' | 'signal'>,
): Promise<NamedInput> {
  // No path at all is not the working directory.
  const full = path === '' ? '' : resolve(cwd, path);
  const stats = await stat(full).catch((error: unknown) => {
    throw unreadable(path === '' ? "''" : path, error);
  });
  if (!stats.isDirectory()) {
    return {
      given: path,
      isFolder: false,
      texts: async function* () {
        yield { name: path, text: await textOf(path, readInputFile(full, largestText, signal)) };
      },
    };
  }
  return {
    given: path,
    isFolder: true,
    texts: async function* () {
      for await (const file of manifestsIn(path, recursive, cwd)) {
        yield { name: file, text: await textOf(file, readRegularFile(resolve(cwd, file))) };
      }
    },
  };
}
