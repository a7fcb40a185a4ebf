// A finding about BGP: what every node finding has, and the sessions that it explains.
import type { NodeFault } from '../faults/faults.ts';
import { type FoundObject, type NodeFinding, nodeFinding } from '../faults/finding.ts';

/** Names one end of a session. */
export interface SessionName {
  readonly node: string;
  readonly version: 4 | 6;
  readonly protocol: string;
}

export interface BgpFinding extends NodeFinding {
  /** All nodes that have the fault, `node` among them. */
  readonly nodes: readonly string[];
  readonly version: 4 | 6 | undefined;
  /** The node or address at the other end, where it is about one. */
  readonly peer: string | undefined;
  readonly object: FoundObject | undefined;
  /** The ends of sessions that it explains. */
  readonly sessions: readonly SessionName[];
}

interface FindingParts {
  readonly nodes?: readonly string[];
  readonly version?: 4 | 6 | undefined;
  readonly peer?: string | undefined;
  readonly message: string;
  readonly object?: FoundObject | undefined;
  readonly hint: string;
  readonly sessions?: readonly SessionName[] | undefined;
}

/** A finding of the fault; it is about `node` alone when `nodes` is absent. */
export function bgpFinding(fault: NodeFault, node: string, parts: FindingParts): BgpFinding {
  const { nodes = [node], version, peer, message, object, hint, sessions = [] } = parts;
  return { ...nodeFinding(fault, { node, message, hint }), nodes, version, peer, object, sessions };
}
