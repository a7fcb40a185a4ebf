// Small parts of every parser here: lines of a text, the answers, what was not understood. No format of any program.
import { firstLine } from '../text/wording.ts';
import type { NotUnderstood, Understood } from './parse-result.ts';

const mostSkipped = 10;
const longestNote = 120;

/** One line of a program's error text or of a text not understood, short enough to be shown. */
export function cut(text: string): string {
  const line = text.trim();
  return line.length <= longestNote ? line : `${line.slice(0, longestNote - 1)}…`;
}

/** Lines without their ends: LF, CR LF, and white space before them. Empty ones are among them. */
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

/** The answer of a parser that has a value; `skipped` is cut to what is kept of it. */
export function understood<T>(value: T, skipped: readonly string[] = []): Understood<T> {
  return { ok: true, value, skipped: skipped.slice(0, mostSkipped).map(cut) };
}

/** The answer of a parser that has none; `problem` is a clause for people. */
export function notUnderstood(problem: string): NotUnderstood {
  return { ok: false, problem };
}

/**
 * The answer of a parser of a list. Lines of which not one was understood are no empty list: `ok` is false then, and the
 * problem quotes the first of them.
 */
export function understoodList<T>(
  list: readonly T[],
  skipped: readonly string[],
  what: string,
): Understood<readonly T[]> | NotUnderstood {
  if (list.length === 0 && skipped.length > 0) return notUnderstood(`no ${what} in it: ${cut(skipped[0] ?? '')}`);
  return understood(list, skipped);
}

/** A decimal number without sign, as programs print counts and indexes; undefined for anything else. */
export function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A value read from JSON as text again, for a note or for people. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // Reading takes any depth, writing does not.
    return 'nested too deeply';
  }
}
