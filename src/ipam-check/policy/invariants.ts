// The invariants of what administrators set: the IPAM configuration, reservations, and pools that assign on request only.
// The code of the rules is next to this file; docs/reference/ipam.md has them in words.
import type { Invariant } from '../invariant.ts';

export const policyInvariants = {
  'INV-41': {
    title: 'address is borrowed despite strict affinity',
    severities: ['warning', 'error'],
    needs: ['IPAMConfig', 'Node'],
    meaning:
      'The address was assigned before strict affinity was enabled. In a block of a Windows node this is an error, because Windows has no routes to single addresses on other nodes.',
    whatToDo: 'Recreate the pod. It gets an address from a block of its own node.',
  },
  'INV-42': {
    title: 'allocated addresses are in a reservation',
    severities: ['info'],
    needs: ['IPReservation'],
    meaning:
      'They were requested explicitly, or assigned before the reservation was created; which of the two is not recorded.',
    whatToDo:
      'Nothing if they were requested explicitly. Otherwise recreate their pods so that they get other addresses.',
  },
  'INV-43': {
    title: 'contradictory IPAM configuration',
    severities: ['warning'],
    needs: ['IPAMConfig', 'IPReservation', 'Node'],
    meaning:
      'Nodes that may neither borrow addresses nor claim blocks get no addresses. A block limit and Windows nodes require strict affinity. Calico stops assigning addresses when it cannot parse a reservation.',
    whatToDo: 'Set strictAffinity and autoAllocateBlocks to what was intended, and correct the reservation.',
  },
  'INV-67': {
    title: 'address was assigned automatically from a pool that does not allow it',
    severities: ['info'],
    needs: ['Service'],
    meaning:
      'A tunnel or LoadBalancer address is in a pool with assignmentMode Manual, or in a pool that is for another use. The pool was probably changed later.',
    whatToDo: 'Restart calico-node on the node, or let the service get another address.',
  },
} satisfies Record<string, Invariant>;
