// What can be wrong with BGP, by its stable id; docs/reference/bgp.md#faults says what each is.

/** Severity of each id. Ids from F100 to F102 are states that are no fault of a node by themselves. */
export const bgpFaults = {
  F51: 'error',
  F53: 'error',
  F60: 'error',
  F61: 'error',
  F62: 'error',
  F63: 'error',
  F64: 'error',
  F65: 'error',
  F66: 'error',
  F67: 'error',
  F68: 'error',
  F69: 'warning',
  F90: 'error',
  F91: 'warning',
  F92: 'error',
  F93: 'error',
  F95: 'warning',
  F96: 'error',
  F97: 'error',
  F99: 'warning',
  F100: 'error',
  F101: 'error',
  F102: 'error',
  F110: 'error',
} as const satisfies Record<string, 'error' | 'warning'>;

export type BgpFaultId = keyof typeof bgpFaults;

/** Names one end of a session. */
export interface SessionName {
  readonly node: string;
  readonly version: 4 | 6;
  readonly protocol: string;
}

export interface BgpFinding {
  readonly id: BgpFaultId;
  readonly severity: 'error' | 'warning';
  /** Where it is, or is seen. */
  readonly node: string;
  /** All nodes that it is about by themselves, that one among them. */
  readonly nodes: readonly string[];
  readonly version: 4 | 6 | undefined;
  /** The node or address at the other end, where it is about one. */
  readonly peer: string | undefined;
  readonly message: string;
  /** What to change. */
  readonly object: { readonly kind: string; readonly name: string } | undefined;
  readonly hint: string;
  /** The ends of sessions that it explains. */
  readonly sessions: readonly SessionName[];
}

interface FindingParts {
  readonly nodes?: readonly string[];
  readonly version?: 4 | 6 | undefined;
  readonly peer?: string | undefined;
  readonly message: string;
  readonly object?: { readonly kind: string; readonly name: string } | undefined;
  readonly hint: string;
  readonly sessions?: readonly SessionName[] | undefined;
}

/** A finding with the severity of its id; it is about `node` alone when `nodes` is absent. */
export function bgpFinding(id: BgpFaultId, node: string, parts: FindingParts): BgpFinding {
  const { nodes = [node], version, peer, message, object, hint, sessions = [] } = parts;
  return { id, severity: bgpFaults[id], node, nodes, version, peer, message, object, hint, sessions };
}
