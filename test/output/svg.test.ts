// The elements of pictures: what comes from a cluster is escaped, whatever is in it.
import { expect, it } from 'vitest';
import { escapedMarkup } from '../../src/output/markup.ts';
import { element, pictureEnd, pictureStart, textAt, title } from '../../src/output/svg.ts';
import { readMarkup } from '../support/program/well-formed.ts';

it('element() leaves out attributes without a value and rounds numbers to one decimal', () => {
  expect(element('line', { class: '', x1: 1, y1: 2 / 3, x2: -0.04, stroke: undefined })).toBe(
    '<line x1="1" y1="0.7" x2="0"/>',
  );
  expect(element('g', { class: 'n1' }, '<x/>')).toBe('<g class="n1"><x/></g>');
});

it('attributes, titles and texts of elements cannot begin or end markup, nor steer a terminal', () => {
  const hostile = '"><script>\u001b[31m&amp;';
  expect(element('g', { 'aria-label': hostile })).toBe('<g aria-label="&quot;&gt;&lt;script&gt;\\e[31m&amp;amp;"/>');
  expect(title(hostile)).toBe('<title>&quot;&gt;&lt;script&gt;\\e[31m&amp;amp;</title>');
  expect(textAt(1, 2, 'd', escapedMarkup('a < b'))).toBe('<text class="d" x="1" y="2">a &lt; b</text>');
});

it('titles keep their line ends', () => {
  expect(title('a and b: up\na to b: up')).toBe('<title>a and b: up\na to b: up</title>');
});

it('a picture is well-formed, with its size as its view box', () => {
  const start = pictureStart(
    { width: 640, height: 80, attributes: { role: 'img' }, style: 'text{fill:#000}' },
    title('A'),
  );
  expect(start.split('\n')[0]).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="80" viewBox="0 0 640 80" role="img">',
  );
  expect(readMarkup(start + pictureEnd).tags.map((tag) => tag.split(' ')[0])).toEqual(['svg', 'title', 'style']);
});
