// Faults of routes and of the addresses that they lead to.
import type { Fault } from './fault.ts';

export const routeFaults = {
  subnetsDisagree: {
    id: 'F43',
    title: 'two nodes disagree on whether they are in the same subnet',
    severities: ['error'],
    meaning:
      'One sends without encapsulation, the other with it. Strict rp_filter (F32) and firewalls drop one direction.',
    whatToDo:
      'Give both Node objects the prefix length of their network (spec.bgp), or correct the autodetection of node addresses.',
  },
  remoteRouteMissing: {
    id: 'F44',
    title: 'route to a block or address of another node is missing',
    severities: ['error'],
    meaning:
      'Packets to its pods take the default route. Where BGP brings the route, the finding names the session that ' +
      'is down.',
    whatToDo: 'Bring the session up; without BGP, check that Felix runs on this node and read its log.',
  },
  blackholeMissing: {
    id: 'F45',
    title: "blackhole route of the node's own block is missing",
    severities: ['warning'],
    meaning: 'Packets to free addresses of the block leave the node, and may loop between it and a router.',
    whatToDo: 'Restart calico-node on the node.',
  },
  remoteRouteWrong: {
    id: 'F46',
    title: 'route to another node has the wrong gateway or device',
    severities: ['error', 'warning'],
    meaning:
      'Packets to the pods of that node go elsewhere. It is a warning if gateway and device are right and only the onlink flag is missing.',
    whatToDo:
      'Check whether the other node changed its address, or the pool its encapsulation, and restart calico-node here.',
  },
  foreignRoute: {
    id: 'F47',
    title: 'route of another program in a pool',
    severities: ['error', 'warning'],
    meaning:
      "An error where it takes precedence over Calico's route (same destination, or more specific inside a block); otherwise a warning. What the host writes for its own network (dhcp, ra, kernel) is not reported outside of blocks.",
    whatToDo: 'Find out what adds the route and why before you change it: another program may need it.',
  },
  leftoverRoute: {
    id: 'F48',
    title: 'Calico route is left over',
    severities: ['warning'],
    meaning: 'It leads to no pod, block or borrowed address.',
    whatToDo:
      'Run calictl ipam check; find out which node announces the route, and whether anything still has the address.',
  },
  duplicatePodAddress: {
    id: 'F50',
    title: 'one pod address on two pods or two nodes',
    severities: ['error'],
    meaning: 'Packets reach one or the other, depending on where they come from.',
    whatToDo: 'Find the duplicate with calictl ipam check, and recreate the pod that the address is not allocated to.',
  },
  duplicateNodeAddress: {
    id: 'F51',
    title: 'nodes have the same address',
    severities: ['error'],
    meaning: 'BGP sessions with these nodes go up and down, and tunnels lead to the wrong node.',
    whatToDo: 'Find out which of them detected the wrong address, and set IP_AUTODETECTION_METHOD of calico-node.',
  },
  nodeAddressDoubtful: {
    id: 'F52',
    title: 'address of a node is not one of its InternalIPs',
    severities: ['warning', 'error'],
    meaning:
      'The wrong address may have been detected. Reported only if the address is on an interface that leads to no other machine, such as a Docker or libvirt bridge, is the InternalIP of another node, or is in no network of another node while the InternalIP is. In other cases, a finding about an unreachable peer (F62) mentions it.',
    whatToDo:
      'If the address is wrong, set IP_AUTODETECTION_METHOD of calico-node, for example kubernetes-internal-ip.',
  },
  nodeAddressAbsent: {
    id: 'F53',
    title: 'address of a node is on none of its interfaces',
    severities: ['error'],
    meaning: 'Other nodes send to an address that this node does not have: BGP sessions and tunnels fail.',
    whatToDo:
      'Wait a minute for autodetection or restart calico-node there; otherwise correct the address of the Node.',
  },
  tunnelAddressShared: {
    id: 'F56',
    title: 'two nodes have the same tunnel address',
    severities: ['error'],
    meaning:
      'Replies to what one of them sends through the tunnel go to the other one. Detected by comparing the Node objects.',
    whatToDo:
      'Find out with calictl ipam check which node the address is allocated to; the other node needs an address of its own.',
  },
  poolNotExported: {
    id: 'F78',
    title: 'pool whose routes BGP carries has disableBGPExport',
    severities: ['error'],
    meaning: 'BIRD tells no other node about the blocks of the pool, so they have no routes to its pods.',
    whatToDo: 'Set disableBGPExport of the IPPool to false, unless other routers know the way to its blocks.',
  },
  rangesOverlap: {
    id: 'F79',
    title: 'pools, networks of nodes and ranges of services overlap',
    severities: ['error'],
    meaning:
      'Packets from pods to nodes in the pool are not masqueraded, and blocks can take addresses from the network of the nodes. ' +
      'If BGP advertises a service range, BIRD gives the kernel no routes within it, so routes to pods in it are missing; one with nodes in it draws their packets to other nodes.',
    whatToDo: 'Correct the range that the finding names: the IPPool, or the range of services in BGPConfiguration.',
  },
  routeOwnerWrong: {
    id: 'F82',
    title: 'route was programmed by BIRD instead of Felix, or the reverse',
    severities: ['warning'],
    meaning:
      'Felix and BIRD do not agree on which of them programs the routes of this pool: both may write them, or neither.',
    whatToDo: 'Let either Felix or BIRD program them: programClusterRoutes of FelixConfiguration.',
  },
  serviceRoute: {
    id: 'F98',
    title: 'BIRD routes service addresses',
    severities: ['warning'],
    meaning:
      'Another node advertises them, and this node does not reject the route: packets to services can loop. A blackhole of the ' +
      'range drops what the node itself sends to services that kube-proxy does not handle.',
    whatToDo:
      'Check that this node advertises the service addresses itself: serviceClusterIPs of BGPConfiguration, node labels.',
  },
  podCidrNotAnnounced: {
    id: 'F103',
    title: 'pods are announced one by one instead of by the pod CIDR of the node',
    severities: ['warning'],
    meaning:
      'IPAM is host-local, which gives pods addresses of the pod CIDR of their node, but calico-node is not configured for it: ' +
      'traffic flows, but every node has one route per pod.',
    whatToDo: 'Set USE_POD_CIDR=true in the environment of calico-node.',
  },
} as const satisfies Record<string, Fault>;
