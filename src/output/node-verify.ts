// What `node verify` prints: a row a fact that is wrong or was not seen, or every fact; problems below; a document.
import type { Fact } from '../datapath/verify/fact.ts';
import type { NodeFacts, NodeFactsList } from '../datapath/verify/node-facts.ts';
import { printYaml } from '../resources/yaml-text.ts';
import { ownTable } from './columns.ts';
import { jsonDocument } from './json-document.ts';
import { counted, datapathProblemLines, foundText, unreachedNodeLines } from './node-problems.ts';
import { styleOf } from './style.ts';

const headings = ['NODE', 'SUBJECT', 'FACT', 'EXPECTED', 'SEEN', 'VERDICT'];

/** Facts that were not seen for one reason beyond this many are one row. */
const listedPerReason = 3;

const verdictText = ({ verdict, id }: Fact): string => (verdict === 'wrong' ? `wrong ${id}` : verdict);

function factRow(node: string, fact: Fact): string[] {
  return [node, fact.subject, fact.fact, fact.expected, fact.seen, verdictText(fact)];
}

/** Rows of one node: what was not seen for one reason (a program that is not there) is told once. */
function rowsOf({ node, facts }: NodeFacts, all: boolean): string[][] {
  if (all) return facts.map((fact) => factRow(node, fact));
  const byReason = new Map<string, number>();
  for (const { verdict, seen } of facts) {
    if (verdict === 'not observed') byReason.set(seen, (byReason.get(seen) ?? 0) + 1);
  }
  const told = new Set<string>();
  return facts.flatMap((fact): string[][] => {
    if (fact.verdict === 'ok') return [];
    const count = fact.verdict === 'not observed' ? (byReason.get(fact.seen) ?? 0) : 0;
    if (count <= listedPerReason) return [factRow(node, fact)];
    if (told.has(fact.seen)) return [];
    told.add(fact.seen);
    return [[node, 'several', counted(count, 'fact'), '', fact.seen, fact.verdict]];
  });
}

/** The table; without `all` only of what is wrong or was not seen. */
export function nodeVerifyText(list: NodeFactsList, all: boolean, colour: boolean): string {
  const { items, problems, unreached } = list;
  const style = styleOf(colour);
  const rows = items.flatMap((item) => rowsOf(item, all));
  const below = datapathProblemLines(problems, style) + unreachedNodeLines(unreached, style);
  const reached = items.filter((item) => item.reached);
  const facts = reached.flatMap((item) => item.facts);
  const unseen = facts.filter(({ verdict }) => verdict === 'not observed').length;
  const right = facts.filter(({ verdict }) => verdict === 'ok').length;
  const summary = `${right} of ${counted(facts.length, 'fact')} of ${counted(reached.length, 'node')} are right, ${unseen} not observed`;
  return (
    (rows.length === 0 ? '' : ownTable(headings, rows)) +
    (below === '' ? '' : `${below}\n`) +
    `${summary}; ${foundText(problems, unreached)}.\n`
  );
}

function document({ items, problems, unreached }: NodeFactsList, all: boolean): object {
  return {
    kind: 'NodeFactsList',
    items: items.map(({ node, reached, facts }) => ({
      node,
      reached,
      right: facts.filter(({ verdict }) => verdict === 'ok').length,
      facts: facts
        .filter(({ verdict }) => all || verdict !== 'ok')
        .map(({ subject, fact, expected, seen, verdict, id, severity, hint, command, peer }) => ({
          ...{ subject, fact, expected, seen, verdict },
          ...(verdict === 'wrong' ? { problem: id, severity, hint } : {}),
          ...{ peer, command },
        })),
    })),
    problems,
    unreached,
  };
}

export const nodeVerifyJson = (list: NodeFactsList, all: boolean): string => jsonDocument(document(list, all));
export const nodeVerifyYaml = (list: NodeFactsList, all: boolean): string => printYaml(document(list, all));
