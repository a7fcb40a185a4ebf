// Who should peer with whom: the sessions that nodes, BGPPeers and BGPConfigurations ask for, as confd works them out.
// Sessions with local workloads are not included: only Felix on the node knows which workloads there are.
import { compareIp, formatIp, type IpAddress, parseIp } from '../net/ip.ts';
import { isSameAddress } from '../node-state/lookups.ts';
import type { BGPConfiguration } from '../resources/kinds/bgp-configuration.ts';
import type { BGPPeer } from '../resources/kinds/bgp-peer.ts';
import type { CoreNode } from '../resources/kinds/node-fields.ts';
import { parseSelector, type Selector, SelectorError } from '../resources/selector.ts';
import { type BgpDefaults, bgpDefaults, bgpNodes, passwordOf, wholeSeconds } from './nodes.ts';
import { ipKey, type PlanIndex, planIndex } from './plan-index.ts';
import {
  type BgpNode,
  type DesiredSession,
  type PeerRoute,
  peerKey,
  protocolName,
  type SessionSettings,
  type Sourced,
  type Wanted,
} from './session.ts';

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
  /** Sessions with AS number 0, of BGPPeers without one: confd configures them, and BIRD refuses the whole configuration. */
  readonly refused: readonly DesiredSession[];
  /** In the order in which confd writes them. */
  readonly peerRoutes: readonly PeerRoute[];
  /** BGPPeers that are invalid and make no session, with the reason. */
  readonly ignored: readonly { readonly name: string; readonly why: string }[];
}

/** One end that a BGPPeer names: the address to dial. */
interface PeerEnd {
  readonly peer: IpAddress;
  readonly port: number | undefined;
  readonly as: Sourced<number>;
  readonly node: BgpNode | undefined;
  /** How the BGPPeer names it: by its address, or as a node, whose cluster ID is known then. */
  readonly by: 'address' | 'node';
  /** Its address is written exactly as a node records it. */
  readonly isNodeAddress: boolean;
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
  const { address, port } = peerIpParts(text);
  const ip = parseIp(address);
  if (ip === undefined || (text.startsWith('[') && ip.version === 4)) return undefined;
  if (port !== undefined && Number(port) > 65535) return undefined;
  return { ip, port: Number(port ?? 0) || undefined };
}

function peerIpParts(text: string): { address: string; port: string | undefined } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  return { address: bracketed ?? plain ?? text, port };
}

function endOf(node: BgpNode, version: 4 | 6): PeerEnd[] {
  const peer = node.address[version];
  return peer === undefined
    ? []
    : [{ peer, port: node.listenPort?.value, as: node.as, node, by: 'node', isNodeAddress: true }];
}

function readPeering(resource: BGPPeer, nodes: readonly BgpNode[], defaults: BgpDefaults): Peering | string {
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
  const as: Sourced<number> = { value: spec.asNumber ?? 0, from: { kind: 'BGPPeer', name, field: 'spec.asNumber' } };
  const { version } = peer.ip;
  // Everything but the peer itself compares addresses as text: another spelling of a node's address is not the node.
  const { address: text } = peerIpParts(spec.peerIP ?? '');
  const isSpelled = (node: BgpNode): boolean => {
    const own = node.address[version];
    return own !== undefined && formatIp(own) === text;
  };
  // A node counts as the other end only with the AS number that is named, and the port where one is named: also the
  // global port must be that one, even if the node has a port of its own.
  const isEnd = (node: BgpNode): boolean =>
    isSpelled(node) &&
    node.as.value === (spec.asNumber || defaults.as.value) &&
    (peer.port === undefined ||
      ((ownPort(node) ?? peer.port) === peer.port && (defaults.listenPort?.value ?? peer.port) === peer.port));
  const remoteNodes = nodes.filter(isEnd);
  const end: PeerEnd = {
    peer: peer.ip,
    port: peer.port ?? remoteNodes[0]?.listenPort?.value,
    as,
    node: nodes.find((node) => isSameAddress(node.address[version], peer.ip)),
    by: 'address',
    isNodeAddress: nodes.some(isSpelled),
  };
  return { resource, isGlobal, local, remote: [end], remoteNodes, versions: [version] };
}

/** The port that the node's own BGPConfiguration sets. */
const ownPort = ({ listenPort }: BgpNode): number | undefined =>
  listenPort?.from.name === 'default' ? undefined : listenPort?.value;

