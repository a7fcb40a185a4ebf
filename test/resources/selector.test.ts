// Label selectors: meaning, precedence, spelling, and what is refused.
import { describe, expect, it } from 'vitest';
import {
  canonicalSelector,
  evaluate,
  parseSelector,
  SelectorError,
  selectorProblem,
  usesGlobal,
} from '../../src/resources/selector.ts';

const labels = { app: 'web', zone: 'eu-1', in: 'x', 'kubernetes.io/os': 'linux', empty: '' };

describe('what a selector selects', () => {
  it.each([
    ['', true],
    ['  ', true],
    ['all()', true],
    ['all( )', true],
    ['global()', true],
    ['has(app)', true],
    ['has( app )', true],
    ['has(missing)', false],
    ['has(empty)', true],
    ["app == 'web'", true],
    ['app=="web"', true],
    ["app == 'db'", false],
    ["missing == ''", false],
    ["empty == ''", true],
    ["app != 'web'", false],
    ["missing != 'web'", true],
    ["app in {'db', 'web'}", true],
    ["app in {'db', 'web',}", true],
    ['app in {}', false],
    ["missing in {'web'}", false],
    ["app not in {'db'}", true],
    ["app notin {'web'}", false],
    ["missing not in {'web'}", true],
    ["zone contains 'u-'", true],
    ["missing contains ''", false],
    ["zone starts with 'eu'", true],
    ["zone starts  with 'us'", false],
    ["zone startswith 'eu'", true],
    ["zone ends with '-1'", true],
    ["zone endswith '-2'", false],
    ["in in {'x'}", true],
    ["in == 'x'", true],
    ["kubernetes.io/os == 'linux'", true],
    ["constructor == 'x'", false],
    ['has(constructor)', false],
  ])('selector %s selects the labels: %s', (selector, selected) => {
    expect(evaluate(selector, labels)).toBe(selected);
  });
});

describe('precedence of selector operators', () => {
  it.each([
    ['has(app) || has(app) && has(missing)', true],
    ['(has(app) || has(app)) && has(missing)', false],
    ["!app == 'db'", true],
    ['!!has(app)', true],
    ['!has(app) || has(app)', true],
    ['!(has(app) || has(missing))', false],
    ['has(missing)||has(app)&&has(zone)', true],
  ])('selector %s groups its operators so that it gives %s', (selector, selected) => {
    expect(evaluate(selector, labels)).toBe(selected);
  });
});

describe('invalid selectors', () => {
  it.each([
    ["app == 'web", 'unterminated string'],
    ["app = 'web'", 'expected =='],
    ['has(app) & has(zone)', 'expected &&'],
    ['has(app) | has(zone)', 'expected ||'],
    ['app', 'expected operator after label "app"'],
    ['has(app', "no closing ')' after has("],
    ['all(', "no closing ')' after all("],
    ['has()', 'expected identifier'],
    [`has(${'a'.repeat(513)})`, `label too long: ${'a'.repeat(513)}`],
    ['app == web', 'expected string'],
    ['app in web', 'expected set literal'],
    ["app in {'web'", 'expected }'],
    ['(has(app)', 'expected )'],
    ['has(app) &&', 'unexpected end of string looking for op'],
    ['has(app) has(zone)', 'unexpected content at end of selector [has(zone)]'],
  ])('refuses the selector %s', (selector, message) => {
    expect(() => parseSelector(selector)).toThrow(expect.objectContaining({ name: 'SelectorError', message }));
  });

  it('does not take a line break for a space in a selector', () => {
    expect(() => parseSelector("app ==\n'web'")).toThrow(SelectorError);
  });
});

describe('selectorProblem', () => {
  it.each([
    ["app == 'web", 8],
    ["app = 'web'", 5],
    ['has(app) & has(zone)', 10],
    ['has(app', 8],
    ['has(app) && ', 13],
    ['(has(app)', 10],
    ["a in {'x' 'y'}", 11],
    ['has(app) has(zone)', 10],
  ])('selectorProblem says at which character %s is wrong', (selector, position) => {
    expect(selectorProblem(selector)?.position).toBe(position);
  });

  it('selectorProblem finds nothing wrong with a selector', () => {
    expect(selectorProblem("!has(a) && b in {'c', \"d'\"}")).toBeUndefined();
  });

  it('selectorProblem refuses nesting that no selector has', () => {
    expect(selectorProblem('('.repeat(100_000))?.message).toBe('nested too deep');
  });
});

describe('canonicalSelector', () => {
  it.each([
    ['', 'all()'],
    ['all( )', 'all()'],
    ["a=='b'&&has( c )", '(a == "b" && has(c))'],
    ["a=='b' || has(c) && d!='e\"'", `(a == "b" || (has(c) && d != 'e"'))`],
    ['((has(a)))', 'has(a)'],
    ["!!!a notin{'z','b','z',}", '!a not in {"b", "z"}'],
    [
      "a startswith 'x' && (b endswith 'y' && c contains 'z')",
      '(a starts with "x" && (b ends with "y" && c contains "z"))',
    ],
  ])('canonicalSelector of %s', (selector, expected) => {
    expect(canonicalSelector(selector)).toBe(expected);
  });

  it('canonicalSelector of canonical text is that text', () => {
    const text = '(a == "b" || !(has(c) && global()))';
    expect(canonicalSelector(text)).toBe(text);
  });
});

describe('usesGlobal', () => {
  it.each([
    ['global()', true],
    ["a == 'global()'", false],
    ["!(a == 'b' || global( ))", true],
    ['all()', false],
  ])('usesGlobal of %s is %s', (selector, expected) => {
    expect(usesGlobal(selector)).toBe(expected);
  });
});
