// Colours by what they mean. Whether there are any is decided by the terminal and the flags, not here.
import { Chalk } from 'chalk';

type Paint = (text: string) => string;

export interface Style {
  readonly error: Paint;
  readonly warning: Paint;
  readonly ok: Paint;
  /** Names of what a line is about. */
  readonly strong: Paint;
  /** What can be skipped. */
  readonly dim: Paint;
}

/** The paints; without colour they change nothing. */
export function styleOf(colour: boolean): Style {
  const { red, yellow, green, bold, dim } = new Chalk({
    level: colour ? 1 : 0,
  });
  return { error: red, warning: yellow, ok: green, strong: bold, dim };
}
