// What create, apply, replace and delete share as calicoctl has them: their order of steps, and how errors are counted.
import type { Datastore } from '../datastore/datastore.ts';
import { initialise } from '../resource-client/initialisation.ts';
import { type Kind, storedApiVersion, v3ApiVersion } from '../resources/kind.ts';
import { defaultNamespace, type KubeObject } from '../resources/object.ts';
import { CalictlError, UsageError } from '../world/errors.ts';
import { calicoctlText, identity } from './calicoctl-errors.ts';
import { releaseOf } from './calicoctl-release.ts';
import type { Context } from './command.ts';
import { loadCalicoctlManifests } from './load-calicoctl-manifests.ts';
import { type Done, type Target, writeAll } from './object-writes.ts';

/** An object that calicoctl was given, and how its write ended. */
export interface Handled {
  readonly target: Target;
  /** False when the namespace rule was broken: then the object was not tried. */
  readonly fits: boolean;
  readonly done?: Done;
  /** In calicoctl's words. */
  readonly error?: string;
  /** The error itself. */
  readonly cause?: CalictlError;
}

interface ManifestInput {
  readonly filename: string;
  readonly recursive: boolean;
  readonly skipEmpty: boolean;
}

/** Errors: CalictlError in calicoctl's words. */
export async function calicoctlManifests(ctx: Context, input: ManifestInput): Promise<Target[]> {
  const loaded = await loadCalicoctlManifests(ctx, input, await releaseOf(ctx));
  return loaded.map(({ kind, object }) => ({ kind, object }));
}

/** Objects that are only named; one without a name for no names. */
export function calicoctlNamed(kind: Kind, names: readonly string[]): Target[] {
  const apiVersion = kind.codec === undefined ? storedApiVersion(kind) : v3ApiVersion;
  const all = names.length === 0 ? [''] : names;
  return all.map((name) => ({ kind, object: { apiVersion, kind: kind.kind, metadata: { name } } }));
}

/** The namespace rule. Returns the object in its namespace, or what is wrong. */
function placed({ kind, object }: Target, given: string | undefined): KubeObject | string {
  const { namespace } = object.metadata;
  if (!kind.namespaced) {
    if (namespace) {
      return `namespace should not be specified for a non-namespaced resource. ${kind.kind} is not a namespaced resource`;
    }
    return given ? `${kind.kind} is not namespaced` : object;
  }
  if (namespace && given && namespace !== given) {
    return `resource namespace does not match client namespace. ${namespace} != ${given}`;
  }
  return { ...object, metadata: { ...object.metadata, namespace: namespace || given || defaultNamespace } };
}

/** The targets in their namespaces, without those that break the namespace rule: what is going to be written. */
export function placedTargets(targets: readonly Target[], given: string | undefined): Target[] {
  return targets.flatMap((target) => {
    const object = placed(target, given);
    return typeof object === 'string' ? [] : [{ ...target, object }];
  });
}

/** Whether the name is the empty string, which stops the command before anything is done. */
export function refuseEmptyName(names: readonly string[]): void {
  if (names.includes('')) throw new UsageError('resource name may not be empty', undefined, 'EMPTY_NAME');
}

/** What the commands say of manifests without an object, when `--skip-empty` allows them. */
export const nothingSpecified: Report = { stdout: 'No resources specified\n', errors: [] };

export interface Handling {
  readonly namespace: string | undefined;
  /** What makes an error a success. */
  readonly forgives?: (error: CalictlError) => boolean;
  write(target: Target): Promise<Done>;
}

/** Does the action to all objects in their order, whatever fails. Errors: those that calictl did not expect. */
export async function handleAll(
  ctx: Context,
  targets: readonly Target[],
  { namespace, forgives, write }: Handling,
): Promise<readonly Handled[]> {
  const fitting = new Map<number, Target>();
  const problems = new Map<number, string>();
  targets.forEach((target, at) => {
    const object = placed(target, namespace);
    if (typeof object === 'string') problems.set(at, object);
    else fitting.set(at, { ...target, object });
  });
  const order = [...fitting.keys()];
  const written = await writeAll(ctx, [...fitting.values()], write, { doing: 'writing', asGiven: true });
  const outcomes = new Map(order.map((at, index) => [at, written[index]]));
  const { calicoApi } = await ctx.datastore();
  return targets.map((target, at): Handled => {
    const problem = problems.get(at);
    if (problem !== undefined) return { target, fits: false, error: problem };
    const { done, error, target: tried = target } = outcomes.get(at) ?? {};
    if (error === undefined) return { target: tried, fits: true, ...(done && { done }) };
    if (forgives?.(error)) return { target: tried, fits: true, done: { outcome: 'skipped' } };
    const { name, namespace: where } = tried.object.metadata;
    const text = calicoctlText(error, identity(tried.kind.kind, name, where), calicoApi);
    return { target: tried, fits: true, error: text, cause: error };
  });
}

