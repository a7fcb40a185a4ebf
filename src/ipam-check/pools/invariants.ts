// The invariants of pools, and of blocks as parts of pools: overlaps, sizes, uses, and how much is left.
// The code of the rules is next to this file; docs/reference/ipam.md has them in words.
import type { Invariant } from '../invariant.ts';

export const poolInvariants = {
  'INV-18': {
    title: 'blocks overlap',
    severities: ['error'],
    needs: [],
    meaning: 'The same address can be assigned twice, once from each block.',
    whatToDo: 'Recreate the pods in the block that does not match its pool, then delete that block.',
  },
  'INV-19': {
    title: 'block is not in any pool',
    severities: ['warning'],
    needs: ['IPPool'],
    meaning:
      'Its pool was deleted. Addresses in use keep working, but they are no longer managed and are not assigned again.',
    whatToDo:
      'Run calictl ipam check --fix to release the block if it is empty. Otherwise recreate its pods so that they move to another pool.',
  },
  'INV-20': {
    title: 'block size differs from the block size of its pool',
    severities: ['error'],
    needs: ['IPPool'],
    meaning:
      'Calico looks for blocks of the size that the pool sets: it does not find this one, and may create a block that overlaps it.',
    whatToDo: 'Recreate the pods that have addresses in it, then delete the block when it is empty.',
  },
  'INV-21': {
    title: 'block extends beyond its pool',
    severities: ['error'],
    needs: ['IPPool'],
    meaning: 'Addresses outside the pool can be assigned.',
    whatToDo: 'Recreate the pods that have addresses in it, then delete the block when it is empty.',
  },
  'INV-22': {
    title: 'empty block without an owner',
    severities: ['warning'],
    needs: ['IPPool'],
    meaning: 'Such a block is deleted together with its last address. This one only keeps its CIDR from being used.',
    whatToDo: 'Run calictl ipam check --fix to delete the block.',
  },
  'INV-23': {
    title: 'block is in a pool that its owner may not use',
    severities: ['warning'],
    needs: ['IPPool'],
    meaning:
      'LoadBalancer addresses come only from pools that allow that use, and nodes take no addresses from pools that are only for it. Nothing can be assigned from this block.',
    whatToDo:
      'Run calictl ipam check --fix to release the block if it is empty. Otherwise release its addresses first, or correct allowedUses of the pool.',
  },
  'INV-26': {
    title: 'invalid pool',
    severities: ['error'],
    needs: [],
    meaning:
      'The CIDR of the pool does not parse or overlaps another pool, its block size is not valid, or the pool is smaller than one block.',
    whatToDo: 'Create a valid pool, move the pods to it, then delete this one. The CIDR of a pool cannot be changed.',
  },
  'INV-27': {
    title: 'no free addresses left',
    severities: ['warning'],
    needs: ['IPAMConfig', 'IPReservation', 'Node'],
    meaning:
      'In a pool: every block is claimed, and every address that is not reserved is allocated. On a node: it owns as many blocks as it may, and all of them are full. The next pod may not get an address.',
    whatToDo:
      'Add a pool, or raise maxBlocksPerHost for a node. Check for leaked addresses first; other findings list them.',
  },
  'INV-73': {
    title: 'pool contains addresses of nodes',
    severities: ['warning'],
    needs: ['IPAMBlock', 'IPReservation', 'Node', 'Pod'],
    meaning:
      'A pod can be assigned the address of a node, which cuts both off. Calico also treats traffic to the nodes as traffic to pods.',
    whatToDo:
      'Create a pool outside of the network of the nodes, disable this one, and recreate its pods. Until then, reserve the addresses of the nodes with an IPReservation.',
  },
} satisfies Record<string, Invariant>;
