// The handles of allocations: which allocations share one, and whether the counts of a handle object match.
// It is used for every allocation and every handle of a cluster, so it creates no object for a single one.
import type { HandleRecord } from '../snapshot.ts';
import type { BlockView } from './block-view.ts';
import { TextIndex } from './text-index.ts';

/** Handles as stored. A place is the number of an allocation, counted through all blocks whatever their status. */
export class AllocatedHandles {
  readonly #index: TextIndex;
  /** For each place the number of its block. */
  readonly #blockAt: Int32Array;
  /** For each block its CIDR text; undefined for one that is not live. */
  readonly #liveCidrs: readonly (string | undefined)[];
  /** For each block the place of its first allocation. */
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

  /** The number of places. */
  get size(): number {
    return this.#blockAt.length;
  }

  /** For each of the handles the last place whose handle is spelled like its name; -1 where there is none. */
  lastPlaces(handles: readonly HandleRecord[]): Int32Array {
    return this.#index.lastPlaces(handles.map(({ name }) => name));
  }

  /** The nearest place before this one with the same handle; -1 when it is the first. */
  previous(place: number): number {
    return this.#index.previous(place);
  }

  /** The number of different handles that the allocations of the block have. */
  differentIn(block: BlockView): number {
    const first = this.#firstOf.get(block) ?? 0;
    let different = 0;
    block.allocations.forEach(({ handle }, at) => {
      if (handle !== undefined && this.previous(first + at) < first) different += 1;
    });
    return different;
  }

  /** True when the allocations of one handle are all in live blocks and match the counts; `last` is the last of them. */
  agree(last: number, counts: HandleRecord['block']): boolean {
    let counted = 0;
    let lastKey: string | undefined;
    for (const key in counts) {
      const count = counts[key] as number;
      if (!(count >= 1)) return false;
      counted += count;
      lastKey = key;
    }
    // Nearly all have one address and one count. Looking counts up by strings that are not the keys themselves is slow.
    if (counted === 1 && this.previous(last) < 0) return this.#liveCidrs[this.#blockAt[last] as number] === lastKey;
    let held = 0;
    for (let place = last; place >= 0; ) {
      const block = this.#blockAt[place] as number;
      const before = held;
      // Those of one block are consecutive.
      for (; place >= 0 && this.#blockAt[place] === block; place = this.previous(place)) held += 1;
      const cidr = this.#liveCidrs[block];
      if (cidr === undefined || counts[cidr] !== held - before) return false;
    }
    return held === counted;
  }
}