/** Opens the datastore and makes sure that it has what Calico expects; that this fails does not matter. */
export async function initialised(ctx: Context): Promise<Datastore> {
  const store = await ctx.datastore();
  await initialise(store, ctx.world).catch((error: unknown) => {
    if (!(error instanceof CalictlError)) throw error;
  });
  return store;
}

/** `'IPPool' ` when all are of one kind, else nothing. */
function kindWord(targets: readonly Target[]): string {
  const kinds = new Set(targets.map(({ kind }) => kind.kind));
  const [only] = kinds;
  return kinds.size === 1 ? `'${only}' ` : '';
}

export interface Report {
  readonly stdout: string;
  readonly errors: readonly Error[];
}

const failure = (message: string): Error => new CalictlError(message, { code: 'WRITE_FAILED' });

/** Go's print of a list of errors. */
const listed = (errors: readonly string[]): string => `[${errors.join(' ')}]`;

/** The first row of the outcome tables of create, apply and replace: nothing was handled. */
function noneHandled(verb: string, targets: readonly Target[], errors: string): Error {
  const word = kindWord(targets);
  if (targets.length === 1) return failure(`failed to ${verb} ${word}resource: ${errors}`);
  return failure(`failed to ${verb} any ${word}resources: ${errors}`);
}

/** What create and apply say. `hit` comes before the errors when something was handled. */
export function createReport(
  { verb, past, hit }: { readonly verb: string; readonly past: string; readonly hit: string },
  targets: readonly Target[],
  handled: readonly Handled[],
): Report {
  const errors = handled.flatMap(({ error }) => error ?? []);
  const count = handled.filter(({ done }) => done !== undefined).length;
  const word = kindWord(targets);
  if (errors.length === 0) return { stdout: `Successfully ${past} ${count} ${word}resource(s)\n`, errors: [] };
  if (count === 0) return { stdout: '', errors: [noneHandled(verb, targets, listed(errors))] };
  const isShown = count - errors.length > 0;
  return {
    stdout: isShown ? `Partial success: ${past} the first ${count} out of ${targets.length} ${word}resources:\n` : '',
    errors: [failure(`${hit}: ${listed(errors)}`)],
  };
}

/** What replace says: every object that fits its namespace counts, and only the last error is named. */
export function replaceReport(targets: readonly Target[], handled: readonly Handled[]): Report {
  const last = handled.findLast(({ error }) => error !== undefined)?.error;
  const count = handled.filter(({ fits }) => fits).length;
  const word = kindWord(targets);
  if (last === undefined) return { stdout: `Successfully replaced ${count} ${word}resource(s)\n`, errors: [] };
  if (count === 0) return { stdout: '', errors: [noneHandled('replace', targets, last)] };
  return {
    stdout: `Partial success: replaced the first ${count} out of ${targets.length} ${word}resources:\n`,
    errors: [failure(`hit error: ${last}`)],
  };
}

/** What delete says: a line for each failure. */
export function deleteReport(targets: readonly Target[], handled: readonly Handled[]): Report {
  const count = handled.filter(({ done }) => done !== undefined).length;
  const word = kindWord(targets);
  const errors = handled.flatMap(({ error }) => error ?? []);
  const lines = errors.map((error) => `Failed to delete ${word}resource: ${error}\n`);
  return {
    stdout: count > 0 ? `Successfully deleted ${count} ${word}resource(s)\n` : '',
    errors: lines.length === 0 ? [] : [failure(lines.join(''))],
  };
}

export const text = ({ stdout }: Report): string => stdout;

export const exit = ({ errors }: Report): number => (errors.length > 0 ? 1 : 0);

export const errors = (report: Report): readonly Error[] => report.errors;
