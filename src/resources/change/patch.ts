// Patches of objects: strategic merge as Kubernetes does it for Calico's kinds, JSON merge patch (RFC 7386) and JSON patch
// (RFC 6902). None changes its argument. docs/decisions/0019-patches.md.
import { applyPatch, type Operation } from 'rfc6902';
import { deepCopy, isObject } from '../../text/plain-values.ts';
import { CalictlError } from '../../world/errors.ts';
import type { KubeObject } from '../object.ts';
import { goText } from '../rules/rule-problem.ts';

export type PatchType = 'strategic' | 'merge' | 'json';

type Values = Record<string, unknown>;

const directive = '$patch';
const retained = '$retainKeys';

/** The object after the patch. Errors: CalictlError with code PATCH_INVALID for a patch that cannot be applied to it. */
export function patched(object: KubeObject, patch: unknown, type: PatchType): KubeObject {
  if (type === 'json') return patchedByOperations(object, patch);
  if (!isObject(patch)) throw invalid('a merge patch must be an object, such as {"spec":{"disabled":true}}');
  return merged(object, patch, type === 'strategic') as KubeObject;
}

/**
 * Maps are merged, null removes a key, everything else is replaced; lists too, for Calico's types name no merge keys. With
 * `directives`, `$patch` replaces or deletes a map and `$retainKeys` removes all keys but those that it lists.
 */
function merged(target: unknown, patch: Values, directives: boolean): Values {
  const before: Values = isObject(target) ? target : {};
  if (directives && Object.hasOwn(patch, directive)) return directed(patch);
  const kept = directives ? patch[retained] : undefined;
  const entries = Object.entries(before).filter(([key]) => !Array.isArray(kept) || kept.includes(key));
  const after = new Map<string, unknown>(entries);
  for (const [key, value] of Object.entries(patch)) {
    if (directives && key === retained) continue;
    if (value === null) after.delete(key);
    else after.set(key, isObject(value) ? merged(after.get(key), value, directives) : value);
  }
  return Object.fromEntries(after);
}

function directed(patch: Values): Values {
  const { [directive]: action, ...rest } = patch;
  if (action === 'replace') return rest;
  if (action === 'delete') return {};
  throw new UnknownDirectiveError(patch, action);
}

/** A `$patch` that is none of the words that Kubernetes knows; `calicoctl` is how calicoctl says so. */
export class UnknownDirectiveError extends CalictlError {
  readonly calicoctl: string;

  constructor(patch: Values, action: unknown) {
    super(`unknown $patch directive ${JSON.stringify(action)}: it is replace or delete`, {
      code: 'PATCH_INVALID',
      exit: 2,
    });
    const type = typeof action === 'boolean' ? 'bool' : 'int64';
    const word = typeof action === 'string' ? action : `%!s(${type}=${goText(action)})`;
    this.calicoctl = `unknown patch type: ${word} in map: ${goText(patch)}`;
  }
}

function patchedByOperations(object: KubeObject, patch: unknown): KubeObject {
  if (!Array.isArray(patch)) {
    throw invalid('a JSON patch must be a list of operations, such as [{"op":"remove","path":"/spec/nodeSelector"}]');
  }
  const copy = deepCopy(object);
  const operations = deepCopy(patch) as Operation[];
  const results = applyPatch(copy, operations);
  const at = results.findIndex((result) => result !== null);
  if (at < 0) return copy;
  throw invalid(`operation ${at}: ${reasonOf(results[at], operations[at])}`);
}

function reasonOf(error: Error | null | undefined, operation: Partial<Operation> | undefined): string {
  const { op, path } = operation ?? {};
  switch (error?.name) {
    case 'MissingError':
      return `there is nothing at ${path}`;
    case 'TestError':
      return `the value at ${path} is different`;
    default:
      return `invalid operation ${JSON.stringify(op)}`;
  }
}

function invalid(message: string): CalictlError {
  return new CalictlError(message, {
    code: 'PATCH_INVALID',
    exit: 2,
    hint: 'calictl patch --help has an example of each type of patch',
  });
}
