// What is wrong with the values of an object: for people with the path of the field, for calicoctl in its own words.
import type { FieldPath } from '../field-path.ts';

/** How calicoctl reports the problem. */
export interface CalicoctlProblem {
  /** Its name for the field: `Metadata.Name`, `Nets[0]`. Absent when it prints only the reason. */
  readonly field?: string;
  /** The value as it prints it; absent when it prints none. */
  readonly value?: string;
  /** Empty when it gives none. */
  readonly reason: string;
}

export interface RuleProblem {
  readonly path: FieldPath;
  /** To be read after the path: `must be one of Always, CrossSubnet, Never`. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Absent for what calicoctl lets pass. */
  readonly calicoctl?: CalicoctlProblem;
}

/** A value in the form in which Go prints it with `%v`. */
export function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `map[${entries.map(([key, entry]) => `${key}:${goText(entry)}`).join(' ')}]`;
  }
  return String(value);
}

/** A problem that calicoctl reports too. `value` is what it prints as the value of the field. */
export function problem(
  path: FieldPath,
  message: string,
  calicoctl: { readonly field: string; readonly value?: unknown; readonly reason: string },
  hint?: string,
): RuleProblem {
  const { field, value, reason } = calicoctl;
  return {
    path,
    message,
    ...(hint === undefined ? {} : { hint }),
    calicoctl: { field, reason, ...(value === undefined ? {} : { value: goText(value) }) },
  };
}

/** The reason that calicoctl gives for a value that fails one of its named checks. */
export function tagReason(field: string, tag: string): string {
  return `Reason: failed to validate Field: ${field} because of Tag: ${tag} `;
}

/** calicoctl's error for an object with these problems; undefined when it reports none of them. */
export function calicoctlError(problems: readonly RuleProblem[]): string | undefined {
  const known = problems.flatMap(({ calicoctl }) => calicoctl ?? []);
  const text = ({ field = '', value, reason }: CalicoctlProblem): string =>
    `${field}${value === undefined ? '' : ` = '${value}'`}${reason === '' ? '' : ` (${reason})`}`;
  const [only, ...more] = known;
  if (only === undefined) return undefined;
  if (only.field === undefined) return only.reason;
  if (more.length === 0) return `error with field ${text(only)}`;
  return `error with the following fields:\n${known.map((one) => `-  ${text(one)}\n`).join('')}`;
}
