// The invariants of a single block: its name, CIDR, bookkeeping, sequence numbers, owner and Windows reserve.
// The code of the rules is next to this file; docs/reference/ipam.md has them in words.
import type { Invariant } from '../invariant.ts';

export const blockInvariants = {
  'INV-01': {
    title: 'block name does not match its CIDR',
    severities: ['error'],
    needs: [],
    meaning:
      'Calico looks blocks up by the name derived from their CIDR, so it does not see this block or its allocations.',
    whatToDo:
      'If no block with the right name exists, copy this one to that name by hand. Then delete the misnamed block.',
  },
  'INV-02': {
    title: 'invalid block CIDR',
    severities: ['error'],
    needs: [],
    meaning:
      'The CIDR does not parse, has host bits set, is not in canonical form, or has a prefix length that blocks cannot have.',
    whatToDo:
      'Find out what wrote the object, move its pods to other addresses and delete it by hand. Nothing else in this block is checked.',
  },
  'INV-03': {
    title: 'allocation array of the block has the wrong length',
    severities: ['error'],
    needs: [],
    meaning: 'Every address of the block needs one entry; Calico components crash when entries are missing.',
    whatToDo: 'Restore the block from a backup, or extend the array by hand for ordinals that are known to be free.',
  },
  'INV-04': {
    title: 'allocation refers to a missing attribute record',
    severities: ['error'],
    needs: [],
    meaning: 'The holder of the address is unknown, and some Calico components crash on such a block.',
    whatToDo:
      'Run calictl ipam check --fix to free the address if nothing uses it. Otherwise delete the pod that uses it, then check again.',
  },
  'INV-05': {
    title: 'free list contains an address outside the block',
    severities: ['error'],
    needs: [],
    meaning: 'Calico can assign an address that does not belong to the block.',
    whatToDo: 'Run calictl ipam check --fix to remove the entry.',
  },
  'INV-06': {
    title: 'free list contains an address twice',
    severities: ['error'],
    needs: [],
    meaning: 'The address can be assigned to two owners.',
    whatToDo: 'Run calictl ipam check --fix to keep only one of the entries.',
  },
  'INV-07': {
    title: 'allocated address is in the free list',
    severities: ['error'],
    needs: [],
    meaning: 'The address can be assigned a second time while it is in use.',
    whatToDo: 'Run calictl ipam check --fix to remove the address from the free list. Its holder keeps it.',
  },
  'INV-08': {
    title: 'address is neither allocated nor in the free list',
    severities: ['warning'],
    needs: [],
    meaning: 'The address is lost: it can never be assigned again.',
    whatToDo: 'Run calictl ipam check --fix to append the address to the free list, unless something uses it.',
  },
  'INV-09': {
    title: 'block has an attribute record that no allocation uses',
    severities: ['warning'],
    needs: [],
    meaning: 'Lookups by handle find a holder that has no address in this block.',
    whatToDo: 'Run calictl ipam check --fix to remove the record.',
  },
  'INV-10': {
    title: 'block has duplicate attribute records',
    severities: ['info'],
    needs: [],
    meaning: 'Harmless: it only makes the block larger.',
    whatToDo: 'Nothing. Duplicates are merged when another repair rewrites the block.',
  },
  'INV-12': {
    title: 'sequence numbers of allocations do not match the block',
    severities: ['error', 'warning', 'info'],
    needs: [],
    meaning:
      'Releases are guarded by these numbers. An impossible number guards nothing (error); a missing one counts as 0 (warning). Numbers of free addresses are harmless and occur in every cluster (info).',
    whatToDo:
      'Findings of severity info need no action. Otherwise recreate the pods of the listed addresses one by one; they get new numbers.',
  },
  'INV-13': {
    title: 'sequence number of the block is not based on its creation time',
    severities: ['info'],
    needs: [],
    meaning:
      'Blocks created by old releases count from 0. The age of an allocation without a timestamp cannot be derived from such a number.',
    whatToDo: 'Nothing.',
  },
  'INV-14': {
    title: 'block deletion was not completed',
    severities: ['warning'],
    needs: [],
    meaning: 'The block is marked as deleted but still exists: lists show it, and its CIDR counts as taken.',
    whatToDo: 'Run calictl ipam check --fix to complete the deletion, unless the block still records addresses.',
  },
  'INV-15': {
    title: 'invalid block owner',
    severities: ['error'],
    needs: [],
    meaning: 'No node assigns addresses from the block, and its affinity cannot be released.',
    whatToDo:
      'Find the owner by the nodes of its addresses and by the affinities for its CIDR, and set spec.affinity by hand.',
  },
  'INV-16': {
    title: 'addresses reserved for Windows are missing or misplaced',
    severities: ['error', 'warning'],
    needs: [],
    meaning:
      'Windows itself uses the first three addresses and the last address of each block. A reserved address that is free can be assigned to a pod (error).',
    whatToDo: 'Recreate the pods in the block, then delete the block when it is empty. The node creates a new one.',
  },
} satisfies Record<string, Invariant>;
