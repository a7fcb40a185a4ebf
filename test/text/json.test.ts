// Lossless JSON: exact integers both ways, JSON.parse and JSON.stringify as the oracle for everything else.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asBigint, JsonSyntaxError, type JsonValue, parseJson, printJson } from '../../src/text/json.ts';

fc.configureGlobal({ seed: 20260101 });

/** Equal to the last bit; unlike toStrictEqual at ease with a key `constructor`. */
const same = (expected: unknown) => (value: unknown) => isDeepStrictEqual(value, expected);

/** The error that a text raises. */
function errorOf(text: string): JsonSyntaxError {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

function accepts(read: (text: string) => unknown, text: string): boolean {
  try {
    read(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const exactInteger = fc
  .bigInt({ min: -(1n << 70n), max: 1n << 70n })
  .map((n) => (n >= -9007199254740991n && n <= 9007199254740991n ? Number(n) : n));
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      exactInteger,
      fc.constantFrom<JsonValue[]>(null, true, false, 0.5, -1e300, 1e21, 9007199254740991, 9007199254740992n),
      fc.string({ unit: 'binary' }),
      fc.bigInt({ min: 0n, max: 1n << 64n }).map((n) => `: ${n}, "${n}" \\${n}`),
      fc.bigInt({ min: 1n << 60n, max: 1n << 64n }).map((n) => `\u007f${n}`),
    ),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '12')), tie('value'), {
      maxKeys: 5,
      noNullPrototype: true,
    }),
  ),
}));

