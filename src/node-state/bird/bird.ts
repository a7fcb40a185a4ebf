// BIRD's status, protocols and routes as data. Types only; the parsers of birdc's output are next to this file.
import type { Cidr } from '../../net/cidr.ts';
import type { IpAddress } from '../../net/ip.ts';

/** `show status`. Times are as BIRD prints them. */
export interface BirdStatus {
  /** `1.6.8`, or `v0.3.3+birdv1.6.8` for Calico's own. */
  readonly version: string;
  readonly routerId: string | undefined;
  readonly serverTime: string | undefined;
  readonly lastReboot: string | undefined;
  readonly lastReconfiguration: string | undefined;
  /** Set after a start with -R: nothing is exported to the kernel until it is over. */
  readonly gracefulRestart: { readonly waitingFor: number | undefined; readonly timer: string | undefined } | undefined;
  /** The last line: `Daemon is up and running`. */
  readonly message: string | undefined;
}

export interface RouteCounts {
  readonly imported: number;
  /** Only for a protocol that keeps what its import filter rejects. */
  readonly filtered: number | undefined;
  readonly exported: number;
  readonly preferred: number;
}

/** What `show protocols all` adds for a BGP session. */
export interface BgpDetails {
  /** `Established`, `Connect`, …, `Down`. */
  readonly state: string | undefined;
  readonly neighborAddress: IpAddress | undefined;
  readonly neighborAs: number | undefined;
  readonly neighborId: string | undefined;
  /** The words of the line `Session:`: `internal`, `external`, `multihop`, `route-reflector`, `AS4`. */
  readonly session: readonly string[];
  readonly sourceAddress: IpAddress | undefined;
  readonly lastError: string | undefined;
}

/** A row of `show protocols`; with `all` also the lines below it. */
export interface BirdProtocol {
  readonly name: string;
  /** `BGP`, `Kernel`, `Device`, `Direct`, `Static`. */
  readonly proto: string;
  readonly table: string;
  /** `up`, `start`, `down`, `wait`, `stop`, `feed`, `flush`. */
  readonly state: string;
  /** HH:MM:SS within 20 hours, else YYYY-MM-DD; date and time where BIRD is configured that way. */
  readonly since: string;
  /** The rest of the row: for BGP its state and the last error. */
  readonly info: string;
  /** Undefined without `all`, for disabled protocols, and for pipes between tables. */
  readonly routes: RouteCounts | undefined;
  readonly bgp: BgpDetails | undefined;
}

export type BirdRouteTarget = 'via' | 'dev' | 'blackhole' | 'unreachable' | 'prohibit';

export interface BirdNextHop {
  readonly gateway: IpAddress | undefined;
  readonly device: string | undefined;
  readonly weight: number | undefined;
}

/** One route of `show route`. */
export interface BirdRoute {
  readonly destination: Cidr;
  readonly target: BirdRouteTarget;
  /** Several for a multipath route; empty for blackhole and the like. */
  readonly nextHops: readonly BirdNextHop[];
  /** Name of the protocol that it came from. */
  readonly protocol: string;
  readonly since: string;
  readonly from: IpAddress | undefined;
  /** The best route to its destination. */
  readonly primary: boolean;
  /** Marked `!`: the best route, but the kernel refused it. */
  readonly kernelRefused?: true;
  readonly preference: number | undefined;
  /** What follows the preference: a number, `?` for unknown, `-` when the next hop cannot be reached. */
  readonly metric: string | undefined;
  /** `AS65001i`, `i`. */
  readonly origin: string | undefined;
  /** With `all`: `BGP.next_hop`, `Kernel.source`, `Type`, … as printed. */
  readonly attributes: Readonly<Record<string, string>>;
}
