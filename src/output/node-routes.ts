// What `node routes` prints: a row a route that is not as expected, or every route; problems below; the whole as a document.
import type { NodeRoutesList } from '../datapath/node-routes.ts';
import type { RouteComparison } from '../datapath/routes/comparison.ts';
import { printYaml } from '../resources/yaml-text.ts';
import { ownTable } from './columns.ts';
import { jsonDocument } from './json-document.ts';
import { counted, datapathProblemLines, foundText, unreachedNodeLines } from './node-problems.ts';
import { styleOf } from './style.ts';

const headings = ['NODE', 'DESTINATION', 'EXPECTED', 'SEEN', 'VERDICT', 'WHY'];

const verdictText = ({ verdict, fault }: RouteComparison): string =>
  fault === undefined ? verdict : `${verdict} ${fault.id}`;

function shownRoutes(routes: readonly RouteComparison[], all: boolean): readonly RouteComparison[] {
  return all ? routes : routes.filter(({ verdict }) => verdict !== 'ok');
}

/** The table; without `all` only of what differs. */
export function nodeRoutesText(list: NodeRoutesList, all: boolean, colour: boolean): string {
  const { items, problems, unreached } = list;
  const style = styleOf(colour);
  const rows = items.flatMap(({ node, routes }) =>
    shownRoutes(routes, all).map((one) => [
      ...[node, one.destination, one.expected, one.seen],
      ...[verdictText(one), one.why],
    ]),
  );
  const below = datapathProblemLines(problems, style) + unreachedNodeLines(unreached, style);
  const reached = items.filter((item) => item.reached);
  const routes = reached.flatMap((item) => item.routes);
  const right = routes.filter(({ verdict }) => verdict === 'ok').length;
  const summary = `${right} of ${counted(routes.length, 'route')} of ${counted(reached.length, 'node')} are as expected`;
  return (
    (rows.length === 0 ? '' : ownTable(headings, rows)) +
    (below === '' ? '' : `${below}\n`) +
    `${summary}; ${foundText(problems, unreached)}.\n`
  );
}

function document({ items, problems, unreached }: NodeRoutesList, all: boolean): object {
  return {
    kind: 'NodeRoutesList',
    items: items.map(({ node, reached, routes }) => ({
      node,
      reached,
      asExpected: routes.filter(({ verdict }) => verdict === 'ok').length,
      routes: shownRoutes(routes, all).map(
        ({ version, destination, subject, peer, expected, seen, verdict, fault, why, command }) => ({
          ...{ ipVersion: version, destination, for: subject, peer, expected, seen, verdict, why },
          ...{ problem: fault?.id, command },
        }),
      ),
    })),
    problems,
    unreached,
  };
}

export const nodeRoutesJson = (list: NodeRoutesList, all: boolean): string => jsonDocument(document(list, all));
export const nodeRoutesYaml = (list: NodeRoutesList, all: boolean): string => printYaml(document(list, all));
