// What `node verify` prints: a row a fact that is wrong, or every fact; problems and what was not seen below; a document.
import type { Fact } from '../datapath/verify/fact.ts';
import type { NodeFacts, NodeFactsList } from '../datapath/verify/node-facts.ts';
import { printYaml } from '../resources/yaml-text.ts';
import { ownTable, printable } from './columns.ts';
import { jsonDocument } from './json-document.ts';
import { counted, datapathProblemLines, foundText, unreachedNodeLines } from './node-problems.ts';
import { type Style, styleOf } from './style.ts';

const headings = ['NODE', 'SUBJECT', 'FACT', 'EXPECTED', 'SEEN', 'VERDICT'];

/** Names of so many facts that were not seen for one reason are told; more are counted. */
const namedPerReason = 3;

const verdictText = ({ verdict, id }: Fact): string => (verdict === 'wrong' ? `wrong ${id}` : verdict);

function factRow(node: string, fact: Fact): string[] {
  const { subject, fact: name, expected, seen, verdict } = fact;
  return [node, subject, name, expected, verdict === 'not observed' ? '-' : seen, verdictText(fact)];
}

/** What was not seen on a node, a line a reason: one program that is not there is many facts. */
function unseenLines({ node, facts }: NodeFacts, style: Style): string {
  const byReason = new Map<string, Fact[]>();
  for (const fact of facts) {
    if (fact.verdict === 'not observed') byReason.set(fact.seen, [...(byReason.get(fact.seen) ?? []), fact]);
  }
  return [...byReason]
    .map(([reason, unseen]) => {
      const names = unseen.slice(0, namedPerReason).map(({ subject, fact }) => `${fact} of ${subject}`);
      const more = unseen.length - names.length;
      const what = printable(names.join(', ')) + (more > 0 ? ` and ${more} more` : '');
      return `${style.dim('not observed')} ${printable(node)}: ${what}\n    ${printable(reason)}\n`;
    })
    .join('');
}

/** The table of what is wrong, with `all` of every fact that the list kept; what was not seen is told below it. */
export function nodeVerifyText(list: NodeFactsList, all: boolean, colour: boolean): string {
  const { items, problems, unreached } = list;
  const style = styleOf(colour);
  const rows = items.flatMap(({ node, facts }) =>
    facts.filter(({ verdict }) => all || verdict === 'wrong').map((fact) => factRow(node, fact)),
  );
  const below =
    datapathProblemLines(problems, style) +
    items.map((item) => unseenLines(item, style)).join('') +
    unreachedNodeLines(unreached, style);
  const reached = items.filter((item) => item.reached);
  const count = (verdict: Fact['verdict']): number =>
    reached.reduce((sum, { facts }) => sum + facts.filter((fact) => fact.verdict === verdict).length, 0);
  const right = reached.reduce((sum, item) => sum + item.right, 0);
  const [unseen, total] = [count('not observed'), right + count('wrong') + count('not observed')];
  const summary = `${right} of ${counted(total, 'fact')} of ${counted(reached.length, 'node')} are right, ${unseen} not observed`;
  return (
    (rows.length === 0 ? '' : ownTable(headings, rows)) +
    (below === '' ? '' : `${below}\n`) +
    `${summary}; ${foundText(problems, unreached)}.\n`
  );
}

function document({ items, problems, unreached }: NodeFactsList): object {
  return {
    kind: 'NodeFactsList',
    items: items.map(({ node, reached, right, facts }) => ({
      node,
      reached,
      right,
      facts: facts.map(({ subject, fact, expected, seen, verdict, id, severity, hint, command, peer }) => ({
        ...{ subject, fact, expected, seen, verdict },
        ...(verdict === 'wrong' ? { problem: id, severity, hint } : {}),
        ...{ peer, command },
      })),
    })),
    problems,
    unreached,
  };
}

export const nodeVerifyJson = (list: NodeFactsList): string => jsonDocument(document(list));
export const nodeVerifyYaml = (list: NodeFactsList): string => printYaml(document(list));
