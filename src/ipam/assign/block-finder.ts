// Finding a block to assign from: the owner's own ones in order of their names, then one to claim.
// Rules: docs/reference/ipam.md#assigning-addresses.
import { type Cidr, formatCidr, parseCidr } from '../../net/cidr.ts';
import { IntervalSet } from '../../net/interval-set.ts';
import type { BlockAffinity } from '../../resources/kinds/block-affinity.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { type BlockOwner, blockOfAffinity, type ClaimedBlock, claimBlock } from '../affinity/claim-block.ts';
import { isEmpty, isOwnedBy } from '../block/block.ts';
import { freeCount } from '../block/block-assign.ts';
import { type BlockSequence, blocksOf } from '../block/block-sequence.ts';
import type { IpamSettings } from '../config.ts';
import { isTombstone } from '../deletion.ts';
import type { IpamStore } from '../ipam-store.ts';
import { type AllocatorWorld, maxRetries } from '../retries.ts';

/**
 * `claimed`: the owner has one block more. `none`: no block has room and none is left to claim; `limit`: the owner may
 * not claim another; `manual`: nobody may, by the configuration; `contended`: start over with everything read again.
 */
export type Found =
  | { readonly block: IPAMBlock; readonly claimed: boolean }
  | 'none'
  | 'limit'
  | 'manual'
  | 'contended';

export interface FinderOptions {
  readonly owner: BlockOwner;
  /** The owner's affinities in the pools, in order of their names. */
  readonly affinities: readonly BlockAffinity[];
  /** The pools, in the order in which they are tried. */
  readonly sequences: () => readonly BlockSequence[];
  readonly reserved: IntervalSet;
  readonly settings: Pick<IpamSettings, 'autoAllocateBlocks'>;
  /** How many addresses a block that the owner has must have left; 1 when not given. */
  readonly minFree?: number;
}

/** One look for blocks; each block is answered once. */
export class BlockFinder {
  readonly #store: IpamStore;
  readonly #options: FinderOptions;
  readonly #world: AllocatorWorld;
  readonly #untried: BlockAffinity[];
  readonly #tried: Cidr[] = [];
  /** All blocks, as they were when none was found that the owner has or can claim. */
  listed: readonly IPAMBlock[] = [];

  constructor(store: IpamStore, options: FinderOptions, world: AllocatorWorld) {
    this.#store = store;
    this.#options = options;
    this.#world = world;
    this.#untried = [...options.affinities];
  }

  /** The next own block with room, else one that was claimed just now, which others may have filled since. */
  async next(mayClaim: boolean): Promise<Found> {
    const { owner, reserved, settings } = this.#options;
    for (let affinity = this.#untried.shift(); affinity !== undefined; affinity = this.#untried.shift()) {
      const cidr = parseCidr(affinity.spec.cidr);
      if (cidr === undefined || reserved.covers(cidr)) continue;
      const block = await blockOfAffinity(this.#store, owner, affinity, this.#world);
      if (block === 'contended') return block;
      this.#tried.push(cidr);
      if (this.#hasRoom(block)) return { block, claimed: false };
    }
    if (!mayClaim) return 'limit';
    if (!settings.autoAllocateBlocks) return 'manual';
    for (let attempt = 0; attempt < maxRetries; attempt++) {
      const found = await this.#claimable();
      if (found === undefined) return 'none';
      const block = await claimBlock(this.#store, owner, found.cidr, this.#world, found.missing);
      if (block === 'contended') return block;
      this.#tried.push(found.cidr);
      if (block !== 'taken') return { block, claimed: true };
    }
    return 'contended';
  }

  #hasRoom(claimed: ClaimedBlock): claimed is IPAMBlock {
    const { reserved, minFree = 1 } = this.#options;
    return typeof claimed !== 'string' && freeCount(claimed, reserved) >= minFree;
  }

  /** The first block of the pools that does not exist, or is the owner's and has room. */
  async #claimable(): Promise<{ cidr: Cidr; missing: boolean } | undefined> {
    const { owner, sequences, reserved } = this.#options;
    this.listed = await this.#store.blocks.list();
    const byCidr = new Map<string, IPAMBlock>();
    const networks: Cidr[] = [];
    const tried = new Set(this.#tried.map(formatCidr));
    for (const block of this.listed) {
      const cidr = parseCidr(block.spec.cidr);
      if (cidr === undefined) continue;
      byCidr.set(formatCidr(cidr), block);
      networks.push(cidr);
    }
    for (const sequence of sequences()) {
      // A block of another size holds addresses that a new one would have a second time.
      const others = IntervalSet.of(networks.filter(({ prefix }) => prefix !== sequence.blockSize));
      for (const cidr of blocksOf(sequence, reserved)) {
        const text = formatCidr(cidr);
        if (tried.has(text) || others.overlaps(cidr)) continue;
        const block = byCidr.get(text);
        if (block === undefined) return { cidr, missing: true };
        const usable = isTombstone(block) ? isEmpty(block) : isOwnedBy(block, owner) && freeCount(block, reserved) > 0;
        if (usable) return { cidr, missing: false };
      }
    }
    return undefined;
  }
}
