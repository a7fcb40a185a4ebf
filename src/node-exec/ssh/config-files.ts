// Reads ssh_config files, with everything that they include, into one tree of settings and conditions. What they mean for
// a host is in host-config.ts.
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { systemText, UsageError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { type ConfigLine, parseConfigLine } from './config-lines.ts';
import { readLocalFile } from './local-file.ts';
import { matchesPattern } from './patterns.ts';
import type { SshSettings } from './settings.ts';

/** A setting; settings under a condition (the patterns of `Host`, the words of `Match`); or a file of settings. */
export type ConfigEntry =
  | { readonly kind: 'set'; readonly key: string; readonly values: readonly string[] }
  | { readonly kind: 'host'; readonly patterns: readonly string[]; readonly entries: readonly ConfigEntry[] }
  | { readonly kind: 'match'; readonly words: readonly string[]; readonly entries: readonly ConfigEntry[] }
  | { readonly kind: 'file'; readonly entries: readonly ConfigEntry[] };

export type SshWorld = Pick<World, 'env' | 'cwd' | 'platform'>;

export const defaultSystemFolder = '/etc/ssh';

/** How deep files may include files, as in ssh. */
const maxDepth = 16;

/** The home folder of the user; the environment takes precedence. */
export function homeOf({ env, platform }: SshWorld): string {
  return env['HOME'] || (platform === 'win32' ? env['USERPROFILE'] : undefined) || homedir();
}

/** A path of ssh's settings, in which a leading `~` is the home folder. */
export function expandHome(path: string, world: SshWorld): string {
  return path === '~' || path.startsWith('~/') ? join(homeOf(world), path.slice(1)) : path;
}

/** A path of the command line; a relative one starts at the current folder. */
export function givenPath(path: string, world: SshWorld): string {
  const expanded = expandHome(path, world);
  return isAbsolute(expanded) ? expanded : resolve(world.cwd, expanded);
}

/**
 * Reads the user's settings, then those of the system, in the order in which they count. A missing file counts as empty,
 * unless the command line names it.
 * Errors: UsageError for a file that cannot be read or parsed.
 */
export function readConfigFiles(settings: SshSettings, world: SshWorld): readonly ConfigEntry[] {
  const userFolder = join(homeOf(world), '.ssh');
  const system = settings.systemFolder ?? defaultSystemFolder;
  if (settings.configFile !== undefined) {
    if (settings.configFile === 'none') return [];
    return readFile(givenPath(settings.configFile, world), userFolder, world, 0, true);
  }
  return [
    { kind: 'file', entries: readFile(join(userFolder, 'config'), userFolder, world, 0, false) },
    { kind: 'file', entries: readFile(join(system, 'ssh_config'), system, world, 0, false) },
  ];
}

/** `folder` is where relative Include paths start. */
function readFile(path: string, folder: string, world: SshWorld, depth: number, mustExist: boolean): ConfigEntry[] {
  if (depth > maxDepth) {
    throw new UsageError(`${path}: too many recursive Include lines`, 'correct the Include lines', 'SSH_CONFIG');
  }
  let text: string;
  try {
    text = readLocalFile(path).toString('utf8');
  } catch (error) {
    if (!mustExist && isAbsent(error)) return [];
    throw unusable(`cannot read ${path}: ${systemText(error)}`);
  }
  const included = (pattern: string): ConfigEntry[] =>
    filesOf(resolve(folder, expandHome(pattern, world))).map((file) => ({
      kind: 'file',
      entries: readFile(file, folder, world, depth + 1, false),
    }));
  return entriesOf(parseLines(text, path), included);
}

const unusable = (message: string): UsageError =>
  new UsageError(message, 'correct the file, or use another one with --ssh-config', 'SSH_CONFIG');

/** Errors: UsageError for a malformed line. */
function parseLines(text: string, path: string): ConfigLine[] {
  return text.split('\n').flatMap((line, i) => {
    try {
      return parseConfigLine(line) ?? [];
    } catch (error) {
      throw unusable(`${path} line ${i + 1}: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
}

/** `Host` and `Match` apply to what follows them, up to the next of them. */
function entriesOf(lines: readonly ConfigLine[], included: (pattern: string) => ConfigEntry[]): ConfigEntry[] {
  const all: ConfigEntry[] = [];
  let entries = all;
  for (const { keyword, args } of lines) {
    if (keyword === 'host' || keyword === 'match') {
      entries = [];
      all.push(
        keyword === 'host' ? { kind: 'host', patterns: args, entries } : { kind: 'match', words: args, entries },
      );
    } else if (keyword === 'include') entries.push(...args.flatMap(included));
    else entries.push({ kind: 'set', key: keyword, values: args });
  }
  return all;
}

/** The files that a path with `*` and `?` names, sorted by name. */
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
    // Not a folder, or not readable: nothing to include.
    return [];
  }
}

/** True for the error about a file that does not exist. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
