// What can be wrong between blocks and the affinities that claim them.
// The rules are those of docs/reference/ipam.md.
import type { Invariant } from '../invariant.ts';

export const affinityInvariants = {
  'INV-28': {
    title: 'node has no claim for a block that it owns',
    severities: ['warning'],
    meaning: 'The owner does not find the block in its list of claims and does not allocate from it.',
    whatToDo:
      'Run with --fix: the claim is made and confirmed; an empty block of a node or a pool that is gone is deleted.',
  },
  'INV-29': {
    title: 'claim for a block that does not exist',
    severities: ['warning', 'info'],
    meaning:
      'It counts as a block of the node and may be advertised. A confirmed one becomes a block at the next allocation.',
    whatToDo: 'Run with --fix when it is a warning: the claim is dropped.',
  },
  'INV-30': {
    title: 'claim for a block that somebody else owns',
    severities: ['warning'],
    meaning: 'The block decides who owns it; the claim is stale.',
    whatToDo: 'Run with --fix: the claim is dropped.',
  },
  'INV-31': {
    title: 'several nodes have a confirmed claim for one block',
    severities: ['error'],
    meaning: 'Traffic for the block may be routed to the wrong node.',
    whatToDo: 'Run with --fix: the claims that the block does not agree with are dropped.',
  },
  'INV-32': {
    title: 'claim was never confirmed',
    severities: ['warning'],
    meaning: 'Routing ignores pending claims: other nodes have no route to the block as a whole.',
    whatToDo: 'Run with --fix: the claim is confirmed.',
  },
  'INV-33': {
    title: 'release of a claim was not finished',
    severities: ['warning'],
    meaning: 'The claim is still advertised, and its node cannot allocate from the block.',
    whatToDo: 'Run with --fix: the claim is confirmed again when its node lives, else released.',
  },
  'INV-34': {
    title: 'deletion of a claim was not finished',
    severities: ['warning'],
    meaning: 'The claim is marked deleted but still there; Calico hides it from lists.',
    whatToDo: 'Run with --fix: the deletion is finished.',
  },
  'INV-35': {
    title: 'name or labels of a claim do not fit what it says',
    severities: ['warning'],
    meaning: 'Its node finds claims by label and reads them by name: it does not see this one.',
    whatToDo:
      'Run with --fix: type and labels are set. When the name is wrong, let the node claim the block anew and delete this claim.',
  },
  'INV-36': {
    title: 'claim of a node that does not exist',
    severities: ['warning'],
    meaning: 'The node is gone, its blocks stay reserved for it.',
    whatToDo:
      'Run with --fix: empty blocks are released. Addresses still allocated in the block are to be released first.',
  },
  'INV-37': {
    title: 'type and name of an owner do not go together',
    severities: ['error', 'warning'],
    meaning:
      'Only load-balancer is a virtual owner. A node of that name would share the names of its claims with the LoadBalancer services.',
    whatToDo:
      'Give the node another name. A claim or block of an unknown virtual owner is to be deleted by hand when it is empty.',
  },
  'INV-38': {
    title: 'node owns more blocks than it may',
    severities: ['warning'],
    meaning:
      'The limit is maxBlocksPerHost, 20 without it, for each family. The node claims no further block, and borrows none.',
    whatToDo: 'Run with --fix to release surplus empty blocks (INV-39), or raise maxBlocksPerHost.',
  },
  'INV-39': {
    title: 'node keeps an empty block that it does not need',
    severities: ['info'],
    meaning:
      'The node has other blocks of the family, and nothing was allocated in this one for the grace period. Calico releases such blocks after a while.',
    whatToDo: 'Run with --fix: the block is released. One block a node and family stays.',
  },
  'INV-40': {
    title: 'node that is not ready owns blocks that nothing uses',
    severities: ['info'],
    meaning: 'The blocks are kept for a node that may not come back.',
    whatToDo: 'Bring the node back, or delete it: then its blocks are released (INV-36).',
  },
} satisfies Record<string, Invariant>;
