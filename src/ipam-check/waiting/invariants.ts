// The invariants of what waits for an address and cannot get one, for a reason that is in the datastore.
// The code of the rules is next to this file; docs/reference/ipam.md has them in words.
import type { Invariant } from '../invariant.ts';

export const waitingInvariants = {
  'INV-71': {
    title: 'service waits for an address that it does not get',
    severities: ['warning', 'info'],
    needs: ['IPAMBlock', 'IPPool', 'KubeControllersConfiguration', 'Service'],
    meaning:
      'The LoadBalancer service has no address, and the datastore shows why Calico cannot assign one. The severity is info if another load balancer may be meant to serve it.',
    whatToDo:
      'Correct what the finding names: the requested address or pool of the service, or the configuration of the controller. Nothing, if another load balancer serves it.',
  },
  'INV-72': {
    title: 'pod waits for an address that it cannot get',
    severities: ['warning'],
    needs: ['IPAMBlock', 'IPPool', 'Node', 'Pod'],
    meaning: 'The pod is on a node, but no pool that it may use gives it an address, so it does not start.',
    whatToDo:
      'Correct the annotation of the pod (or of what creates it), or enable or change the pool. The kubelet then tries again on its own.',
  },
} satisfies Record<string, Invariant>;
