// Lines below the tables about nodes: what is wrong and what to do, which nodes were not reached, how many there are.

import type { NodeFinding } from '../faults/finding.ts';
import { partUnseen, type UnreachedNode, withoutNode } from '../node-state/unreached.ts';
import { groupBy } from '../text/group-by.ts';
import { counted } from '../text/wording.ts';
import { printable } from './columns.ts';
import type { Style } from './style.ts';

/** The parts of a finding that are printed. */
type Printed = Pick<NodeFinding, 'id' | 'severity' | 'message' | 'object' | 'hint'>;

/** A finding as two lines: what is wrong, after `where` if that is not empty, and what to do. */
export function findingLines({ id, severity, message, object, hint }: Printed, where: string, style: Style): string {
  const paint = severity === 'error' ? style.error : style.warning;
  const what = where === '' ? printable(message) : `${printable(where)}: ${printable(message)}`;
  const change = object === undefined ? '' : `${object.kind} ${printable(object.name)}: `;
  return `${paint(`${id} ${severity}`)} ${what}\n    ${change}${printable(hint)}\n`;
}

/** Findings of the data path, each with its node. */
export function nodeFindingLines(findings: readonly NodeFinding[], style: Style): string {
  return findings.map((finding) => findingLines(finding, finding.node, style)).join('');
}

/** Nodes that gave no answer, or only a part of it: one line for all with the same reason. */
export function unreachedNodeLines(unreached: readonly UnreachedNode[], style: Style): string {
  const lines = unreached.map(({ node, code, message, hint }) => {
    const word = code === partUnseen ? 'partly read' : 'unreachable';
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

/** The end of a summary: `2 problems, 1 node unreachable, 1 partly read`. */
export function foundText(findings: readonly unknown[], unreached: readonly UnreachedNode[]): string {
  const partly = unreached.filter(({ code }) => code === partUnseen).length;
  const not = unreached.length - partly;
  const parts = [
    findings.length === 0 ? 'no problems' : counted(findings.length, 'problem'),
    ...(not === 0 ? [] : [`${counted(not, 'node')} unreachable`]),
    ...(partly === 0 ? [] : [`${partly} partly read`]),
  ];
  return parts.join(', ');
}
