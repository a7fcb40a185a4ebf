// Assigns addresses in a stored block: the handle is counted up, then the block is written, again after each conflict.
// Rules: docs/reference/ipam.md#assigning-addresses.
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { handleName } from '../../resources/names.ts';
import { getLive } from '../deletion.ts';
import { decrementHandle, incrementHandle } from '../handles.ts';
import type { IpamStore } from '../ipam-store.ts';
import { maxRetries, retriesExhausted } from '../retries.ts';
import { touched } from './block.ts';
import { countOfHandle } from './block-release.ts';
import { hasReadableAllocations } from './block-structure.ts';

export interface BlockAssignment {
  /** As it is stored now. */
  readonly block: IPAMBlock;
  readonly ordinals: readonly number[];
}

/**
 * Writes the block with the ordinals that `decide` assigns; after a conflict `decide` is called again with the new state.
 * Nothing is written when it assigns nothing; undefined when the block is gone. An error of `decide` ends it. A write
 * without an answer keeps its count: a count that is too high is repaired later, an address without a count is lost.
 */
export async function assignInBlock(
  store: IpamStore,
  known: IPAMBlock,
  handle: string | undefined,
  decide: (block: IPAMBlock) => BlockAssignment,
): Promise<BlockAssignment | undefined> {
  const { cidr } = known.spec;
  let counted = 0;
  const uncount = async (count: number, block?: IPAMBlock): Promise<void> => {
    if (handle === undefined || count === 0) return;
    const remaining = block === undefined ? 0 : countOfHandle(block, handleName(handle));
    await decrementHandle(store, handle, cidr, count, { remaining });
  };
  let block = known;
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    let decided: BlockAssignment;
    try {
      decided = decide(block);
    } catch (error) {
      await uncount(counted, block);
      throw error;
    }
    const count = decided.ordinals.length;
    if (count === 0) {
      await uncount(counted, block);
      return { block, ordinals: [] };
    }
    if (handle !== undefined && count > counted) {
      await incrementHandle(store, handle, cidr, count - counted);
      counted = count;
    }
    const written = await store.blocks.update(touched(decided.block));
    if (written.ok) {
      await uncount(counted - count, written.value);
      return { block: written.value, ordinals: decided.ordinals };
    }
    const again = await getLive(store.blocks, known.metadata.name);
    if (!again.ok) {
      await uncount(counted);
      return undefined;
    }
    block = again.value;
  }
  await uncount(counted, block);
  throw retriesExhausted();
}

/** True when a new holder could get the address of another one: the block has to be repaired first. */
export function isUnsound(block: IPAMBlock): boolean {
  return !hasReadableAllocations(block);
}
