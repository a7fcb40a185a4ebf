// YAML output, scalar by scalar as go-yaml 2 prints it (each expectation was printed by calicoctl 3.31.4), and that the
// yaml package reads back what was written.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { printYaml } from '../../src/text/yaml.ts';
import { compareKeys } from '../../src/text/yaml-keys.ts';

fc.configureGlobal({ seed: 20260103 });

const value = (text: string) => printYaml({ k: text }).slice('k: '.length, -1);

describe('YAML texts', () => {
  it.each(['a', 'all()', '10.0.0.0/16', 'fd00::/64', '::1', '=', '<<', '0x', '1e', 'nan', 'yEs', 'a b', "a'b", 'a, b'])(
    'a text is printed plain: %s',
    (text) => expect(value(text)).toBe(text),
  );
  it.each([
    '2025-13-01',
    '2025-11-29 10:41:07.123456789 +0000 UTC',
    '1:60',
    '1,2',
    '+a',
    '-x',
    '?x',
    ':x',
    'é',
    '日本',
  ])('a text that looks like another type elsewhere is printed plain: %s', (text) => expect(value(text)).toBe(text));

  it.each(['', 'y', 'N', 'yes', 'no', 'on', 'Off', 'true', 'False', '~', 'null', '123', '017', '0x1f', '0o17', '0b11'])(
    'a text that looks like another type is double-quoted: %j',
    (text) => expect(value(text)).toBe(JSON.stringify(text)),
  );
  it.each(['1_000', '1e3', '.5', '1.', '-1', '+.5', '.inf', '.nan', '100:50', '-1:20', '2025-01-01', '2025-1-1'])(
    'a text that looks like a number or a date is double-quoted: %s',
    (text) => expect(value(text)).toBe(`"${text}"`),
  );
  it.each(['2025-01-01T00:00:00Z', '2025-01-01 10:00:00', '12:30:45', '2165'])(
    'a text that looks like a time is not quoted: %s',
    (text) => expect(value(text)).toBe(`"${text}"`),
  );

  it.each(['- x', '-', '? x', ': x', 'x:', '::', '[a]', '{a}', '&a', '*a', '!a', '|a', '>a', '%a', '@a', '`a', ',a'])(
    'a text that begins with an indicator is single-quoted: %s',
    (text) => expect(value(text)).toBe(`'${text}'`),
  );
  it.each(['a: b', 'a #b', '# x', ' a', 'a ', '---', '...a', '{"creationTimestamp":null}', '"'])(
    'a text that contains an indicator is single-quoted: %s',
    (text) => expect(value(text)).toBe(`'${text}'`),
  );
  it('quotes within single quotes are doubled', () => expect(value("'a'")).toBe("'''a'''"));

  it.each([
    ['tab\there', '"tab\\there"'],
    ['k8s-pod-network.abc\r\neth0', '"k8s-pod-network.abc\\r\\neth0"'],
    ['a \nb', '"a \\nb"'],
    ['a\nb ', '"a\\nb "'],
    ['emoji\u{1F600}', '"emoji\\U0001F600"'],
    ['\x01', '"\\x01"'],
    ['a\u009bb', '"a\\x9Bb"'],
    ['a\u202eb', '"a\\u202Eb"'],
    ['a\u061cb\u2066', '"a\\u061Cb\\u2066"'],
  ])('control characters are escaped in double quotes: %j', (text, printed) => expect(value(text)).toBe(printed));

  it.each([
    ['a\nb', '|-\n  a\n  b'],
    ['a\nb\n', '|\n  a\n  b'],
    ['a\n\n', '|+\n  a\n'],
    ['\n', '|2+\n'],
    ['\na', '|2-\n\n  a'],
    [' a\nb', '|2-\n   a\n  b'],
    ['a\n #b', '|-\n  a\n   #b'],
  ])('several lines are printed as a literal block: %j', (text, printed) => expect(value(text)).toBe(printed));
});

