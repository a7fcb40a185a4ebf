// Faults of IPIP and VXLAN devices.
import type { Fault } from './fault.ts';

export const tunnelFaults = {
  tunnelUnusable: {
    id: 'F54',
    title: 'a tunnel device is missing, down or not set up as it should be',
    severities: ['error'],
    meaning:
      'Traffic through the tunnel is lost. The device may be of another kind, without an address, or have another ' +
      'VNI or port; or the Node object has no address for it.',
    whatToDo:
      "Load the kernel module (ipip, vxlan), check the Node's tunnel address and its allocation with calictl ipam " +
      'check, and restart calico-node.',
  },
  tunnelAddressWrong: {
    id: 'F55',
    title: 'a tunnel device has another address, or a further one',
    severities: ['warning'],
    meaning: 'What the node itself sends through the tunnel has the wrong source address.',
    whatToDo:
      "Check the Node's tunnel address and its allocation with calictl ipam check, and restart calico-node on the node.",
  },
  forwardingEntryMissing: {
    id: 'F57',
    title: 'the VXLAN device has no forwarding entry for a node',
    severities: ['error'],
    meaning: 'Packets to the pods of that node are dropped.',
    whatToDo: 'Restart calico-node, and check the VXLAN address and MAC address of the other node.',
  },
  vtepMacWrong: {
    id: 'F58',
    title: 'a node is not known to the VXLAN device by its MAC address',
    severities: ['error'],
    meaning:
      'The neighbour entry of another node is missing or wrong, or the device of this node has another MAC address ' +
      'than the others send to: packets are dropped.',
    whatToDo: 'Restart calico-node, and check the VXLAN address and MAC address of the other node.',
  },
  vxlanCollision: {
    id: 'F71',
    title: 'another VXLAN device has the same VNI and port',
    severities: ['error'],
    meaning: "The kernel gives packets to one of them only, so that Calico's device is recreated again and again.",
    whatToDo: 'Change vxlanVNI or vxlanPort of FelixConfiguration, or remove the other user (flannel, Docker Swarm).',
  },
  vxlanUnderlayWrong: {
    id: 'F119',
    title: 'a VXLAN device has another local address or parent than it should',
    severities: ['error'],
    meaning: 'It sends from the wrong address or interface, as after a network card was renamed.',
    whatToDo: 'Restart calico-node on the node.',
  },
} as const satisfies Record<string, Fault>;
