// What can be wrong with handles and what they count.
// The rules are those of docs/reference/ipam.md.
import type { Invariant } from '../invariant.ts';

export const handleInvariants = {
  'INV-45': {
    title: 'handle has no address',
    severities: ['warning'],
    meaning: 'Left by an allocation or a release that did not end. It wastes space and slows every list down.',
    whatToDo: 'Run with --fix: the handle is deleted when it is older than five minutes or the datastore is locked.',
  },
  'INV-46': {
    title: 'handle of an allocated address does not exist',
    severities: ['warning'],
    meaning: 'A release by handle finds nothing: when the pod goes, its address stays allocated.',
    whatToDo: 'Run with --fix: the handle is created.',
  },
  'INV-47': {
    title: 'handle counts other addresses than the blocks record',
    severities: ['warning'],
    meaning: 'Too high, the handle is never deleted; too low, it is deleted while addresses still have it.',
    whatToDo: 'Run with --fix: the counts are set to what the blocks record.',
  },
  'INV-48': {
    title: 'handle names a block that does not exist, or counts no address',
    severities: ['warning'],
    meaning: 'A release by this handle visits a block in vain, and the handle is never deleted.',
    whatToDo: 'Run with --fix: the entries are set to what the blocks record.',
  },
  'INV-49': {
    title: 'name of a handle does not fit its ID',
    severities: ['error'],
    meaning:
      'IDs that differ by case only share one object: it is deleted with the addresses of one while the other has some. A misnamed object is not found at all.',
    whatToDo: 'Restart the pods of one of the IDs. Delete a misnamed object by hand, then run with --fix.',
  },
  'INV-50': {
    title: 'handle has several addresses of one family',
    severities: ['warning'],
    meaning:
      'Left when a pod was set up twice for one container: the pod uses one address, the other stays until the pod goes.',
    whatToDo: 'Run with --fix: what the pod does not have is released, when the pod tells what it has.',
  },
  'INV-52': {
    title: 'deletion of a handle was not finished',
    severities: ['warning'],
    meaning: 'The handle is marked deleted but still there; lists show it.',
    whatToDo: 'Run with --fix: the deletion is finished.',
  },
} satisfies Record<string, Invariant>;
