// A flow: its first packet, with what is known of both ends.
import type { IpAddress } from '../net/ip.ts';
import type { Member } from './member.ts';

/** One end of a flow, as rules see it. */
export interface FlowEnd {
  readonly ip: IpAddress;
  /** Undefined when it was not said: the port of a client is usually not known. */
  readonly port: number | undefined;
  /** Everything that has the address. */
  readonly members: readonly Member[];
}

export interface Flow {
  /** Number of the protocol: 6 for TCP. */
  readonly protocol: number;
  readonly icmp?: { readonly type: number; readonly code: number } | undefined;
  readonly source: FlowEnd;
  readonly destination: FlowEnd;
}
