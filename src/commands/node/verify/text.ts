// What `node verify` prints: one row per fact that is wrong, or per fact; findings and what was not seen below; a document.

import type { Fact } from '../../../datapath/verify/fact.ts';
import type { NodeFacts, NodeFactsList } from '../../../datapath/verify/node-facts.ts';
import { withoutNode } from '../../../node-state/unreached.ts';
import { nodeFindingLines, nodeReport, type Surroundings, verdictCell } from '../../../output/findings.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { printable } from '../../../output/printable.ts';
import { type Style, styleOf, type TextView } from '../../../output/style.ts';
import { type Cell, textTable } from '../../../output/table.ts';
import { counted, listed } from '../../../text/wording.ts';
import { printYaml } from '../../../text/yaml.ts';

const headings = ['NODE', 'SUBJECT', 'FACT', 'EXPECTED', 'SEEN', 'VERDICT'];

/** Of what was not seen for one reason, so many names are shown; more are counted. */
const namedPerReason = 3;

function factRow(node: string, fact: Fact, style: Style): Cell[] {
  const { subject, fact: name, expected, seen, verdict } = fact;
  const cell = verdictCell(verdict, verdict === 'wrong' ? fact : undefined, style);
  return [node, subject, name, expected, verdict === 'not observed' ? '-' : seen, cell];
}

const some = (names: readonly string[]): string => printable(listed(names, namedPerReason));

/** What was not seen, one line for the same facts and reason on all nodes: a missing program is many facts. */
function unseenLines(items: readonly NodeFacts[], style: Style): string {
  const nodesByText = new Map<string, string[]>();
  for (const { node, facts } of items) {
    const byReason = new Map<string, string[]>();
    for (const { subject, fact, seen, verdict } of facts) {
      if (verdict !== 'not observed') continue;
      const reason = withoutNode(seen, node);
      byReason.set(reason, [...(byReason.get(reason) ?? []), `${fact} of ${subject}`]);
    }
    for (const [reason, names] of byReason) {
      const text = `${some(names)}\n    ${printable(reason)}\n`;
      nodesByText.set(text, [...(nodesByText.get(text) ?? []), node]);
    }
  }
  return [...nodesByText].map(([text, nodes]) => `${style.dim('not observed')} ${some(nodes)}: ${text}`).join('');
}

/** The table of what is wrong, with `all` of every fact that the list kept; what was not seen is listed below. */
export function nodeVerifyText(list: NodeFactsList & Surroundings, all: boolean, view: TextView): string {
  const { items, findings, unreached, unread, notAsked, installation } = list;
  const style = styleOf(view.colour);
  const rows = items.flatMap(({ node, facts }) =>
    facts.filter(({ verdict }) => all || verdict === 'wrong').map((fact) => factRow(node, fact, style)),
  );
  const reached = items.filter((item) => item.reached);
  const count = (verdict: Fact['verdict']): number =>
    reached.reduce((sum, { facts }) => sum + facts.filter((fact) => fact.verdict === verdict).length, 0);
  const right = reached.reduce((sum, item) => sum + item.right, 0);
  const [unseen, total] = [count('not observed'), right + count('wrong') + count('not observed')];
  const report = {
    table: rows.length === 0 ? '' : textTable(headings, rows, view.columns),
    lines: nodeFindingLines(findings, style) + unseenLines(items, style),
    summary: `${right} of ${counted(total, 'fact')} on ${counted(reached.length, 'node')} are as expected, ${unseen} not observed`,
    findings,
    unreached,
    unread,
    notAsked,
    installation,
  };
  return nodeReport(report, view);
}

function document({ items, findings, unreached, ...rest }: NodeFactsList & Surroundings): object {
  return {
    kind: 'NodeFactsList',
    installation: rest.installation,
    items: items.map(({ node, reached, right, facts }) => ({
      node,
      reached,
      right,
      facts: facts.map(({ subject, fact, expected, seen, verdict, id, severity, hint, command, peer }) => ({
        subject,
        fact,
        expected,
        seen,
        verdict,
        ...(verdict === 'wrong' ? { problem: id, severity, hint } : {}),
        peer,
        command,
      })),
    })),
    problems: findings,
    unreached,
    unread: rest.unread,
    notAsked: rest.notAsked,
  };
}

export const nodeVerifyJson = (list: NodeFactsList & Surroundings): string => jsonDocument(document(list));
export const nodeVerifyYaml = (list: NodeFactsList & Surroundings): string => printYaml(document(list));
