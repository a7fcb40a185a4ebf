// The result of a parser: the value with the lines that were not understood, or why there is no value.
// A parser never throws and never invents a value: what is not in the text is absent.

/** Read from the output of a program. */
export interface Understood<T> {
  readonly ok: true;
  readonly value: T;
  /** Lines or entries that were not understood, at most ten, each cut to 120 characters. */
  readonly skipped: readonly string[];
}

/** The text is not what the program normally prints: another language, an error, a part of the output. */
export interface NotUnderstood {
  readonly ok: false;
  /** One clause for people: `no line "BIRD ... ready."`. */
  readonly problem: string;
}

export type Parsed<T> = Understood<T> | NotUnderstood;
