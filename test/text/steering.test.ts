// Which characters steer a terminal, and how they are shown.
import { expect, it } from 'vitest';
import { withoutSteering, withoutSteeringBesidesColours } from '../../src/text/steering.ts';

const hostile = [
  '\u0000',
  '\b',
  '\r',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u009b',
  '\u009d',
  '\u202e',
  '\u2066',
  '\u2028',
  '\u061c',
  '\ufeff',
];

it.each(hostile)('%j is written as an escape that JSON reads as the same character', (character) => {
  const shown = withoutSteering(`"a${character}b"`);
  expect(shown).toMatch(/^"a\\u[0-9a-f]{4}b"$/);
  expect(JSON.parse(shown)).toBe(`a${character}b`);
});

it('tabs, line ends and letters of all scripts stay', () => {
  const text = 'a\tb\né 日本 \u00a0 عربي 😀';
  expect(withoutSteering(text)).toBe(text);
  expect(withoutSteeringBesidesColours(text)).toBe(text);
});

it("calictl's colours stay only where they are allowed", () => {
  const text = '\u001b[31mred\u001b[39m \u001b[1mbold\u001b[22m \u001b[94mblue\u001b[39m';
  expect(withoutSteeringBesidesColours(text)).toBe(text);
  expect(withoutSteering(text)).not.toContain('\u001b');
});

it.each([
  '\u001b[8m',
  '\u001b[2J',
  '\u001b]0;title\u0007',
  '\u009b31m',
  '\u001b[31;8m',
  '\u001b[38;5;1m',
  '\u001b[31H',
])('%j is not taken for a colour', (text) =>
  expect(withoutSteeringBesidesColours(text)).not.toMatch(/[\u0000-\u001f\u0080-\u009f]/),
);
