// Faults of the plan itself: nodes without peers, reflectors that do not serve, a mesh that is too large.

import { endingAdvice } from '../faults/ending-advice.ts';
import { faults } from '../faults/faults.ts';
import { formatIp } from '../net/ip.ts';
import { listed } from '../text/wording.ts';
import type { DiagnosisInput } from './diagnosis-input.ts';
import { type BgpFinding, bgpFinding } from './finding.ts';
import type { BgpNode } from './session.ts';

/** For larger clusters Calico itself advises route reflectors. */
const mostInMesh = 100;

const bgpDefault = { kind: 'BGPConfiguration', name: 'default' };

const isSpeaker = ({ address }: BgpNode): boolean => address[4] !== undefined || address[6] !== undefined;

/** F90: nodes without a single peer. */
function isolated({ plan, sessionsOf, pairs }: DiagnosisInput): BgpFinding[] {
  const speakers = plan.nodes.filter(isSpeaker);
  // That nothing makes a node peer back is reported with the session that waits for it.
  const awaited = new Set(pairs.map(({ farNode }) => farNode?.name));
  const isJoined = (name: string): boolean =>
    plan.index.sessions(name).length > 0 || sessionsOf(name).some(({ state }) => state === 'Established');
  const alone = speakers.filter(({ name }) => !isJoined(name) && !awaited.has(name));
  const [first] = alone;
  if (first === undefined || speakers.length < 2) return [];
  const nodes = alone.map(({ name }) => name);
  const why = plan.mesh
    ? 'a node with a route reflector cluster ID is not part of the mesh'
    : 'the node-to-node mesh is off, and no BGPPeer gives it a session';
  return [
    bgpFinding(faults.noPeers, first.name, {
      nodes,
      message: `no peers for ${listed(nodes)}: ${why}`,
      hint: 'create a BGPPeer for it, or enable the mesh (nodeToNodeMeshEnabled)',
      object: bgpDefault,
    }),
  ];
}

/** How many reflectors a node has sessions with. */
interface Served {
  readonly name: string;
  readonly count: number;
}

/** The nodes that rest on reflectors; a node that also peers with outside routers does not. */
function servedNodes({ plan }: DiagnosisInput, reflectors: ReadonlySet<string>): Served[] {
  return plan.nodes
    .filter((node) => isSpeaker(node) && !reflectors.has(node.name))
    .map(({ name }) => ({ name, peers: plan.index.sessions(name).map(({ peerNode }) => peerNode) }))
    .filter(({ peers }) => peers.length > 0 && !peers.includes(undefined))
    .map(({ name, peers }) => ({
      name,
      count: new Set(peers.filter((peer) => peer !== undefined && reflectors.has(peer))).size,
    }));
}

/** F91 and F92: what is wrong with reflectors and their clients. */
function reflection(input: DiagnosisInput): BgpFinding[] {
  const { plan } = input;
  const reflectors = new Set(plan.nodes.filter(({ clusterId }) => clusterId !== undefined).map(({ name }) => name));
  if (reflectors.size === 0) return [];
  const served = servedNodes(input, reflectors);
  const namesOf = (count: number): string[] => served.filter((one) => one.count === count).map(({ name }) => name);
  const [apart, once] = [namesOf(0), namesOf(1)];
  const findings: BgpFinding[] = [];
  if (apart[0] !== undefined) {
    findings.push(
      bgpFinding(faults.noReflectorSession, apart[0], {
        nodes: apart,
        message: `no session with a route reflector (${listed([...reflectors])}) for ${listed(apart)}: the routes behind it are not learned`,
        hint: 'create a BGPPeer between all nodes and the reflectors; then the mesh can be disabled',
        object: bgpDefault,
      }),
    );
  }
  if (once[0] !== undefined) {
    findings.push(
      bgpFinding(faults.reflectorsNotRedundant, once[0], {
        nodes: once,
        message: `only one route reflector for ${listed(once)}: its loss would cut them off`,
        hint: 'give them a second reflector',
      }),
    );
  }
  for (const name of reflectors) {
    const sessions = plan.index.sessions(name);
    if (sessions.length === 0 || sessions.some(({ reflectorClient }) => reflectorClient)) continue;
    findings.push(
      bgpFinding(faults.reflectorsNotRedundant, name, {
        message: `${name} is a route reflector without clients`,
        hint: 'create a BGPPeer for its clients, or clear its routeReflectorClusterID',
        object: { kind: 'Node', name },
      }),
    );
  }
  return findings;
}

/** F99: a mesh that is too large. */
function tooLarge({ plan }: DiagnosisInput): BgpFinding[] {
  const members = plan.nodes.filter((node) => isSpeaker(node) && node.clusterId === undefined);
  if (!plan.mesh || members.length <= mostInMesh) return [];
  return [
    bgpFinding(faults.meshTooLarge, members[0]?.name ?? '', {
      message: `${members.length} nodes are in the mesh, each with a session to every other`,
      hint: `use route reflectors beyond ${mostInMesh} nodes`,
      object: bgpDefault,
    }),
  ];
}

/** The reflectors that each client peers with, by cluster ID. */
function clientsByCluster({ plan }: DiagnosisInput): Map<string, { client: string; of: ReadonlySet<string> }[]> {
  const reflectors = new Map(
    plan.nodes.flatMap(({ name, clusterId }) => (clusterId === undefined ? [] : [[name, clusterId]])),
  );
  const found = new Map<string, { client: string; of: ReadonlySet<string> }[]>();
  for (const { name, clusterId } of plan.nodes) {
    const peers = plan.index.sessions(name).flatMap(({ peerNode, type }) => (type === 'mesh' ? [] : (peerNode ?? [])));
    if (clusterId !== undefined) continue;
    for (const id of new Set(peers.flatMap((peer) => reflectors.get(peer) ?? []))) {
      const of = new Set(peers.filter((peer) => reflectors.get(peer) === id));
      found.set(id, [...(found.get(id) ?? []), { client: name, of }]);
    }
  }
  return found;
}

