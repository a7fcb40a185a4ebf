// What a long operation reports of how far it is. Types only; src/cli/progress.ts shows it on a terminal.

/** How much of it is done. */
export interface Steps {
  readonly done: number;
  /** Absent while it is not known how much there is. */
  readonly total?: number | undefined;
  /** What is counted, plural: `objects`, `repairs`, `nodes`. */
  readonly unit: string;
  /** Shown after the counts: `48200 objects`. */
  readonly detail?: string;
}

/** Called as often as something is done; `text` says what is being done: `reading`, `repairing`. */
export type Progress = (text: string, steps?: Steps) => void;
