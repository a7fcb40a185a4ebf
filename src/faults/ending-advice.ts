// All advice that ends or restarts something, with the check that shows that nothing is lost by it. No other hint about nodes
// may advise it: what was not proved dead, or belongs to another program, is to be looked at and not to be removed.

export interface EndingAdvice {
  /** A fragment in lower case, as hints are. */
  readonly hint: string;
  /** What was seen before the advice is given. */
  readonly check: string;
}

export const endingAdvice = {
  restartForRoutes: {
    hint: 'restart calico-node on this node: it writes its own routes again, and pods keep running',
    check: "The route or entry is Calico's own, it differs from what the objects say, and a restart writes it again.",
  },
  restartForDevice: {
    hint: 'restart calico-node on this node, which sets the device up again',
    check: "The device is Calico's own by its name and differs from what the Node object says.",
  },
  restartForSettings: {
    hint: 'then restart calico-node: Felix sets it only when it starts',
    check: 'The setting was read and has the wrong value.',
  },
  restartForMtu: {
    hint: 'restart calico-node, which derives it from the MTU of the host when it starts',
    check: 'The MTU is larger than the network of the host allows, by the interfaces that were read.',
  },
  restartForNodename: {
    hint: 'restart calico-node, which writes the file: pods are wired for the node that it names',
    check: 'The file was read, and does not name the node that it was read from.',
  },
  restartForAddress: {
    hint: 'wait a minute for autodetection, or restart calico-node there; otherwise correct the address of the Node',
    check: 'All addresses of the node were read, and the recorded one is not among them.',
  },
  recreateUnwiredPod: {
    hint: 'delete the pod so that it is wired again; check the log of the CNI plugin',
    check: 'The pod is Running by its status, and among the interfaces of its node, all read, none is its own.',
  },
  recreateCutOffPod: {
    hint: 'set it up; if the end inside the pod is gone, delete the pod so that it is wired again',
    check: 'The interface was read and is down or without a carrier: nothing reaches the pod.',
  },
  recreatePodForMtu: {
    hint: 'recreate the pod when it suits: a change of MTU reaches new pods only',
    check: "The MTU of the pod's interface was read and is larger than that of new pods.",
  },
  recreateOneOfTwo: {
    hint: 'find the duplicate with calictl ipam check, and recreate the pod that the address is not allocated to',
    check: 'Two Running pods have one address in their status.',
  },
  removeRenamedNode: {
    hint: 'if the machine was renamed, delete the old Node: kubectl delete node',
    check:
      'Kubernetes has the old node as not ready, another Node that is ready has its address as InternalIP, and that one has ' +
      'no Calico address.',
  },
} as const satisfies Record<string, EndingAdvice>;
