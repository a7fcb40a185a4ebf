// The elements that pictures are made of, as SVG. What is written comes from a cluster: it is escaped here, once.

import { escapedMarkup } from './markup.ts';

/** Those without a value, or with an empty one, are left out; numbers are written with one decimal at most. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

function opening(name: string, attributes: Attributes): string {
  let written = `<${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === '') continue;
    written += ` ${key}="${typeof value === 'number' ? Math.round(value * 10) / 10 : escapedMarkup(value)}"`;
  }
  return written;
}

/** An element around what `inside` holds, which is markup already. */
export const element = (name: string, attributes: Attributes, inside = ''): string =>
  opening(name, attributes) + (inside === '' ? '/>' : `>${inside}</${name}>`);

/** What an element says when it is pointed at. */
export const title = (text: string): string => element('title', {}, escapedMarkup(text));

/** A text that begins at a point, of a class of the stylesheet; `inside` is markup. */
export const textAt = (x: number | string, y: number, kind: string, inside: string): string =>
  element('text', { class: kind, x, y }, inside);

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Attributes of the whole: its role, what it is labelled by. */
  readonly attributes: Attributes;
  readonly style: string;
}

/** How a picture begins: its size, its description (markup), its stylesheet. `pictureEnd` ends it. */
export function pictureStart({ width, height, attributes, style }: Picture, about: string): string {
  const root = { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, ...attributes };
  return `${opening('svg', root)}>\n${about}\n${element('style', {}, style)}\n`;
}

export const pictureEnd = '</svg>\n';
