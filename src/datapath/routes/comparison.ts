// One line of the comparison of routes: what is expected, what was seen, the verdict. Types and the words they share.

import type { NodeFault } from '../../faults/faults.ts';
import type { NodeFinding, SeverityOf } from '../../faults/finding.ts';
import type { RouteSubject } from '../expected/routes.ts';

/** What is wrong with a route: a finding without its place. */
export interface RouteFinding extends Pick<NodeFinding, 'id' | 'severity' | 'message' | 'hint' | 'object'> {
  /**
   * What many routes are wrong because of: such findings of a node become one. Devices and `objects` are reported on their
   * own as well.
   */
  readonly because?: string;
}

/** The cause of findings that come from the objects alone, which are judged once for all nodes. */
export const becauseOfObjects = 'objects';

/** What to do about a range of services that overlaps a pool. */
export const rangesOverlapHint = (field: string): string =>
  `${field} of BGPConfiguration must hold addresses of services, not those of pods: correct it`;

/** What to do about a tunnel device that is there and down. */
export const deviceDownHint = (device: string): string =>
  `set it up (ip link set dev ${device} up), and find out what took it down: NetworkManager and systemd-networkd must leave it alone`;

/** What to do about a tunnel device that is missing. */
export const deviceMissingHint = (device: string): string =>
  `check that the kernel module ${device === 'tunl0' ? 'ipip' : 'vxlan'} can be loaded, and read the log of calico-node on this node`;

/** The cause of findings about routes through a device that cannot be used. */
export const becauseOfDevice = (device: string): string => `device ${device}`;

/** The cause of findings about routes that the BGP session with a node would bring. */
export const becauseOfSession = (peer: string): string => `session ${peer}`;

/** The cause of findings that one object of the cluster has on all nodes: they become one finding. */
export const becauseOfObject = (kind: string, name: string): string => `object ${kind} ${name}`;

/** A finding of the fault, with the fault's usual severity unless another of its severities is given. */
export function routeFinding<F extends NodeFault>(
  fault: F,
  message: string,
  hint: string,
  severity: SeverityOf<F> = fault.severities[0],
): RouteFinding {
  return { id: fault.id, severity, message, hint };
}

export interface RouteComparison {
  readonly node: string;
  readonly version: 4 | 6;
  /** What the route is for; undefined for a route that the datastore does not explain. */
  readonly subject: RouteSubject | undefined;
  /** `10.0.0.0/26`; `IPv4 routes` when none could be read. */
  readonly destination: string;
  readonly expected: string;
  readonly seen: string;
  readonly verdict: 'ok' | 'missing' | 'wrong' | 'unexpected' | 'not observed';
  readonly why: string;
  /** The other node. */
  readonly peer: string | undefined;
  readonly finding: RouteFinding | undefined;
  /** The command that shows it on the node. */
  readonly command: readonly string[];
}

export const nothing = '-';

/** The command that shows the routes to one destination. */
export function routeCommand(version: 4 | 6, destination: string): readonly string[] {
  return ['ip', '-d', `-${version}`, 'route', 'show', 'exact', destination];
}
