// The invariants of handles: their names, their counts, and whether they exist.
// The code of the rules is next to this file; docs/reference/ipam.md has them in words.
import type { Invariant } from '../invariant.ts';

export const handleInvariants = {
  'INV-45': {
    title: 'handle has no addresses',
    severities: ['warning'],
    needs: ['IPAMBlock', 'IPAMHandle'],
    meaning: 'Left by an allocation or a release that did not complete. It wastes space and slows down every list.',
    whatToDo:
      'Run calictl ipam check --fix to delete the handle. It is deleted if it is older than five minutes or the datastore is locked.',
  },
  'INV-46': {
    title: 'handle of an allocated address does not exist',
    severities: ['warning'],
    needs: ['IPAMHandle'],
    meaning: 'A release by handle finds nothing: when the pod is deleted, its address stays allocated.',
    whatToDo: 'Run calictl ipam check --fix to create the handle.',
  },
  'INV-47': {
    title: 'handle counts differ from the blocks',
    severities: ['warning'],
    needs: ['IPAMBlock', 'IPAMHandle'],
    meaning:
      'If a count is too high, the handle is never deleted. If it is too low, the handle is deleted while addresses still use it.',
    whatToDo: 'Run calictl ipam check --fix to set the counts to what the blocks record.',
  },
  'INV-48': {
    title: 'handle names a block that does not exist, or has an invalid count',
    severities: ['warning'],
    needs: ['IPAMBlock', 'IPAMHandle'],
    meaning: 'A release by this handle visits the block for nothing, and the handle is never deleted.',
    whatToDo: 'Run calictl ipam check --fix to set the entries to what the blocks record.',
  },
  'INV-49': {
    title: 'handle name does not match its ID',
    severities: ['error'],
    needs: ['IPAMHandle'],
    meaning:
      'IDs that differ only in case share one object, which is deleted with the addresses of one ID while the other still has some. A misnamed object is not found at all.',
    whatToDo:
      'Recreate the pods of one of the IDs. Delete a misnamed object by hand, then run calictl ipam check --fix.',
  },
  'INV-52': {
    title: 'handle deletion was not completed',
    severities: ['warning'],
    needs: ['IPAMHandle'],
    meaning: 'The handle is marked as deleted but still exists; lists show it.',
    whatToDo: 'Run calictl ipam check --fix to complete the deletion.',
  },
} satisfies Record<string, Invariant>;
