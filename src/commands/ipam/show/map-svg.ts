// The address map as a picture: SVG, and the same in a page. Nothing in it is fetched and nothing runs: details of an
// address are in the title of its cell. The bytes depend on the map only. Streamed block by block.
import {
  type AddressMap,
  type AddressState,
  addressOfCell,
  addressStates,
  cellsOf,
  isVacant,
  type MapBlock,
  type MapCell,
  textOf,
} from '../../../ipam/show/address-map.ts';
import { widthOf } from '../../../output/columns.ts';
import { escapedMarkup } from '../../../output/markup.ts';
import { printable } from '../../../output/printable.ts';
import { type Attributes, element, pictureEnd, pictureStart, textAt, title } from '../../../output/svg.ts';
import { nodeColourCount, pageStyle, pictureStyle } from './map-style.ts';
import { notesOf, orphans, poolNote } from './map-text.ts';

/** Beyond this many addresses neighbours that are alike share a cell: browsers cannot draw a million of them. */
const mostCells = 65_536;
const mostInRow = 64;

const margin = 24;
const cellSize = 12;
const pitch = cellSize + 1;
const lineHeight = 18;
const blockGap = 6;
const characterWidth = 7.3;
const longestNote = 100;

const heading = 'IPAM address map';

const shortened = (text: string): string =>
  widthOf(text) <= longestNote ? text : `${[...text].slice(0, longestNote - 1).join('')}…`;
const text = (x: number, y: number, kind: string, content: string): string =>
  textAt(x, y, kind, escapedMarkup(content));
const rect = (x: number, y: number, width: number, kind: string, inside = ''): string =>
  element('rect', { class: kind, x, y, width, height: cellSize, rx: 2 }, inside);

/** The class that makes a cell red or faint. */
function fillOf(state: AddressState): string {
  if (state === 'broken' || state === 'lost') return 'e';
  return isVacant(state) ? 'v' : '';
}

/** Solid and faint cells explain themselves, all others have their letter. */
const isLettered = (state: AddressState): boolean => state !== 'held' && state !== 'free';

class MapPicture {
  readonly #map: AddressMap;
  readonly #joins: boolean;
  readonly #labelWidth: number;
  readonly #inRow: number;
  readonly #width: number;

  constructor(map: AddressMap) {
    this.#map = map;
    let [label, note, size, addresses] = [0, 0, 1, 0];
    for (const block of this.#blocks()) {
      label = Math.max(label, widthOf(printable(block.cidr)));
      note = Math.max(note, widthOf(shortened(calmNoteOf(block))) + widthOf(shortened(printable(block.trouble))) + 2);
      size = Math.max(size, block.size);
      addresses += block.size;
    }
    this.#joins = addresses > mostCells;
    this.#labelWidth = Math.ceil(label * characterWidth) + 12;
    this.#inRow = Math.min(mostInRow, size);
    const drawn = this.#labelWidth + this.#inRow * pitch + 12 + Math.ceil(note * characterWidth);
    this.#width = 2 * margin + Math.max(drawn, 640);
  }

  *#blocks(): Generator<MapBlock> {
    for (const { blocks } of this.#map.pools) yield* blocks;
    yield* this.#map.orphanBlocks;
  }

  #rows({ size }: MapBlock): number {
    return Math.max(1, Math.ceil(size / this.#inRow));
  }

  #nodeClass(node: string | undefined): string {
    const number = node === undefined ? undefined : this.#map.nodeNumbers.get(node);
    return number === undefined ? 'nn' : `n${number % nodeColourCount}`;
  }

