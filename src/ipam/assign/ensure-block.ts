// Ensures that a node owns a block, without assigning an address. Rules: docs/reference/ipam.md#ensuring-a-block.
import { CalictlError } from '../../world/errors.ts';
import type { IpamStore } from '../ipam-store.ts';
import { type AllocatorWorld, untilSettled } from '../retries.ts';
import { type BlockRequest, prepare } from './assignment-context.ts';
import { noNewBlocks } from './auto-assign.ts';
import { BlockFinder } from './block-finder.ts';

/**
 * The CIDR of a block that the node owns, full or not; one is claimed if it owns none. The block limit does not count.
 * Errors: those of autoAssign; CalictlError when no block is left to claim, or none may be claimed.
 */
export function ensureBlock(
  store: IpamStore,
  request: Omit<BlockRequest, 'use' | 'namespaceLabels'>,
  world: AllocatorWorld,
): Promise<string> {
  return untilSettled(world, async () => {
    const prepared = await prepare(store, { ...request, use: 'Workload' }, world);
    const finder = new BlockFinder(store, { ...prepared, minFree: 0 }, world);
    const found = await finder.next(true);
    if (found === 'contended') return found;
    if (found === 'manual') throw noNewBlocks();
    if (typeof found !== 'string') return found.block.spec.cidr;
    throw new CalictlError('No Free Blocks', {
      code: 'IPAM_EXHAUSTED',
      hint: 'all blocks of the pools that select the node are taken; run: calictl ipam show --show-blocks',
    });
  });
}
