// The invariants of allocated addresses and of addresses in use.
// The code of the rules is next to this file; docs/reference/ipam.md has them in words.
import type { Invariant, OptionalKind } from '../invariant.ts';

/** Without these an address that looks unused may well be in use. */
const users: readonly OptionalKind[] = ['Node', 'Pod', 'WorkloadEndpoint'];

export const addressInvariants = {
  'INV-11': {
    title: 'allocation has no handle',
    severities: ['warning', 'info'],
    needs: users,
    meaning:
      'Pods release their addresses by handle, so this one stays allocated when its pod is deleted. Old releases created tunnel addresses this way (info).',
    whatToDo:
      'Recreate the pod, or release the address if nothing uses it. A tunnel address gets a handle when calico-node restarts.',
  },
  'INV-17': {
    title: 'handle contains a carriage return',
    severities: ['info'],
    needs: [],
    meaning:
      'Left by a migration from host-local IPAM. Only the part before the carriage return counts; some tools show all of it.',
    whatToDo: 'Nothing. It disappears with the pod.',
  },
  'INV-44': {
    title: 'address does not match its LoadBalancer service',
    severities: ['warning', 'error'],
    needs: [...users, 'IPAMBlock', 'KubeControllersConfiguration', 'Service'],
    meaning:
      'The service no longer exists, Calico does not assign its addresses, or it uses an address that is not allocated to it.',
    whatToDo:
      'Run calictl ipam check --fix to release the address if the service is gone. Otherwise let kube-controllers assign the address again.',
  },
  'INV-50': {
    title: 'handle has several addresses of one family',
    severities: ['warning'],
    needs: users,
    meaning:
      'Left when the network of a container was set up twice: the pod uses one address, and the other stays allocated until the pod is deleted.',
    whatToDo: 'Run calictl ipam check --fix to release the surplus address, if the pod reports which address it uses.',
  },
  'INV-51': {
    title: 'pod has addresses of two containers',
    severities: ['warning'],
    needs: users,
    meaning: 'The sandbox of an earlier container was not torn down, so its addresses stay allocated.',
    whatToDo: 'Run calictl ipam check --fix if the pod does not use them. Otherwise recreate the pod.',
  },
  'INV-53': {
    title: 'address is allocated but nothing uses it',
    severities: ['warning', 'info'],
    needs: users,
    meaning: 'The address has leaked: it cannot be assigned to anything else.',
    whatToDo:
      'Run calictl ipam check --fix to release the address. A manually assigned address has no owner to look up, so --fix never releases it; use calictl ipam release --ip.',
  },
  'INV-54': {
    title: 'address is in use but not allocated',
    severities: ['error'],
    needs: [...users, 'IPAMBlock'],
    meaning: 'Calico can assign the address to another pod.',
    whatToDo: 'Recreate the pod so that it gets an allocated address.',
  },
  'INV-55': {
    title: 'address in use is not in an enabled pool',
    severities: ['info'],
    needs: [...users, 'IPAMBlock', 'IPPool'],
    meaning: 'The pool was deleted or disabled, or another program assigns addresses.',
    whatToDo: 'Recreate the pod if it should have an address from a pool.',
  },
  'INV-56': {
    title: 'address has several users',
    severities: ['error'],
    needs: users,
    meaning: 'Traffic can reach the wrong one.',
    whatToDo: 'Find out which of them the address is allocated to, and restart the other one.',
  },
  'INV-57': {
    title: 'address is used by a pod that it is not allocated to',
    severities: ['error'],
    needs: users,
    meaning: 'When the recorded pod is deleted, the address is released while the other pod still uses it.',
    whatToDo: 'Recreate the pod that uses the address.',
  },
  'INV-58': {
    title: 'address is allocated on a node that its pod does not run on',
    severities: ['warning', 'error'],
    needs: users,
    meaning:
      "The allocation belongs to an earlier pod of the same name. Calico's garbage collector treats it as leaked.",
    whatToDo: 'Run calictl ipam check --fix if the pod does not use the address. Otherwise recreate the pod.',
  },
  'INV-59': {
    title: 'address is allocated to an earlier container of its pod',
    severities: ['warning', 'error'],
    needs: users,
    meaning: 'Deleting the current container does not release this address.',
    whatToDo: 'Run calictl ipam check --fix if the pod does not use the address. Otherwise recreate the pod.',
  },
  'INV-60': {
    title: 'finished pod still holds an address',
    severities: ['warning', 'error'],
    needs: users,
    meaning: 'The pod has terminated and uses nothing, but its address cannot be assigned to another pod.',
    whatToDo: 'Run calictl ipam check --fix to release the address.',
  },
  'INV-61': {
    title: 'address is allocated to a pod that uses the host network',
    severities: ['warning', 'error'],
    needs: users,
    meaning: 'The allocation belongs to an earlier pod of the same name.',
    whatToDo: 'Run calictl ipam check --fix to release the address.',
  },
  'INV-62': {
    title: 'address is allocated on a node that does not exist',
    severities: ['warning', 'error'],
    needs: users,
    meaning: 'The node was removed, so nothing on it can use the address.',
    whatToDo: 'Run calictl ipam check --fix to release the address.',
  },
  'INV-63': {
    title: 'tunnel address and its allocation do not match',
    severities: ['warning', 'error'],
    needs: [...users, 'IPAMBlock'],
    meaning:
      'The Node object records a tunnel address other than the allocated one, or something else uses the allocated address.',
    whatToDo: 'Restart calico-node on that node to correct its tunnel addresses. --fix releases duplicates.',
  },
  'INV-64': {
    title: 'handle has the format of Calico 2',
    severities: ['info'],
    needs: [],
    meaning: 'The handle consists of namespace and pod name instead of the container ID. Calico still releases it.',
    whatToDo: 'Nothing. It disappears with the pod.',
  },
  'INV-65': {
    title: 'implausible time of an allocation or a release',
    severities: ['warning'],
    needs: [],
    meaning:
      'A time in the future makes an allocation look recent, or keeps a released address in cooldown for too long.',
    whatToDo: 'Correct the clock of the node. For an allocation, recreate the pod.',
  },
  'INV-66': {
    title: 'unexpected second owner of an address',
    severities: ['warning'],
    needs: [],
    meaning: 'Only a virtual machine that is being migrated has two owners, and only during the migration.',
    whatToDo:
      'Check whether a migration is stuck. The entry is removed when the virtual machine is migrated again or deleted.',
  },
  'INV-68': {
    title: 'node attribute of an allocation does not match the block owner',
    severities: ['info'],
    needs: [],
    meaning:
      "Allocations in the block of a node name a node; allocations in other blocks do not. Calico's garbage collector relies on this.",
    whatToDo: 'Nothing. If there are many, find out what assigned these addresses.',
  },
  'INV-69': {
    title: 'pods have addresses that Calico IPAM does not assign',
    severities: ['info'],
    needs: [...users, 'IPAMBlock', 'IPPool'],
    meaning:
      'Another IPAM plugin assigns them: host-local, from the podCIDR of each node, or that of another CNI plugin. Calico IPAM neither knows nor protects these addresses.',
    whatToDo:
      'Nothing, if the cluster is meant to work this way: canal, policy only, or pods on a network of their own. Pods that were started before Calico was installed get an address from Calico when they are recreated.',
  },
} satisfies Record<string, Invariant>;
