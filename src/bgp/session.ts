// The terms of BGP peerings: nodes as speakers, the sessions that the resources call for, names of BIRD's protocols.
// Which sessions those are is in desired.ts; rules in docs/reference/bgp.md.
import type { Cidr } from '../net/cidr.ts';
import { formatIp, type IpAddress, parseIp } from '../net/ip.ts';

export const defaultAsNumber = 64512;
export const bgpPort = 179;

/** Where a number comes from: the object to change for another one. `default` is what holds without any. */
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
  /** Its address of each family, and the network that it stands in; absent where it has none. */
  readonly address: Readonly<Partial<Record<4 | 6, IpAddress>>>;
  readonly network: Readonly<Partial<Record<4 | 6, Cidr>>>;
  /** Set on a route reflector. */
  readonly clusterId: string | undefined;
  /** Port that it listens on; undefined is 179. */
  readonly listenPort: Sourced<number> | undefined;
  /** InternalIPs by Kubernetes. */
  readonly internalIps: readonly IpAddress[];
}

export type SessionType = 'mesh' | 'node' | 'global' | 'local-workload';

/** Why a session is wanted. */
export type Wanted =
  | { readonly kind: 'mesh' }
  /** With `reversePeering` no resource of the node asks for it: it mirrors the BGPPeer of the node at the other end. */
  | { readonly kind: 'BGPPeer'; readonly name: string; readonly reversePeering: boolean };

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
  /** Most hops to the peer, when they are checked. */
  readonly ttlSecurity: number | undefined;
  /** The peer of another AS need not be on a network of this node. */
  readonly multihop: boolean;
  /** What decides about it; `also` names BGPPeers that ask for the same peer and are not heard. */
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

export interface NamedPeer {
  readonly type: SessionType;
  readonly peer: IpAddress;
  readonly port: number | undefined;
}

/** What the name of a protocol says of the peer; undefined for a name that is not confd's. */
export function peerOfProtocol(name: string, version: 4 | 6): NamedPeer | undefined {
  const [, prefix, address = '', port] = /^(Mesh|Global|Node|Local_Workload)_(.+?)(?:_port_(\d+))?$/.exec(name) ?? [];
  const type = (Object.keys(prefixes) as SessionType[]).find((key) => prefixes[key] === prefix);
  const peer = parseIp(address.replaceAll('_', version === 4 ? '.' : ':'));
  if (type === undefined || peer?.version !== version) return undefined;
  return { type, peer, port: port === undefined ? undefined : Number(port) };
}
