// What `node routes` prints: one row per route that is not as expected, or per route; findings below; the whole as a document.

import type { NodeRoutesList } from '../../../datapath/routes/node-routes.ts';
import { nodeFindingLines, nodeReport, type Surroundings, verdictCell } from '../../../output/findings.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { styleOf, type TextView } from '../../../output/style.ts';
import { textTable } from '../../../output/table.ts';
import { counted } from '../../../text/wording.ts';
import { printYaml } from '../../../text/yaml.ts';

const headings = ['NODE', 'DESTINATION', 'EXPECTED', 'SEEN', 'VERDICT', 'WHY'];

/** The table of the routes that the list kept. */
export function nodeRoutesText(list: NodeRoutesList & Surroundings, view: TextView): string {
  const { items, findings, unreached, unread, notAsked, installation } = list;
  const style = styleOf(view.colour);
  const rows = items.flatMap(({ node, routes }) =>
    routes.map(({ destination, expected, seen, verdict, finding, why }) => [
      node,
      destination,
      expected,
      seen,
      verdictCell(verdict, finding, style),
      why,
    ]),
  );
  const reached = items.filter((item) => item.reached);
  const right = reached.reduce((sum, { asExpected }) => sum + asExpected, 0);
  const wrong = reached.reduce((sum, { routes }) => sum + routes.filter(({ verdict }) => verdict !== 'ok').length, 0);
  const report = {
    table: rows.length === 0 ? '' : textTable(headings, rows, view.columns),
    lines: nodeFindingLines(findings, style),
    summary: `${right} of ${counted(right + wrong, 'route')} on ${counted(reached.length, 'node')} are as expected`,
    findings,
    unreached,
    unread,
    notAsked,
    installation,
  };
  return nodeReport(report, view);
}

function document({ items, findings, unreached, ...rest }: NodeRoutesList & Surroundings): object {
  return {
    kind: 'NodeRoutesList',
    installation: rest.installation,
    items: items.map(({ node, reached, asExpected, routes }) => ({
      node,
      reached,
      asExpected,
      routes: routes.map(({ version, destination, subject, peer, expected, seen, verdict, finding, why, command }) => ({
        ipVersion: version,
        destination,
        for: subject,
        peer,
        expected,
        seen,
        verdict,
        why,
        problem: finding?.id,
        command,
      })),
    })),
    problems: findings,
    unreached,
    unread: rest.unread,
    notAsked: rest.notAsked,
  };
}

export const nodeRoutesJson = (list: NodeRoutesList & Surroundings): string => jsonDocument(document(list));
export const nodeRoutesYaml = (list: NodeRoutesList & Surroundings): string => printYaml(document(list));
