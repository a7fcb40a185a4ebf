// What all parsers of this module share: lines and words of a text, results, what was not understood.
import { firstLine } from '../text/wording.ts';
import type { NotUnderstood, Understood } from './parse-result.ts';

const mostSkipped = 10;
const longestNote = 120;

/** A line of an error text or of a text that was not understood, short enough to be shown. */
export function cut(text: string): string {
  const line = text.trim();
  return line.length <= longestNote ? line : `${line.slice(0, longestNote - 1)}…`;
}

/** The lines of a text without trailing white space, including empty ones. */
export function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.trimEnd());
}

/** Words between runs of white space. */
export function wordsOf(line: string): string[] {
  return line.trim().split(/\s+/);
}

/** The first line of what came in place of an answer, short enough to be shown. */
export function excerpt(text: string): string {
  return cut(firstLine(text));
}

/** The result with a value; `skipped` is cut to the limits above. */
export function understood<T>(value: T, skipped: readonly string[] = []): Understood<T> {
  return { ok: true, value, skipped: skipped.slice(0, mostSkipped).map(cut) };
}

/** The result without a value; `problem` is a clause for people. */
export function notUnderstood(problem: string): NotUnderstood {
  return { ok: false, problem };
}

/**
 * The result of a list parser. When there were lines and none was understood, the result is not an empty list: `ok` is
 * false, and the problem quotes the first line.
 */
export function understoodList<T>(
  list: readonly T[],
  skipped: readonly string[],
  what: string,
): Understood<readonly T[]> | NotUnderstood {
  if (list.length === 0 && skipped.length > 0) return notUnderstood(`no ${what} found: ${cut(skipped[0] ?? '')}`);
  return understood(list, skipped);
}

/** An unsigned decimal number, as programs print counts and indexes; undefined for anything else. */
export function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A value read from JSON as text again, to be shown. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // JSON.parse takes any depth, JSON.stringify does not.
    return 'nested too deeply';
  }
}