/** F109: of the reflectors with one cluster ID no client of one shares any with a client of another. */
function sharedClusterIds(input: DiagnosisInput): BgpFinding[] {
  const { plan } = input;
  const isReflector = (name: string): boolean => plan.index.node(name)?.clusterId !== undefined;
  const reflectorsOf = (name: string): Set<string> =>
    new Set(
      plan.index
        .sessions(name)
        .flatMap(({ peerNode }) => (peerNode !== undefined && isReflector(peerNode) ? [peerNode] : [])),
    );
  return [...clientsByCluster(input)].flatMap(([id, clients]): BgpFinding[] => {
    // Two clients need one reflector in common, of whichever cluster.
    const [first] = clients;
    const apart = clients.find(({ client }) => {
      const own = reflectorsOf(client);
      return first !== undefined && ![...reflectorsOf(first.client)].some((name) => own.has(name));
    });
    if (first === undefined || apart === undefined || plan.mesh) return [];
    const nodes = [...new Set([...first.of, ...apart.of])].sort();
    const [node = '', peer] = nodes;
    return [
      bgpFinding(faults.reflectorsShareCluster, node, {
        nodes,
        peer,
        message: `${listed(nodes)} have one cluster ID, ${id}, and different clients: ${first.client} and ${apart.client} never learn the routes of each other`,
        object: { kind: 'Node', name: peer ?? node },
        hint: 'give each reflector a routeReflectorClusterID of its own, or peer every client with all of them',
      }),
    ];
  });
}

/** F120: addresses that cannot be parsed. */
function invalidAddresses({ plan }: DiagnosisInput): BgpFinding[] {
  return plan.nodes.flatMap(({ name, invalid }) =>
    invalid.map(({ version, text }) =>
      bgpFinding(faults.nodeAddressInvalid, name, {
        version,
        message: `the IPv${version} address of ${name}, ${JSON.stringify(text)}, is invalid: it has no sessions in that family`,
        object: { kind: 'Node', name },
        hint: 'correct spec.bgp of the Node; calico-node writes it when it detects an address',
      }),
    ),
  );
}

const isNotReady = ({ ready }: BgpNode): boolean => ready !== undefined && ready !== 'True';

/** F121 and F52: an address that a Node records is the InternalIP of another Node. */
function addressesOfOthers({ plan }: DiagnosisInput): BgpFinding[] {
  const renamed: BgpFinding[] = [];
  const wrong: {
    readonly node: BgpNode;
    readonly other: BgpNode;
    readonly address: string;
    readonly version: 4 | 6;
  }[] = [];
  const byInternalIp = new Map<string, BgpNode[]>();
  for (const node of plan.nodes) {
    for (const ip of node.internalIps) {
      const key = formatIp(ip);
      byInternalIp.set(key, [...(byInternalIp.get(key) ?? []), node]);
    }
  }
  for (const node of plan.nodes) {
    for (const version of [4, 6] as const) {
      const own = node.address[version];
      if (own === undefined) continue;
      const address = formatIp(own);
      const owners = byInternalIp.get(address) ?? [];
      const other = owners.find(({ name }) => name !== node.name);
      if (other === undefined) continue;
      if (isNotReady(node) && !isNotReady(other) && other.address[version] === undefined) {
        renamed.push(
          bgpFinding(faults.nodeRenamed, node.name, {
            nodes: [node.name, other.name],
            peer: other.name,
            version,
            message: `${node.name}, which is not ready, still records ${address}, the InternalIP of ${other.name}, which has no address of Calico: it is one machine under two names`,
            object: { kind: 'Node', name: node.name },
            hint: `calico-node on ${other.name} does not start while ${node.name} has its address: ${endingAdvice.removeRenamedNode.hint} ${node.name}`,
          }),
        );
      } else if (!owners.includes(node) && node.internalIps.some((ip) => ip.version === version)) {
        wrong.push({ node, other, address, version });
      }
    }
  }
  const [first] = wrong;
  if (first === undefined) return renamed;
  const text = listed(
    wrong.map(({ node, other, address }) => `${node.name} records ${address}, the InternalIP of ${other.name}`),
    3,
  );
  return [
    ...renamed,
    bgpFinding(faults.nodeAddressDoubtful, first.node.name, {
      nodes: wrong.map(({ node }) => node.name),
      peer: first.other.name,
      version: first.version,
      message: `${text}: calico-node does not take an address that another Node has`,
      object: { kind: 'Node', name: first.node.name },
      hint: 'the recorded addresses are out of date: correct spec.bgp of these Nodes, or start calico-node once with DISABLE_NODE_IP_CHECK=true',
    }),
  ];
}

/** What is wrong with the plan, whatever the nodes say. */
export function planFindings(input: DiagnosisInput): BgpFinding[] {
  const ofObjects = [invalidAddresses, addressesOfOthers].flatMap((find) => find(input));
  // Without all objects that ask for sessions nobody knows who is left out.
  if (!input.planIsKnown) return ofObjects;
  const sharing = sharedClusterIds(input);
  const rest = [isolated, reflection, tooLarge].flatMap((find) => find(input));
  const isExplained = ({ id }: BgpFinding): boolean => sharing.length > 0 && id === faults.reflectorsNotRedundant.id;
  return [...ofObjects, ...sharing, ...rest.filter((finding) => !isExplained(finding))];
}
