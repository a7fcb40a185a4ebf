// The terms of BGP: nodes as speakers, sessions that resources ask for, names of BIRD's protocols.
// desired-sessions.ts works out which sessions those are; rules in docs/reference/bgp.md.
import type { Cidr } from '../net/cidr.ts';
import { formatIp, type IpAddress, parseIp } from '../net/ip.ts';

export const defaultAsNumber = 64512;
export const bgpPort = 179;

/** Where a value comes from: the object to change for another value. `default` applies when no object sets it. */
export interface Source {
  readonly kind: 'Node' | 'BGPPeer' | 'BGPConfiguration' | 'default';
  readonly name: string;
  readonly field: string;
}

export interface Sourced<T> {
  readonly value: T;
  readonly from: Source;
}

/** A node as BGP sees it. */
export interface BgpNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly as: Sourced<number>;
  /** Its address of each family, and the network that it is in; absent where it has none. */
  readonly address: Readonly<Partial<Record<4 | 6, IpAddress>>>;
  readonly network: Readonly<Partial<Record<4 | 6, Cidr>>>;
  /** Addresses in the Node object that cannot be parsed. */
  readonly invalid: readonly { readonly version: 4 | 6; readonly text: string }[];
  /** Whether Kubernetes has the node as ready: `True`, `False`, `Unknown`; undefined when its object does not say. */
  readonly ready: string | undefined;
  /** Route reflectors only. */
  readonly clusterId: string | undefined;
  /** Port that it listens on; undefined is 179. */
  readonly listenPort: Sourced<number> | undefined;
  /** The InternalIPs of the Kubernetes node. */
  readonly internalIps: readonly IpAddress[];
}

export type SessionType = 'mesh' | 'node' | 'global' | 'local-workload';

/** What a desired and an observed session end have in common. */
export interface SessionEnd {
  readonly node: string;
  readonly version: 4 | 6;
  readonly protocol: string;
  readonly type: SessionType;
  readonly address: IpAddress;
  readonly port: number | undefined;
  readonly peerNode: string | undefined;
  readonly as: number;
  readonly desired: DesiredSession;
}

/** The end of a session as the resources alone describe it. */
export function desiredEnd(desired: DesiredSession): SessionEnd {
  const { node, version, protocol, type, peer, port, peerNode, peerAs } = desired;
  return { node, version, protocol, type, address: peer, port, peerNode, as: peerAs.value, desired };
}

/** Why a session is wanted. */
export type Wanted =
  | { readonly kind: 'mesh' }
  /** With `reversePeering` no resource of the node asks for it: it mirrors the BGPPeer of the node at the other end. */
  | { readonly kind: 'BGPPeer'; readonly name: string; readonly reversePeering: boolean };

/** What the configuration of BIRD says of a session besides who the peers are. */
export interface SessionSettings {
  /** The session is opened from the address of the node; otherwise the kernel chooses the address. */
  readonly fromNodeAddress: boolean;
  /** Names of BGPFilters, in order; some may not exist. */
  readonly filters: readonly string[];
  /** Undefined for the usual rules of BGP. */
  readonly nextHop: 'self' | 'keep' | undefined;
  /** In whole seconds. */
  readonly maxRestartTime: number | undefined;
  /** In whole seconds; from Calico 3.32. */
  readonly keepaliveTime: number | undefined;
  /** How often the own AS number may be in the AS path of an accepted route. */
  readonly allowedLocalAs: number;
}

/** A route to a peer that the node needs before it can have a session with it: `reachableBy` of a BGPPeer. */
export interface PeerRoute {
  readonly node: string;
  readonly type: 'global' | 'node';
  readonly peer: IpAddress;
  readonly port: number | undefined;
  readonly gateway: IpAddress;
}

/** A session that a node should have. */
export interface DesiredSession {
  readonly node: string;
  readonly version: 4 | 6;
  /** Name of the protocol in BIRD. */
  readonly protocol: string;
  readonly type: SessionType;
  readonly peer: IpAddress;
  /** Port that is dialed; undefined is 179. */
  readonly port: number | undefined;
  /** The node that has the peer's address. */
  readonly peerNode: string | undefined;
  readonly ownAs: Sourced<number>;
  readonly peerAs: Sourced<number>;
  /** Waits for the other side to dial. */
  readonly passive: boolean;
  /** The peer is a client of this node, a route reflector. */
  readonly reflectorClient: boolean;
  /** The secret with the password; undefined without one. */
  readonly password: { readonly secret: string; readonly key: string } | undefined;
  /** The maximum number of hops to the peer, where it is checked. */
  readonly ttlSecurity: number | undefined;
  /** A peer with another AS number need not be on a network of this node. */
  readonly multihop: boolean;
  readonly settings: SessionSettings;
  /** What decides on it; `also` names further BGPPeers that ask for the same peer and have no effect. */
  readonly wantedBy: Wanted;
  readonly also: readonly Wanted[];
}

const prefixes: Readonly<Record<SessionType, string>> = {
  mesh: 'Mesh',
  global: 'Global',
  node: 'Node',
  'local-workload': 'Local_Workload',
};

/** The name that confd gives the protocol of a peer (docs/reference/bgp.md#names). */
export function protocolName(type: SessionType, peer: IpAddress, port: number | undefined): string {
  const address = formatIp(peer).replaceAll(/[.:]/g, '_');
  return `${prefixes[type]}_${address}${port === undefined ? '' : `_port_${port}`}`;
}

/** The key by which confd orders peers, as text: `10.0.0.10` and `10.0.0.10-500` before `10.0.0.9`. */
export const peerKey = ({ peer, port }: Pick<NamedPeer, 'peer' | 'port'>): string =>
  port === undefined ? formatIp(peer) : `${formatIp(peer)}-${port}`;

export interface NamedPeer {
  readonly type: SessionType;
  readonly peer: IpAddress;
  readonly port: number | undefined;
}

/** What the name of a protocol says about the peer; undefined for a name that confd does not give. */
export function peerOfProtocol(name: string, version: 4 | 6): NamedPeer | undefined {
  const [, prefix, address = '', port] = /^(Mesh|Global|Node|Local_Workload)_(.+?)(?:_port_(\d+))?$/.exec(name) ?? [];
  const type = (Object.keys(prefixes) as SessionType[]).find((key) => prefixes[key] === prefix);
  const peer = parseIp(address.replaceAll('_', version === 4 ? '.' : ':'));
  if (type === undefined || peer?.version !== version) return undefined;
  return { type, peer, port: port === undefined ? undefined : Number(port) };
}
