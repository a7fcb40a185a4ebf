// The address map as text: one row per block, one character per address, in the colour of its node. Streamed block by block.
import {
  type AddressMap,
  type AddressState,
  addressOfCell,
  addressStates,
  cellsOf,
  isVacant,
  type MapBlock,
  type MapCell,
  type MapPool,
} from '../../../ipam/show/address-map.ts';
import { widthOf } from '../../../output/columns.ts';
import { printable } from '../../../output/printable.ts';
import { type Paint, type Style, styleOf, type TextView } from '../../../output/style.ts';

/** Columns that usage and owner get next to the addresses when blocks have to be wrapped for them. */
const roomForNotes = 18;
const fewestInRow = 8;
const gap = '  ';

/** The notes next to a block's row: usage, owner, borrowers, what is wrong. */
export function notesOf({ held, size, range, affinity, node, borrowers, trouble }: MapBlock): string[] {
  const owner = node ?? (affinity || 'ownerless');
  const borrowed = borrowers.map(([name, count]) => `${count} borrowed by ${name}`);
  return [range === undefined ? '' : `${held}/${size}`, owner, borrowed.join(', '), trouble].map(printable);
}

/** The note of a pool: whether it is enabled, how full it is. */
export function poolNote({ enabled, size, held, blockCount, blocks }: MapPool): string {
  const state = enabled ? '' : 'disabled, ';
  if (blockCount === 0) return `${state}no blocks`;
  const count = blocks.length === blockCount ? `${blockCount}` : `${blocks.length} of ${blockCount}`;
  return `${state}${held} of ${size} addresses held, ${count} ${blockCount === 1 ? 'block' : 'blocks'}`;
}

/** The name and text under which blocks without a pool are shown. */
export const orphans = { name: 'no pool', note: 'blocks outside every pool' };

class MapText {
  readonly #map: AddressMap;
  readonly #columns: number;
  readonly #colour: boolean;
  readonly #style: Style;

  constructor(map: AddressMap, view: TextView) {
    this.#map = map;
    this.#columns = view.columns;
    this.#colour = view.colour;
    this.#style = styleOf(view.colour);
  }