const nameOf = (wanted: Wanted): string => (wanted.kind === 'mesh' ? '' : wanted.name);

/** What is asked of a node for one peer: a session, unless it has no address for it, and a route to the peer. */
interface Asked {
  readonly node: string;
  readonly end: Pick<PeerEnd, 'peer' | 'port'>;
  readonly wantedBy: Wanted;
  readonly session: DesiredSession | undefined;
  readonly route?: PeerRoute | undefined;
}

/** What is asked of the nodes, by peer and port: the first to ask decides, as in confd. */
class AskedTable {
  readonly #asked = new Map<string, Asked>();

  add({ node, end, wantedBy, session, route }: Asked): void {
    // Mesh protocols have names of their own, so a mesh session exists next to that of a BGPPeer.
    const kind = wantedBy.kind === 'mesh' ? 'mesh' : 'peer';
    const key = `${node} ${kind} ${ipKey(end.peer)} ${end.port ?? ''}`;
    const first = this.#asked.get(key);
    if (first === undefined) this.#asked.set(key, { node, end, wantedBy, session, route });
    else if (
      first.session !== undefined &&
      session !== undefined &&
      ![first.wantedBy, ...first.session.also].some((wanted) => nameOf(wanted) === nameOf(wantedBy))
    ) {
      const also = [...first.session.also, wantedBy];
      this.#asked.set(key, { ...first, session: { ...first.session, also } });
    }
  }

