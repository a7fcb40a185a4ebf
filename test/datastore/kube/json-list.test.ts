import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonListSplitter } from '../../../src/datastore/kube/json-list.ts';
import type { ListMetadata } from '../../../src/datastore/kube/list-splitter.ts';
import { parseJson } from '../../../src/text/json.ts';

/** Splits the body into chunks at the given places and answers what comes out. */
function split(body: string, cuts: readonly number[] = []): { items: unknown[]; end: ListMetadata } {
  const bytes = Buffer.from(body);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const splitter = new JsonListSplitter(parseJson);
  const items: unknown[] = [];
  let from = 0;
  for (const to of [...places, bytes.length]) {
    splitter.push(bytes.subarray(from, to), items as never[]);
    from = to;
  }
  return { items, end: splitter.end() };
}

describe('JsonListSplitter', () => {
  it('JsonListSplitter reads lists of built-in kinds: metadata first', () => {
    const body =
      '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"abc"},"items":[{"a":1},{"a":2}]}\n';
    expect(split(body)).toEqual({ items: [{ a: 1 }, { a: 2 }], end: { resourceVersion: '7', continueToken: 'abc' } });
  });

  it('JsonListSplitter reads lists of custom resources: metadata last', () => {
    const body =
      '{"apiVersion":"x/v1","items":[{"a":1}],"kind":"IPPoolList","metadata":{"continue":"","resourceVersion":"9"}}';
    expect(split(body)).toEqual({ items: [{ a: 1 }], end: { resourceVersion: '9', continueToken: undefined } });
  });

  it.each(['[]', 'null', ' [ ] '])('JsonListSplitter reads items %s as an empty list', (items) => {
    const body = `{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":${items}}`;
    expect(split(body).items).toEqual([]);
  });

  it('JsonListSplitter is not misled by braces, quotes and "items" inside of strings', () => {
    const item = { a: 'x"}]{[\\', '}': '\\"', items: [{ items: '"items":[{' }], é: '日本 \u2028' };
    const metadata = { resourceVersion: '1', note: '"items":[{}' };
    const body = JSON.stringify({ metadata, kind: 'XList', items: [item, item] });
    expect(split(body).items).toEqual([item, item]);
  });

  it('JsonListSplitter keeps integers beyond 2^53', () => {
    const body = '{"kind":"XList","metadata":{},"items":[{"n":1764000000000000101}]}';
    expect(split(body).items).toEqual([{ n: 1764000000000000101n }]);
  });

  it('JsonListSplitter returns the same items however the bytes are split', () => {
    const value = fc.letrec((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        fc.string({ unit: 'binary' }),
        fc.constantFrom('{', '}', '[', ']', '"', '\\', '\\"', '"items":['),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('json'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).json;
    const object = fc.dictionary(fc.string(), value, { maxKeys: 4, noNullPrototype: true });
    fc.assert(
      fc.property(
        fc.array(object, { maxLength: 5 }),
        object,
        fc.boolean(),
        fc.constantFrom(0, 1),
        fc.array(fc.nat(), { maxLength: 12 }),
        (items, extra, metadataFirst, indent, cuts) => {
          const metadata = { extra, resourceVersion: '5' };
          const list = metadataFirst ? { kind: 'XList', metadata, items } : { items, kind: 'XList', metadata };
          expect(split(JSON.stringify(list, null, indent), cuts)).toEqual({
            // __proto__ and -0 do not survive JSON.
            items: JSON.parse(JSON.stringify(items)),
            end: { resourceVersion: '5', continueToken: undefined },
          });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('JsonListSplitter refuses every truncated list', () => {
    const body = JSON.stringify({ kind: 'XList', items: [{ a: '{' }, { b: [1] }], metadata: { resourceVersion: '1' } });
    for (let length = 0; length < body.length; length++) {
      expect(() => split(body.slice(0, length)), body.slice(0, length)).toThrow(SyntaxError);
    }
  });

  it.each([
    ['no JSON', '<html>'],
    ['another object', '{"kind":"Status"}'],
    ['an array', '[{"kind":"XList"}]'],
    ['items that are no objects', '{"kind":"XList","items":[1]}'],
    ['two items without a comma', '{"kind":"XList","items":[{} {}]}'],
    ['a comma too many', '{"kind":"XList","items":[{},]}'],
    ['text after the end', '{"kind":"XList","items":[]}x'],
    ['broken JSON in an item', '{"kind":"XList","items":[{"a":}]}'],
  ])('JsonListSplitter refuses %s', (_, body) => {
    expect(() => split(body)).toThrow(SyntaxError);
  });
});