describe('long lines in YAML', () => {
  it('long plain texts break at the first space behind column 80, never within a word', () => {
    expect(value('w'.repeat(100))).toBe('w'.repeat(100));
    expect(value(`${'w'.repeat(78)} x y`)).toBe(`${'w'.repeat(78)}\n  x y`);
    expect(value(`${'w'.repeat(77)} x y`)).toBe(`${'w'.repeat(77)} x\n  y`);
    expect(value(`${'w'.repeat(90)}  x y`)).toBe(`${'w'.repeat(90)}  x\n  y`);
  });

  it('long quoted texts break too, but not at the last character', () => {
    expect(value(`- ${'w'.repeat(80)} x`)).toBe(`'- ${'w'.repeat(80)}\n  x'`);
    expect(value(`${'a'.repeat(90)} `)).toBe(`'${'a'.repeat(90)} '`);
    expect(value(`\t${'w'.repeat(80)} x`)).toBe(`"\\t${'w'.repeat(80)}\n  x"`);
    expect(value(`\t${'w'.repeat(80)}  x`)).toBe(`"\\t${'w'.repeat(80)}\n  \\ x"`);
  });
});

it('maps, lists and numbers are printed as go-yaml prints them', () => {
  const text = printYaml({
    kind: 'IPPoolList',
    items: [{ b: 1, a: { d: [], c: {} } }, [1, [2, 'x']], null],
    big: 1764412800000000004n,
    float: 1000.5,
    gone: undefined,
    flag: false,
    lines: ['a\nb'],
  });
  expect(text).toBe(`big: 1764412800000000004
flag: false
float: 1000.5
items:
- a:
    c: {}
    d: []
  b: 1
- - 1
  - - 2
    - x
- null
kind: IPPoolList
lines:
- |-
  a
  b
`);
  expect([printYaml([]), printYaml({}), printYaml(null), printYaml('a')]).toEqual(['[]\n', '{}\n', 'null\n', 'a\n']);
  expect(printYaml([{ a: 1 }, { a: 2 }])).toBe('- a: 1\n- a: 2\n');
});

it('keys are sorted by code point: other characters before letters, digits as numbers', () => {
  const keys = [
    '',
    '- z',
    '1',
    '1.5',
    '01',
    '2',
    '10',
    'A',
    'B',
    'a',
    'a-b',
    'a.b',
    'a/b',
    'a: b',
    'a_b',
    'a1',
    'a2',
    'a10',
    'a11',
    'a100',
    'ab',
    'b',
    'x00y',
    'x0y',
    'é',
  ];
  expect([...keys].reverse().sort(compareKeys)).toEqual(keys);
});

it('keys of more than 128 bytes are printed on a line of their own', () => {
  const key = 'é'.repeat(65);
  expect(printYaml({ a: { [key]: 'v' } })).toBe(`a:\n  ? ${key}\n  : v\n`);
  expect(printYaml({ ['k'.repeat(128)]: 1 })).toBe(`${'k'.repeat(128)}: 1\n`);
});

it('printed YAML is read back the same', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('a', ' ', '\n', ':', '#', '-', "'", '"', '1', '.', 'é', '\t', '\\', ',', '[') }),
    fc.string({ unit: fc.constantFrom('word', ' ', '  ', '- ', "'", '\t'), minLength: 20, maxLength: 60 }),
  );
  const tree = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, text, fc.boolean(), fc.integer(), fc.constant(null), tie('list'), tie('map')),
    list: fc.array(tie('node'), { maxLength: 4 }),
    map: fc.dictionary(text, tie('node'), { maxKeys: 4, noNullPrototype: true }),
  })).node;
  fc.assert(
    fc.property(tree, (given) => {
      expect(parse(printYaml(given), { version: '1.1', merge: false })).toEqual(given);
    }),
    { numRuns: 500 },
  );
});
