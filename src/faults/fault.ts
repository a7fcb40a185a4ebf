// The shape of a catalogue entry, and the words of this subject, each with one meaning in all modules:
// - a fault is an entry of the catalogue: something that can be wrong, by a stable id;
// - a finding (finding.ts) says that a fault is there: where, on what evidence, what to do;
// - a fact (datapath/verify) is one thing that was checked; a fact that is wrong becomes a finding.

/** `error`: traffic is lost or will be; `warning`: waste, risk, or harm in rare cases only. */
export type FaultSeverity = 'error' | 'warning';

export interface Fault {
  /** `F62`: stays the same from release to release. */
  readonly id: string;
  /** What is wrong, as a heading. */
  readonly title: string;
  /** The severities that a finding can have, the usual one first. */
  readonly severities: readonly [FaultSeverity, ...FaultSeverity[]];
  /** What it means for traffic, and how it is recognized where that is not obvious. */
  readonly meaning: string;
  readonly whatToDo: string;
  /** Nothing is broken: it is reported, and the exit code stays 0. */
  readonly isAdvice?: true;
}
