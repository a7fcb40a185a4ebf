// What a snapshot contains: kinds and nodes with their counts, and what could not be read.
export interface SavedSnapshot {
  readonly capturedAt: Date;
  readonly objects: readonly { readonly kind: string; readonly count: number }[];
  readonly unread: readonly { readonly kind: string; readonly reason: string }[];
  /** Undefined when no nodes were recorded. */
  readonly nodes: readonly SavedNode[] | undefined;
}

export interface SavedNode {
  readonly node: string;
  readonly commands: number;
  /** Why some or all commands have no output. */
  readonly lost: { readonly count: number; readonly message: string } | undefined;
}
