// What is wrong with the types of an object, by its kind's schema, and the one change that a read makes to it.
import type { core } from 'zod/mini';
import type { Kind } from './kind.ts';

/** One thing wrong: where (`spec.allocations[3]`) and what, to be read after the path: `must be an integer`. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

function isRecord(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(String(part))) text += text === '' ? String(part) : `.${String(part)}`;
    else text += `[${JSON.stringify(String(part))}]`;
  }
  return text;
}

function valueAt(object: unknown, path: readonly PropertyKey[]): unknown {
  let value = object;
  for (const part of path) value = isRecord(value) ? value[part] : undefined;
  return value;
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  int: 'an integer',
  number: 'an integer',
  null: 'null',
};

function messageOf(issue: core.$ZodIssue, object: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      if (valueAt(object, issue.path) === undefined) return 'is missing';
      return `must be ${typeWords[issue.expected] ?? issue.expected}`;
    case 'invalid_union': {
      const choices = issue.errors.flatMap(([first]) => (first === undefined ? [] : [messageOf(first, object)]));
      const own = choices.find((choice) => !choice.startsWith('must be ') || choice.includes('"'));
      return own ?? `must be ${choices.map((choice) => choice.replace('must be ', '')).join(' or ')}`;
    }
    case 'too_small':
      return 'must not be empty';
    case 'too_big':
      return 'is too large';
    case 'custom':
      return issue.message;
    default:
      return 'is not valid';
  }
}

/** Everything about the object that is not as its kind says; empty when it is fine. Unknown fields are fine. */
export function problemsOf(kind: Kind, object: unknown): Problem[] {
  const outcome = kind.schema.safeParse(object);
  if (outcome.success) return [];
  return outcome.error.issues.map((issue) => ({ path: pathText(issue.path), message: messageOf(issue, object) }));
}

/** The fields declared int64 that hold whole numbers, each with the object that it is in. */
function int64Numbers(kind: Kind, object: unknown): [parent: Record<PropertyKey, unknown>, key: string][] {
  const found: [Record<PropertyKey, unknown>, string][] = [];
  for (const path of kind.int64) {
    const parts = path.split('.');
    const last = parts.pop() ?? '';
    const parent = valueAt(object, parts);
    if (!isRecord(parent)) continue;
    // Most often there is none, and values are seen much faster than members.
    if (last === '*' && !Object.values(parent).some(Number.isSafeInteger)) continue;
    for (const key of last === '*' ? Object.keys(parent) : [last]) {
      if (Number.isSafeInteger(parent[key])) found.push([parent, key]);
    }
  }
  return found;
}

/** True when `normalise` would change nothing. */
export function isNormal(kind: Kind, object: unknown): boolean {
  return int64Numbers(kind, object).length === 0;
}

/**
 * Makes every field that is declared int64 a bigint, in the object itself, and answers it. Values that are no integers
 * stay: problemsOf tells of them.
 */
export function normalise<T>(kind: Kind, object: T): T {
  for (const [parent, key] of int64Numbers(kind, object)) parent[key] = BigInt(parent[key] as number);
  return object;
}
