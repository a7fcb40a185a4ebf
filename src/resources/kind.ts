// The description of a kind: where it is stored, what it is called, what its fields are, and how it is shown.
import type { ZodMiniType } from 'zod/mini';
import type { KubeObject } from './object.ts';

/** What a column may need beside the object itself. */
export interface ColumnContext {
  /** AS number of the cluster, for nodes that have none of their own: `64512`, or `unknown`. */
  readonly clusterAsNumber: string;
  /** Pools in name order, for the POOL column of blocks. */
  readonly pools: readonly { readonly name: string; readonly cidr: string }[];
  /** Reserved CIDRs of all IPReservations, for the RESERVED column of blocks. */
  readonly reservedCidrs: readonly string[];
}

export interface Column<T extends KubeObject = KubeObject> {
  readonly heading: string;
  cell(object: T, context: ColumnContext): string;
}

/**
 * One kind: where the API server keeps it, how it is called on a command line, what its fields are, how it is shown.
 * The phantom parameter T is the stored form that a Datastore hands out for it.
 */
export interface Kind<T extends KubeObject = KubeObject> {
  /** CamelCase, as in manifests: `IPPool`. */
  readonly kind: string;
  /** Lower-case names accepted on the command line, the plural of the API among them. */
  readonly aliases: readonly string[];
  readonly namespaced: boolean;
  /** API group (empty for core), version and plural under which the API server holds it. */
  readonly api: { readonly group: string; readonly version: string; readonly plural: string };
  /** True when the stored CR is shown as `projectcalico.org/v3` (metadata annotation, translated uid). */
  readonly v3: boolean;
  /** True when it can be named on the command line. */
  readonly onCommandLine: boolean;
  /** Types and validation; its parse output is never used. */
  readonly schema: ZodMiniType;
  /** Dotted paths of fields declared int64 (`*` for any key): always bigint. */
  readonly int64: readonly string[];
  /** Defaults that a read applies, on a copy; absent when there are none. */
  withDefaults?(object: T): T;
  readonly columns: {
    readonly default: readonly Column<T>[];
    readonly wide: readonly Column<T>[];
    /** Columns that only custom-columns can name. */
    readonly extra?: readonly Column<T>[];
  };
  /**
   * Order of the keys of spec (and of nested objects, by dotted path) in JSON output; others follow as stored.
   * `*` after a name: printed even when empty; `?`: only unset is left out, zero is printed. The rest is left out when
   * empty, zero or false. An object whose path has no entry here is a map.
   */
  readonly fieldOrder: Readonly<Record<string, readonly string[]>>;
}
