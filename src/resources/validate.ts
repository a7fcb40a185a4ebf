// What is wrong with the types of an object, by its kind's schema, and the one change that a read makes to it.
import type { core } from 'zod/mini';
import type { Kind } from './object.ts';

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

function convert(parent: Record<PropertyKey, unknown>, key: string): void {
  const value = parent[key];
  if (typeof value === 'number' && Number.isSafeInteger(value)) parent[key] = BigInt(value);
}

/**
 * Makes every field that is declared int64 a bigint, in the object itself, and answers it. Values that are no integers
 * stay: problemsOf tells of them.
 */
export function normalise<T>(kind: Kind, object: T): T {
  for (const path of kind.int64) {
    const parts = path.split('.');
    const last = parts.pop() ?? '';
    const parent = valueAt(object, parts);
    if (!isRecord(parent)) continue;
    if (last !== '*') convert(parent, last);
    // Most often there is nothing to do, and values are seen much faster than members.
    else if (Object.values(parent).some((value) => typeof value === 'number')) {
      for (const key of Object.keys(parent)) convert(parent, key);
    }
  }
  return object;
}
