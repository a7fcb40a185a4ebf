// Lines below the tables about nodes: what is wrong and what to do, who could not be asked, how many of what.
import type { DatapathProblem } from '../datapath/problem.ts';
import type { UnreachedNode } from '../datapath/unreached.ts';
import { printable } from './columns.ts';
import type { Style } from './style.ts';

/** A problem as two lines: what and where, then what to do. */
export function datapathProblemLines(problems: readonly DatapathProblem[], style: Style): string {
  return problems
    .map(({ id, severity, node, message, object, hint }) => {
      const paint = severity === 'error' ? style.error : style.warning;
      const where = object === undefined ? '' : `${object.kind} ${printable(object.name)}: `;
      return `${paint(`${id} ${severity}`)} ${printable(node)}: ${printable(message)}\n    ${where}${printable(hint)}\n`;
    })
    .join('');
}

/** A node that gave no answer, or only a part of it. */
export function unreachedNodeLines(unreached: readonly UnreachedNode[], style: Style): string {
  return unreached
    .map(({ node, message, hint }) => {
      const more = hint === undefined ? '' : `\n    ${printable(hint)}`;
      return `${style.warning('not asked')} ${printable(node)}: ${printable(message)}${more}\n`;
    })
    .join('');
}

export function counted(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? '' : 's'}`;
}

/** The end of a summary: `2 problems, 1 node not asked`. */
export function foundText(problems: readonly unknown[], unreached: readonly unknown[]): string {
  const found = problems.length === 0 ? 'no problems' : counted(problems.length, 'problem');
  return unreached.length === 0 ? found : `${found}, ${counted(unreached.length, 'node')} not asked`;
}
