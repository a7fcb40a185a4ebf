// A fault that was found on a node or between nodes, with its stable id: docs/reference/datapath.md#faults.

export type FaultSeverity = 'error' | 'warning';

export interface NodeFinding {
  /** `F44`: stays the same for the same fault. */
  readonly id: string;
  readonly severity: FaultSeverity;
  readonly node: string;
  /** The other node that it is about. */
  readonly peer?: string | undefined;
  /** One sentence for people. */
  readonly message: string;
  readonly object?: { readonly kind: string; readonly name: string } | undefined;
  readonly hint: string;
}
