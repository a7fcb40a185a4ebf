// Random damage to texts, the same for the same source of randomness.

/** Returns numbers from 0 up to 1. */
export type Random = () => number;

export const below = (random: Random, count: number): number => Math.floor(random() * count);

export const pick = <T>(random: Random, items: readonly T[]): T => items[below(random, items.length)] as T;

/** Cuts, repeats or overwrites a piece of a text. */
export function mutateText(text: string, random: Random): string {
  const at = below(random, text.length + 1);
  const end = Math.min(text.length, at + below(random, 40));
  const pieces = [
    '',
    '\u0000',
    '\u001b[31m',
    '\u009b2J\u009d0;t\u009c',
    '\r\b\u202e',
    '{',
    ']',
    '"',
    '\n',
    '---\n',
    '&a *a',
    '\t',
    '- - -',
    '!!binary x',
    text.slice(at, end),
  ];
  return text.slice(0, at) + pick(random, pieces) + (random() < 0.5 ? text.slice(at) : text.slice(end));
}
