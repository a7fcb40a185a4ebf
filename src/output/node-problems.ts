// Lines below the tables about nodes: what is wrong and what to do, who could not be asked, how many of what.
import type { DatapathProblem } from '../datapath/problem.ts';
import { partUnseen, type UnreachedNode, withoutNode } from '../datapath/unreached.ts';
import { printable } from './columns.ts';
import type { Style } from './style.ts';

/** What a text about nodes is made for; off a terminal the width has no end. */
export interface NodeView {
  readonly columns: number;
  readonly colour: boolean;
}

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

/** Nodes that gave no answer, or only a part of it, a line for those with the same reason. */
export function unreachedNodeLines(unreached: readonly UnreachedNode[], style: Style): string {
  const nodesByText = new Map<string, string[]>();
  for (const { node, code, message, hint } of unreached) {
    const word = style.warning(code === partUnseen ? 'partly seen' : 'not asked');
    const more = hint === undefined ? '' : `\n    ${printable(hint)}`;
    const key = JSON.stringify([word, `${printable(withoutNode(message, node))}${more}\n`]);
    nodesByText.set(key, [...(nodesByText.get(key) ?? []), node]);
  }
  return [...nodesByText]
    .map(([key, nodes]) => {
      const [word, text] = JSON.parse(key) as [string, string];
      return `${word} ${printable(nodes.join(', '))}: ${text}`;
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
