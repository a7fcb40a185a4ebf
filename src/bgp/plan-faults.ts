// Faults of the plan itself: nodes without peers, reflectors that do not serve, a mesh that is too large.

import { faults } from '../faults/faults.ts';
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
    : 'the node-to-node mesh is off, and no BGPPeer asks for a session';
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
        hint: 'create a BGPPeer for its clients, or remove its routeReflectorClusterID',
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

/** What is wrong with the plan, whatever the nodes say. */
export function planFindings(input: DiagnosisInput): BgpFinding[] {
  return [isolated, reflection, tooLarge].flatMap((find) => find(input));
}
