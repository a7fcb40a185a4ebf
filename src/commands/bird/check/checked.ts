// What calictl bird check finds: the verdict of BIRD on the configuration of each node.
import type { CalictlError } from '../../../world/errors.ts';

/** What BIRD says of one file; undefined when it accepts it. */
export interface Verdict {
  readonly version: 4 | 6;
  readonly refused: string | undefined;
}

export interface CheckedNode {
  readonly node: string;
  /** One for each family; empty when the configuration could not be rendered. */
  readonly verdicts: readonly Verdict[];
  readonly error: CalictlError | undefined;
}

export interface Checked {
  /** The versions of the programs. */
  readonly bird: string;
  readonly items: readonly CheckedNode[];
}
