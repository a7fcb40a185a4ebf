// What is said of an invariant: how a breach is called, how bad it is, what it means and what to do about it.

/** `error`: address safety or allocation is broken; `warning`: waste or future trouble. */
export type Severity = 'error' | 'warning' | 'info';

export interface Invariant {
  /** The heading of a finding: what is wrong. */
  readonly title: string;
  /** The severities that a finding of it can have, the usual one first. */
  readonly severities: readonly [Severity, ...Severity[]];
  /** What it means for the cluster. */
  readonly meaning: string;
  readonly whatToDo: string;
}
