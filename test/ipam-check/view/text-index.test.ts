import { expect, it } from 'vitest';
import { TextIndex } from '../../../src/ipam-check/view/text-index.ts';

it('TextIndex finds the last place of a text, and from there the earlier ones', () => {
  const index = new TextIndex(['a', 'b', 'a', '', 'a']);
  expect([...index.lastPlaces(['a', 'b', '', 'c'])]).toEqual([4, 1, 3, -1]);
  expect([0, 1, 2, 3, 4].map((place) => index.previous(place))).toEqual([-1, -1, 0, -1, 2]);
});

it('TextIndex finds nothing in an empty list and for an empty list', () => {
  expect([...new TextIndex([]).lastPlaces(['', 'a'])]).toEqual([-1, -1]);
  expect([...new TextIndex(['a']).lastPlaces([])]).toEqual([]);
});

it('TextIndex distinguishes texts that differ only in characters its hash skips', () => {
  // The hash takes every fifth of 80 characters, from the last one back.
  const texts = Array.from(
    { length: 26 },
    (_, n) => `${'x'.repeat(40)}${String.fromCharCode(97 + n)}${'x'.repeat(39)}`,
  );
  const alike = texts.filter((text) => text.charCodeAt(40) !== 'x'.charCodeAt(0));
  const index = new TextIndex([...alike, ...alike.slice(0, 3)]);
  expect([...index.lastPlaces([...alike, 'x'.repeat(80)])]).toEqual([25, 26, 27, ...[...alike.keys()].slice(3), -1]);
  expect(alike.map((_, place) => index.previous(place))).toEqual(alike.map(() => -1));
  expect([25, 26, 27].map((place) => index.previous(place))).toEqual([0, 1, 2]);
});

it('TextIndex finds each of many texts', () => {
  const texts = Array.from({ length: 3000 }, (_, n) => `k8s-pod-network.${(n * 7919).toString(16).padStart(64, '0')}`);
  const index = new TextIndex(texts);
  expect([...index.lastPlaces(texts)]).toEqual([...texts.keys()]);
  expect([...index.lastPlaces(texts.map((text) => text.toUpperCase()))]).toEqual(texts.map(() => -1));
});
