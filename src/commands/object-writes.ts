// Writes to many objects: in an order in which each finds what it needs, many at the same time, stopped between writes.
import pMap from 'p-map';
import { DatastoreError } from '../datastore/datastore.ts';
import { isPrerequisite, writesOneByOne } from '../resource-client/kind-rules.ts';
import type { Kind } from '../resources/kind.ts';
import type { KubeObject } from '../resources/object.ts';
import { CalictlError, exitCodes } from '../world/errors.ts';
import type { Context } from './command.ts';

/** An object that a command writes, in projectcalico.org/v3 form, with the namespace that it goes to. */
export interface Target {
  readonly kind: Kind;
  readonly object: KubeObject;
  /** Where a manifest has it: `pool.yaml:3`. */
  readonly place?: string;
}

export type WriteOutcome =
  | 'created'
  | 'configured'
  | 'edited'
  | 'replaced'
  | 'patched'
  | 'labeled'
  | 'unchanged'
  | 'deleted'
  | 'skipped';

/** What a write did. */
export interface Done {
  readonly outcome: WriteOutcome;
  /** The object as it is stored now; absent when it is gone. */
  readonly object?: KubeObject;
  /** The object as it was before; absent for a new one, and where nobody asks. */
  readonly previous?: KubeObject;
  /** What is left behind, as sentences for people. */
  readonly left?: readonly string[];
}

/** A target and how its write ended: neither `done` nor `error` when it was not tried. */
export interface Written {
  readonly target: Target;
  readonly done?: Done;
  readonly error?: CalictlError;
}

export interface WriteOrder {
  /** Shown as progress: `applying`. */
  readonly doing: string;
  /** Deletes go the other way: what needs others goes before them. */
  readonly dependentsFirst?: boolean;
  /** What to do about an object that does not exist, where the verb has better advice than to list the others. */
  readonly missingHint?: string;
  /** The order of the input, as far as it matters: next to each other, objects that do not need each other are written at the same time. */
  readonly asGiven?: boolean;
}

/** Requests at the same time: enough to keep a server busy, few enough for its limits. */
const concurrency = 24;

/** Targets in groups: one group after the other; within a group, chains at the same time; a chain step by step. */
type Chains = readonly (readonly number[])[];

function chainKey({ kind, object }: Target): string {
  if (writesOneByOne(kind)) return kind.kind;
  return `${kind.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

function chainsOf(targets: readonly Target[], members: readonly number[]): Chains {
  const chains = new Map<string, number[]>();
  for (const at of members) {
    const key = chainKey(targets[at] as Target);
    const chain = chains.get(key);
    if (chain === undefined) chains.set(key, [at]);
    else chain.push(at);
  }
  return [...chains.values()];
}

/** True for objects neither of which needs the other. */
function goTogether({ kind: one }: Target, { kind: other }: Target): boolean {
  return one === other || !(isPrerequisite(one) || isPrerequisite(other));
}

function groupsOf(targets: readonly Target[], { dependentsFirst, asGiven }: WriteOrder): readonly Chains[] {
  const all = targets.map((_, at) => at);
  if (asGiven) {
    const groups: number[][] = [];
    for (const at of all) {
      const last = groups.at(-1);
      if (last !== undefined && goTogether(targets[last[0] ?? 0] as Target, targets[at] as Target)) last.push(at);
      else groups.push([at]);
    }
    return groups.map((members) => chainsOf(targets, members));
  }
  const first = all.filter((at) => isPrerequisite((targets[at] as Target).kind));
  const rest = all.filter((at) => !isPrerequisite((targets[at] as Target).kind));
  const ordered = dependentsFirst ? [rest, first] : [first, rest];
  return ordered.filter(({ length }) => length > 0).map((members) => chainsOf(targets, members));
}

/** The error with the next step for this target: reading again is not enough when the manifest itself names a revision. */
function withAdvice(error: CalictlError, { object, place }: Target, { missingHint }: WriteOrder): CalictlError {
  if (!(error instanceof DatastoreError)) return error;
  const { reason, message, code, missingKind, storeText } = error;
  const { resourceVersion } = object.metadata;
  const hint =
    reason === 'not-found' && !missingKind
      ? missingHint
      : reason === 'conflict' && place !== undefined && resourceVersion
        ? `The manifest has resourceVersion ${resourceVersion}, which is not the stored one: get the object again, or remove the field to overwrite the changes since.`
        : undefined;
  return hint === undefined
    ? error
    : new DatastoreError(reason, message, { code, hint, missingKind, storeText, exit: error.exit, cause: error });
}

/**
 * Writes all targets; one that fails does not keep the others from being written, unless the datastore does not answer
 * any more. Ctrl-C stops before the next write. Returns how each ended, in the order of the input.
 */
export async function writeAll(
  { world, progress }: Pick<Context, 'world' | 'progress'>,
  targets: readonly Target[],
  write: (target: Target) => Promise<Done>,
  order: WriteOrder,
): Promise<readonly Written[]> {
  const results: Written[] = targets.map((target) => ({ target }));
  let finished = 0;
  let isGone = false;
  /** An error other than the refusal of one object: nothing more is written, and writes in flight end first. */
  let unexpected: { readonly error: unknown } | undefined;
  const one = async (at: number): Promise<void> => {
    const target = targets[at] as Target;
    try {
      results[at] = { target, done: await write(target) };
    } catch (error) {
      if (world.signal.aborted) return;
      if (!(error instanceof CalictlError)) {
        unexpected ??= { error };
        return;
      }
      isGone ||= !order.asGiven && error instanceof DatastoreError && error.reason === 'unavailable';
      results[at] = { target, error: withAdvice(error, target, order) };
    }
    finished++;
    progress(order.doing, { done: finished, total: targets.length, unit: 'objects' });
  };
  for (const chains of groupsOf(targets, order)) {
    await pMap(
      chains,
      async (chain) => {
        for (const at of chain) if (!isGone && !unexpected && !world.signal.aborted) await one(at);
      },
      { concurrency },
    );
    if (unexpected !== undefined) throw (unexpected as { readonly error: unknown }).error;
  }
  return results;
}

/** The error of a target with the place of its manifest before it, and with another exit code where one is given. */
export function placedError({ target: { place }, error }: Written, exit = error?.exit): CalictlError | undefined {
  if (error === undefined || (place === undefined && exit === error.exit)) return error;
  const { code, hint, message } = error;
  const text = place === undefined ? message : `${place}: ${message}`;
  return new CalictlError(text, { code, hint, exit: exit ?? error.exit, cause: error });
}

/** 0 when all was done; 5 when some of it was; else the code of all errors, or 1. */
export function writesExit(written: readonly Written[]): number {
  const failures = written.filter(({ done }) => done === undefined);
  if (failures.length === 0) return exitCodes.ok;
  if (failures.length < written.length) return exitCodes.partial;
  const exits = new Set(failures.map(({ error }) => error?.exit ?? exitCodes.failed));
  const [only] = exits;
  return exits.size === 1 && only !== undefined ? only : exitCodes.failed;
}
