// What `ipam release` plans to do and how it ended: plain data.
import type { AffinityRef } from '../affinity/release-by-hand.ts';
import type { GuardedRelease } from './release.ts';

export interface PlannedRelease extends GuardedRelease {
  /** For display: whose address it was. */
  readonly about: string;
  /** The pod, node or service that the allocation names, to be read again before the write. */
  readonly namedOwner:
    | { readonly kind: 'Pod' | 'Node' | 'Service'; readonly name: string; readonly namespace?: string }
    | undefined;
}

export interface AddressInUse {
  readonly address: string;
  /** `Pod shop/cart-0` and the like. */
  readonly users: readonly string[];
}

/** A handle object that a report calls leaked, still at the revision of the report. */
export interface PlannedHandle {
  readonly handle: string;
  readonly handleId: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly blocks: readonly string[];
}

export interface ReleasePlan {
  readonly requests: readonly PlannedRelease[];
  readonly handles: readonly PlannedHandle[];
  /** Named, but in use: refused, or with --force among the requests too. */
  readonly inUse: readonly AddressInUse[];
  /** Named, but not allocated. */
  readonly unassigned: readonly string[];
  /** Called leaked by a report, and allocated again since: left alone. */
  readonly changed: readonly string[];
  /** Called leaked by a report, and free by now: nothing left to do. */
  readonly alreadyFree: readonly string[];
  /** Handles that a report calls leaked and that may be allocations in progress: left alone. */
  readonly young: readonly string[];
  /** Only when a node is named. */
  readonly nodeAffinities?: NodeAffinities;
}

/** The block affinities of the node whose addresses are released. */
export interface NodeAffinities {
  readonly node: string;
  readonly nodeExists: boolean;
  readonly affinities: readonly AffinityRef[];
  /** True when they are released after the addresses. */
  readonly released: boolean;
}

export interface ReleaseOutcome {
  /** An address, the name of a handle object, or the CIDR of a block that was claimed or released. */
  readonly subject: string;
  readonly outcome: 'applied' | 'conflict' | 'skipped' | 'failed';
  readonly detail?: string;
}

export interface Released {
  readonly plan: ReleasePlan;
  readonly dryRun: boolean;
  readonly outcomes: readonly ReleaseOutcome[];
}