describe('parseJson', () => {
  it.each<[string, JsonValue]>([
    ['1764000000000000101', 1764000000000000101n],
    ['-1764000000000000101', -1764000000000000101n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['1234567890123456', 1234567890123456],
    ['123456789012345678901234567890', 123456789012345678901234567890n],
    [' [ 17640000000000000001 , 1 ] ', [17640000000000000001n, 1]],
    ['{"n":\n17640000000000000001\n}', { n: 17640000000000000001n }],
    ['-0', -0],
    ['0.12345678901234567890', 0.12345678901234568],
    ['1764000000000000101.5', 1764000000000000000],
    ['1764000000000000101e2', 176400000000000000000],
    ['1e1764000000000000', Number.POSITIVE_INFINITY],
    ['1e-17640000000000000', 0],
    ['"1764000000000000101"', '1764000000000000101'],
    ['[": 1764000000000000101,",1764000000000000101]', [': 1764000000000000101,', 1764000000000000101n]],
    ['["\\" 1764000000000000101 ","\\\\",1764000000000000101]', ['" 1764000000000000101 ', '\\', 1764000000000000101n]],
    ['["\u007f1764000000000000101",1764000000000000101]', ['\u007f1764000000000000101', 1764000000000000101n]],
    ['["\\u007F1764000000000000101",1764000000000000101]', ['\u007f1764000000000000101', 1764000000000000101n]],
    ['{"1764000000000000101":1}', { '1764000000000000101': 1 }],
  ])('parseJson reads %s exactly', (text, value) => {
    expect(parseJson(text)).toStrictEqual(value);
  });

  it('parseJson reads the sequence numbers of a block exactly', () => {
    const text =
      '{"spec":{"sequenceNumber":1764000000000000101,"sequenceNumberForAllocation":{"0":1764000000000000099,"5":3}}}';
    expect(parseJson(text)).toStrictEqual({
      spec: {
        sequenceNumber: 1764000000000000101n,
        sequenceNumberForAllocation: { 0: 1764000000000000099n, 5: 3 },
      },
    });
    expect(printJson(parseJson(text))).toBe(text);
  });

  it.each([
    '{"__proto__":{"admin":true}}',
    '{"__proto__":1764000000000000101}',
    '{"__proto__":"\u007f1764000000000000101"}',
  ])('parseJson treats __proto__ as an ordinary key: %s', (text) => {
    const object = parseJson(text) as { [key: string]: JsonValue };
    expect(Object.keys(object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
    expect(printJson(object)).toBe(text);
  });

  it.each([
    ['', 0, 'unexpected end of JSON, expected a value'],
    ['abc', 0, 'unexpected character "a" in JSON, expected a value'],
    ['{"a":1} x', 8, 'unexpected character "x" in JSON, expected the end'],
    ['[1,]', 3, 'unexpected character "]" in JSON, expected a value'],
    ['[1', 2, 'unexpected end of JSON, expected "," or "]"'],
    ['{"a" 1}', 5, 'unexpected character "1" in JSON, expected ":"'],
    ['{"a":1,}', 7, 'unexpected character "}" in JSON, expected a key in double quotes'],
    ['{12345678901234567:1}', 1, 'unexpected character "1" in JSON, expected a key in double quotes'],
    ['{"a":1,12345678901234567 :1}', 7, 'unexpected character "1" in JSON, expected a key in double quotes'],
    ['[12345678901234567', 18, 'unexpected end of JSON, expected "," or "]"'],
    ['012345678901234567', 1, 'unexpected character "1" in JSON, expected the end'],
    ['--12345678901234567', 1, 'unexpected character "-" in JSON, expected a digit'],
    ['-', 1, 'unexpected end of JSON, expected a digit'],
    ['1.', 1, 'unexpected character "." in JSON, expected the end'],
    ['"abc', 4, 'unterminated JSON string'],
    ['"a\nb"', 2, 'control character in a JSON string'],
    ['"\\x"', 1, 'invalid escape in a JSON string'],
    ['"\\u12', 1, 'invalid escape in a JSON string'],
    ['[12345678901234567,"😀" 😀]', 24, 'unexpected character "😀" in JSON, expected "," or "]"'],
  ])('parseJson refuses %j at %i', (text, position, problem) => {
    const error = errorOf(text);
    expect(error).toBeInstanceOf(SyntaxError);
    expect(error.position).toBe(position);
    expect(error.message).toContain(problem);
  });

  it('parseJson reports line and column of an error', () => {
    const error = errorOf('{\n  "a": 1,\n  "b" 2\n}');
    expect(error).toMatchObject({ line: 3, column: 7, position: 18 });
    expect(error.message).toBe('unexpected character "2" in JSON, expected ":" at position 18 (line 3 column 7)');
  });

  it('deeply nested JSON does not exhaust the stack', () => {
    const deep = `${'['.repeat(100_000)}12345678901234567${']'.repeat(100_000)}`;
    let value = parseJson(deep);
    while (Array.isArray(value)) value = value[0] as JsonValue;
    expect(value).toBe(12345678901234567n);
    expect(errorOf(`${'['.repeat(100_000)}1`).message).toContain('nested deeper');
  });

  it('parseJson reads back what printJson printed', () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(0, 2), fc.boolean(), (value, indent, goEscapes) => {
        expect(parseJson(printJson(value, { indent, goEscapes }))).toSatisfy(same(value));
      }),
      { numRuns: 400 },
    );
  });

  it('parseJson accepts exactly what JSON.parse accepts, and reads it the same without long integers', () => {
    const damaged = fc
      .tuple(anyValue, fc.nat(), fc.constantFrom(...'{}[]:,"\\-.e01 \n\u0001tu'), fc.boolean())
      .map(([value, at, character, insert]) => {
        const text = printJson(value);
        const index = at % (text.length + 1);
        return text.slice(0, index) + character + text.slice(index + (insert ? 0 : 1));
      });
    fc.assert(
      fc.property(damaged, (text) => {
        const wellFormed = accepts(JSON.parse, text);
        expect(accepts(parseJson, text)).toBe(wellFormed);
        if (wellFormed && !/\d{16}/.test(text)) expect(parseJson(text)).toSatisfy(same(JSON.parse(text)));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('printJson', () => {
  it('printJson prints bigints exactly, keys in order, no undefined members', () => {
    const value = { b: 1764000000000000101n, a: undefined, list: [undefined, -5n, -0], f: () => 1, z: 'é\n' };
    expect(printJson(value)).toBe('{"b":1764000000000000101,"list":[null,-5,0],"z":"é\\n"}');
  });

  it('printJson indents as JSON.stringify does', () => {
    expect(printJson({ a: [1n, {}], b: {}, c: [] }, { indent: 4 })).toBe(
      '{\n    "a": [\n        1,\n        {}\n    ],\n    "b": {},\n    "c": []\n}',
    );
  });

  it('printJson escapes as Go does when asked', () => {
    expect(printJson({ '<k>': 'a&b\u2028\u2029' }, { goEscapes: true })).toBe(
      '{"\\u003ck\\u003e":"a\\u0026b\\u2028\\u2029"}',
    );
    expect(printJson('<&>')).toBe('"<&>"');
  });

  it('printJson prints a date as JSON.stringify does, and null for what JSON does not have', () => {
    expect(printJson({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
    expect([printJson(undefined), printJson(Number.NaN)]).toEqual(['null', 'null']);
  });

  it('printJson agrees with JSON.stringify where there are no bigints', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(0, 2, 4), (value, indent) => {
        expect(printJson(value, { indent })).toBe(JSON.stringify(value, null, indent));
      }),
    );
  });
});

it('asBigint accepts whole numbers only', () => {
  expect([asBigint(5), asBigint(5n)]).toEqual([5n, 5n]);
  expect(() => asBigint(0.5)).toThrow(RangeError);
});
