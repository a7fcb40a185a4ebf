// Who should peer with whom: the sessions that nodes, BGPPeers and BGPConfigurations ask for, as confd works them out.
// Sessions with local workloads are not included: only Felix on the node knows which workloads there are.
import { compareIp, formatIp, type IpAddress, parseIp } from '../net/ip.ts';
import { isSameAddress } from '../node-state/lookups.ts';
import type { BGPConfiguration } from '../resources/kinds/bgp-configuration.ts';
import type { BGPPeer } from '../resources/kinds/bgp-peer.ts';
import type { CoreNode } from '../resources/kinds/node-fields.ts';
import { parseSelector, type Selector, SelectorError } from '../resources/selector.ts';
import { type BgpDefaults, bgpDefaults, bgpNodes, passwordOf } from './nodes.ts';
import { ipKey, type PlanIndex, planIndex } from './plan-index.ts';
import { type BgpNode, bgpPort, type DesiredSession, protocolName, type Sourced, type Wanted } from './session.ts';

export interface BgpObjects {
  readonly nodes: readonly CoreNode[];
  readonly bgpPeers: readonly BGPPeer[];
  readonly bgpConfigurations: readonly BGPConfiguration[];
}

/** What the resources ask for. */
export interface BgpPlan {
  readonly nodes: readonly BgpNode[];
  readonly mesh: boolean;
  /** By node, family and peer. */
  readonly sessions: readonly DesiredSession[];
  readonly index: PlanIndex;
  /** BGPPeers that are invalid and make no session, with the reason. */
  readonly ignored: readonly { readonly name: string; readonly why: string }[];
}

/** One end that a BGPPeer names: the address to dial. */
interface PeerEnd {
  readonly peer: IpAddress;
  readonly port: number | undefined;
  readonly as: Sourced<number>;
  readonly node: BgpNode | undefined;
}

/** A BGPPeer with its selectors read. */
interface Peering {
  readonly resource: BGPPeer;
  readonly isGlobal: boolean;
  /** Nodes that get the peers. */
  readonly local: readonly BgpNode[];
  readonly remote: readonly PeerEnd[];
  /** Nodes among the peers, which get the reverse peerings, and the families of those. */
  readonly remoteNodes: readonly BgpNode[];
  readonly versions: readonly (4 | 6)[];
}

const families = [4, 6] as const;

/** `10.0.0.1`, `10.0.0.1:1790`, `[fd00::1]:1790`. */
export function parsePeerIp(text: string): { ip: IpAddress; port: number | undefined } | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const ip = parseIp(bracketed ?? plain ?? text);
  if (ip === undefined || (bracketed !== undefined && ip.version === 4)) return undefined;
  return { ip, port: port === undefined ? undefined : Number(port) };
}

function endOf(node: BgpNode, version: 4 | 6): PeerEnd[] {
  const peer = node.address[version];
  return peer === undefined ? [] : [{ peer, port: node.listenPort?.value, as: node.as, node }];
}

function readPeering(resource: BGPPeer, nodes: readonly BgpNode[]): Peering | string {
  const { name } = resource.metadata;
  const spec = resource.spec ?? {};
  const matching = (text: string): BgpNode[] => {
    const selects: Selector = parseSelector(text);
    return nodes.filter(({ labels }) => selects(labels));
  };
  const isGlobal = !spec.node && !spec.nodeSelector;
  const local = spec.nodeSelector
    ? matching(spec.nodeSelector)
    : nodes.filter((node) => isGlobal || node.name === spec.node);
  if (spec.peerSelector) {
    const remoteNodes = matching(spec.peerSelector);
    const remote = remoteNodes.flatMap((node) => families.flatMap((version) => endOf(node, version)));
    return { resource, isGlobal, local, remote, remoteNodes, versions: families };
  }
  const peer = parsePeerIp(spec.peerIP ?? '');
  if (peer === undefined) return spec.peerIP ? `peerIP ${spec.peerIP} is not an IP address` : 'it names no peer';
  if (!spec.asNumber) return 'it has a peerIP but no asNumber';
  const as: Sourced<number> = { value: spec.asNumber, from: { kind: 'BGPPeer', name, field: 'spec.asNumber' } };
  const { version } = peer.ip;
  const owner = nodes.find((node) => isSameAddress(node.address[version], peer.ip));
  // A node counts as the other end only with the AS number that is named, and the port where one is named.
  const isEnd = (node: BgpNode): boolean =>
    isSameAddress(node.address[version], peer.ip) &&
    node.as.value === as.value &&
    (peer.port === undefined || (node.listenPort?.value ?? bgpPort) === peer.port);
  const remoteNodes = nodes.filter(isEnd);
  const port = peer.port ?? remoteNodes[0]?.listenPort?.value;
  return {
    resource,
    isGlobal,
    local,
    remote: [{ peer: peer.ip, port, as, node: owner }],
    remoteNodes,
    versions: [version],
  };
}

const nameOf = (wanted: Wanted): string => (wanted.kind === 'mesh' ? '' : wanted.name);

/** Sessions of one node by peer and port: the first to ask decides, as in confd. */
class SessionTable {
  readonly #sessions = new Map<string, DesiredSession>();

  add(session: DesiredSession): void {
    // Mesh protocols have names of their own, so a mesh session exists next to that of a BGPPeer.
    const kind = session.type === 'mesh' ? 'mesh' : 'peer';
    const key = `${session.node} ${kind} ${ipKey(session.peer)} ${session.port ?? ''}`;
    const first = this.#sessions.get(key);
    if (first === undefined) this.#sessions.set(key, session);
    else if (![first.wantedBy, ...first.also].some((wanted) => nameOf(wanted) === nameOf(session.wantedBy)))
      this.#sessions.set(key, { ...first, also: [...first.also, session.wantedBy] });
  }

