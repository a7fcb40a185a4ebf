// What the catalogue says of one invariant: what its breach is called, how bad it is, what it means, what to do about it,
// and what must have been read to judge it.

/** `error`: addresses or allocation are at risk; `warning`: waste or future trouble; `info`: good to know. */
export type Severity = 'error' | 'warning' | 'info';

/**
 * Kinds that a check can do without. When one of them cannot be read, the invariants that need it are not judged.
 * A live store must give blocks, pools, pods and nodes; a folder may be a dump without them.
 */
export type OptionalKind =
  | 'BlockAffinity'
  | 'ClusterInformation'
  | 'IPAMBlock'
  | 'IPAMConfig'
  | 'IPAMHandle'
  | 'IPPool'
  | 'IPReservation'
  | 'KubeControllersConfiguration'
  | 'Node'
  | 'Pod'
  | 'Service'
  | 'WorkloadEndpoint';

export interface Invariant {
  /** The heading of a finding: what is wrong, in lower case and without a full stop. */
  readonly title: string;
  /** The severities that a finding can have, the usual one first. */
  readonly severities: readonly [Severity, ...Severity[]];
  /** What must have been read to judge it. */
  readonly needs: readonly OptionalKind[];
  /** What a breach means for the cluster, in sentences. */
  readonly meaning: string;
  /** What to do about a breach, in sentences. */
  readonly whatToDo: string;
}
