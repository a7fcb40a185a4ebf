// A fault that was found on a node or between nodes: which one, where, and what to do about it here.
import type { FaultSeverity } from './fault.ts';
import type { FaultId, NodeFault } from './faults.ts';

/** An object to change. */
export interface FoundObject {
  readonly kind: string;
  readonly name: string;
}

export interface NodeFinding {
  readonly id: FaultId;
  readonly severity: FaultSeverity;
  readonly node: string;
  /** The other node that it is about. */
  readonly peer?: string | undefined;
  /** One sentence without a final dot. */
  readonly message: string;
  readonly object?: FoundObject | undefined;
  /** What to do here: a fragment in lower case without a final dot. */
  readonly hint: string;
}

/** The severities that a finding of the fault can have. */
export type SeverityOf<F extends NodeFault> = F['severities'][number];

/** A finding of the fault, with the fault's usual severity unless another of its severities is given. */
export function nodeFinding<F extends NodeFault>(
  fault: F,
  { node, peer, message, object, hint }: Omit<NodeFinding, 'id' | 'severity'>,
  severity: SeverityOf<F> = fault.severities[0],
): NodeFinding {
  return { id: fault.id, severity, node, peer, message, object, hint };
}
