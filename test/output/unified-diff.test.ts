import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../src/output/unified-diff.ts';

const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');
const diffOf = (before: string | undefined, after: string | undefined, colour = false): string =>
  unifiedDiff({ name: 'old', text: before }, { name: 'new', text: after }, colour);

/** Both texts as the hunks have them, and the line numbers that the headings of the hunks claim. */
function sidesOf(diff: string): { readonly old: string[]; readonly now: string[]; readonly counts: string[] } {
  const body = diff.trimEnd().split('\n').slice(2);
  const of = (mark: string): string[] =>
    body.filter((line) => line.startsWith(mark) || line.startsWith(' ')).map((line) => line.slice(1));
  return { old: of('-'), now: of('+'), counts: body.filter((line) => line.startsWith('@@')) };
}

// What diff -u of GNU diffutils 3.8 prints of the same files.
describe('unifiedDiff', () => {
  it('equal texts have no differences', () => {
    expect(diffOf(lines('a', 'b'), lines('a', 'b'))).toBe('');
  });

  it('a changed line is shown with three lines before and after it', () => {
    const before = lines('1', '2', '3', '4', '5', '6', '7', '8', '9');
    expect(diffOf(before, before.replace('5', 'five'))).toBe(
      lines('--- old', '+++ new', '@@ -2,7 +2,7 @@', ' 2', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' 8'),
    );
  });

  it('changes far from each other are hunks of their own', () => {
    const before = Array.from({ length: 20 }, (_, at) => String(at + 1));
    const after = before.map((line) => (line === '1' || line === '20' ? `${line}!` : line));
    expect(sidesOf(diffOf(lines(...before), lines(...after))).counts).toEqual(['@@ -1,4 +1,4 @@', '@@ -17,4 +17,4 @@']);
  });

  it('a new text is compared with /dev/null, and a removed one too', () => {
    expect(diffOf(undefined, lines('a', 'b'))).toBe(lines('--- /dev/null', '+++ new', '@@ -0,0 +1,2 @@', '+a', '+b'));
    expect(diffOf(lines('a'), undefined)).toBe(lines('--- old', '+++ /dev/null', '@@ -1 +0,0 @@', '-a'));
  });

  it('thousands of different lines are shown as replaced in whole, with the equal lines around them', () => {
    const many = (mark: string): string[] => Array.from({ length: 3000 }, (_, at) => `${mark}${at}`);
    const before = ['head', '1', '2', '3', ...many('a'), 'x', 'y', 'z', 'tail'];
    const after = ['head', '1', '2', '3', ...many('b'), 'more', 'x', 'y', 'z', 'tail'];
    const { old, now, counts } = sidesOf(diffOf(lines(...before), lines(...after)));
    expect(counts).toEqual(['@@ -2,3006 +2,3007 @@']);
    expect(old).toEqual(before.slice(1, -1));
    expect(now).toEqual(after.slice(1, -1));
  });

  it('with colour, removed lines are red, added ones green, and positions cyan', () => {
    const shown = diffOf(lines('a'), lines('b'), true);
    expect(shown).toContain('\u001b[31m-a\u001b[39m');
    expect(shown).toContain('\u001b[32m+b\u001b[39m');
    expect(shown).toContain('\u001b[36m@@ -1 +1 @@\u001b[39m');
  });
});
