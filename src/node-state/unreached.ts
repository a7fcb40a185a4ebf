// Nodes that gave no answer, or only a part of it: reported as such, never as a fault of the node.
import type { NodeState } from './node-state.ts';
import type { Observed } from './probes.ts';

export interface UnreachedNode {
  readonly node: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

/** The code for a node that answered only in part. */
export const partUnseen = 'NODE_PART_UNSEEN';

/** The node when nothing could be read from it, or not all of the named parts. */
export function unreachedOf(
  state: NodeState,
  parts: readonly (readonly [name: string, part: Observed<unknown>])[],
): UnreachedNode | undefined {
  const { node, unreachable } = state;
  if (unreachable !== undefined) return { node, ...unreachable };
  const unseen = parts.flatMap(([name, part]) => (part.seen ? [] : [name]));
  if (unseen.length === 0) return undefined;
  return { node, code: partUnseen, message: `${unseen.join(' and ')} could not be read`, hint: undefined };
}

/** A reason without the node's name, with which transports begin it: it is printed already. */
export function withoutNode(reason: string, node: string): string {
  return reason.startsWith(`${node}: `) ? reason.slice(node.length + 2) : reason;
}

/** A kind of object that was not read, and why that is known: what depends on it is not judged. */
export interface UnreadKind {
  readonly kind: string;
  readonly reason: string;
}

/** A node that is not asked, because calico-node for Linux never runs there: that is not a fault. */
export interface NodeNotAsked {
  readonly node: string;
  /** `a Windows node`. */
  readonly why: string;
}