  get #groups(): { heading: string; note: string; blocks: readonly MapBlock[] }[] {
    const { pools, orphanBlocks } = this.#map;
    const groups = pools.map((pool) => ({
      heading: printable(`${pool.name}  ${pool.cidr}`),
      note: poolNote(pool),
      blocks: pool.blocks,
    }));
    if (orphanBlocks.length > 0) groups.push({ heading: orphans.name, note: orphans.note, blocks: orphanBlocks });
    return groups;
  }

  get #listsNodes(): boolean {
    return this.#map.nodes.length <= nodeColourCount;
  }

  #heightOf({ blocks }: { blocks: readonly MapBlock[] }): number {
    return 44 + blocks.reduce((sum, block) => sum + this.#rows(block) * pitch + blockGap, 0) + 10;
  }

  *draw(): Generator<string> {
    const { legend, nodes } = this.#map;
    const legendRows = Math.max(legend.length, this.#listsNodes ? nodes.length : 1);
    const top = margin + 36 + legendRows * lineHeight;
    const groups = this.#groups;
    const height = groups.reduce((sum, group) => sum + this.#heightOf(group), top) + margin;
    const attributes: Attributes = { role: 'group', 'aria-labelledby': 'map-title map-about' };
    const about = [
      element('title', { id: 'map-title' }, heading),
      element('desc', { id: 'map-about' }, escapedMarkup(this.#about())),
    ];
    yield pictureStart({ width: this.#width, height, attributes, style: pictureStyle }, about.join('\n'));
    yield `${element('rect', { class: 'page', width: '100%', height: '100%' })}\n`;
    yield this.#legend();
    let y = top;
    for (const group of groups) {
      yield `${text(margin, y + 20, 'h', group.heading)}\n${text(margin, y + 36, 'd', group.note)}\n`;
      let at = y + 46;
      for (const block of group.blocks) {
        yield this.#block(block, at);
        at += this.#rows(block) * pitch + blockGap;
      }
      y += this.#heightOf(group);
    }
    yield pictureEnd;
  }

  /** The map in a few words, for those who cannot see it. */
  #about(): string {
    const states = this.#map.legend.map(({ state, count }) => `${count} ${addressStates[state].about}`);
    return `One row per block, one cell per address, coloured by node. ${states.join('; ')}.`;
  }

  #legend(): string {
    const { legend, nodes } = this.#map;
    const width = Math.max(0, ...legend.map(({ count }) => String(count).length));
    const aboutX = margin + 24 + Math.ceil((width + 2) * characterWidth);
    const nodesX =
      aboutX +
      Math.ceil(Math.max(0, ...legend.map(({ state }) => addressStates[state].about.length)) * characterWidth) +
      32;
    let drawn = `${text(margin, margin + 12, 't', heading)}\n`;
    let y = margin + 28;
    for (const { state, count } of legend) {
      const cell = rect(margin, y, cellSize, fillOf(state)) + this.#letters([{ x: margin, state }], y);
      drawn += element('g', { class: 'nn' }, cell);
      drawn += text(margin + 24, y + 10, 'c', String(count).padStart(width, '\u2007'));
      drawn += `${text(aboutX, y + 10, '', addressStates[state].about)}\n`;
      y += lineHeight;
    }
    y = margin + 28;
    if (!this.#listsNodes) {
      const note = `${nodes.length} nodes in ${nodeColourCount} colours; the owner is shown with each block`;
      return `${drawn}${text(nodesX, y + 10, 'd', note)}\n`;
    }
    for (const node of nodes) {
      drawn += `${rect(nodesX, y, cellSize, this.#nodeClass(node))}${text(nodesX + 20, y + 10, '', shortened(printable(node)))}\n`;
      y += lineHeight;
    }
    return drawn;
  }

  /** The letters of a row, placed one by one, so that no font moves them. */
  #letters(cells: readonly { x: number; state: AddressState }[], y: number): string {
    let drawn = '';
    for (const kind of ['k', 'q']) {
      const some = cells.filter(({ state }) => isLettered(state) && (fillOf(state) === 'v') === (kind === 'q'));
      if (some.length === 0) continue;
      const places = some.map(({ x }) => x + cellSize / 2).join(' ');
      const letters = some.map(({ state }) => addressStates[state].glyph).join('');
      drawn += textAt(places, y + 9.5, kind, letters);
    }
    return drawn;
  }

  #block(block: MapBlock, y: number): string {
    const { range, marked } = block;
    const own = this.#nodeClass(block.node);
    const note = noteOf(block);
    let drawn = text(-this.#labelWidth, 10, '', printable(block.cidr));
    const cells = cellsOf(block);
    for (let start = 0; start < cells.length && range !== undefined; start += this.#inRow) {
      const rowY = (start / this.#inRow) * pitch;
      if (start > 0) drawn += text(-this.#labelWidth, rowY + 10, 'd', addressOfCell(range, start));
      const row = cells.slice(start, start + this.#inRow);
      drawn += '\n';
      for (let from = 0, to = 0; from < row.length; from = to) {
        const first = row[from] as MapCell;
        to = from + 1;
        while (this.#joins && to < row.length && isAlike(first, row[to] as MapCell)) to++;
        const node = this.#nodeClass(first.node);
        const isMarked = marked.some((ordinal) => ordinal >= start + from && ordinal < start + to);
        const kind = [node === own ? '' : node, fillOf(first.state), isMarked ? 'm' : ''].filter((one) => one !== '');
        const about = to - from === 1 ? aboutCell(block, first) : aboutRun(block, first, to - from);
        drawn += rect(from * pitch, rowY, (to - from) * pitch - 1, kind.join(' '), title(about));
      }
      drawn += this.#letters(
        row.map(({ state }, at) => ({ x: at * pitch, state })),
        rowY,
      );
    }
    const noteX = Math.min(block.size, this.#inRow) * pitch + 12;
    const full = note === shortened(note) ? '' : title(note);
    const wrong =
      block.trouble === '' ? '' : element('tspan', { class: 'w' }, `, ${escapedMarkup(shortened(block.trouble))}`);
    drawn += `\n${textAt(noteX, 10, 'd', full + escapedMarkup(shortened(calmNoteOf(block))) + wrong)}`;
    const attributes: Attributes = {
      class: own,
      transform: `translate(${margin + this.#labelWidth} ${y})`,
      role: 'group',
      'aria-label': printable(`${block.cidr}: ${note}`),
    };
    return `${element('g', attributes, drawn)}\n`;
  }
}

const isAlike = (a: MapCell, b: MapCell): boolean => a.state === b.state && a.node === b.node;

/** The note of a block without what is wrong. */
function calmNoteOf(block: MapBlock): string {
  return notesOf(block)
    .slice(0, 3)
    .filter((part) => part !== '')
    .join(', ');
}

const noteOf = (block: MapBlock): string =>
  [calmNoteOf(block), printable(block.trouble)].filter((part) => part !== '').join(', ');

/** The title of a cell: address, state, node and owner. */
function aboutCell({ range }: MapBlock, { ordinal, state, node, handle, attributes }: MapCell): string {
  const { namespace, pod, service, type } = attributes;
  const parts = [
    `${range === undefined ? '' : addressOfCell(range, ordinal)} ${addressStates[state].word}`,
    ...(node === undefined ? [] : [`node ${node}`]),
    ...(textOf(pod) === undefined ? [] : [`pod ${textOf(namespace) ?? ''}/${textOf(pod)}`]),
    ...(textOf(service) === undefined ? [] : [`service ${textOf(namespace) ?? ''}/${textOf(service)}`]),
    ...(textOf(type) === undefined ? [] : [`type ${textOf(type)}`]),
    ...(handle === undefined ? [] : [`handle ${handle}`]),
  ];
  return parts.join(', ');
}

function aboutRun({ range }: MapBlock, { ordinal, state, node }: MapCell, count: number): string {
  if (range === undefined) return '';
  const ends = `${addressOfCell(range, ordinal)} to ${addressOfCell(range, ordinal + count - 1)}`;
  return `${ends} ${addressStates[state].word}${node === undefined ? '' : `, node ${node}`}`;
}

/** A self-contained picture. */
export async function* ipamMapSvg(map: AddressMap): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield* new MapPicture(map).draw();
}

/** The picture in a page that forbids itself to load or run anything. */
export async function* ipamMapHtml(map: AddressMap): AsyncGenerator<string> {
  yield [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8"/>',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
    title(heading),
    `<style>${pageStyle}</style>`,
    '</head>',
    '<body>',
    '',
  ].join('\n');
  yield* new MapPicture(map).draw();
  yield '</body>\n</html>\n';
}
