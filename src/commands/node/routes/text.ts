// What `node routes` prints: a row a route that is not as expected, or every route; findings below; the whole as a document.

import type { RouteComparison } from '../../../datapath/routes/comparison.ts';
import type { NodeRoutesList } from '../../../datapath/routes/node-routes.ts';
import { foundText, nodeFindingLines, unreachedNodeLines } from '../../../output/findings.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { styleOf, type TextView } from '../../../output/style.ts';
import { textTable } from '../../../output/table.ts';
import { wrapLines } from '../../../output/wrap.ts';
import { counted } from '../../../text/wording.ts';
import { printYaml } from '../../../text/yaml.ts';

const headings = ['NODE', 'DESTINATION', 'EXPECTED', 'SEEN', 'VERDICT', 'WHY'];

const verdictText = ({ verdict, finding }: RouteComparison): string =>
  finding === undefined ? verdict : `${verdict} ${finding.id}`;

/** The table of the routes that the list kept. */
export function nodeRoutesText(list: NodeRoutesList, { colour, columns }: TextView): string {
  const { items, findings, unreached } = list;
  const style = styleOf(colour);
  const rows = items.flatMap(({ node, routes }) =>
    routes.map((one) => [...[node, one.destination, one.expected, one.seen], ...[verdictText(one), one.why]]),
  );
  const below = nodeFindingLines(findings, style) + unreachedNodeLines(unreached, style);
  const reached = items.filter((item) => item.reached);
  const right = reached.reduce((sum, { asExpected }) => sum + asExpected, 0);
  const wrong = reached.reduce((sum, { routes }) => sum + routes.filter(({ verdict }) => verdict !== 'ok').length, 0);
  const summary = `${right} of ${counted(right + wrong, 'route')} of ${counted(reached.length, 'node')} are as expected`;
  return (
    (rows.length === 0 ? '' : `${textTable(headings, rows, columns)}\n`) +
    wrapLines(`${below === '' ? '' : `${below}\n`}${summary}; ${foundText(findings, unreached)}.\n`, columns)
  );
}

function document({ items, findings, unreached }: NodeRoutesList): object {
  return {
    kind: 'NodeRoutesList',
    items: items.map(({ node, reached, asExpected, routes }) => ({
      node,
      reached,
      asExpected,
      routes: routes.map(({ version, destination, subject, peer, expected, seen, verdict, finding, why, command }) => ({
        ...{ ipVersion: version, destination, for: subject, peer, expected, seen, verdict, why },
        ...{ problem: finding?.id, command },
      })),
    })),
    problems: findings,
    unreached,
  };
}

export const nodeRoutesJson = (list: NodeRoutesList): string => jsonDocument(document(list));
export const nodeRoutesYaml = (list: NodeRoutesList): string => printYaml(document(list));
