// The handles that allocations have: which allocations have the same one, and whether a handle's counts are theirs.
// It is asked for every allocation and every handle of a cluster, so nothing is made for a single one.

import type { HandleRecord } from '../snapshot.ts';
import type { BlockView } from './block-view.ts';
import { TextIndex } from './text-index.ts';

/** Handles as stored. Places count through the allocations of all blocks in their order, whatever the status. */
export class AllocatedHandles {
  readonly #index: TextIndex;
  /** Of each place its block, by number. */
  readonly #blockAt: Int32Array;
  /** Of each live block its CIDR text. */
  readonly #liveCidrs: readonly (string | undefined)[];
  /** Of each block the place of its first allocation. */
  readonly #firstOf = new Map<BlockView, number>();

  constructor(blocks: readonly BlockView[]) {
    const handles: string[] = [];
    for (const block of blocks) {
      this.#firstOf.set(block, handles.length);
      for (const { handle = '' } of block.allocations) handles.push(handle);
    }
    this.#index = new TextIndex(handles);
    this.#blockAt = new Int32Array(handles.length);
    blocks.forEach((block, number) => {
      const first = this.#firstOf.get(block) ?? 0;
      this.#blockAt.fill(number, first, first + block.allocations.length);
    });
    this.#liveCidrs = blocks.map(({ status, cidr }) => (status === 'live' ? cidr : undefined));
  }

  /** How many places there are. */
  get size(): number {
    return this.#blockAt.length;
  }

  /** For each of the handles the last place that has its name as handle; -1 where there is none. */
  lastPlaces(handles: readonly HandleRecord[]): Int32Array {
    return this.#index.lastPlaces(handles.map(({ name }) => name));
  }

  /** The nearest place before this one with the same handle; -1 when it is the first. */
  previous(place: number): number {
    return this.#index.previous(place);
  }

  /** How many different handles the allocations of the block have. */
  differentIn(block: BlockView): number {
    const first = this.#firstOf.get(block) ?? 0;
    let different = 0;
    block.allocations.forEach(({ handle }, at) => {
      if (handle !== undefined && this.previous(first + at) < first) different += 1;
    });
    return different;
  }

  /** True when the allocations with one handle are all in live blocks and counted rightly; `last` is the last of them. */
  agree(last: number, counts: HandleRecord['block']): boolean {
    let counted = 0;
    let lastKey: string | undefined;
    for (const key in counts) {
      const count = counts[key] as number;
      if (!(count >= 1)) return false;
      counted += count;
      lastKey = key;
    }
    // Nearly all have one address, and one count. Looking counts up by texts that are not the keys themselves is slow.
    if (counted === 1 && this.previous(last) < 0) return this.#liveCidrs[this.#blockAt[last] as number] === lastKey;
    let held = 0;
    for (let place = last; place >= 0; ) {
      const block = this.#blockAt[place] as number;
      const before = held;
      // Those of one block follow each other.
      for (; place >= 0 && this.#blockAt[place] === block; place = this.previous(place)) held += 1;
      const cidr = this.#liveCidrs[block];
      if (cidr === undefined || counts[cidr] !== held - before) return false;
    }
    return held === counted;
  }
}
