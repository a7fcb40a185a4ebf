// The addresses that --fix releases, so that rules about blocks and handles can pass over them.
import type { Judgement } from '../finding.ts';
import type { Allocation, BlockView } from './block-view.ts';

/** The allocations that --fix releases, according to the judgements about addresses and blocks. */
export class PlannedReleases {
  /** By block name and ordinal. */
  readonly #byBlock = new Map<string, Map<number, Judgement>>();

  constructor(judgements: readonly Judgement[]) {
    for (const judgement of judgements) {
      const { action, finding } = judgement;
      if (finding.stability !== 'stable' || finding.repair?.automatic !== true) continue;
      if (action?.primitive === 'R1') this.#add(action.block, action.ordinal, judgement);
      else if (action?.primitive === 'R2')
        for (const free of action.unused ?? []) this.#add(action.block, free, judgement);
    }
  }

  #add(block: string, ordinal: number, judgement: Judgement): void {
    const ordinals = this.#byBlock.get(block);
    if (ordinals) ordinals.set(ordinal, judgement);
    else this.#byBlock.set(block, new Map([[ordinal, judgement]]));
  }

  /** The judgement by which the allocation is released; undefined when it stays. */
  of(allocation: Allocation): Judgement | undefined {
    return this.#byBlock.get(allocation.block.name)?.get(allocation.ordinal);
  }

  /** True when the block is empty, or will be once the releases are done. */
  leaveEmpty(block: BlockView): boolean {
    if (block.empty) return true;
    const ordinals = this.#byBlock.get(block.name);
    return (
      ordinals !== undefined &&
      block.allocations.every((allocation) => allocation.windowsReserved || ordinals.has(allocation.ordinal))
    );
  }
}