  #nodePaint(node: string | undefined): Paint {
    const number = node === undefined ? undefined : this.#map.nodeNumbers.get(node);
    const { distinct } = this.#style;
    return (number === undefined ? undefined : distinct[number % distinct.length]) ?? ((text) => text);
  }

  #paint(state: AddressState, node: string | undefined): Paint {
    const { error, strong, dim } = this.#style;
    if (state === 'broken' || state === 'lost') return (text) => strong(error(text));
    const paint = this.#nodePaint(node);
    return isVacant(state) ? (text) => dim(paint(text)) : paint;
  }

  /** Characters of the cells; runs that look the same are painted as one. */
  #glyphs(cells: readonly MapCell[]): string {
    let text = '';
    for (let from = 0, to = 0; from < cells.length; from = to) {
      const { state, node } = cells[from] as MapCell;
      while (to < cells.length && cells[to]?.state === state && cells[to]?.node === node) to++;
      text += this.#paint(state, node)(addressStates[state].glyph.repeat(to - from));
    }
    return text;
  }

  /** Addresses in a row: all of the largest block, or what fits of it. */
  #inRow(blocks: readonly MapBlock[], labelWidth: number): number {
    const largest = blocks.reduce((most, { size }) => Math.max(most, size), 1);
    const room = this.#columns - labelWidth - 2 * gap.length - roomForNotes;
    if (largest <= room) return largest;
    return Math.min(largest, Math.max(fewestInRow, 2 ** Math.floor(Math.log2(Math.max(room, 1)))));
  }

  *group(heading: string, note: string, blocks: readonly MapBlock[]): Generator<string> {
    const { strong, dim } = this.#style;
    yield `${strong(printable(heading))}${gap}${dim(note)}\n`;
    if (blocks.length === 0) return;
    const labelWidth = blocks.reduce((most, { cidr }) => Math.max(most, widthOf(printable(cidr))), 0);
    const inRow = this.#inRow(blocks, labelWidth);
    const usageWidth = blocks.reduce((most, { held, size }) => Math.max(most, `${held}/${size}`.length), 0);
    const indent = ' '.repeat(labelWidth) + gap;
    if (inRow > fewestInRow) yield `${indent}${dim(ruler(inRow, blocks[0]?.range?.version === 6 ? 16 : 10))}\n`;
    for (const block of blocks) yield this.#block(block, { labelWidth, inRow, usageWidth, indent });
  }

  #block(block: MapBlock, layout: { labelWidth: number; inRow: number; usageWidth: number; indent: string }): string {
    const { labelWidth, inRow, usageWidth, indent } = layout;
    const { dim } = this.#style;
    const { range, marked } = block;
    const cells = cellsOf(block);
    const rows = Math.max(1, Math.ceil(cells.length / inRow));
    const notes = this.#noteLines(block, rows, usageWidth, this.#columns - labelWidth - inRow - 2 * gap.length);
    let text = '';
    for (let row = 0; row < rows; row++) {
      const start = row * inRow;
      const some = cells.slice(start, start + inRow);
      const label = row === 0 || range === undefined ? printable(block.cidr) : addressOfCell(range, start);
      const shownLabel = (row === 0 ? label : dim(label)) + ' '.repeat(Math.max(0, labelWidth - widthOf(label)));
      const note = notes[row] ?? '';
      text += `${shownLabel}${gap}${this.#glyphs(some)}${note === '' ? '' : gap + note}\n`;
      const carets = marked.filter((ordinal) => ordinal >= start && ordinal < start + inRow);
      if (carets.length > 0) {
        const line = Array.from({ length: (carets.at(-1) ?? start) - start + 1 }, (_, at) =>
          carets.includes(start + at) ? '^' : ' ',
        );
        text += `${indent}${line.join('')}\n`;
      }
    }
    return text;
  }

  /** The notes, one per row while there are rows, the rest joined in the last; cut to the width. */
  #noteLines(block: MapBlock, rows: number, usageWidth: number, width: number): string[] {
    const { error } = this.#style;
    const [usage = '', owner = '', borrowed = '', trouble = ''] = notesOf(block);
    const ownerPaint = this.#nodePaint(block.node);
    const all: { text: string; paint: Paint }[] = [
      { text: owner, paint: ownerPaint },
      { text: borrowed, paint: (text) => text },
      { text: trouble, paint: error },
    ];
    const parts = all.filter(({ text }) => text !== '');
    const lines: { text: string; paint: Paint }[][] = [];
    for (const part of parts) {
      const last = lines.at(-1);
      if (last !== undefined && lines.length >= rows) last.push(part);
      else lines.push([part]);
    }
    if (lines.length === 0) lines.push([]);
    return lines.map((line, index) => {
      const head = index === 0 ? `${usage.padStart(usageWidth)}${gap}` : '';
      let room = width - head.length;
      const shown = line.map(({ text, paint }, at) => {
        const separated = at === 0 ? '' : ', ';
        const fitting = cut(text, room - separated.length);
        room -= separated.length + widthOf(fitting);
        return fitting === '' ? '' : separated + paint(fitting);
      });
      return (head + shown.join('')).trimEnd();
    });
  }

  legend(): string {
    const { dim } = this.#style;
    const { legend, nodes } = this.#map;
    const width = legend.reduce((most, { count }) => Math.max(most, String(count).length), 0);
    let text = '';
    for (const { state, count } of legend) {
      const { glyph, about } = addressStates[state];
      text += `${this.#paint(state, undefined)(glyph)}${gap}${String(count).padStart(width)}${gap}${dim(about)}\n`;
    }
    return text + this.#nodeLegend(nodes);
  }

  /** The colours of nodes; empty without colour. */
  #nodeLegend(nodes: readonly string[]): string {
    if (nodes.length === 0 || !this.#colour) return '';
    const { dim, distinct } = this.#style;
    if (nodes.length > distinct.length) {
      return `${dim(`${nodes.length} nodes in ${distinct.length} colours; the owner is shown with each block`)}\n`;
    }
    let [text, width] = ['', 0];
    for (const node of nodes) {
      const name = printable(node);
      if (width > 0 && width + gap.length + widthOf(name) > this.#columns) [text, width] = [`${text}\n`, 0];
      text += (width === 0 ? '' : gap) + this.#nodePaint(node)(name);
      width += widthOf(name) + (width === 0 ? 0 : gap.length);
    }
    return `${text}\n`;
  }
}

/** Positions in a row, every eight addresses, in the radix that the address is written in. */
function ruler(width: number, radix: 10 | 16): string {
  let text = '';
  for (let at = 0; at < width; at += 8) text += at.toString(radix).padEnd(8);
  return text.trimEnd();
}

/** At most so many characters of the text; what is cut ends in an ellipsis, and a stub of a word is nothing. */
function cut(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  return room < 4 ? '' : `${[...text].slice(0, room - 1).join('')}…`;
}

/** The map, piece by piece: pools with their blocks, then the legend of what occurred. */
export async function* ipamMapText(map: AddressMap, view: TextView): AsyncGenerator<string> {
  const text = new MapText(map, view);
  for (const pool of map.pools) {
    yield* text.group(`${pool.name}  ${pool.cidr}`, poolNote(pool), pool.blocks);
    yield '\n';
  }
  if (map.orphanBlocks.length > 0) {
    yield* text.group(orphans.name, orphans.note, map.orphanBlocks);
    yield '\n';
  }
  yield text.legend();
}
