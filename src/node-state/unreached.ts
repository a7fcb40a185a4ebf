// Nodes that gave no answer, or only a part of what was asked: told as such, never as a fault of theirs.
import type { NodeState } from './node-state.ts';
import type { Observed } from './probes.ts';

export interface UnreachedNode {
  readonly node: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Code of a node that answered, but not all that decides. */
export const partUnseen = 'NODE_PART_UNSEEN';

/** The node when nothing was read from it, or when any of the named parts was not seen. */
export function unreachedOf(
  state: NodeState,
  parts: readonly (readonly [name: string, part: Observed<unknown>])[],
): UnreachedNode | undefined {
  const { node, unreachable } = state;
  if (unreachable !== undefined) return { node, ...unreachable };
  const unseen = parts.flatMap(([name, part]) => (part.seen ? [] : [name]));
  if (unseen.length === 0) return undefined;
  return { node, code: partUnseen, message: `its ${unseen.join(' and ')} were not seen`, hint: undefined };
}

/** Reasons of transports begin with the node, which need not be said twice. */
export function withoutNode(reason: string, node: string): string {
  return reason.startsWith(`${node}: `) ? reason.slice(node.length + 2) : reason;
}
