// What birdc and `ip` printed on real nodes, from test/fixtures; and how texts are damaged in property tests.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Cidr, formatCidr, parseCidrOrIp } from '../../../src/net/cidr.ts';
import { formatIp, type IpAddress } from '../../../src/net/ip.ts';
import type { Parsed } from '../../../src/node-state/parse-result.ts';

type Program = 'birdc' | 'ip';

const folder = join(import.meta.dirname, '..', '..', 'fixtures');

/** Text of one recording. */
export function recording(program: Program, name: string): string {
  return readFileSync(join(folder, program, name), 'utf8');
}

/** Names and texts of all recordings of a program. */
export function recordings(program: Program): readonly (readonly [name: string, text: string])[] {
  return readdirSync(join(folder, program)).map((name) => [name, recording(program, name)]);
}

/** The parsed value; fails the test if there is none, or if a line was not understood. */
export function answerOf<T>(parsed: Parsed<T>): T {
  if (!parsed.ok) throw new Error(`not understood: ${parsed.problem}`);
  expect(parsed.skipped).toEqual([]);
  return parsed.value;
}

/** Why parsing failed; fails the test if it succeeded. */
export function problemOf(parsed: Parsed<unknown>): string {
  if (parsed.ok) throw new Error(`understood: ${JSON.stringify(parsed.value)}`);
  return parsed.problem;
}

/** Every prefix of a text, including the empty one and the text itself. */
export function beginnings(text: string): readonly string[] {
  return Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length));
}

/** Time for a test over damaged texts, in milliseconds: with LONG there are many more. */
export const damageTimeout = 300_000;

/** Prefixes of all texts: with LONG every one, otherwise one in 29, which covers every position in some line. */
export function someBeginnings(texts: readonly string[]): readonly string[] {
  const step = process.env['LONG'] ? 1 : 29;
  return texts.flatMap((text) => beginnings(text).filter((beginning) => beginning.length % step === 0));
}

/**
 * Returns the names, addresses and networks in a parsed answer that do not occur in its text: a parser must not invent
 * any. Case does not matter; an address may have a device behind it, and stands for the network of itself.
 */
export function invented(text: string, found: readonly (string | IpAddress | Cidr | undefined)[]): readonly string[] {
  const lower = text.toLowerCase();
  const words = lower.match(/[0-9a-f:.]*[:.][0-9a-f:.]*(\/\d+)?/g) ?? [];
  const networks = new Set(
    words
      .flatMap((word) => [word, word.split('/')[0] ?? ''])
      .map((word) => parseCidrOrIp(word))
      .flatMap((cidr) => (cidr === undefined ? [] : [formatCidr(cidr)])),
  );
  return found.flatMap((item) => {
    if (item === undefined) return [];
    if (typeof item === 'string') return lower.includes(item.toLowerCase()) ? [] : [item];
    const network = 'prefix' in item ? formatCidr(item) : `${formatIp(item)}/${item.version === 4 ? 32 : 128}`;
    // Every word differs.
    return networks.has(network) || (network.endsWith('/0') && text.includes('default')) ? [] : [network];
  });
}

/** One word replaced by another, as another locale, version or terminal would print it. */
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

/** A text damaged in one way: random bytes, truncation, lines reordered, repeated or lost, characters exchanged. */
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
