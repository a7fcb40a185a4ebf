// Faults of the plan itself: nodes that nothing joins, reflectors that do not serve, meshes that are too large.

import { listed } from '../text/wording.ts';
import type { DiagnosisInput } from './diagnosis-input.ts';
import { type BgpFinding, bgpFinding } from './finding.ts';
import type { BgpNode } from './session.ts';

/** Beyond, Calico itself advises route reflectors. */
const mostInMesh = 100;

const isSpeaker = ({ address }: BgpNode): boolean => address[4] !== undefined || address[6] !== undefined;

/** F90: nodes without a single peer. */
function isolated({ plan, rowsOf, pairs }: DiagnosisInput): BgpFinding[] {
  const speakers = plan.nodes.filter(isSpeaker);
  // That nobody has a node peer back is told with the session that waits for it.
  const awaited = new Set(pairs.map(({ farNode }) => farNode?.name));
  const isJoined = (name: string): boolean =>
    plan.index.sessions(name).length > 0 || rowsOf(name).some(({ state }) => state === 'Established');
  const alone = speakers.filter(({ name }) => !isJoined(name) && !awaited.has(name));
  const [first] = alone;
  if (first === undefined || speakers.length < 2) return [];
  const nodes = alone.map(({ name }) => name);
  const names = listed(nodes);
  return [
    bgpFinding('F90', first.name, {
      nodes,
      message: plan.mesh
        ? `${names}: no peers; a node with a route reflector cluster id is not part of the mesh`
        : `${names}: no peers; the mesh between nodes is off and no BGPPeer asks for any`,
      hint: 'make a BGPPeer for it, or let the nodes mesh (nodeToNodeMeshEnabled)',
      object: { kind: 'BGPConfiguration', name: 'default' },
    }),
  ];
}

/** F91 and F92: what is wrong with reflectors and their clients. */
function reflection({ plan }: DiagnosisInput): BgpFinding[] {
  const reflectors = new Set(plan.nodes.filter(({ clusterId }) => clusterId !== undefined).map(({ name }) => name));
  if (reflectors.size === 0) return [];
  const all = listed([...reflectors]);
  const peersOf = (name: string): (string | undefined)[] => plan.index.sessions(name).map(({ peerNode }) => peerNode);
  /** How many reflectors a node peers with; who also peers with routers outside does not depend on them. */
  const served = plan.nodes
    .filter((node) => isSpeaker(node) && !reflectors.has(node.name))
    .map(({ name }) => ({ name, peers: peersOf(name) }))
    .filter(({ peers }) => peers.length > 0 && !peers.includes(undefined))
    .map(({ name, peers }) => ({
      name,
      count: new Set(peers.filter((peer) => peer !== undefined && reflectors.has(peer))).size,
    }));
  const apart = served.filter(({ count }) => count === 0);
  const once = served.filter(({ count }) => count === 1);
  const idle = [...reflectors].filter((name) => {
    const sessions = plan.index.sessions(name);
    return sessions.length > 0 && !sessions.some(({ reflectorClient }) => reflectorClient);
  });
  const findings: BgpFinding[] = [];
  if (apart[0] !== undefined) {
    findings.push(
      bgpFinding('F92', apart[0].name, {
        nodes: apart.map(({ name }) => name),
        message: `${listed(apart.map(({ name }) => name))}: no session with a route reflector (${all}), whose part of the network they do not see`,
        hint: 'make a BGPPeer that joins all nodes with the reflectors; then the mesh can be switched off',
        object: { kind: 'BGPConfiguration', name: 'default' },
      }),
    );
  }
  if (once[0] !== undefined) {
    findings.push(
      bgpFinding('F91', once[0].name, {
        nodes: once.map(({ name }) => name),
        message: `${listed(once.map(({ name }) => name))}: one route reflector only, whose loss cuts them off`,
        hint: 'give them a second reflector',
      }),
    );
  }
  for (const name of idle) {
    findings.push(
      bgpFinding('F91', name, {
        message: `${name} is a route reflector without clients`,
        hint: 'make a BGPPeer for its clients, or take its routeReflectorClusterID away',
        object: { kind: 'Node', name },
      }),
    );
  }
  return findings;
}

/** F99. */
function tooLarge({ plan }: DiagnosisInput): BgpFinding[] {
  const members = plan.nodes.filter((node) => isSpeaker(node) && node.clusterId === undefined);
  if (!plan.mesh || members.length <= mostInMesh) return [];
  return [
    bgpFinding('F99', members[0]?.name ?? '', {
      message: `${members.length} nodes are in the mesh, each with a session to every other`,
      hint: `use route reflectors beyond ${mostInMesh} nodes`,
      object: { kind: 'BGPConfiguration', name: 'default' },
    }),
  ];
}

/** What is wrong with the plan, whatever the nodes say. */
export function planFindings(facts: DiagnosisInput): BgpFinding[] {
  return [isolated, reflection, tooLarge].flatMap((find) => find(facts));
}
