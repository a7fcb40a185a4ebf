import { describe, expect, it } from 'vitest';
import { copyUnlessFrozen, deepCopy, frozen, sameValue } from '../../src/datastore/copy.ts';

describe('deepCopy', () => {
  it('shares nothing and leaves undefined members out', () => {
    const original = { a: [1, { b: 2n }], c: undefined, d: null };
    const copy = deepCopy(original);
    expect(copy).toEqual({ a: [1, { b: 2n }], d: null });
    expect('c' in copy).toBe(false);
    (copy.a[1] as { b: bigint }).b = 3n;
    expect(original.a[1]).toEqual({ b: 2n });
  });

  it('takes __proto__ for a key like any other', () => {
    const copy = deepCopy(JSON.parse('{"__proto__": {"x": 1}}') as object);
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect('x' in copy).toBe(false);
  });
});

describe('frozen', () => {
  it('freezes all that is in a value, which copies then share', () => {
    const inner = frozen({ list: [1, { b: 2n }] });
    expect(Reflect.set(inner.list, 0, 5)).toBe(false);
    const copy = copyUnlessFrozen({ inner, open: [1] });
    expect(copy.inner).toBe(inner);
    expect(Object.isFrozen(copy.open)).toBe(false);
    expect(deepCopy(inner).list).not.toBe(inner.list);
  });

  it('copies what somebody else has frozen, for there may be something open in it', () => {
    const outer = Object.freeze({ open: [1] });
    expect(copyUnlessFrozen(outer)).not.toBe(outer);
  });
});

describe('sameValue', () => {
  it('compares integers by value, objects without order, lists with it', () => {
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