  sessions(): DesiredSession[] {
    return [...this.#asked.values()]
      .flatMap(({ session }) => session ?? [])
      .sort(
        (a, b) =>
          (a.node === b.node ? 0 : a.node < b.node ? -1 : 1) ||
          compareIp(a.peer, b.peer) ||
          (a.protocol < b.protocol ? -1 : 1),
      );
  }

  /** Those to global peers first. */
  routes(): PeerRoute[] {
    return [...this.#asked.values()]
      .flatMap(({ route }) => route ?? [])
      .sort((a, b) => (a.type === b.type ? 0 : a.type === 'global' ? -1 : 1) || compareText(peerKey(a), peerKey(b)));
  }
}

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** True when this end waits to be dialed. Addresses compare as text: 10.0.0.9 is greater than 10.0.0.10. */
const waits = (own: IpAddress, peer: IpAddress): boolean => formatIp(peer) > formatIp(own);

function meshSessions(node: BgpNode, other: BgpNode, version: 4 | 6, defaults: BgpDefaults): Asked[] {
  const own = node.address[version];
  return endOf(other, version).flatMap((end): Asked[] => {
    const { peer, port, as } = end;
    if (own === undefined || isSameAddress(own, peer)) return [];
    const wantedBy: Wanted = { kind: 'mesh' };
    const session: DesiredSession = {
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
      settings: {
        fromNodeAddress: true,
        filters: [],
        nextHop: undefined,
        maxRestartTime: defaults.meshMaxRestartTime,
        keepaliveTime: undefined,
        allowedLocalAs: 0,
      },
      wantedBy,
      also: [],
    };
    return [{ node: node.name, end, wantedBy, session }];
  });
}

function settingsOf({ spec }: BGPPeer, { by }: PeerEnd, isInternal: boolean): SessionSettings {
  const deprecated = !spec.nextHopMode && spec.keepOriginalNextHop === true && !isInternal;
  return {
    fromNodeAddress: (spec.sourceAddress || 'UseNodeIP') === 'UseNodeIP',
    filters: spec.filters ?? [],
    nextHop: spec.nextHopMode === 'Self' ? 'self' : spec.nextHopMode === 'Keep' || deprecated ? 'keep' : undefined,
    maxRestartTime: wholeSeconds(spec.maxRestartTime),
    keepaliveTime: wholeSeconds(spec.keepaliveTime),
    // As with localASNumber, it counts for peers that are named by their address only.
    allowedLocalAs: by === 'address' ? (spec.numAllowedLocalASNumbers ?? 0) : 0,
  };
}

function askedOf(node: BgpNode, type: 'global' | 'node', end: PeerEnd, resource: BGPPeer, wantedBy: Wanted): Asked {
  const { peer, port } = end;
  const gateway = parseIp(resource.spec.reachableBy ?? '');
  return {
    node: node.name,
    end,
    wantedBy,
    session: peerSession(node, type, end, resource, wantedBy),
    route: gateway && { node: node.name, type, peer, port, gateway },
  };
}

function peerSession(
  node: BgpNode,
  type: 'global' | 'node',
  end: PeerEnd,
  resource: BGPPeer,
  wantedBy: Wanted,
): DesiredSession | undefined {
  const { peer, port, as: peerAs, node: peerNode, by } = end;
  const { spec, metadata } = resource;
  const { version } = peer;
  const own = node.address[version];
  if (own === undefined || isSameAddress(own, peer)) return undefined;
  const ownAs: Sourced<number> =
    spec.localASNumber && by === 'address'
      ? { value: spec.localASNumber, from: { kind: 'BGPPeer', name: metadata.name, field: 'spec.localASNumber' } }
      : node.as;
  const isInternal = ownAs.value === peerAs.value;
  // Of a peer that is named by its address no cluster ID is known, even if it is a reflector.
  const peerCluster = by === 'node' ? peerNode?.clusterId : undefined;
  return {
    node: node.name,
    version,
    protocol: protocolName(type, peer, port),
    type,
    peer,
    port,
    peerNode: peerNode?.name,
    ownAs,
    peerAs,
    passive: type === 'global' && by === 'address' && end.isNodeAddress && waits(own, peer),
    reflectorClient: node.clusterId !== undefined && isInternal && peerCluster !== node.clusterId,
    password: passwordOf(spec.password),
    ttlSecurity: spec.ttlSecurity || undefined,
    multihop: true,
    settings: settingsOf(resource, end, isInternal),
    wantedBy,
    also: [],
  };
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
    const read = peeringOrWhyNot(resource, nodes, defaults);
    const why = typeof read === 'string' ? read : whyRefused(read);
    if (why !== undefined) ignored.push({ name: resource.metadata.name, why });
    if (typeof read !== 'string') peerings.push(read);
  }

  const table = new AskedTable();
  for (const node of defaults.mesh ? nodes.filter(({ clusterId }) => clusterId === undefined) : []) {
    for (const other of nodes.filter(({ name, clusterId }) => name !== node.name && clusterId === undefined)) {
      for (const version of families) {
        for (const asked of meshSessions(node, other, version, defaults)) table.add(asked);
      }
    }
  }
  // Global BGPPeers come before those of single nodes, reverse peerings last.
  for (const isGlobal of [true, false]) {
    for (const { resource, local, remote } of peerings.filter((peering) => peering.isGlobal === isGlobal)) {
      const wantedBy: Wanted = { kind: 'BGPPeer', name: resource.metadata.name, reversePeering: false };
      for (const node of local) {
        for (const end of remote) table.add(askedOf(node, isGlobal ? 'global' : 'node', end, resource, wantedBy));
      }
    }
  }
  for (const { resource, local, remoteNodes, versions } of peerings) {
    if (resource.spec.reversePeering === 'Manual') continue;
    const wantedBy: Wanted = { kind: 'BGPPeer', name: resource.metadata.name, reversePeering: true };
    for (const node of remoteNodes) {
      const ends = local.flatMap((back) => versions.flatMap((version) => endOf(back, version)));
      for (const end of ends) table.add(askedOf(node, 'node', end, resource, wantedBy));
    }
  }
  const all = table.sessions();
  const sessions = all.filter(({ peerAs }) => peerAs.value !== 0);
  const refused = all.filter(({ peerAs }) => peerAs.value === 0);
  const index = planIndex(nodes, sessions);
  return { nodes, mesh: defaults.mesh, sessions, index, refused, peerRoutes: table.routes(), ignored };
}

/** Why BIRD refuses the sessions of a BGPPeer. */
function whyRefused({ remote }: Peering): string | undefined {
  return remote.some(({ by, as }) => by === 'address' && as.value === 0)
    ? 'it has a peerIP but no asNumber'
    : undefined;
}

function peeringOrWhyNot(resource: BGPPeer, nodes: readonly BgpNode[], defaults: BgpDefaults): Peering | string {
  try {
    return readPeering(resource, nodes, defaults);
  } catch (error) {
    if (error instanceof SelectorError) return `invalid selector: ${error.message}`;
    throw error;
  }
}
