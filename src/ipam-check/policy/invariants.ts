// What can be wrong with the rules for assignment: configuration, limits, reservations.
// The rules are those of docs/reference/ipam.md.
import type { Invariant } from '../invariant.ts';

export const policyInvariants = {
  'INV-41': {
    title: 'address is borrowed although nodes may only use their own blocks',
    severities: ['warning', 'error'],
    meaning:
      'It was assigned before strict affinity was switched on. It is an error in a block of a Windows node, which cannot reach single addresses elsewhere.',
    whatToDo: 'Restart the pod: it gets an address from a block of its own node.',
  },
  'INV-42': {
    title: 'allocated addresses are in a reservation',
    severities: ['info'],
    meaning:
      'They were asked for by name, or assigned before the reservation was made; which of the two is not recorded.',
    whatToDo: 'Nothing, when they were asked for. Else restart their pods, so that they get other addresses.',
  },
  'INV-43': {
    title: 'configuration of IPAM contradicts itself',
    severities: ['warning'],
    meaning:
      'Nodes that may neither borrow nor claim blocks get no address; a block limit and Windows nodes need strict affinity; a reservation that cannot be read stops Calico.',
    whatToDo: 'Set strictAffinity and autoAllocateBlocks to what was meant; correct the reservation.',
  },
  'INV-44': {
    title: 'address of a LoadBalancer service does not fit the service',
    severities: ['warning', 'error'],
    meaning:
      'The service is gone or is not one of those that Calico assigns addresses to, or an address it has is not allocated.',
    whatToDo: 'Run with --fix when the service is gone; else let kube-controllers assign the address anew.',
  },
  'INV-67': {
    title: 'address was assigned automatically in a pool that is not for that',
    severities: ['info'],
    meaning:
      'A tunnel or LoadBalancer address is in a pool that assigns by hand only, or that is for another use; the pool was probably changed later.',
    whatToDo: 'Restart calico-node on the node, or let the service get another address.',
  },
} satisfies Record<string, Invariant>;
