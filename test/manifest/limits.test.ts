// Contents that no cluster has: nested too deeply, too large in one piece, lists that are not. Each is named with its line.
import { describe, expect, it } from 'vitest';
import { Manifest } from '../../src/manifest/manifest.ts';

const head = 'apiVersion: crd.projectcalico.org/v1\nkind: IPPool\nmetadata: {name: pool-1}\n';
const problemOf = (text: string, isJson = false): string => {
  try {
    return `${new Manifest(text, isJson).count} objects`;
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const { line, message } = error as { line: number; message: string };
    return `${line}: ${message}`;
  }
};
const brackets = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('depth', () => {
  it.each([201, 3_000, 100_000])('YAML with %i nested brackets is refused, with the line of its document', (depth) => {
    expect(problemOf(`${head}---\n${head}spec: ${brackets(depth)}\n`)).toBe('4: it is nested deeper than 200');
    expect(problemOf(`${head}spec: ${'{a: '.repeat(depth)}${'}'.repeat(depth)}\n`)).toBe(
      '1: it is nested deeper than 200',
    );
    expect(problemOf(`${head}spec: ${'- '.repeat(depth)}x\n`)).toMatch(/^\d: /);
  });

  it.each([301, 3_000, 100_000])('JSON with %i nested brackets is refused', (depth) => {
    const object = `{"apiVersion":"crd.projectcalico.org/v1","kind":"IPPool","metadata":{"name":"a"},"spec":${brackets(depth)}}`;
    expect(problemOf(object, true)).toMatch(/nested deeper than/);
    expect(problemOf(brackets(depth), true)).toMatch(/nested deeper than/);
  });

  it('150 levels are read', () => {
    expect(problemOf(`${head}spec: {a: ${brackets(150)}}\n`)).toBe('1 objects');
  });
});

describe('size', () => {
  it('a value of 20 MB in YAML is refused with its line, also in quotes and in a list', () => {
    const large = 'x'.repeat(20_000_000);
    expect(problemOf(`${head}---\n${head}spec: "${large}"\n`)).toBe('4: 19 MiB of YAML in one piece, more than 16 MiB');
    expect(problemOf(`kind: List\napiVersion: v1\nitems:\n- kind: IPPool\n  spec: "${large}"\n`)).toMatch(/^1: 19 MiB/);
  });

  it('many objects that are together larger are read', () => {
    const many = Array.from(
      { length: 20 },
      (_, i) => `${head.replace('pool-1', `p${i}`)}spec: "${'x'.repeat(1_000_000)}"\n`,
    );
    expect(problemOf(many.join('---\n'))).toBe('20 objects');
  });
});

describe('lists', () => {
  it.each([
    ['List', '5'],
    ['List', '{a: 1}'],
    ['List', '"x"'],
    ['IPPoolList', '{}'],
  ])('the items of a %s that are %s are refused', (kind, items) => {
    const apiVersion = kind === 'List' ? 'v1' : 'crd.projectcalico.org/v1';
    const text = `apiVersion: ${apiVersion}\nkind: ${kind}\nitems: ${items}\n`;
    expect(problemOf(`---\n${text}`)).toBe(`2: the items of this ${kind} are not a list`);
    const json = `{"apiVersion":"${apiVersion}","kind":"${kind}","items":${items.replace('a:', '"a":')}}`;
    expect(problemOf(json, true)).toBe(`1: the items of this ${kind} are not a list`);
  });

  it.each(['[1]', '[{kind: IPPool}, null]', '\n- x\n', '\n- kind: IPPool\n-\n'])(
    'a list with an item that is not an object is refused: %j',
    (items) => {
      expect(problemOf(`apiVersion: v1\nkind: List\nitems: ${items}`)).toMatch(
        /^1: item \d of this List is not an object$/,
      );
    },
  );

  it.each(['null', '', '[]'])('a list without items is empty: %j', (items) => {
    expect(problemOf(`apiVersion: v1\nkind: List\nitems: ${items}\n`)).toMatch(/objects$/);
  });
});
