// Lines below the tables about nodes: what is wrong and what to do, which nodes did not answer, how many of each.

import type { NodeFinding } from '../faults/finding.ts';
import {
  type NodeNotAsked,
  partUnseen,
  type UnreachedNode,
  type UnreadKind,
  withoutNode,
} from '../node-state/unreached.ts';
import { groupBy } from '../text/group-by.ts';
import { counted, listed, sentence } from '../text/wording.ts';
import { printable } from './printable.ts';
import { type Paint, type Style, styleOf, type TextView } from './style.ts';
import type { Cell } from './table.ts';
import { wrapLines } from './wrap.ts';

/** What is shown of a finding, whichever rule made it. */
type Shown = Pick<NodeFinding, 'id' | 'severity' | 'message' | 'object' | 'hint'>;

const paintOf = (severity: NodeFinding['severity'], style: Style): Paint =>
  severity === 'error' ? style.error : style.warning;

/** A finding as two lines: what, after `where` if that is not empty; then what to do. */
export function findingLines({ id, severity, message, object, hint }: Shown, where: string, style: Style): string {
  const what = where === '' ? printable(message) : `${printable(where)}: ${printable(message)}`;
  const change = object === undefined ? '' : `${object.kind} ${printable(object.name)}: `;
  return `${paintOf(severity, style)(`${id} ${severity}`)} ${what}\n    ${sentence(`${change}${printable(hint)}`)}\n`;
}

/** The last column of a comparison: `ok`, or the verdict with the id of the finding that it led to. */
export function verdictCell(
  verdict: string,
  finding: (Pick<NodeFinding, 'severity'> & { readonly id: string | undefined }) | undefined,
  style: Style,
): Cell {
  if (finding !== undefined) return { text: `${verdict} ${finding.id}`, paint: paintOf(finding.severity, style) };
  return { text: verdict, paint: verdict === 'ok' ? style.ok : style.dim };
}

/** Findings of the data path, each with its node. */
export function nodeFindingLines(findings: readonly NodeFinding[], style: Style): string {
  return findings.map((finding) => findingLines(finding, finding.node, style)).join('');
}

/** Nodes that gave no answer, or only a part of it: one line for all with the same reason. */
function unreachedLines(unreached: readonly UnreachedNode[], style: Style): string {
  const lines = unreached.map(({ node, code, message, hint }) => {
    const word = code === partUnseen ? 'partly read' : 'unreachable';
    const more = hint === undefined ? '' : `\n    ${sentence(printable(hint))}`;
    return { node, word, text: `${printable(withoutNode(message, node))}${more}\n` };
  });
  return [...groupBy(lines, ({ word, text }) => `${word} ${text}`).values()]
    .map((group) => {
      const nodes = printable(group.map(({ node }) => node).join(', '));
      return `${style.warning(group[0]?.word ?? '')} ${nodes}: ${group[0]?.text}`;
    })
    .join('');
}

/** `2 problems, 1 node unreachable, 1 node partly read`. */
function foundText(findings: readonly unknown[], unreached: readonly UnreachedNode[]): string {
  const partly = unreached.filter(({ code }) => code === partUnseen).length;
  const not = unreached.length - partly;
  // Of a node that was not read, nothing is known.
  const none = not > 0 ? 'no problems found' : 'no problems';
  const parts = [findings.length === 0 ? none : counted(findings.length, 'problem')];
  if (not > 0) parts.push(`${counted(not, 'node')} unreachable`);
  if (partly > 0) parts.push(`${counted(partly, 'node')} partly read`);
  return parts.join(', ');
}

/** The last line of a report: where its findings are explained. Empty for a report without any. */
export function explainLine(findings: readonly { readonly id: string }[]): string {
  const [first] = findings;
  return first === undefined ? '' : `To see what a finding means and what to do, run 'calictl explain ${first.id}'.\n`;
}

/** For a list that the plain table shortens. */
export const moreInWide = (count: number): string => (count > 0 ? `… and ${count} more; -o wide lists them all\n` : '');

/** What a report says of the whole call, besides nodes and findings. */
export interface Surroundings {
  /** The kind of installation, in one line; empty when nothing of it is known. */
  readonly installation: string;
  /** Nodes on which calico-node never runs. */
  readonly notAsked: readonly NodeNotAsked[];
}

export interface NodeReport extends Surroundings {
  /** Empty when there is nothing to list. */
  readonly table: string;
  readonly lines: string;
  readonly summary: string;
  /** Counted in the summary: those that are shown as one are one. */
  readonly findings: readonly { readonly id: string }[];
  readonly unreached: readonly UnreachedNode[];
  readonly unread: readonly UnreadKind[];
}

/** Kinds that were not read, one line each. */
function unreadLines(unread: readonly UnreadKind[], style: Style): string {
  return unread
    .map(
      ({ kind, reason }) =>
        `${style.warning('not read')} ${kind}: ${printable(reason)}; what depends on it is not judged\n`,
    )
    .join('');
}

/** Nodes that are not asked, one line for all with the same reason. */
function notAskedLines(notAsked: readonly NodeNotAsked[], style: Style): string {
  return [...groupBy(notAsked, ({ why }) => why)]
    .map(([why, nodes]) => `${style.dim('not asked')} ${printable(listed(nodes.map(({ node }) => node)))}: ${why}\n`)
    .join('');
}

/** A report about nodes: the table, then findings and nodes that did not answer, then the summary. */
export function nodeReport(report: NodeReport, { colour, columns }: TextView): string {
  const { table, findings, unreached } = report;
  const style = styleOf(colour);
  const lines =
    report.lines +
    unreachedLines(unreached, style) +
    unreadLines(report.unread, style) +
    notAskedLines(report.notAsked, style);
  const installation = report.installation === '' ? '' : `Installation: ${report.installation}.\n`;
  const summary = `${report.summary}; ${foundText(findings, unreached)}.\n${installation}${explainLine(findings)}`;
  const below = wrapLines(lines === '' ? summary : `${lines}\n${summary}`, columns);
  return table === '' ? below : `${table}\n${below}`;
}
