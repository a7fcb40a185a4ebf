// Reading YAML by its lines gives what reading it through the parsed tree gives, whatever is written.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateInYaml } from '../../src/manifest/locate-yaml.ts';
import { locateInTree } from '../../src/manifest/locate-yaml-tree.ts';
import { ManifestError, type ObjectPosition } from '../../src/manifest/object-position.ts';
import { YamlPieces } from '../../src/manifest/parse-yaml.ts';

interface Found {
  readonly value: unknown;
  readonly line: number;
}

/** The objects, or that the text has an error: the two may name different lines of one unclosed quote. */
function found(locate: () => ObjectPosition[]): Found[] | 'error' {
  try {
    return locate().map(({ value, line }) => ({ value, line }));
  } catch (error) {
    if (error instanceof ManifestError) return 'error';
    throw error;
  }
}

const byLines = (text: string): Found[] | 'error' => found(() => locateInYaml(text, new YamlPieces()));
const byTree = (text: string): Found[] | 'error' =>
  found(() => locateInTree(text, { start: text.startsWith('\uFEFF') ? 1 : 0, end: text.length }, 1));

describe('YAML found by its lines', () => {
  it.each<[why: string, text: string, found: Found[]]>([
    [
      'a block scalar that keeps its line ends, at the end of a document',
      'a: |+\n  x\n\n\n---\nb: 1\n',
      [
        { value: { a: 'x\n\n\n' }, line: 1 },
        { value: { b: 1 }, line: 6 },
      ],
    ],
    [
      'the same with an indentation, at the end of an item',
      '- a: >2+\n    x\n\n- b: 1\n',
      [
        { value: { a: 'x\n\n' }, line: 1 },
        { value: { b: 1 }, line: 4 },
      ],
    ],
    ['an object on the line of the document mark', '--- {a: 1}\n', [{ value: { a: 1 }, line: 1 }]],
    ['a scalar on the line of the document mark', '--- |\n  a: 1\n---\nb: 1\n', [{ value: { b: 1 }, line: 4 }]],
    ['a document mark within a block scalar', 'a: |\n  ---\n  b\n', [{ value: { a: '---\nb\n' }, line: 1 }]],
    [
      'a byte order mark',
      '\uFEFFa: 1\n---\nb: 1\n',
      [
        { value: { a: 1 }, line: 1 },
        { value: { b: 1 }, line: 3 },
      ],
    ],
    [
      'directives and end marks',
      '%YAML 1.2\n---\na: 1\n...\n# c\n---\nb: 1\n',
      [
        { value: { a: 1 }, line: 3 },
        { value: { b: 1 }, line: 7 },
      ],
    ],
    [
      'items that are not a list',
      'kind: Menu\nitems:\n- a\n- b\n',
      [{ value: { kind: 'Menu', items: ['a', 'b'] }, line: 1 }],
    ],
    ['items without a kind', 'items:\n- a: 1\n', [{ value: { items: [{ a: 1 }] }, line: 1 }]],
    [
      'an item whose object begins on the next line',
      '-\n  a: 1\n- # c\n  b: 1\n',
      [
        { value: { a: 1 }, line: 2 },
        { value: { b: 1 }, line: 4 },
      ],
    ],
    [
      'a sequence within a sequence',
      '- - a: 1\n  - b: 1\n- c: 1\n',
      [
        { value: { a: 1 }, line: 1 },
        { value: { b: 1 }, line: 2 },
        { value: { c: 1 }, line: 3 },
      ],
    ],
    [
      'an alias of another item',
      '- a: &x 1\n- b: *x\n',
      [
        { value: { a: 1 }, line: 1 },
        { value: { b: 1 }, line: 2 },
      ],
    ],
  ])('the finder by lines and the tree agree on %s', (_why, text, expected) => {
    expect(byTree(text)).toEqual(expected);
    expect(byLines(text)).toEqual(expected);
  });

  const fragments = [
    ...['---', '--- # c', '--- |', '--- {a: 1}', '---\t', '---\r', '...', '%YAML 1.2', '', '  ', '# c', '  # c', '\r'],
    ...[
      'kind: List',
      'kind: IPPoolList',
      'items:',
      'items: []',
      'items: [{a: 1}]',
      'items: # c',
      'items : ',
      '"items":',
    ],
    ...['a: 1', 'a: 2', 'b: 3', '  b: 3', '    b: 3', '"q": 1', ': v', '<<: {a: 1}', '{a: 1}', '[{a: 1}]', '!!map'],
    ...[
      '- a: 1',
      '- b: 2',
      '  - a: 1',
      '  - kind: List',
      '    items:',
      '    - x: 1',
      '-',
      '  -',
      '- - a: 1',
      ' - q: 1',
    ],
    ...['- &x a', '- *x', 'c: &x 1', 'c: *x', '- {a: 1}', '- [{kind: List, items: []}]', '!t a: 1', 'a:', '  - 1'],
    ...[
      'x: |',
      'x: |+',
      'x: >2+',
      'x: |2',
      '  x: |+',
      '  text',
      '    text',
      'a: >-\n  x\n\n',
      '- |+\n  t\n\n',
      '  ---',
    ],
    ...['"a', 'b"', "'x'", '- a: "x', '  y"', 'a: x ---', '\uFEFFa: 1', 'a: 1\r', 'items:\r', '- a: 1\r', '\u2028: 1'],
  ];
  const text = fc
    .tuple(fc.array(fc.constantFrom(...fragments), { maxLength: 14 }), fc.constantFrom('', '\n'))
    .map(([lines, end]) => lines.join('\n') + end);

  it('the finder by lines and the tree agree on any mixture of lines', () => {
    fc.assert(
      fc.property(text, (written) => {
        expect(byLines(written)).toEqual(byTree(written));
      }),
      { numRuns: 3_000, seed: 11 },
    );
  });
});
