// The address map as a picture: well-formed whatever a cluster contains, readable in both themes, the same in a browser.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ipamMapHtml, ipamMapSvg } from '../../../../src/commands/ipam/show/map-svg.ts';
import { type AddressMap, addressMap } from '../../../../src/ipam/show/address-map.ts';
import { block, mapOf, pool, textOf } from '../../../support/clusters/map-blocks.ts';
import { browse, describeWithBrowser } from '../../../support/program/browser.ts';
import { readMarkup } from '../../../support/program/well-formed.ts';

const svgOf = (map: AddressMap): Promise<string> => textOf(ipamMapSvg(map));
const htmlOf = (map: AddressMap): Promise<string> => textOf(ipamMapHtml(map));
/** Cells of addresses are the rectangles with a title. */
const cellCount = (picture: string): number => picture.match(/<rect[^>]*><title>/g)?.length ?? 0;
const titles = (picture: string): string[] => [...picture.matchAll(/<title>([^<]*)/g)].map(([, text]) => text ?? '');

/** A map whose every text is the given one; owners are a line. */
function saturated(text: string): AddressMap {
  const node = text.replaceAll(/[\n\r\u2028\u2029]/g, ' ');
  const attributes = { node, namespace: text, pod: text, service: text, type: text };
  const one = block('10.0.0.0/30', `host:${node}`, '#t.x', {
    '#': { handle_id: text, secondary: attributes },
    t: { handle_id: text, secondary: { pod: text } },
  });
  const bad = { ...one, spec: { ...one.spec, cidr: `${text}!` } };
  return addressMap([pool(text, '10.0.0.0/24'), pool('p', '10.1.0.0/24')], [one, bad], []);
}

const breakouts = [
  '</svg><script>alert(1)</script>',
  '"/><image href="x" onerror="alert(1)"/>',
  ']]><!-- & &lt; &#0; -->',
  '</title></style></text>',
  "' onload='x",
  '\u0000\u0008\u001b[31m\r\n\t\u202e\ufffe\ud800',
];
const hostile = fc.oneof(
  fc.constantFrom(...breakouts),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  fc
    .array(fc.constantFrom('<', '>', '&', '"', "'", '/', 'a', ' ', '\r', '\ud800', ';'), {
      minLength: 1,
      maxLength: 20,
    })
    .map((some) => some.join('')),
);

describe('the picture of the address map', () => {
  it('the SVG map has a cell for each address, with a title that describes it', async () => {
    const svg = await svgOf(mapOf());
    expect(cellCount(svg)).toBe(16 + 16 + 8 + 4);
    expect(titles(svg)).toContain('10.60.0.2 borrowed, node node-b, pod shop/cart-1, handle k8s-pod-network.cart-1');
    expect(titles(svg)).toContain('10.60.0.12 reserved, node node-a');
    expect(titles(svg)).toContain('192.0.2.0 LoadBalancer, service shop/web, type LoadBalancer, handle lb-x');
    expect(titles(svg)).toContain('10.60.0.27 lost, node node-b');
  });

  it('the SVG map has the same bytes every time', async () => {
    expect(await svgOf(mapOf())).toBe(await svgOf(mapOf()));
    expect(await htmlOf(mapOf())).toBe(await htmlOf(mapOf()));
  });

  it('the SVG map fetches nothing and runs nothing', async () => {
    const html = await htmlOf(mapOf());
    expect(readMarkup(html).tags.map((tag) => tag.split(' ')[0])).not.toContain('script');
    expect(html).not.toMatch(/\b(href|src|on\w+)=|url\(|@import/);
    expect(html.replace('http://www.w3.org/2000/svg', '')).not.toContain('//');
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });

  it('the SVG map outlines the selected addresses', async () => {
    const svg = await svgOf(mapOf({ pod: { namespace: 'shop', name: 'cart-1' } }));
    expect(svg.match(/<rect class="[^"]*\bm"[^>]*><title>[^,]*/g)?.map((cell) => cell.replace(/.*>/, ''))).toEqual([
      '10.60.0.2 borrowed',
    ]);
  });

  it('the SVG map joins equal neighbours where there are too many addresses for a browser', async () => {
    const drawn = `${'#'.repeat(16)}${'.'.repeat(4080)}`;
    const blocks = Array.from({ length: 17 }, (_, n) => block(`10.${n >> 4}.${(n & 15) * 16}.0/20`, 'host:a', drawn));
    const map = addressMap([pool('main', '10.0.0.0/8')], blocks, []);
    const svg = await svgOf(map);
    // Rows of 64 addresses: the first of a block has two kinds, the other 63 have one.
    expect(cellCount(svg)).toBe(17 * (2 + 63));
    expect(titles(svg)).toContain('10.0.0.16 to 10.0.0.63 free, node a');
  });

  it('the SVG map stays well-formed, and data never becomes markup', async () => {
    const runs = process.env['LONG'] ? 5000 : 200;
    const [svgTags, htmlTags] = await Promise.all(
      [svgOf, htmlOf].map(async (draw) => readMarkup(await draw(saturated('a'))).tags),
    );
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        // A text that is cut away whole says nothing: with a letter first there is something left of every one.
        const map = saturated(`a${text}`);
        const structure = (tags: readonly string[]): string[] => tags.filter((tag) => tag !== 'title');
        const [svg, html] = [readMarkup(await svgOf(map)), readMarkup(await htmlOf(map))];
        expect(structure(svg.tags)).toEqual(structure(svgTags ?? []));
        expect(structure(html.tags)).toEqual(structure(htmlTags ?? []));
      }),
      { numRuns: runs, examples: breakouts.map((text) => [text]) },
    );
  }, 300_000);
});

