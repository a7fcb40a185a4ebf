// The objects that -f gives a command, as calictl reads them.
import { namedInputs } from '../files/input-files.ts';
import {
  type ManifestObject,
  type ManifestProblem,
  type ReadOptions,
  readManifest,
} from '../manifest/input/read-manifest.ts';
import { fieldPathText } from '../resources/field-path.ts';
import { defaulted, problemsFor } from '../resources/rules/rules.ts';
import { counted } from '../text/wording.ts';
import { CalictlError, exitCodes, UsageError } from '../world/errors.ts';
import type { Context } from './command.ts';

/** The flags of shared-flags.ts that say what to read. */
export interface ManifestInput {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly skipEmpty: boolean;
}

/** What is wrong with the values of an object, once defaults are filled in: of several problems of a field the first. */
function ruleProblems({ kind, object, file, positionOf }: ManifestObject): ManifestProblem[] {
  const seen = new Set<string>();
  return problemsFor(kind, defaulted(kind, object)).flatMap(({ path, message, hint }) => {
    const field = fieldPathText(path);
    if (seen.has(field)) return [];
    seen.add(field);
    const name = `${kind.kind} ${object.metadata.name}`;
    return [{ file, ...positionOf(path), object: name, path: field, message, ...(hint === undefined ? {} : { hint }) }];
  });
}

/** All objects and all problems of the manifests, in their order. Errors: UsageError, unreadable files (exit 2). */
export async function readManifests(
  { world }: Pick<Context, 'world'>,
  { filename, recursive, skipEmpty }: ManifestInput,
  { checksValues = true, ...options }: ReadOptions & { readonly checksValues?: boolean } = {},
): Promise<{ readonly objects: readonly ManifestObject[]; readonly problems: readonly ManifestProblem[] }> {
  const objects: ManifestObject[] = [];
  const problems: ManifestProblem[] = [];
  for (const { given, isFolder, texts } of await namedInputs(filename, { recursive, patterns: true }, world)) {
    const before = objects.length + problems.length;
    for await (const { name, text } of texts()) {
      const read = readManifest(name, text, options);
      const broken = read.objects.flatMap((object) => (checksValues ? ruleProblems(object) : []));
      for (const object of read.objects) objects.push(object);
      const found = [...read.problems, ...broken].sort((a, b) => a.line - b.line || a.column - b.column);
      for (const problem of found) problems.push(problem);
    }
    if (objects.length + problems.length === before && !skipEmpty) throw nothingIn(given, isFolder);
  }
  return { objects, problems };
}

function nothingIn(given: string, isFolder: boolean): UsageError {
  const where = given === '-' ? 'standard input' : `${isFolder ? 'directory' : 'file'} ${given}`;
  const hint = isFolder
    ? 'files must end in .yaml, .yml or .json; -R reads subdirectories too; --skip-empty accepts it'
    : '--skip-empty accepts it';
  return new UsageError(`no objects in ${where}`, hint, 'NO_OBJECTS');
}

/** One problem as a line: `pool.yaml:7:3: IPPool pool-1: spec.cidr is missing`. */
export function problemText({ file, line, column, object, path, message, hint }: ManifestProblem): string {
  const subject = object === undefined ? '' : `${object}: `;
  const field = path === '' ? '' : `${path} `;
  return `${file}:${line}:${column}: ${subject}${field}${message}${hint === undefined ? '' : ` (${hint})`}`;
}

/** The error of a command that was given manifests with problems: it does nothing at all. */
export function manifestError(problems: readonly ManifestProblem[]): CalictlError {
  const details = { code: 'INVALID_MANIFEST', exit: exitCodes.usage } as const;
  const lines = problems.map(problemText);
  const [only, ...more] = lines;
  if (only !== undefined && more.length === 0) return new CalictlError(only, details);
  return new CalictlError([`${counted(problems.length, 'problem')} in the manifests`, ...lines].join('\n'), details);
}

/**
 * The objects of all manifests in their order, in projectcalico.org/v3 form; empty only with --skip-empty. Their values are
 * not checked: a write checks those of each object, and the others are written.
 * Errors: CalictlError with exit 2 that names every problem; UsageError; unreadable files.
 */
export async function loadManifests(
  ctx: Pick<Context, 'world'>,
  input: ManifestInput,
): Promise<readonly ManifestObject[]> {
  const { objects, problems } = await readManifests(ctx, input, { checksValues: false });
  if (problems.length > 0) throw manifestError(problems);
  return objects;
}
