// Patches of objects: expected results by RFC 7386, RFC 6902 and the documentation of Kubernetes' strategic merge.
import { describe, expect, it } from 'vitest';
import { labelled, overwritten } from '../../../src/resources/change/labels.ts';
import { type PatchType, patched } from '../../../src/resources/change/patch.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { parseJson } from '../../../src/text/json.ts';

const pool = (spec: object): KubeObject => ({
  apiVersion: 'projectcalico.org/v3',
  kind: 'IPPool',
  metadata: { name: 'pool-1' },
  spec,
});

const specAfter = (before: object, patch: string, type: PatchType): unknown =>
  patched(pool(before), parseJson(patch), type).spec;

describe('merge patches', () => {
  it.each<[PatchType, object, string, object]>([
    ['merge', { a: 1, b: { c: 2 } }, '{"spec":{"b":{"d":3}}}', { a: 1, b: { c: 2, d: 3 } }],
    ['merge', { a: 1, b: 2 }, '{"spec":{"b":null}}', { a: 1 }],
    ['merge', { a: [1, 2] }, '{"spec":{"a":[3]}}', { a: [3] }],
    ['merge', { a: 'text' }, '{"spec":{"a":{"b":{"c":null}}}}', { a: { b: {} } }],
    ['merge', { a: 1 }, '{"spec":{"$patch":"delete"}}', { a: 1, $patch: 'delete' }],
    ['strategic', { a: 1, b: { c: 2 } }, '{"spec":{"b":{"d":3}}}', { a: 1, b: { c: 2, d: 3 } }],
    ['strategic', { a: 1, b: 2 }, '{"spec":{"$patch":"replace","b":3}}', { b: 3 }],
    ['strategic', { a: 1, b: { c: 2 } }, '{"spec":{"b":{"$patch":"delete"}}}', { a: 1, b: {} }],
    ['strategic', { a: 1, b: 2, c: 3 }, '{"spec":{"$retainKeys":["b"],"b":4}}', { b: 4 }],
  ])('a %s patch of %j by %s gives %j', (type, before, patch, after) => {
    expect(specAfter(before, patch, type)).toEqual(after);
  });

  it('a patch keeps integers above 2^53 and fields that no table has', () => {
    const before = { sequenceNumber: 1750000000123456789n, unknown: { deep: 9007199254740993n } };
    expect(specAfter(before, '{"spec":{"a":1}}', 'merge')).toEqual({ ...before, a: 1 });
    expect(specAfter(before, '[{"op":"add","path":"/spec/a","value":9007199254740993}]', 'json')).toEqual({
      ...before,
      a: 9007199254740993n,
    });
  });

  it('a patch does not change its argument', () => {
    const before = pool({ a: { b: 1 } });
    patched(before, { spec: { a: { b: 2 } } }, 'merge');
    patched(before, [{ op: 'remove', path: '/spec/a' }], 'json');
    expect(before).toEqual(pool({ a: { b: 1 } }));
  });

  it('a key called __proto__ is a key like any other', () => {
    const after = specAfter({ a: 1 }, '{"spec":{"__proto__":{"polluted":true},"b":2}}', 'merge') as { b?: unknown };
    expect(after.b).toBe(2);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('JSON patches', () => {
  it.each([
    ['[{"op":"replace","path":"/spec/a","value":2}]', { a: 2, list: ['x', 'y'] }],
    ['[{"op":"remove","path":"/spec/list/0"}]', { a: 1, list: ['y'] }],
    ['[{"op":"add","path":"/spec/list/-","value":"z"}]', { a: 1, list: ['x', 'y', 'z'] }],
    ['[{"op":"move","from":"/spec/a","path":"/spec/b"}]', { b: 1, list: ['x', 'y'] }],
    ['[{"op":"test","path":"/spec/a","value":1},{"op":"remove","path":"/spec/a"}]', { list: ['x', 'y'] }],
  ])('%s', (patch, after) => {
    expect(specAfter({ a: 1, list: ['x', 'y'] }, patch, 'json')).toEqual(after);
  });

  it.each([
    ['merge', '[]', /must be an object/],
    ['strategic', '"text"', /must be an object/],
    ['json', '{}', /must be a list/],
    ['json', '[{"op":"test","path":"/spec/a","value":2}]', /operation 0: /],
    ['json', '[{"op":"remove","path":"/spec/nosuch"}]', /operation 0: /],
    ['strategic', '{"spec":{"$patch":"nosuch"}}', /unknown \$patch directive "nosuch"/],
  ] as const)('a %s patch %s is refused', (type, patch, message) => {
    expect(() => specAfter({ a: 1 }, patch, type)).toThrow(message);
  });
});

describe('labels', () => {
  const object = { ...pool({}), metadata: { name: 'pool-1', labels: { a: '1', b: '2' } } };

  it('labels are set and removed, the others stay', () => {
    expect(labelled(object, { set: { c: '3' }, remove: ['a'] }).metadata.labels).toEqual({ b: '2', c: '3' });
  });

  it('only a label with another value is overwritten', () => {
    expect(overwritten(object, { set: { a: '1', b: '3', c: '4' }, remove: [] })).toEqual(['b']);
  });
});
