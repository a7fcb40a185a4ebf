// What can be wrong inside a block: its name, its books, its numbers, its owner and its reserve.
// The rules are those of docs/reference/ipam.md.
import type { Invariant } from '../invariant.ts';

export const blockInvariants = {
  'INV-01': {
    title: 'block has a name that does not belong to its CIDR',
    severities: ['error'],
    meaning: 'Calico looks a block up by the name made from its CIDR, so it does not see this one or its allocations.',
    whatToDo: 'Copy the block to the right name by hand when no such block exists, then delete the misnamed one.',
  },
  'INV-02': {
    title: 'block CIDR cannot be right',
    severities: ['error'],
    meaning: 'The CIDR does not parse, has host bits, is not spelled canonically, or has a size that no block has.',
    whatToDo: 'Find out who wrote the object; drain its addresses and delete it by hand. Nothing else in it is judged.',
  },
  'INV-03': {
    title: 'block has an allocation array of the wrong length',
    severities: ['error'],
    meaning: 'Every address needs one entry; Calico components crash on a shorter array.',
    whatToDo: 'Restore the block from a backup, or lengthen the array by hand for ordinals that are provably free.',
  },
  'INV-04': {
    title: 'allocation points to an attribute that does not exist',
    severities: ['error'],
    meaning: 'Nobody can tell whose address it is, and some Calico components crash on it.',
    whatToDo:
      'With --fix the address is freed when nothing uses it. Otherwise delete the pod that uses it, then check again.',
  },
  'INV-05': {
    title: 'free list of the block names an address that the block does not have',
    severities: ['error'],
    meaning: 'An allocation would be made from outside the block.',
    whatToDo: 'Run with --fix: the entry is dropped.',
  },
  'INV-06': {
    title: 'free list of the block names an address twice',
    severities: ['error'],
    meaning: 'The address would be handed out to two owners.',
    whatToDo: 'Run with --fix: one entry is kept.',
  },
  'INV-07': {
    title: 'address is allocated and in the free list at once',
    severities: ['error'],
    meaning: 'The address would be handed out although somebody has it.',
    whatToDo: 'Run with --fix: the address is taken out of the free list, its owner keeps it.',
  },
  'INV-08': {
    title: 'address is neither allocated nor in the free list',
    severities: ['warning'],
    meaning: 'The address is lost: it can never be handed out.',
    whatToDo: 'Run with --fix: the address is put at the end of the free list, unless something uses it.',
  },
  'INV-09': {
    title: 'block keeps an attribute that no address has',
    severities: ['warning'],
    meaning: 'A search by handle finds an owner that has no address here.',
    whatToDo: 'Run with --fix: the attribute is removed.',
  },
  'INV-10': {
    title: 'block holds the same attribute twice',
    severities: ['info'],
    meaning: 'Harmless; it only makes the block larger.',
    whatToDo: 'Nothing. The copies are merged when another repair rewrites the block.',
  },
  'INV-12': {
    title: 'sequence numbers of allocations do not fit the block',
    severities: ['error', 'warning', 'info'],
    meaning:
      'Releases are guarded by these numbers: a wrong one guards nothing (error), a missing one counts as 0 (warning). Those of free addresses do no harm and are in every cluster (info).',
    whatToDo:
      'Nothing about an info. Otherwise restart the pods of the addresses named, one after the other; they get new numbers.',
  },
  'INV-13': {
    title: 'sequence number of the block is no time of creation',
    severities: ['info'],
    meaning: 'Blocks of old releases count from 0. Ages of allocations without a time cannot be told from it.',
    whatToDo: 'Nothing.',
  },
  'INV-14': {
    title: 'deletion of a block was not finished',
    severities: ['warning'],
    meaning: 'The block is marked deleted but still there: lists show it, and its CIDR counts as taken.',
    whatToDo: 'Run with --fix: the deletion is finished, unless addresses are still recorded in the block.',
  },
  'INV-15': {
    title: 'owner of the block cannot be read',
    severities: ['error'],
    meaning: 'Neither a node nor anybody else allocates from the block, and its ownership cannot be released.',
    whatToDo:
      'Find out whose block it is, by the nodes of its addresses and by the claims for it, and set spec.affinity by hand.',
  },
  'INV-16': {
    title: 'block is not laid out for Windows',
    severities: ['error', 'warning'],
    meaning:
      'Windows itself uses the first three addresses and the last one of a block. A free one may be given to a pod (error).',
    whatToDo: 'Drain the block (restart its pods) and delete it when it is empty: the node makes a new one.',
  },
  'INV-17': {
    title: 'handle holds a carriage return',
    severities: ['info'],
    meaning:
      'Left by a migration from host-local. What stands before the carriage return is what counts; some tools show the whole.',
    whatToDo: 'Nothing; it goes with the pod.',
  },
} satisfies Record<string, Invariant>;