  all(): DesiredSession[] {
    return [...this.#sessions.values()].sort(
      (a, b) =>
        (a.node === b.node ? 0 : a.node < b.node ? -1 : 1) ||
        compareIp(a.peer, b.peer) ||
        (a.protocol < b.protocol ? -1 : 1),
    );
  }
}

/** True when this end waits to be dialed. Addresses compare as text: 10.0.0.9 is greater than 10.0.0.10. */
const waits = (own: IpAddress, peer: IpAddress): boolean => formatIp(peer) > formatIp(own);

function meshSession(node: BgpNode, other: BgpNode, version: 4 | 6, defaults: BgpDefaults): DesiredSession[] {
  const own = node.address[version];
  return endOf(other, version).flatMap(({ peer, port, as }): DesiredSession[] => {
    if (own === undefined || isSameAddress(own, peer)) return [];
    return [
      {
        node: node.name,
        version,
        protocol: protocolName('mesh', peer, undefined),
        type: 'mesh',
        peer,
        port,
        peerNode: other.name,
        ownAs: node.as,
        peerAs: as,
        passive: waits(own, peer),
        reflectorClient: false,
        password: defaults.meshPassword,
        ttlSecurity: undefined,
        multihop: false,
        wantedBy: { kind: 'mesh' },
        also: [],
      },
    ];
  });
}

function peerSession(
  node: BgpNode,
  type: 'global' | 'node',
  end: PeerEnd,
  { metadata: { name }, spec }: BGPPeer,
  wantedBy: Wanted,
): DesiredSession[] {
  const { peer, port, as: peerAs, node: peerNode } = end;
  const { version } = peer;
  const own = node.address[version];
  if (own === undefined || isSameAddress(own, peer)) return [];
  const ownAs: Sourced<number> = spec.localASNumber
    ? { value: spec.localASNumber, from: { kind: 'BGPPeer', name, field: 'spec.localASNumber' } }
    : node.as;
  const isReflected =
    node.clusterId !== undefined && ownAs.value === peerAs.value && peerNode?.clusterId !== node.clusterId;
  return [
    {
      node: node.name,
      version,
      protocol: protocolName(type, peer, port),
      type,
      peer,
      port,
      peerNode: peerNode?.name,
      ownAs,
      peerAs,
      passive: type === 'global' && peerNode !== undefined && waits(own, peer),
      reflectorClient: isReflected,
      password: passwordOf(spec.password),
      ttlSecurity: spec.ttlSecurity || undefined,
      multihop: true,
      wantedBy,
      also: [],
    },
  ];
}

/**
 * The sessions that each node should have in each family. Invalid BGPPeers are skipped and listed in `ignored`.
 * Rules: docs/reference/bgp.md#who-peers-with-whom.
 */
export function desiredSessions(objects: BgpObjects): BgpPlan {
  const defaults = bgpDefaults(objects.bgpConfigurations);
  const nodes = bgpNodes(objects.nodes, objects.bgpConfigurations);
  const ignored: { name: string; why: string }[] = [];
  const peerings: Peering[] = [];
  const bgpPeers = [...objects.bgpPeers].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  for (const resource of bgpPeers) {
    if (resource.spec?.localWorkloadSelector) continue;
    const read = peeringOrWhyNot(resource, nodes);
    if (typeof read === 'string') ignored.push({ name: resource.metadata.name, why: read });
    else peerings.push(read);
  }

  const table = new SessionTable();
  const add = (sessions: readonly DesiredSession[]): void => {
    for (const session of sessions) table.add(session);
  };
  for (const node of defaults.mesh ? nodes.filter(({ clusterId }) => clusterId === undefined) : []) {
    for (const other of nodes.filter(({ name, clusterId }) => name !== node.name && clusterId === undefined)) {
      for (const version of families) add(meshSession(node, other, version, defaults));
    }
  }
  // Global BGPPeers come before those of single nodes, reverse peerings last.
  for (const isGlobal of [true, false]) {
    for (const { resource, local, remote } of peerings.filter((peering) => peering.isGlobal === isGlobal)) {
      const wantedBy: Wanted = { kind: 'BGPPeer', name: resource.metadata.name, reversePeering: false };
      for (const node of local) {
        for (const end of remote) add(peerSession(node, isGlobal ? 'global' : 'node', end, resource, wantedBy));
      }
    }
  }
  for (const { resource, local, remoteNodes, versions } of peerings) {
    if (resource.spec.reversePeering === 'Manual') continue;
    const wantedBy: Wanted = { kind: 'BGPPeer', name: resource.metadata.name, reversePeering: true };
    for (const node of remoteNodes) {
      const ends = local.flatMap((back) => versions.flatMap((version) => endOf(back, version)));
      for (const end of ends) add(peerSession(node, 'node', end, resource, wantedBy));
    }
  }
  const sessions = table.all();
  return { nodes, mesh: defaults.mesh, sessions, index: planIndex(nodes, sessions), ignored };
}

function peeringOrWhyNot(resource: BGPPeer, nodes: readonly BgpNode[]): Peering | string {
  try {
    return readPeering(resource, nodes);
  } catch (error) {
    if (error instanceof SelectorError) return `invalid selector: ${error.message}`;
    throw error;
  }
}
