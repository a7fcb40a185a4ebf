// Faults of BGP: BIRD, its sessions, its routes, and the plan that the resources make.
import type { Fault } from './fault.ts';

export const bgpFaults = {
  birdDown: {
    id: 'F60',
    title: 'BIRD does not run',
    severities: ['error'],
    meaning:
      'The node has no sessions. Known from its control socket: there is none, or nobody listens; any other silence ' +
      'does not count. Where other nodes have sessions with it BIRD runs, and only the socket is at fault.',
    whatToDo:
      'Check calico-node on the node: its container, whether BIRD accepts its configuration, the networking backend.',
  },
  connectionRefused: {
    id: 'F61',
    title: 'a peer refuses the connection',
    severities: ['error'],
    meaning: 'Nothing listens at the address and port that are dialed, or a firewall rejects the connection.',
    whatToDo: 'Compare the port that is dialed with listenPort of the peer; check bindMode and firewalls.',
  },
  peerUnreachable: {
    id: 'F62',
    title: 'a peer does not answer',
    severities: ['error'],
    meaning:
      "There is no route to it, or packets are lost on the way. Known from BIRD's last error, or from a session that " +
      'stays in Connect without one.',
    whatToDo: 'Look for a firewall that drops TCP 179, a wrong address, a missing route, or a password at one end.',
  },
  asNumbersDiffer: {
    id: 'F63',
    title: 'AS numbers do not match',
    severities: ['error'],
    meaning:
      'One end expects another AS number than the other one has. Known from the resources of both ends, else from ' +
      "BIRD's last error.",
    whatToDo:
      'Change the field that the finding names. When the resources agree, BIRD has an old configuration: read the log ' +
      'of confd.',
  },
  passwordsDiffer: {
    id: 'F64',
    title: 'passwords do not match',
    severities: ['error'],
    meaning:
      'The two ends use different secrets, or one uses none. A session with a password that stays in Connect without ' +
      'an error is reported as this too: the kernel drops what is signed otherwise.',
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
    title: 'mesh nodes of different AS numbers are not on one network',
    severities: ['error'],
    meaning: 'Sessions of the mesh have no multihop: such a session stays Idle without an error.',
    whatToDo: 'Peer the nodes with a BGPPeer, or give them the same AS number.',
  },
  bothPassive: {
    id: 'F67',
    title: 'both ends wait to be dialed',
    severities: ['error'],
    meaning: 'Both ends are Passive, so that the session never comes up.',
    whatToDo: 'Look for an old or hand-written configuration: the end with the greater address, as text, must dial.',
  },
  holdTimerExpired: {
    id: 'F68',
    title: 'the hold timer of a session expired',
    severities: ['error'],
    meaning: 'The session was up, and then the peer was silent for too long.',
    whatToDo: 'Look for lost packets, a node short of CPU, or an MTU that is too large.',
  },
  birdRecovering: {
    id: 'F69',
    title: 'BIRD waits for its peers after a restart',
    severities: ['warning'],
    meaning: 'No route goes to the kernel until all peers are back, for 240 seconds at most.',
    whatToDo: 'Wait; remove peers that are gone for good.',
  },
  noPeers: {
    id: 'F90',
    title: 'nodes have no peers',
    severities: ['error'],
    meaning: 'They are not in the mesh, and no BGPPeer asks for a session: they get no routes to other nodes.',
    whatToDo: 'Create a BGPPeer for them, or enable the mesh (nodeToNodeMeshEnabled).',
  },
  reflectorsNotRedundant: {
    id: 'F91',
    title: 'nodes have one route reflector only, or a reflector has no clients',
    severities: ['warning'],
    meaning: 'The loss of the one reflector cuts its clients off; a reflector without clients is of no use.',
    whatToDo: 'Give the nodes a second reflector; create a BGPPeer for the clients, or remove routeReflectorClusterID.',
    isAdvice: true,
  },
  noReflectorSession: {
    id: 'F92',
    title: 'nodes have no session with a route reflector',
    severities: ['error'],
    meaning: 'There are reflectors, and these nodes do not learn the routes that go through them.',
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
    whatToDo: 'Set ttlSecurity at both ends, or at none.',
  },
  birdConfigurationStale: {
    id: 'F96',
    title: "BIRD's configuration is not what the resources ask for",
    severities: ['error'],
    meaning: 'BIRD lacks a session, or has one that nothing asks for.',
    whatToDo: 'confd could not write or check the configuration: read its log in calico-node on the node.',
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
    meaning: 'Each of them has a session with every other: memory and CPU grow with their number.',
    whatToDo: 'Use route reflectors.',
    isAdvice: true,
  },
  sessionDisabled: {
    id: 'F100',
    title: 'a session is disabled',
    severities: ['error'],
    meaning: 'It was disabled in BIRD at one end; the other end says Administrative shutdown.',
    whatToDo: 'Enable it again: birdcl enable NAME.',
  },
  noReversePeering: {
    id: 'F101',
    title: 'only one end has the session',
    severities: ['error'],
    meaning: 'A BGPPeer asks for it at one end, and nothing asks for it at the other.',
    whatToDo: 'Set reversePeering of the BGPPeer to Auto, or create a BGPPeer for the other end.',
  },
  sessionNotEstablished: {
    id: 'F102',
    title: 'a session is not established, for a reason that is not known',
    severities: ['error'],
    meaning:
      'The finding quotes what both ends say. Often the session is just coming up, or it is a second one with a peer ' +
      'that has one already.',
    whatToDo: 'Ask again in a few seconds; let one resource alone ask for each peer.',
  },
} as const satisfies Record<string, Fault>;
