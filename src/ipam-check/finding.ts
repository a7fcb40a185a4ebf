// What a check finds and what would repair it: plain data.
import type { Severity } from './invariant.ts';
import type { InvariantId } from './invariants.ts';

/** A candidate may be an operation in progress: it is shown, never counted, never repaired. */
export type Stability = 'stable' | 'candidate';

export interface FoundObject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A repair primitive, docs/reference/ipam.md#repair-primitives; each is one function in ipam/. */
export type Primitive = 'R1' | 'R2' | 'R3' | 'R4' | 'R5' | 'R6' | 'R7' | 'R8' | 'R9';

/** The data that a repair needs. It reads the object again and checks its preconditions before it writes. */
export type RepairAction =
  | {
      readonly primitive: 'R1';
      readonly block: string;
      readonly address: string;
      readonly ordinal: number;
      /** As stored, not sanitised; undefined for an allocation without one. */
      readonly handle: string | undefined;
      readonly sequenceNumber: bigint;
    }
  | {
      readonly primitive: 'R2';
      readonly block: string;
      /** Ordinals whose attribute record is missing and that nothing uses: they become free. */
      readonly unused?: readonly number[];
      /** Ordinals that are neither allocated nor free and that nothing uses: they become free. */
      readonly lost?: readonly number[];
    }
  /** The right content of the handle is computed from the blocks; `resourceVersion` undefined: the object is missing. */
  | {
      readonly primitive: 'R3';
      /** Object name. */
      readonly handle: string;
      readonly handleId: string;
      readonly uid: string | undefined;
      readonly resourceVersion: string | undefined;
      /** Names of the blocks that hold its addresses, or that it names. */
      readonly blocks: readonly string[];
      /** True when a count is lowered or the object deleted, which only old, unchanged handles allow. */
      readonly lowers: boolean;
    }
  | {
      readonly primitive: 'R4' | 'R5' | 'R6' | 'R8';
      readonly affinity: string;
      readonly resourceVersion: string | undefined;
    }
  /** R4 for a block whose affinity object is missing: it is created first. */
  | { readonly primitive: 'R4'; readonly block: string; readonly owner: string }
  | {
      readonly primitive: 'R7';
      readonly kind: 'IPAMBlock' | 'BlockAffinity' | 'IPAMHandle';
      readonly name: string;
      readonly uid: string | undefined;
    }
  /** With an owner: the block must be owned by it, and it must have no affinity for it; without: the block has no owner. */
  | { readonly primitive: 'R9'; readonly block: string; readonly owner?: string };

export interface Repair {
  /** Absent when the repair is not a change of IPAM objects. */
  readonly primitive?: Primitive;
  /** True when --fix does it; false when a person must decide. */
  readonly automatic: boolean;
  readonly summary: string;
  /** The command that does the same by hand, where there is one. */
  readonly command?: string;
}

/** One finding as the report prints it. */
export interface Finding {
  readonly id: InvariantId;
  /** Other invariants that the same fault breaks. */
  readonly also: readonly InvariantId[];
  readonly title: string;
  readonly severity: Severity;
  readonly stability: Stability;
  readonly object: FoundObject;
  readonly related: readonly FoundObject[];
  readonly cidr?: string;
  readonly address?: string;
  readonly handle?: string;
  readonly node?: string;
  readonly owner?: FoundObject;
  readonly ageSeconds?: number;
  /** One fact per line. */
  readonly evidence: readonly string[];
  readonly repair?: Repair;
}

/** An object that a finding depends on: read again, live, before the finding counts as stable. */
export interface Dependency extends FoundObject {
  readonly kind: 'IPAMBlock' | 'BlockAffinity' | 'IPAMHandle' | 'Pod' | 'Node' | 'Service' | 'IPPool';
}

/** A finding with what is needed to confirm and repair it; only the finding is part of the report. */
export interface Judgement {
  readonly finding: Finding;
  /** The same for the same fault in any two readings. */
  readonly key: string;
  /** The state it was judged by (sequence number, handle, revision): if two readings differ, an operation is in progress. */
  readonly fingerprint: string;
  readonly dependencies: readonly Dependency[];
  readonly action?: RepairAction;
}
