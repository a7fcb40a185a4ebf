// Colours by what they mean, the only user of chalk. The terminal and the flags decide whether there are any, not this.
import { Chalk } from 'chalk';

/** What a text is made for: the width has no end off a terminal. */
export interface TextView {
  readonly columns: number;
  readonly colour: boolean;
}

export type Paint = (text: string) => string;

export interface Style {
  readonly error: Paint;
  readonly warning: Paint;
  readonly ok: Paint;
  /** Names of what a line is about. */
  readonly strong: Paint;
  /** Where something is: the lines that a difference begins at. */
  readonly hunk: Paint;
  /** What can be skipped. */
  readonly dim: Paint;
  /** Colours that tell many things of one sort apart, such as nodes. */
  readonly distinct: readonly Paint[];
}

/** The paints; without colour they change nothing. */
export function styleOf(colour: boolean): Style {
  const chalk = new Chalk({ level: colour ? 1 : 0 });
  const { red, yellow, green, bold, dim } = chalk;
  // Red is for what is wrong.
  const distinct = [
    chalk.cyan,
    green,
    yellow,
    chalk.magenta,
    chalk.blueBright,
    chalk.cyanBright,
    chalk.greenBright,
    chalk.yellowBright,
    chalk.magentaBright,
  ];
  return { error: red, warning: yellow, ok: green, strong: bold, hunk: chalk.cyan, dim, distinct };
}
