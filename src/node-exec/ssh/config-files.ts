// Reads ssh_config files with all that they include into one list of settings and conditions. What they mean for a host is
// in host-config.ts.
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { type Directive, type Line, parse, type Section } from 'ssh-config';
import { systemText, UsageError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import type { SshSettings } from './settings.ts';

/** A setting, or settings under a condition: the patterns of `Host`, or the words of `Match`. */
export type ConfigEntry =
  | { readonly kind: 'set'; readonly key: string; readonly values: readonly string[] }
  | { readonly kind: 'host'; readonly patterns: readonly string[]; readonly entries: readonly ConfigEntry[] }
  | { readonly kind: 'match'; readonly words: readonly string[]; readonly entries: readonly ConfigEntry[] }
  | { readonly kind: 'file'; readonly entries: readonly ConfigEntry[] };

export type SshWorld = Pick<World, 'env' | 'cwd' | 'platform'>;

export const defaultSystemFolder = '/etc/ssh';

/** Includes that include: as deep as ssh follows them. */
const maxDepth = 16;

/** The home folder of the user, by the environment first. */
export function homeOf({ env, platform }: SshWorld): string {
  return env['HOME'] || (platform === 'win32' ? env['USERPROFILE'] : undefined) || homedir();
}

/** A path as ssh's settings write it: `~` is the home folder. */
export function expandHome(path: string, world: SshWorld): string {
  return path === '~' || path.startsWith('~/') ? join(homeOf(world), path.slice(1)) : path;
}

/**
 * The user's settings, then the machine's; the first value of a setting counts. Files that are not there say nothing,
 * except the one that the command line names.
 * Errors: UsageError for a file that cannot be read or understood.
 */
export function readConfigFiles(settings: SshSettings, world: SshWorld): readonly ConfigEntry[] {
  const userFolder = join(homeOf(world), '.ssh');
  const system = settings.systemFolder ?? defaultSystemFolder;
  if (settings.configFile !== undefined) {
    if (settings.configFile === 'none') return [];
    return readFile(resolve(world.cwd, expandHome(settings.configFile, world)), userFolder, world, 0, true);
  }
  return [
    { kind: 'file', entries: readFile(join(userFolder, 'config'), userFolder, world, 0, false) },
    { kind: 'file', entries: readFile(join(system, 'ssh_config'), system, world, 0, false) },
  ];
}

function readFile(path: string, folder: string, world: SshWorld, depth: number, mustExist: boolean): ConfigEntry[] {
  if (depth > maxDepth) throw new UsageError(`${path} is included in itself`, 'correct the Include lines');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!mustExist && isAbsent(error)) return [];
    throw new UsageError(
      `cannot read ${path}: ${systemText(error)}`,
      'name another file with --ssh-config',
      'SSH_CONFIG',
    );
  }
  let lines: readonly Line[];
  try {
    lines = parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `cannot understand ${path}: ${why}`,
      'correct the file, or name another with --ssh-config',
      'SSH_CONFIG',
    );
  }
  const included = (pattern: string): ConfigEntry[] =>
    filesOf(resolve(folder, expandHome(pattern, world))).map((file) => ({
      kind: 'file',
      entries: readFile(file, folder, world, depth + 1, false),
    }));
  return entriesOf(lines, included);
}

function entriesOf(lines: readonly Line[], included: (pattern: string) => ConfigEntry[]): ConfigEntry[] {
  return lines.flatMap((line): ConfigEntry[] => {
    if (!('param' in line)) return [];
    const key = line.param.toLowerCase();
    const values = valuesOf(line);
    if (key === 'include') return values.flatMap(included);
    const entries = 'config' in line ? entriesOf((line as Section).config, included) : [];
    if (key === 'host') return [{ kind: 'host', patterns: values, entries }];
    if (key === 'match') return [{ kind: 'match', words: values, entries }];
    return [{ kind: 'set', key, values }];
  });
}

function valuesOf({ value }: Directive): string[] {
  return typeof value === 'string' ? [value] : value.map(({ val }) => val);
}

/** The files that a path with `*` and `?` in it names, in the order of their names. */
function filesOf(pattern: string): string[] {
  if (!/[*?]/.test(pattern)) return [pattern];
  const folder = dirname(pattern);
  const folders = /[*?]/.test(folder) ? filesOf(folder) : [folder];
  const name = pattern.slice(pattern.lastIndexOf(sep) + 1);
  return folders.flatMap((at) =>
    namesIn(at)
      .filter((entry) => matchesPattern(entry, name) && (!entry.startsWith('.') || name.startsWith('.')))
      .sort()
      .map((entry) => join(at, entry)),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not a folder, or none that may be read: there is nothing to include.
    return [];
  }
}

/** A file that is not there, which is no error where it need not be. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** ssh's patterns: `*` is any text, `?` one character, everything else itself. */
function matchesPattern(text: string, pattern: string): boolean {
  const source = pattern
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
}

/** A list of patterns, where a matching `!pattern` excludes. */
export function matchesPatterns(text: string, patterns: readonly string[]): boolean {
  if (patterns.some((pattern) => pattern.startsWith('!') && matchesPattern(text, pattern.slice(1)))) return false;
  return patterns.some((pattern) => !pattern.startsWith('!') && matchesPattern(text, pattern));
}

/** A path of the settings, from the folder that the program was started in. */
export function givenPath(path: string, world: SshWorld): string {
  const expanded = expandHome(path, world);
  return isAbsolute(expanded) ? expanded : resolve(world.cwd, expanded);
}
