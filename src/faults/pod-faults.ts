// Faults of pods and their interfaces on the node.
import type { Fault } from './fault.ts';

export const podFaults = {
  proxyArpOff: {
    id: 'F01',
    title: "proxy_arp is off on a pod's interface",
    severities: ['error'],
    meaning: 'The pod asks for its gateway, 169.254.1.1, and the node does not answer: the pod reaches nothing.',
    whatToDo: 'Set it to 1, and find out what resets it (sysctl.d, tuned, NetworkManager).',
  },
  podForwardingOff: {
    id: 'F02',
    title: "forwarding is off on a pod's interface",
    severities: ['error'],
    meaning: 'The node neither forwards what the pod sends nor answers for its gateway: the pod reaches nothing.',
    whatToDo: 'Set it to 1, and find out what resets it (sysctl.d, tuned, NetworkManager).',
  },
  noGatewayRoute: {
    id: 'F03',
    title: 'node has no route to 169.254.1.1 that leads away from its pods',
    severities: ['error'],
    meaning:
      "The kernel answers for the pods' gateway only if it would forward to it through another interface. " +
      'Without such a route, usually the default route, no pod of the node reaches anything.',
    whatToDo: 'Give the node a default route, or a route to 169.254.1.1/32 on its uplink with scope link.',
  },
  podInterfaceMissing: {
    id: 'F04',
    title: "pod's interface is missing on the node",
    severities: ['error'],
    meaning: "The pod runs, but nothing connects it to the node's network.",
    whatToDo: 'Delete the pod so that its network is set up again, and read the log of the CNI plugin.',
  },
  podInterfaceDown: {
    id: 'F05',
    title: "pod's interface is down or has no carrier",
    severities: ['error'],
    meaning: 'Nothing passes between the pod and its node.',
    whatToDo: 'Set the interface up. If the end inside the pod is down or gone, delete the pod.',
  },
  podRouteMissing: {
    id: 'F06',
    title: 'route to a pod of the node is missing',
    severities: ['error'],
    meaning: 'Packets to the pod end in the blackhole of its block or leave the node.',
    whatToDo: 'Check that Felix runs on the node, which writes the route, and read its log.',
  },
  podRouteWrong: {
    id: 'F07',
    title: 'route to a pod of the node leads elsewhere',
    severities: ['error'],
    meaning: 'Packets to the pod go to another interface, often that of another pod.',
    whatToDo: 'Find out which pod has the address with calictl ipam show --ip; if two pods have it, see F50.',
  },
  podNeighbourWrong: {
    id: 'F08',
    title: 'permanent neighbour entry of a pod has the wrong MAC address',
    severities: ['error'],
    meaning:
      'The node sends to a MAC address that the pod does not have, so packets do not reach it. Judged only where the MAC address of the pod is known (annotation hwAddr).',
    whatToDo: 'Restart calico-node on the node, and check the MAC address of the WorkloadEndpoint.',
  },
  podInterfaceMacWrong: {
    id: 'F09',
    title: "pod's interface does not have the MAC address ee:ee:ee:ee:ee:ee",
    severities: ['warning'],
    meaning:
      'Calico gives the host end of every pod this MAC address. With another one the link-local IPv6 gateway of the ' +
      'pod differs; IPv4 is not affected.',
    whatToDo: 'Keep udev, systemd (MACAddressPolicy) and NetworkManager away from cali* interfaces.',
  },
  podMtuWrong: {
    id: 'F11',
    title: "MTU of a pod's interface is larger than that of new pods",
    severities: ['warning'],
    meaning:
      'A change of MTU reaches new pods only. The MTU of this pod is too large for what carries its packets: large ones are lost. A smaller MTU than that of new pods is fine.',
    whatToDo: 'Recreate the pod.',
  },
  podIpv6Disabled: {
    id: 'F12',
    title: "IPv6 is disabled on a pod's interface",
    severities: ['error'],
    meaning: 'The pod has an IPv6 address and cannot use it.',
    whatToDo: 'Enable IPv6 on the node.',
  },
  podSettingChanged: {
    id: 'F13',
    title: "setting of a pod's interface was changed",
    severities: ['warning'],
    meaning:
      'Calico sets it to another value. Usually a network manager took over the interface; ' +
      'it may remove addresses and routes as well.',
    whatToDo:
      'Make cali* interfaces unmanaged devices of NetworkManager and systemd-networkd, and set the value again.',
  },
  interfacePrefixWrong: {
    id: 'F14',
    title: "name of a pod's interface does not begin with a prefix that Felix knows",
    severities: ['error'],
    meaning: 'Felix ignores the pod: no routes are programmed for it, and no policy is enforced.',
    whatToDo: 'Make FELIX_INTERFACEPREFIX of the CNI plugin and interfacePrefix of FelixConfiguration agree.',
  },
  strayInterface: {
    id: 'F15',
    title: 'pod interface is left over',
    severities: ['warning'],
    meaning: "Its name is that of a pod's interface, but no pod of the node uses it.",
    whatToDo:
      'Find out what is at its other end. The interface is left over only if the container runtime of the node does not know it either.',
  },
  podAddressOnNode: {
    id: 'F16',
    title: "pod's address is on an interface of its node",
    severities: ['error'],
    meaning: 'Packets to the pod are delivered to the node itself.',
    whatToDo: 'Find out what gave the address to the node.',
  },
  podReversePathStrict: {
    id: 'F17',
    title: 'strict rp_filter for a pod that sends from other addresses or has several networks',
    severities: ['warning'],
    meaning: 'The kernel drops what the pod sends from another source address, or answers through another interface.',
    whatToDo:
      'For a pod with allowedSourcePrefixes, rp_filter must be 0, which Felix sets. For a pod with several networks, 2 (loose) is enough.',
  },
} as const satisfies Record<string, Fault>;
