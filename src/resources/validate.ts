// What is wrong with the types of an object, by the schema of its kind.
import type { core } from 'zod/mini';
import { fieldPathText } from './field-path.ts';
import type { Kind } from './kind.ts';
import { schemaOf } from './schema.ts';

/** One thing wrong: where (`spec.allocations[3]`) and what, to be read after the path: `must be an integer`. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** The member at the path: of lists too, whose keys are numbers. */
function valueAt(object: unknown, path: readonly PropertyKey[]): unknown {
  let value = object;
  for (const part of path) {
    value = typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined;
  }
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
    case 'custom':
      return issue.message;
    case 'too_big':
      return 'is too large';
    default:
      return 'is not valid';
  }
}

/** Everything about the object that is not as its kind says; empty when it is fine. Unknown fields are fine. */
export function problemsOf(kind: Kind, object: unknown): Problem[] {
  const outcome = schemaOf(kind).safeParse(object);
  if (outcome.success) return [];
  return outcome.error.issues.map((issue) => ({ path: fieldPathText(issue.path), message: messageOf(issue, object) }));
}
