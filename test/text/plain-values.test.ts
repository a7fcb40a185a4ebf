import { describe, expect, it } from 'vitest';
import { copyOver, deepCopy, frozen, sameValue } from '../../src/text/plain-values.ts';

describe('deepCopy', () => {
  it('deepCopy shares nothing and leaves undefined members out', () => {
    const original = { a: [1, { b: 2n }], c: undefined, d: null };
    const copy = deepCopy(original);
    expect(copy).toEqual({ a: [1, { b: 2n }], d: null });
    expect('c' in copy).toBe(false);
    (copy.a[1] as { b: bigint }).b = 3n;
    expect(original.a[1]).toEqual({ b: 2n });
  });

  it('deepCopy treats __proto__ as an ordinary key', () => {
    const copy = deepCopy(JSON.parse('{"__proto__": {"x": 1}}') as object);
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect('x' in copy).toBe(false);
  });
});

describe('copyOver', () => {
  const before = { a: [1, { b: 2n }], c: { d: null }, e: 'x' };

  it('copyOver shares equal parts with the former value, at every depth', () => {
    const copy = copyOver({ a: [1, { b: 2 }], c: { d: 1 }, e: 'x' }, before);
    expect(copy).toEqual({ a: [1, { b: 2n }], c: { d: 1 }, e: 'x' });
    expect(copy.a).toBe(before.a);
    expect(copy.c).not.toBe(before.c);
  });

  it('copyOver returns the former value itself when nothing differs, whatever the order of keys', () => {
    expect(copyOver({ e: 'x', f: undefined, c: { d: null }, a: [1n, { b: 2 }] }, before)).toBe(before);
    const odd = JSON.parse('{"__proto__": {"x": 1}}') as object;
    expect(copyOver(JSON.parse('{"__proto__": {"x": 1}}') as object, odd)).toBe(odd);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a member is gone', { a: [1, { b: 2n }], c: { d: null } }],
    ['a list is shorter', { ...before, a: [1] }],
    ['a list is longer', { ...before, a: [1, { b: 2n }, 3] }],
    ['a list is an object', { ...before, a: { 0: 1, 1: { b: 2n } } }],
    ['an object is a list', { ...before, c: [] }],
    ['there is one more member', { ...before, toString: 'y' }],
  ])('copyOver notices that %s', (_, value) => {
    const copy = copyOver(value, before);
    expect(copy).toEqual(value);
    expect(copy).not.toBe(before);
  });

  it.each([
    ['more', { b: 1, a: 5, d: [] }],
    ['fewer', { c: 'y' }],
    ['other', { d: 2n, a: 6, x: 'x' }],
  ])('copyOver accepts %s members in any former order', (_, value) => {
    expect(copyOver<object>(value, { a: 5, c: 'x', d: 1n })).toEqual(value);
  });

  it('copyOver ignores undefined members when it compares', () => {
    const leaves = { a: 1, b: 'x' };
    expect(copyOver({ a: 1n, b: 'x', c: undefined }, leaves)).toBe(leaves);
  });

  it('copyOver freezes what it copies, and nothing else', () => {
    const original = { ...before, c: { d: { list: [1] } } };
    const { c } = copyOver(original, before);
    expect([c, c.d, c.d.list].every((part) => Object.isFrozen(part))).toBe(true);
    expect(Object.isFrozen(original.c.d)).toBe(false);
    expect(Object.isFrozen(deepCopy(original))).toBe(false);
  });

  it('copyOver shares nothing with the original', () => {
    const original = { c: { d: { list: [1] } } };
    const copy = copyOver(original, before);
    original.c.d.list[0] = 2;
    expect(copy).toEqual({ c: { d: { list: [1] } } });
  });
});

describe('frozen', () => {
  it('frozen freezes everything in a value', () => {
    const value = frozen({ list: [1, { b: 2n }] });
    expect(Reflect.set(value.list, 0, 5)).toBe(false);
    expect(Reflect.set(value.list[1] as object, 'b', 5n)).toBe(false);
  });
});

describe('sameValue', () => {
  it('sameValue compares integers by value, objects without order, lists with it', () => {
    expect(sameValue(5, 5n)).toBe(true);
    expect(sameValue(9007199254740992, 9007199254740993n)).toBe(false);
    expect(sameValue(1.5, 1n)).toBe(false);
    expect(sameValue({ a: 1, b: [null] }, { b: [null], a: 1n, c: undefined })).toBe(true);
    expect(sameValue({ a: 1 }, { a: 1, b: null })).toBe(false);
    expect(sameValue([1, 2], [2, 1])).toBe(false);
    expect(sameValue([], {})).toBe(false);
    expect(sameValue('1', 1)).toBe(false);
    expect(sameValue(null, {})).toBe(false);
  });
});
