import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { andMore, counted, firstLine, listed, sentence } from '../../src/text/wording.ts';

describe('counted', () => {
  it('counted uses the singular for one and the plural for every other count', () => {
    expect([0, 1, 2].map((count) => counted(count, 'route'))).toEqual(['0 routes', '1 route', '2 routes']);
    expect([1n, 12n].map((count) => counted(count, 'pod'))).toEqual(['1 pod', '12 pods']);
  });

  it('counted forms the plural of nouns that end in a hissing sound or in y', () => {
    expect(counted(2, 'address')).toBe('2 addresses');
    expect(counted(3, 'block affinity')).toBe('3 block affinities');
    expect(counted(4, 'patch')).toBe('4 patches');
    expect(counted(5, 'key')).toBe('5 keys');
    expect(counted(6, 'prefix')).toBe('6 prefixes');
  });

  it('counted uses the plural it is given', () => {
    expect(counted(1, 'address is', 'addresses are')).toBe('1 address is');
    expect(counted(2, 'address is', 'addresses are')).toBe('2 addresses are');
  });
});

describe('listed', () => {
  it('listed names the first five and counts the rest', () => {
    expect(listed(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c, d, e');
    expect(listed(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('a, b, c, d, e and 2 more');
  });

  it('listed names as many as the caller wants, numbers too', () => {
    expect(listed([1, 2, 3], 1)).toBe('1 and 2 more');
    expect(listed([])).toBe('');
  });
});

describe('andMore', () => {
  it('andMore is empty when nothing is left out', () => {
    expect([-2, 0, 1].map(andMore)).toEqual(['', '', ' and 1 more']);
  });
});

describe('firstLine', () => {
  it('firstLine skips blank lines and strips line ends of any kind', () => {
    expect(firstLine('\n  \r\n  BIRD 1.6.8 ready. \r\nmore')).toBe('BIRD 1.6.8 ready.');
  });

  it('firstLine is empty for a blank text', () => {
    expect(firstLine(' \n\n')).toBe('');
  });
});

describe('sentence', () => {
  it.each([
    ['write it in decimal', 'Write it in decimal.'],
    ['is BIRD running?', 'Is BIRD running?'],
    ['See calictl get nodes.', 'See calictl get nodes.'],
    ['wait: it takes 240 seconds at most', 'Wait: it takes 240 seconds at most.'],
    ["run 'calictl --help'", "Run 'calictl --help'."],
  ])('a hint gets a capital and a full stop: %s', (hint, shown) => expect(sentence(hint)).toBe(shown));

  it.each([
    ['calictl get ippools lists them', 'calictl get ippools lists them.'],
    ['docs/reference/invariants.md lists them all', 'docs/reference/invariants.md lists them all.'],
    ['--via ssh does not need it', '--via ssh does not need it.'],
    ['allowedUses of a pool lists them', 'allowedUses of a pool lists them.'],
    ['spec.bgp is wrong', 'spec.bgp is wrong.'],
  ])('programs, paths, flags and fields keep their case: %s', (hint, shown) => expect(sentence(hint)).toBe(shown));

  it('nothing is added to a command that is to be copied', () => {
    expect(sentence('for details, run: calictl ipam check')).toBe('For details, run: calictl ipam check');
  });

  it('every hint of the program is printed as a sentence', () => {
    const root = join(import.meta.dirname, '..', '..', 'src');
    const hints = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [
        ...readFileSync(join(root, name), 'utf8').matchAll(/\bhint: (?:'((?:[^'\\]|\\.)+)'|"([^"]+)")/g),
      ])
      .map(([, single, double]) => sentence(single ?? double ?? ''));
    expect(hints.length).toBeGreaterThan(100);
    const begins = /^(?:[A-Z]|calictl |calicoctl |kubectl |\S*[A-Z./{<-])/;
    const ends = /(?:[.?!]|: (?:calictl|kubectl|sudo) [^:]+)$/;
    expect(hints.filter((hint) => !begins.test(hint) || !ends.test(hint))).toEqual([]);
    // No full stop twice, none after a colon, and no blank before one.
    expect(hints.filter((hint) => /[:;,.!?\s][.]$/.test(hint))).toEqual([]);
  });
});
