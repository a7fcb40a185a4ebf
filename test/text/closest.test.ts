// The word that was probably meant.
import { describe, expect, it } from 'vitest';
import { closest } from '../../src/text/closest.ts';

describe('closest', () => {
  const words = ['blockSize', 'nodeSelector', 'namespaceSelector', 'cidr'];

  it.each([
    ['blocksize', 'blockSize'],
    ['blokSize', 'blockSize'],
    ['blockSzie', 'blockSize'],
    ['nodeSelectors', 'nodeSelector'],
    ['namespaceSelektor', 'namespaceSelector'],
    ['cird', 'cidr'],
  ])('finds for %s the word %s', (word, meant) => expect(closest(word, words)).toBe(meant));

  it('finds nothing for a word of which more than a third differs', () => {
    expect(closest('size', words)).toBeUndefined();
    expect(closest('', words)).toBeUndefined();
    expect(closest('cidr', [])).toBeUndefined();
  });

  it('counts two swapped letters as one difference', () => {
    expect(closest('cird', ['card', 'cidr'])).toBe('card');
    expect(closest('icdr', ['abdr', 'cidr'])).toBe('cidr');
  });
});
