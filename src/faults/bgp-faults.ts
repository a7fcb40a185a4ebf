// Faults of BGP: BIRD, its sessions, its routes, and the plan that the resources make.
import type { Fault } from './fault.ts';

export const bgpFaults = {
  birdDown: {
    id: 'F60',
    title: 'BIRD is not running',
    severities: ['error'],
    meaning:
      'The node has no BGP sessions. Detected only by its control socket: the socket does not exist, or nothing listens on it. If other nodes still have sessions with the node, BIRD runs and only the socket is at fault.',
    whatToDo:
      'Check calico-node on the node: its container, whether BIRD accepts its configuration, the networking backend.',
  },
  connectionRefused: {
    id: 'F61',
    title: 'peer refuses the connection',
    severities: ['error'],
    meaning: 'Nothing listens on the dialed address and port, or a firewall rejects the connection.',
    whatToDo: 'Compare the dialed port with listenPort of the peer; check bindMode and firewalls.',
  },
  peerUnreachable: {
    id: 'F62',
    title: 'peer does not answer',
    severities: ['error'],
    meaning:
      "There is no route to it, or packets are lost on the way. Detected by BIRD's last error, or by a session that stays in Connect without one.",
    whatToDo:
      'Look for a firewall that drops TCP 179, a wrong address, a missing route, or a password at one end only.',
  },
  asNumbersDiffer: {
    id: 'F63',
    title: 'AS numbers do not match',
    severities: ['error'],
    meaning:
      "One end expects an AS number that the other end does not have. Detected by comparing the resources of both ends, otherwise by BIRD's last error.",
    whatToDo:
      "Change the field that the finding names. When the resources agree, BIRD's configuration is out of date: check the log of confd.",
  },
  passwordsDiffer: {
    id: 'F64',
    title: 'passwords do not match',
    severities: ['error'],
    meaning:
      'The two ends use different secrets, or only one end uses a password. A session with a password that stays in Connect without an error is also reported as F64: the kernel drops packets with a wrong signature.',
    whatToDo: 'Give both ends the same password, and check that calico-node may read the secret.',
  },
  duplicateRouterId: {
    id: 'F65',
    title: 'nodes have the same router ID',
    severities: ['error'],
    meaning: 'Sessions between them are refused (Bad BGP identifier).',
    whatToDo: 'Give one of them another address, or another CALICO_ROUTER_ID.',
  },
  meshAcrossAsNumbers: {
    id: 'F66',
    title: 'mesh nodes with different AS numbers are not on one network',
    severities: ['error'],
    meaning: 'Mesh sessions do not use multihop: such a session stays Idle without an error.',
    whatToDo: 'Peer the nodes with a BGPPeer, or give them the same AS number.',
  },
  bothPassive: {
    id: 'F67',
    title: 'both ends wait to be dialed',
    severities: ['error'],
    meaning: 'Both ends are Passive, so the session never comes up.',
    whatToDo:
      'Look for an old or hand-written configuration: the end with the greater address, compared as text, must dial.',
  },
  holdTimerExpired: {
    id: 'F68',
    title: 'hold timer of a session expired',
    severities: ['error'],
    meaning: 'The session was up, and then the peer was silent for too long.',
    whatToDo: 'Look for lost packets, a node short of CPU, or an MTU that is too large.',
  },
  birdRecovering: {
    id: 'F69',
    title: 'BIRD waits for its peers after a restart',
    severities: ['warning'],
    meaning: 'BIRD gives the kernel no routes until all peers are back, or for 240 seconds at most.',
    whatToDo: 'Wait: it takes 240 seconds at most.',
  },
  noPeers: {
    id: 'F90',
    title: 'nodes have no peers',
    severities: ['error'],
    meaning: 'They are not in the mesh, and no BGPPeer gives them a session: they get no routes to other nodes.',
    whatToDo: 'Create a BGPPeer for them, or enable the mesh (nodeToNodeMeshEnabled).',
  },
  reflectorsNotRedundant: {
    id: 'F91',
    title: 'only one route reflector, or a route reflector without clients',
    severities: ['warning'],
    meaning:
      'If the only reflector fails, its clients lose their routes; a reflector without clients serves no purpose.',
    whatToDo: 'Give the nodes a second reflector; create a BGPPeer for the clients, or clear routeReflectorClusterID.',
    isAdvice: true,
  },
  noReflectorSession: {
    id: 'F92',
    title: 'nodes have no session with a route reflector',
    severities: ['error'],
    meaning: 'There are route reflectors, but these nodes do not learn the routes that go through them.',
    whatToDo: 'Create a BGPPeer between all nodes and the reflectors; disable the mesh only after that.',
  },
  nextHopUnreachable: {
    id: 'F93',
    title: 'next hop of a BGP route cannot be reached',
    severities: ['error'],
    meaning: 'BIRD has the route and cannot use it: nothing on the node leads to the next hop.',
    whatToDo:
      'Check whether ignoredInterfaces hides the uplink, whether the node has a route to the next hop, and nextHopMode ' +
      'of the peer.',
  },
  ttlSecurityDiffers: {
    id: 'F95',
    title: 'ttlSecurity differs between the two ends',
    severities: ['warning'],
    meaning: 'One end checks the number of hops and the other does not, or allows more of them.',
    whatToDo: 'Set ttlSecurity at both ends, or at neither.',
  },
  birdConfigurationStale: {
    id: 'F96',
    title: "BIRD's configuration does not match the resources",
    severities: ['error'],
    meaning: 'BIRD lacks a session, or has one that no resource configures.',
    whatToDo: 'confd could not write or check the configuration: check its log in calico-node on the node.',
  },
  routeNotInstalled: {
    id: 'F97',
    title: 'BIRD has a route that the kernel does not have',
    severities: ['error'],
    meaning: 'The kernel refused the route, or BIRD still waits for its peers after a restart (F69).',
    whatToDo: 'Look for another route to the same destination (ip route show), and for "Netlink:" in the log of BIRD.',
  },
  meshTooLarge: {
    id: 'F99',
    title: 'more than 100 nodes are in the mesh',
    severities: ['warning'],
    meaning: 'Each of them has a session with every other node, so memory and CPU use grow with their number.',
    whatToDo: 'Use route reflectors.',
    isAdvice: true,
  },
  sessionDisabled: {
    id: 'F100',
    title: 'session is disabled',
    severities: ['error'],
    meaning: 'It was disabled in BIRD at one end; the other end reports Administrative shutdown.',
    whatToDo: 'Enable it again: birdcl enable NAME.',
  },
  noReversePeering: {
    id: 'F101',
    title: 'only one end has the session',
    severities: ['error'],
    meaning: 'A BGPPeer configures it at one end, and nothing configures it at the other.',
    whatToDo: 'Set reversePeering of the BGPPeer to Auto, or create a BGPPeer for the other end.',
  },
  sessionNotEstablished: {
    id: 'F102',
    title: 'session is not established, for an unknown reason',
    severities: ['error'],
    meaning:
      'The finding quotes what both ends report. Often the session is just coming up, or the peer already has another session.',
    whatToDo: 'Run the command again in a few seconds; configure each peer in one resource only.',
  },
  bgpPortTaken: {
    id: 'F104',
    title: 'BIRD cannot listen: another program has its port',
    severities: ['error'],
    meaning: 'BIRD takes all its sessions down (No listening socket). Enabling them again changes nothing.',
    whatToDo:
      'Find the program that has TCP 179 on the node (FRR, Quagga, another BIRD), and give one of the two another port: listenPort of BGPConfiguration.',
  },
  passwordKeyRefused: {
    id: 'F105',
    title: 'kernel rejects the key of a BGP password',
    severities: ['error'],
    meaning:
      'BIRD takes the session down (Kernel MD5 auth failed): there are too many keys on one socket, or the kernel has no TCP-MD5.',
    whatToDo: 'Raise net.core.optmem_max on the node, and check CONFIG_TCP_MD5SIG of its kernel.',
  },
  peerEndsSession: {
    id: 'F106',
    title: 'one end closes the session and gives the reason',
    severities: ['error'],
    meaning:
      'The finding quotes it: a limit of prefixes, another session with the same address, a hold time, a message or attribute that was not understood.',
    whatToDo: 'Do what the finding says, on the end that it names: often the configuration of a router.',
  },
  birdHangs: {
    id: 'F107',
    title: 'BIRD no longer answers',
    severities: ['error'],
    meaning:
      'Its control socket is there and full (Resource temporarily unavailable), and its peers lose their sessions as hold timers expire.',
    whatToDo: 'Look at BIRD on the node: its log in calico-node, CPU and memory of the node.',
  },
  nodeNotReady: {
    id: 'F108',
    title: 'node is not ready',
    severities: ['error'],
    meaning:
      'Kubernetes reports the node as not ready, it could not be queried, and its peers have lost their sessions with it, or the routes to its blocks: it is powered off or disconnected.',
    whatToDo: 'Bring the machine back. Its sessions come up by themselves.',
  },
  reflectorsShareCluster: {
    id: 'F109',
    title: 'route reflectors with one cluster ID have different clients',
    severities: ['error'],
    meaning:
      'A reflector discards routes that already carry its own cluster ID, so clients of one never learn the routes of clients of the other, though all sessions are up.',
    whatToDo: 'Give each reflector a routeReflectorClusterID of its own, or peer every client with all of them.',
  },
  routerIdRefused: {
    id: 'F122',
    title: 'router refuses the router ID of a node',
    severities: ['error'],
    meaning:
      'Bad BGP identifier from a router: the ID is not a unicast address (224.0.0.0 and above, as CALICO_ROUTER_ID=hash can give), or the router itself or another of its peers already uses it.',
    whatToDo: 'Set CALICO_ROUTER_ID of calico-node on the node to an address that no other router uses as its ID.',
  },
  nodeAddressInvalid: {
    id: 'F120',
    title: 'address of a Node object is invalid',
    severities: ['error'],
    meaning: 'The node has no sessions in that family, as if it had no address.',
    whatToDo: 'Correct the address of the Node; calico-node writes it when it detects one.',
  },
  nodeRenamed: {
    id: 'F121',
    title: 'machine came back under another name',
    severities: ['error'],
    meaning:
      'Another Node that is not ready still records its address, and calico-node does not start while another Node has it.',
    whatToDo: 'If the machine was renamed, delete the old Node with kubectl: kubectl delete node NAME.',
  },
} as const satisfies Record<string, Fault>;
