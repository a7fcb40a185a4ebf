// What can be wrong with blocks and pools: overlaps, sizes, blocks that a pool is not for, pools that do not work.
// The rules are those of docs/reference/ipam.md.
import type { Invariant } from '../invariant.ts';

export const poolInvariants = {
  'INV-18': {
    title: 'blocks overlap',
    severities: ['error'],
    meaning: 'The same address can be assigned twice, once from each block.',
    whatToDo: 'Drain the block that does not fit its pool (restart its pods), then delete it.',
  },
  'INV-19': {
    title: 'block lies in no pool',
    severities: ['warning'],
    meaning: 'Its pool is gone: addresses in use keep working, but are neither managed nor used again.',
    whatToDo: 'Run with --fix when the block is empty; else restart its pods, so that they move to another pool.',
  },
  'INV-20': {
    title: 'block has another size than its pool prescribes',
    severities: ['error'],
    meaning: 'Calico looks for another CIDR than this block has: it misses it and may create a block that overlaps it.',
    whatToDo: 'Restart the pods that have addresses in it, then delete the block when it is empty.',
  },
  'INV-21': {
    title: 'block reaches beyond its pool',
    severities: ['error'],
    meaning: 'Addresses outside the pool can be handed out.',
    whatToDo: 'Restart the pods that have addresses in it, then delete the block when it is empty.',
  },
  'INV-22': {
    title: 'block is empty and has no owner',
    severities: ['warning'],
    meaning: 'Such a block is deleted with its last address; this one only keeps its CIDR from being used.',
    whatToDo: 'Run with --fix: the block is deleted.',
  },
  'INV-23': {
    title: 'block is in a pool that is not for its owner',
    severities: ['warning'],
    meaning:
      'LoadBalancer addresses come from pools of that use only, and nodes take nothing from such pools: the block serves nobody.',
    whatToDo:
      'Run with --fix when the block is empty: it is released. Else give its addresses up first, or set allowedUses of the pool right.',
  },
  'INV-24': {
    title: 'pool no longer selects the node of a block',
    severities: ['info', 'warning'],
    meaning:
      'The node takes no new address from the block. An empty one only keeps its range from others; Calico releases it at the next allocation on that node.',
    whatToDo:
      'Run with --fix when the block is empty: it is released. Else restart the pods that have addresses in it.',
  },
  'INV-25': {
    title: 'empty block in a disabled pool',
    severities: ['info'],
    meaning: 'No new address comes from a disabled pool, so the block serves nobody.',
    whatToDo: 'Run with --fix: the block is released.',
  },
  'INV-26': {
    title: 'pool cannot be right',
    severities: ['error'],
    meaning:
      'Its CIDR does not parse or overlaps that of another pool, its block size is not one of Calico, or not even one block fits into it.',
    whatToDo: 'Create a right pool, move the pods to it, then delete this one. The range of a pool cannot be changed.',
  },
  'INV-27': {
    title: 'no address is left',
    severities: ['warning'],
    meaning:
      'Of a pool: every block is claimed and no address is free that is not reserved. Of a node: it has as many blocks as it may, all full. The next pod may get no address.',
    whatToDo:
      'Add a pool, or raise maxBlocksPerHost for a node. Look for leaked addresses first: the other findings tell.',
  },
} satisfies Record<string, Invariant>;
