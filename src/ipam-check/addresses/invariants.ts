// What can be wrong between the allocations and what uses their addresses.
// The rules are those of docs/reference/ipam.md.
import type { Invariant } from '../invariant.ts';

export const addressInvariants = {
  'INV-11': {
    title: 'allocation has no handle',
    severities: ['warning', 'info'],
    meaning:
      'A release by handle, which is how pods give addresses back, does not find it. Old tunnel addresses are made so (info).',
    whatToDo:
      'Restart the pod, or release the address when nothing uses it. A tunnel address gets a handle when calico-node restarts.',
  },
  'INV-51': {
    title: 'pod has addresses of two containers',
    severities: ['warning'],
    meaning: 'The sandbox of an earlier container was not torn down, its addresses stay allocated.',
    whatToDo: 'Run with --fix when the pod does not use them; else restart the pod.',
  },
  'INV-53': {
    title: 'address is allocated but nothing uses it',
    severities: ['warning', 'info'],
    meaning: 'The address leaked: it cannot be handed out to anybody else.',
    whatToDo:
      'Run with --fix: the address is released. One that was assigned by hand names no user that could be looked up: it ' +
      'is never released by --fix, only by ipam release --ip.',
  },
  'INV-54': {
    title: 'address is in use but not allocated',
    severities: ['error'],
    meaning: 'Calico may hand the address out to another pod.',
    whatToDo: 'Restart the pod, so that it gets an allocated address.',
  },
  'INV-55': {
    title: 'address in use lies in no pool',
    severities: ['info'],
    meaning: 'The pool was deleted, or another program assigns addresses.',
    whatToDo: 'Restart the pod if its address should come from a pool.',
  },
  'INV-56': {
    title: 'address is used by several owners at once',
    severities: ['error'],
    meaning: 'Traffic reaches the wrong one.',
    whatToDo: 'Find out which one the allocation belongs to and restart the other.',
  },
  'INV-57': {
    title: 'address is allocated to another pod than uses it',
    severities: ['error'],
    meaning: 'When the recorded pod goes, the address is freed under the pod that uses it.',
    whatToDo: 'Restart the pod that uses the address.',
  },
  'INV-58': {
    title: 'address is allocated on another node than its pod runs on',
    severities: ['warning', 'error'],
    meaning: 'The allocation belongs to an earlier pod of the same name; the garbage collector counts it as leaked.',
    whatToDo: 'Run with --fix when the pod does not use the address; else restart the pod.',
  },
  'INV-59': {
    title: 'address belongs to an earlier container of its pod',
    severities: ['warning', 'error'],
    meaning: 'The delete of the current container does not release it.',
    whatToDo: 'Run with --fix when the pod does not use the address; else restart the pod.',
  },
  'INV-60': {
    title: 'finished pod holds an address',
    severities: ['warning', 'error'],
    meaning: 'The pod has ended and uses nothing; its address cannot be handed out to anybody else.',
    whatToDo: 'Run with --fix: the address is released.',
  },
  'INV-61': {
    title: 'address is allocated to a pod that uses its host network',
    severities: ['warning', 'error'],
    meaning: 'The allocation belongs to an earlier pod of the same name.',
    whatToDo: 'Run with --fix: the address is released.',
  },
  'INV-62': {
    title: 'address is allocated on a node that does not exist',
    severities: ['warning', 'error'],
    meaning: 'The node is gone and nothing on it can use the address.',
    whatToDo: 'Run with --fix: the address is released.',
  },
  'INV-63': {
    title: 'tunnel address and allocation do not agree',
    severities: ['warning', 'error'],
    meaning: 'The node records another tunnel address than is allocated for it, or somebody else uses its address.',
    whatToDo: 'Restart calico-node on that node: it puts its tunnel addresses right. --fix releases duplicates.',
  },
  'INV-64': {
    title: 'handle is of the form of Calico 2',
    severities: ['info'],
    meaning: 'It is made of namespace and pod, not of the container. Calico still releases it.',
    whatToDo: 'Nothing; it goes with the pod.',
  },
  'INV-65': {
    title: 'time of an allocation or of a release cannot be right',
    severities: ['warning'],
    meaning: 'A time to come makes an allocation look young, or an address cool down for too long.',
    whatToDo: 'Put the clock of the node right. For an allocation, restart the pod.',
  },
  'INV-66': {
    title: 'second owner of an address is out of place',
    severities: ['warning'],
    meaning: 'Only a virtual machine that moves has two owners, and only while it moves.',
    whatToDo: 'See whether a migration got stuck; the entry goes when the machine is moved again or deleted.',
  },
  'INV-68': {
    title: 'node of an allocation does not fit the owner of its block',
    severities: ['info'],
    meaning:
      'Addresses in blocks of nodes name a node, those in other blocks do not; the garbage collector goes by it.',
    whatToDo: 'Nothing; see how it was assigned when there are many.',
  },
} satisfies Record<string, Invariant>;
