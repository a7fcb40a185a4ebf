// What went into a snapshot: kinds and nodes with their counts, and what could not be had.

export interface SavedSnapshot {
  readonly capturedAt: Date;
  readonly objects: readonly { readonly kind: string; readonly count: number }[];
  readonly unread: readonly { readonly kind: string; readonly reason: string }[];
  /** Undefined when nodes were not asked for. */
  readonly nodes: readonly SavedNode[] | undefined;
}

export interface SavedNode {
  readonly node: string;
  readonly commands: number;
  /** Why some commands, or all, have no answer. */
  readonly lost: { readonly count: number; readonly message: string } | undefined;
}