/** Relative luminance and contrast as WCAG 2 defines them. */
function contrast(a: string, b: string): number {
  const [bright = 0, dim = 0] = [a, b]
    .map((colour) => {
      const [red = 0, green = 0, blue = 0] = [1, 3, 5]
        .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
        .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    })
    .sort((x, y) => y - x);
  return (bright + 0.05) / (dim + 0.05);
}

it('the SVG map has readable colours on light and on dark screens', async () => {
  const [style = ''] = /<style>[^<]*<\/style>\n<rect/.exec(await svgOf(mapOf())) ?? [];
  const themes = style.split('@media (prefers-color-scheme:dark)');
  expect(themes.length).toBe(2);
  for (const theme of themes) {
    const fills = new Map(
      [...theme.matchAll(/([.\w,]+)\{fill:(#\w{6})\}/g)].map(([, name = '', fill = '']) => [name, fill]),
    );
    const fill = (name: string): string => fills.get(name) ?? '#000000';
    for (const text of ['text,.q', '.d', '.w']) expect(contrast(fill(text), fill('.page')), text).toBeGreaterThan(4.5);
    const cells = [...fills.keys()].filter((name) => /^\.(n\w+|e)$/.test(name));
    expect(cells.length).toBe(12 + 2);
    for (const cell of cells) {
      expect(contrast(fill('.k'), fill(cell)), cell).toBeGreaterThan(4.5);
      expect(contrast(fill('.page'), fill(cell)), cell).toBeGreaterThan(4.5);
    }
  }
});

/** How many different colours a PNG of 8-bit RGB or RGBA without interlacing has, and of which size it is. */
function coloursOf(png: Buffer): { width: number; colours: number } {
  const [width, height, channels] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25] === 6 ? 4 : 3];
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const data = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const colours = new Set<number>();
  let above = Buffer.alloc(stride);
  for (let row = 0; row < height; row++) {
    const filter = data[row * (stride + 1)] ?? 0;
    const line = Buffer.from(data.subarray(row * (stride + 1) + 1, (row + 1) * (stride + 1)));
    for (let at = 0; at < stride; at++) {
      const left = at < channels ? 0 : (line[at - channels] ?? 0);
      const up = above[at] ?? 0;
      const corner = at < channels ? 0 : (above[at - channels] ?? 0);
      const guess = left + up - corner;
      const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      const paeth = toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
      line[at] = (line[at] ?? 0) + ([0, left, up, (left + up) >> 1, paeth][filter] ?? 0);
    }
    for (let at = 0; at < stride; at += channels) colours.add(line.readUIntBE(at, 3));
    above = line;
  }
  return { width, colours: colours.size };
}

describeWithBrowser('the picture in a browser', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'calictl-picture-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function opened(map: AddressMap): Promise<string> {
    const file = join(folder, 'map.html');
    writeFileSync(file, await htmlOf(map));
    return browse(file, ['--dump-dom']);
  }

  it('a browser shows a cell for each address of the SVG map', async () => {
    const dom = await opened(mapOf());
    expect(cellCount(dom)).toBe(16 + 16 + 8 + 4);
    expect(titles(dom)).toContain('10.60.0.3 unowned, node node-a');
  }, 120_000);

  it.each(breakouts)(
    'a browser keeps %j in its place in the SVG map',
    async (text) => {
      const dom = await opened(saturated(`a${text}`));
      const elements = (of: string): string[] => (of.match(/<[a-z]+/g) ?? []).filter((tag) => tag !== '<title');
      expect(elements(dom)).toEqual(elements(await htmlOf(saturated('a'))));
    },
    120_000,
  );

  it.each(['svg', 'html'])(
    'a browser draws the SVG map as %s',
    async (format) => {
      const file = join(folder, `map.${format}`);
      writeFileSync(file, await (format === 'svg' ? svgOf : htmlOf)(mapOf()));
      const picture = join(folder, `${format}.png`);
      browse(file, ['--hide-scrollbars', '--window-size=1200,800', `--screenshot=${picture}`]);
      const { width, colours } = coloursOf(readFileSync(picture));
      expect(width).toBe(1200);
      // Page, text, two nodes bright and faint, nobody, trouble; smoothed edges give more.
      expect(colours).toBeGreaterThan(7);
    },
    120_000,
  );
});
