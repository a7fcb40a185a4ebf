// Lines below the tables about nodes: what is wrong and what to do, who could not be asked, how many of what.

import type { NodeFinding } from '../faults/finding.ts';
import { groupBy } from '../node-state/group-by.ts';
import { partUnseen, type UnreachedNode, withoutNode } from '../node-state/unreached.ts';
import { counted } from '../text/wording.ts';
import { printable } from './columns.ts';
import type { Style } from './style.ts';

/** What is told of a problem, whichever rule found it. */
type Told = Pick<NodeFinding, 'id' | 'severity' | 'message' | 'object' | 'hint'>;

/** A problem as two lines: what, and `where` before it if that is not empty; then what to do. */
export function findingLines({ id, severity, message, object, hint }: Told, where: string, style: Style): string {
  const paint = severity === 'error' ? style.error : style.warning;
  const what = where === '' ? printable(message) : `${printable(where)}: ${printable(message)}`;
  const change = object === undefined ? '' : `${object.kind} ${printable(object.name)}: `;
  return `${paint(`${id} ${severity}`)} ${what}\n    ${change}${printable(hint)}\n`;
}

/** Problems of the data path, each with its node. */
export function nodeFindingLines(problems: readonly NodeFinding[], style: Style): string {
  return problems.map((problem) => findingLines(problem, problem.node, style)).join('');
}

/** Nodes that gave no answer, or only a part of it, a line for those with the same reason. */
export function unreachedNodeLines(unreached: readonly UnreachedNode[], style: Style): string {
  const lines = unreached.map(({ node, code, message, hint }) => {
    const word = code === partUnseen ? 'partly seen' : 'not asked';
    const more = hint === undefined ? '' : `\n    ${printable(hint)}`;
    return { node, word, text: `${printable(withoutNode(message, node))}${more}\n` };
  });
  return [...groupBy(lines, ({ word, text }) => `${word} ${text}`).values()]
    .map((group) => {
      const nodes = printable(group.map(({ node }) => node).join(', '));
      return `${style.warning(group[0]?.word ?? '')} ${nodes}: ${group[0]?.text}`;
    })
    .join('');
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
