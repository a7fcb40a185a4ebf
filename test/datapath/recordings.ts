// What birdc and `ip` printed on real nodes, from test/fixtures; and how texts are damaged in property tests.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Parsed } from '../../src/datapath/parsed.ts';

type Program = 'birdc' | 'ip';

const folder = join(import.meta.dirname, '..', 'fixtures');

/** Text of one recording. */
export function recording(program: Program, name: string): string {
  return readFileSync(join(folder, program, name), 'utf8');
}

/** Names and texts of all recordings of a program. */
export function recordings(program: Program): readonly (readonly [name: string, text: string])[] {
  return readdirSync(join(folder, program)).map((name) => [name, recording(program, name)]);
}

/** The value; fails the test with the problem when there is none, and when a line was not understood. */
export function answerOf<T>(parsed: Parsed<T>): T {
  if (!parsed.ok) throw new Error(`not understood: ${parsed.problem}`);
  expect(parsed.skipped).toEqual([]);
  return parsed.value;
}

/** Why there is no value; fails the test when there is one. */
export function problemOf(parsed: Parsed<unknown>): string {
  if (parsed.ok) throw new Error(`understood: ${JSON.stringify(parsed.value)}`);
  return parsed.problem;
}

/** Every beginning of a text, the empty one and itself among them. */
export function beginnings(text: string): readonly string[] {
  return Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length));
}

/** A word in place of another, as another locale, version or terminal would have it. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/\n/g, '\r\n'],
  [/\./g, ','],
  [/:/g, '.'],
  [/[0-4]/g, '\u0663'],
  [/ +/g, '\u00a0'],
  [/\t/g, '    '],
  [/ /g, '  '],
  [/[a-m]/g, 'ä'],
  [/"/g, "'"],
  [/\/\d+/g, ''],
  [/\d+/g, '99999999999999999999'],
  [/via/g, 'über'],
  [/[[\]]/g, ''],
];

/** A text damaged in one way: bytes of chance, a cut, lines in another order, twice, lost, characters exchanged. */
export function damaged(texts: readonly string[]): fc.Arbitrary<string> {
  const text = fc.constantFrom(...texts);
  const lines = text.map((whole) => whole.split('\n'));
  return fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => new TextDecoder().decode(bytes)),
    fc.tuple(text, fc.nat(), fc.string({ unit: 'binary', maxLength: 12 })).map(([whole, at, noise]) => {
      const position = at % (whole.length + 1);
      return whole.slice(0, position) + noise + whole.slice(position);
    }),
    lines.chain((all) => fc.shuffledSubarray([...all, ...all]).map((some) => some.join('\n'))),
    fc
      .tuple(text, fc.constantFrom(...replacements))
      .map(([whole, [pattern, instead]]) => whole.replace(pattern, instead)),
    fc
      .tuple(text, fc.nat(), fc.nat({ max: 40 }))
      .map(([whole, at, length]) => whole.slice(0, at % whole.length) + whole.slice((at % whole.length) + length)),
  );
}
