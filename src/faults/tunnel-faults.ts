// Faults of IPIP and VXLAN devices.
import type { Fault } from './fault.ts';

export const tunnelFaults = {
  tunnelUnusable: {
    id: 'F54',
    title: 'tunnel device is missing, down or misconfigured',
    severities: ['error'],
    meaning:
      'Traffic through the tunnel is lost. The device may be of another kind, have no address, or have another VNI or port; or the Node object has no tunnel address.',
    whatToDo:
      "Set the device up if it is down, and find out what took it down; load the kernel module (ipip, vxlan) if it is missing; check the Node's tunnel address and its allocation with calictl ipam check.",
  },
  tunnelAddressWrong: {
    id: 'F55',
    title: 'tunnel device has a wrong or an additional address',
    severities: ['warning'],
    meaning: 'What the node itself sends through the tunnel has the wrong source address.',
    whatToDo:
      "Check the Node's tunnel address and its allocation with calictl ipam check, and restart calico-node on the node.",
  },
  forwardingEntryMissing: {
    id: 'F57',
    title: 'VXLAN device has no forwarding entry for a node',
    severities: ['error'],
    meaning: 'Packets to the pods of that node are dropped.',
    whatToDo: 'Restart calico-node, and check the VXLAN address and MAC address of the other node.',
  },
  vtepMacWrong: {
    id: 'F58',
    title: 'MAC address of a VXLAN device is wrong or unknown',
    severities: ['error'],
    meaning:
      'The neighbour entry of another node is missing or wrong, or the device of this node does not have the MAC address that other nodes send to: packets are dropped.',
    whatToDo:
      'Keep udev and systemd from giving the device another MAC address (MACAddressPolicy=none for vxlan.calico in a .link file), check the VXLAN address and MAC address of the other node, and restart calico-node.',
  },
  vxlanCollision: {
    id: 'F71',
    title: 'another VXLAN device has the same VNI and port',
    severities: ['error'],
    meaning: 'The kernel delivers packets to only one of them, and Felix recreates its device again and again.',
    whatToDo:
      'Change vxlanVNI or vxlanPort of FelixConfiguration, so that it no longer collides with that of the other program (flannel, Docker Swarm).',
  },
  wireguardUnusable: {
    id: 'F83',
    title: 'WireGuard is enabled, but a node does not use it',
    severities: ['error'],
    meaning: 'Felix could not set it up there: packets from and to the node are sent unencrypted.',
    whatToDo:
      'Check that the kernel of the node has WireGuard (modprobe wireguard), and read the log of calico-node there.',
  },
  vxlanUnderlayWrong: {
    id: 'F119',
    title: 'VXLAN device has the wrong local address or parent',
    severities: ['error'],
    meaning: 'It sends from the wrong address or interface, for example after a network interface was renamed.',
    whatToDo: 'Restart calico-node on the node.',
  },
} as const satisfies Record<string, Fault>;
