// What calictl bird diff finds: what differs between a node and what is rendered for it.
import type { BirdFileName } from '../../../bird-config/bird-files.ts';
import type { Difference } from '../../../bird-config/compare.ts';
import type { NodeNotAsked, UnreachedNode } from '../../../node-state/unreached.ts';

/** The texts of a node's files. */
export type Files = Readonly<Record<BirdFileName, string>>;

export interface ComparedFile {
  readonly name: BirdFileName;
  /** Without comments, on the node and as rendered. */
  readonly node: string;
  readonly rendered: string;
}

export interface ComparedNode {
  readonly node: string;
  readonly differences: readonly (Difference & { readonly version: 4 | 6 })[];
  /** Those that differ. */
  readonly files: readonly ComparedFile[];
}

export interface Compared {
  readonly items: readonly ComparedNode[];
  readonly unreached: readonly UnreachedNode[];
  readonly notAsked: readonly NodeNotAsked[];
}
