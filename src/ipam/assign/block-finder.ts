// Finds a block to assign from: those of the owner in name order, then one to claim.
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
import { isBlockSize } from '../pool/pools.ts';
import { type AllocatorWorld, maxRetries } from '../retries.ts';

/**
 * `claimed`: the owner has one more block. `none`: no block has room and none is left to claim. `limit`: the owner may not
 * claim another one. `manual`: the configuration does not allow claiming blocks. `contended`: start over with fresh reads.
 */
export type Found =
  | { readonly block: IPAMBlock; readonly claimed: boolean }
  | 'none'
  | 'limit'
  | 'manual'
  | 'contended';

export interface FinderOptions {
  readonly owner: BlockOwner;
  /** The affinities of the owner in the pools, in name order. */
  readonly affinities: readonly BlockAffinity[];
  /** The pools, in the order in which they are tried. */
  readonly sequences: () => readonly BlockSequence[];
  readonly reserved: IntervalSet;
  readonly settings: Pick<IpamSettings, 'autoAllocateBlocks'>;
  /** How many free addresses a block of the owner must have; 1 if not given. */
  readonly minFree?: number;
}

/** One search for blocks; each block is returned once. */
export class BlockFinder {
  readonly #store: IpamStore;
  readonly #options: FinderOptions;
  readonly #world: AllocatorWorld;
  readonly #untried: BlockAffinity[];
  readonly #tried: Cidr[] = [];
  /** All blocks as listed when a block to claim was last looked for. */
  listed: readonly IPAMBlock[] = [];

  constructor(store: IpamStore, options: FinderOptions, world: AllocatorWorld) {
    this.#store = store;
    this.#options = options;
    this.#world = world;
    this.#untried = [...options.affinities];
  }

  /** The next block of the owner with room, otherwise one that was claimed just now, which others may have filled since. */
  async next(mayClaim: boolean): Promise<Found> {
    const { owner, reserved, settings } = this.#options;
    for (let affinity = this.#untried.shift(); affinity !== undefined; affinity = this.#untried.shift()) {
      const cidr = parseCidr(affinity.spec.cidr);
      if (cidr === undefined || reserved.covers(cidr) || !isBlockSize(cidr.version, cidr.prefix)) continue;
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

  /** The first block of the pools that does not exist, or belongs to the owner and has room. */
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
      // A block of another size has addresses that a new block would contain a second time.
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
