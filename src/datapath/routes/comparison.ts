// One line of the comparison of routes: what is expected, what is seen, the verdict. Types and the words they share.

import type { FaultSeverity } from '../../faults/finding.ts';
import type { RouteSubject } from '../expected/routes.ts';

/** What is wrong with a route. */
export interface RouteFinding {
  readonly id: string;
  readonly severity: FaultSeverity;
  readonly message: string;
  readonly hint: string;
}

export interface RouteComparison {
  readonly node: string;
  readonly version: 4 | 6;
  /** What the route is for; undefined when nothing gives reason for it. */
  readonly subject: RouteSubject | undefined;
  /** `10.0.0.0/26`; `IPv4 routes` when none could be seen. */
  readonly destination: string;
  readonly expected: string;
  readonly seen: string;
  readonly verdict: 'ok' | 'missing' | 'wrong' | 'unexpected' | 'not observed';
  readonly why: string;
  /** The other node. */
  readonly peer: string | undefined;
  readonly finding: RouteFinding | undefined;
  /** What shows it on the node. */
  readonly command: readonly string[];
}

export const nothing = '-';

/** The command that shows the routes to one destination. */
export function routeCommand(version: 4 | 6, destination: string): readonly string[] {
  return ['ip', '-d', `-${version}`, 'route', 'show', 'exact', destination];
}
