// Nodes that many pairs of nodes without a way between them separate into groups: the one cause of all those pairs.
import { counted, listed } from '../text/wording.ts';

/** Two nodes without a way between them, by name. */
export type CutPair = readonly [string, string];

/**
 * The groups that the pairs separate completely, largest first, each in order of names; a single group when some way is
 * left. Nodes that are in no pair are left out.
 */
export function separatedGroups(pairs: readonly CutPair[]): readonly (readonly string[])[] {
  const cut = new Map<string, Set<string>>();
  const note = (from: string, to: string): void => {
    const known = cut.get(from);
    if (known === undefined) cut.set(from, new Set([to]));
    else known.add(to);
  };
  for (const [one, other] of pairs) {
    note(one, other);
    note(other, one);
  }
  const left = new Set([...cut.keys()].sort());
  const groups: string[][] = [];
  for (const start of left) {
    left.delete(start);
    const group = [start];
    // The group grows while it is walked through.
    for (const node of group) {
      for (const other of left) {
        if (cut.get(node)?.has(other) === true) continue;
        left.delete(other);
        group.push(other);
      }
    }
    groups.push(group.sort());
  }
  return groups.sort((a, b) => b.length - a.length);
}

/** `150 nodes (a, b, c and 147 more) and 150 nodes (…)`. */
export function groupsText(groups: readonly (readonly string[])[]): string {
  const texts = groups.map((group) =>
    group.length === 1 ? (group[0] ?? '') : `${counted(group.length, 'node')} (${listed(group, 3)})`,
  );
  const [first = '', ...more] = texts;
  if (more.length === 1) return `${first} and ${more[0]}`;
  return `${first} and ${listed(more, 3)}`;
}
