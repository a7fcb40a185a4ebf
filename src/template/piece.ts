// What a template prints, in parts.

/** A part of what a template prints: of the template itself, or the text of a value. */
export interface Piece {
  readonly text: string;
  readonly isValue: boolean;
}

/** Applies a template to a value. Errors: EvaluationError. */
export type Template<Value> = (value: Value) => readonly Piece[];
