// The differences of two texts, line by line, in the unified format that patch and every viewer of differences read.
import { structuredPatch } from 'diff';
import { styleOf } from './style.ts';

/** A text and what it is called in the heading; without a text there is no such file. */
export interface DiffSide {
  readonly name: string;
  readonly text: string | undefined;
}

/** As diff -u and kubectl diff. */
const contextLines = 3;

/**
 * Texts with more different lines than that are shown as replaced in whole, from the first to the last difference: the time
 * to find the shortest list of changes grows with the square of their number.
 */
const mostEdits = 2000;

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each with its mark: a space, `-` or `+`. */
  readonly lines: readonly string[];
}

/** The lines of a text that ends with a line end. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** One hunk that replaces everything between the first and the last difference. */
function replacedWhole(before: readonly string[], after: readonly string[]): Hunk {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before[same] === after[same]) same++;
  let sameAtEnd = 0;
  while (sameAtEnd < shorter - same && before.at(-1 - sameAtEnd) === after.at(-1 - sameAtEnd)) sameAtEnd++;
  const start = Math.max(same - contextLines, 0);
  const trailing = before.slice(before.length - sameAtEnd).slice(0, contextLines);
  const marked = (mark: string, lines: readonly string[]): string[] => lines.map((line) => mark + line);
  return {
    oldStart: start + 1,
    oldLines: before.length - sameAtEnd + trailing.length - start,
    newStart: start + 1,
    newLines: after.length - sameAtEnd + trailing.length - start,
    lines: [
      ...marked(' ', before.slice(start, same)),
      ...marked('-', before.slice(same, before.length - sameAtEnd)),
      ...marked('+', after.slice(same, after.length - sameAtEnd)),
      ...marked(' ', trailing),
    ],
  };
}

/** `4,7`; `4` for one line; the line before for none, as diff counts. */
function range(start: number, lines: number): string {
  if (lines === 1) return String(start);
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

/** The differences, each with three lines around it; empty for equal texts. Colours: removed red, added green. */
export function unifiedDiff(before: DiffSide, after: DiffSide, colour: boolean): string {
  const [old = '', now = ''] = [before.text, after.text];
  if (old === now) return '';
  const patch = structuredPatch('', '', old, now, '', '', { context: contextLines, maxEditLength: mostEdits });
  const hunks: readonly Hunk[] = patch?.hunks ?? [replacedWhole(linesOf(old), linesOf(now))];
  const { error: removed, ok: added, hunk: position, strong } = styleOf(colour);
  const paint = (line: string): string =>
    line.startsWith('-') ? removed(line) : line.startsWith('+') ? added(line) : line;
  const nameOf = ({ name, text }: DiffSide): string => (text === undefined ? '/dev/null' : name);
  const lines = [
    strong(`--- ${nameOf(before)}`),
    strong(`+++ ${nameOf(after)}`),
    ...hunks.flatMap((hunk) => [
      position(`@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`),
      ...hunk.lines.map(paint),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}
