// Lines below the tables about nodes: what is wrong and what to do, who could not be asked, how many of what.
import type { DatapathProblem } from '../datapath/problem.ts';
import { partUnseen, type UnreachedNode } from '../datapath/unreached.ts';
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
    .map(({ node, code, message, hint }) => {
      const more = hint === undefined ? '' : `\n    ${printable(hint)}`;
      const word = code === partUnseen ? 'partly seen' : 'not asked';
      return `${style.warning(word)} ${printable(node)}: ${printable(message)}${more}\n`;
    })
    .join('');
}

export function counted(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? '' : 's'}`;
}

/** The end of a summary: `2 problems, 1 node not asked, 1 partly seen`. */
export function foundText(problems: readonly unknown[], unreached: readonly UnreachedNode[]): string {
  const partly = unreached.filter(({ code }) => code === partUnseen).length;
  const not = unreached.length - partly;
  const parts = [
    problems.length === 0 ? 'no problems' : counted(problems.length, 'problem'),
    ...(not === 0 ? [] : [`${counted(not, 'node')} not asked`]),
    ...(partly === 0 ? [] : [`${counted(partly, 'node')} partly seen`]),
  ];
  return parts.join(', ');
}
