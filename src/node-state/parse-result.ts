// What a parser answers: the value with what it could not read of the text, or why there is no value.
// A parser never throws and never makes up a value: what is not in the text is absent.

/** Read from a text that a program printed. */
export interface Understood<T> {
  readonly ok: true;
  readonly value: T;
  /** Lines or entries that were not understood, at most ten, each cut to 120 characters. */
  readonly skipped: readonly string[];
}

/** The text is not what the program prints: another language, an error, half of it. */
export interface NotUnderstood {
  readonly ok: false;
  /** One clause for people: `no line "BIRD ... ready."`. */
  readonly problem: string;
}

export type Parsed<T> = Understood<T> | NotUnderstood;
