// The kernel's interfaces, addresses, routes, rules and neighbours as data. Types only; the parsers of `ip` are next to
// this file.
import type { Cidr } from '../../net/cidr.ts';
import type { IpAddress } from '../../net/ip.ts';

export interface VxlanInterface {
  readonly id: number | undefined;
  readonly local: IpAddress | undefined;
  /** Name of the underlying interface. */
  readonly parent: string | undefined;
  readonly port: number | undefined;
  readonly learning: boolean | undefined;
}

export interface Interface {
  readonly index: number;
  readonly name: string;
  /** `UP`, `LOWER_UP`, `NOARP`, … */
  readonly flags: readonly string[];
  readonly mtu: number | undefined;
  /** `UP`, `DOWN`, `UNKNOWN`. */
  readonly operState: string | undefined;
  /** Lower case, with colons. */
  readonly mac: string | undefined;
  /** `veth`, `vxlan`, `ipip`, `bridge`; undefined for a physical one. */
  readonly kind: string | undefined;
  /** Index of the other end, in the namespace of that end. */
  readonly peerIndex: number | undefined;
  /** Namespace of the other end, by its number in this one. */
  readonly peerNetnsId: number | undefined;
  readonly vxlan: VxlanInterface | undefined;
}

export interface DeviceAddress {
  readonly device: string;
  readonly address: IpAddress;
  readonly prefixLength: number;
  readonly scope: string | undefined;
}

export type RouteType =
  | 'unicast'
  | 'local'
  | 'broadcast'
  | 'multicast'
  | 'blackhole'
  | 'unreachable'
  | 'prohibit'
  | 'throw'
  | 'anycast';

export interface NextHop {
  readonly gateway: IpAddress | undefined;
  readonly device: string | undefined;
  readonly flags: readonly string[];
}

export interface KernelRoute {
  readonly destination: Cidr;
  readonly type: RouteType;
  /** Several for a multipath route; empty where nothing is forwarded. */
  readonly nextHops: readonly NextHop[];
  /** `kernel`, `boot`, `static`, `bird`, or a number as text: `80` is Felix. `ip` leaves out `boot`. */
  readonly protocol: string;
  readonly scope: string | undefined;
  readonly source: IpAddress | undefined;
  readonly metric: number | undefined;
  readonly mtu: number | undefined;
  /** Undefined for the main table. */
  readonly table: string | undefined;
}

export interface Rule {
  readonly priority: number;
  /** True when the conditions are inverted. */
  readonly not: boolean;
  readonly source: Cidr | undefined;
  readonly destination: Cidr | undefined;
  readonly inputDevice: string | undefined;
  /** `0x200000`, followed by a slash and the mask if there is one. */
  readonly mark: string | undefined;
  /** `main`, `local`, `default`, or a number as text. */
  readonly table: string | undefined;
}

export interface Neighbour {
  readonly address: IpAddress;
  readonly device: string | undefined;
  readonly mac: string | undefined;
  /** `PERMANENT`, `REACHABLE`, `FAILED`, … */
  readonly states: readonly string[];
}

/** An entry of a forwarding database: frames for `mac` are sent to `destination`. */
export interface FdbEntry {
  readonly mac: string;
  readonly device: string | undefined;
  readonly destination: IpAddress | undefined;
  readonly states: readonly string[];
}
