// What `node bgp` prints: sessions as wanted and as seen, in a table, a document or the language of Graphviz.
import { addressText } from '../../../bgp/node-status.ts';
import type { BgpGraph, EdgeState, Peering, Peerings } from '../../../bgp/peerings.ts';
import type { Wanted } from '../../../bgp/session.ts';
import { nodeReport, type Surroundings } from '../../../output/findings.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { printable, printableLines } from '../../../output/printable.ts';
import { styleOf, type TextView } from '../../../output/style.ts';
import { textTable } from '../../../output/table.ts';
import { counted } from '../../../text/wording.ts';
import { printYaml } from '../../../text/yaml.ts';
import {
  bgpFindingLines,
  distinct,
  findingDocument,
  ipText,
  peerName,
  typeWords,
  unreachedDocument,
  wantedDocument,
} from '../status/text.ts';

/** Which object wants the session. */
function wantedText(wanted: Wanted): string {
  if (wanted.kind === 'mesh') return 'mesh';
  return `BGPPeer ${wanted.name}${wanted.reversePeering ? ' (reverse peering)' : ''}`;
}

function row({ node, type, as, desired, ...peer }: Peering): string[] {
  const wanted = desired === undefined ? '-' : wantedText(desired.wantedBy);
  return [node, peerName(peer), typeWords[type], String(as ?? '-'), wanted];
}

const headings = ['NODE', 'PEER', 'TYPE', 'AS', 'CONFIGURED BY'];

function summary({ items, unreached, asked }: Peerings): string {
  const isKnown = ({ node, version }: Peering): boolean =>
    !unreached.some((one) => one.node === node && (one.version ?? version) === version);
  const known = items.filter(isKnown);
  return asked
    ? `${known.filter(({ state }) => state === 'Established').length} of ${counted(known.length, 'peer')} are up`
    : `${counted(items.length, 'peer')}, not compared with the nodes`;
}

/** Why a session has no state, in the words of node status where its BIRD does not run. */
const unseenText = ({ bird }: Peering): string =>
  bird === 'not running' || bird === 'not used' ? `BIRD ${bird}` : 'not queried';

function stateText(peering: Peering): string {
  if (peering.state !== undefined) return peering.state;
  const text = unseenText(peering);
  return text === 'not queried' ? '?' : text;
}

/** One row per session as each end wants it, with its state when nodes were asked. */
export function nodeBgpText(peerings: Peerings & Surroundings, view: TextView): string {
  const style = styleOf(view.colour);
  const { items, asked, findings, unreached } = peerings;
  const ignored = peerings.ignored.map(
    ({ name, why }) => `${style.warning('ignored')} BGPPeer ${printable(name)}: ${printable(why)}\n`,
  );
  const report = {
    table: asked
      ? textTable(
          [...headings, 'STATE'],
          items.map((item) => [...row(item), stateText(item)]),
          view.columns,
        )
      : textTable(headings, items.map(row), view.columns),
    lines: bgpFindingLines(findings, style) + ignored.join(''),
    summary: summary(peerings),
    findings: distinct(findings),
    unreached,
    unread: peerings.unread,
    notAsked: peerings.notAsked,
    installation: peerings.installation,
  };
  return nodeReport(report, view);
}

function itemDocument({
  node,
  version,
  protocol,
  type,
  address,
  port,
  peerNode,
  as,
  desired,
  ...seen
}: Peering): object {
  return {
    node,
    ipVersion: version,
    protocol,
    type,
    address: ipText(address),
    port,
    peerNode,
    asNumber: as,
    ownAsNumber: desired?.ownAs.value,
    wanted: desired !== undefined,
    wantedBy: desired === undefined ? undefined : wantedDocument(desired.wantedBy),
    also: desired?.also.length ? desired.also.map(wantedDocument) : undefined,
    passive: desired?.passive,
    routeReflectorClient: desired?.reflectorClient,
    ttlSecurity: desired?.ttlSecurity,
    passwordSecret: desired?.password,
    state: seen.state,
    bird: seen.bird,
    problem: seen.finding?.id,
  };
}

function document({ nodes, items, ignored, findings, unreached, ...rest }: Peerings & Surroundings): object {
  return {
    kind: 'BGPPeeringList',
    installation: rest.installation,
    nodes: nodes.map(({ name, as, address, clusterId, listenPort }) => ({
      name,
      asNumber: as.value,
      routeReflectorClusterID: clusterId,
      listenPort: listenPort?.value,
      ipv4: ipText(address[4]),
      ipv6: ipText(address[6]),
    })),
    items: items.map(itemDocument),
    ignored,
    problems: findings.map(findingDocument),
    unreached: unreached.map(unreachedDocument),
    unread: rest.unread,
    notAsked: rest.notAsked,
  };
}

export const nodeBgpJson = (peerings: Peerings & Surroundings): string => jsonDocument(document(peerings));
export const nodeBgpYaml = (peerings: Peerings & Surroundings): string => printYaml(document(peerings));

/** Each state by colour and by line, for readers who cannot tell the colours apart. */
export const edgeLooks: Readonly<
  Record<EdgeState, { readonly colour: string; readonly dark: string; readonly dot: string; readonly dash: string }>
> = {
  up: { colour: '#1a7f37', dark: '#3fb950', dot: 'solid', dash: '' },
  'partly up': { colour: '#9a6700', dark: '#d29922', dot: 'bold', dash: '12 3 3 3' },
  down: { colour: '#cf222e', dark: '#f85149', dot: 'dashed', dash: '8 5' },
  'one way': { colour: '#8250df', dark: '#bc8cff', dot: 'tapered', dash: '3 3' },
  unknown: { colour: '#6e7781', dark: '#8d96a0', dot: 'dotted', dash: '1 5' },
};

/** The word for a state: nothing is unknown of a session that was not to be compared with the nodes. */
export const edgeWord = (state: EdgeState, asked: boolean): string =>
  state === 'unknown' && !asked ? 'wanted' : state;

/** What is shown when a line is pointed at: every session of it. */
export function edgeTitle(sessions: readonly Peering[], asked: boolean): string {
  const stateOf = (peering: Peering): string => (peering.state === undefined ? unseenText(peering) : peering.state);
  return sessions
    .map((peering) => `${peering.node} to ${addressText(peering)}${asked ? `: ${stateOf(peering)}` : ''}`)
    .join('\n');
}

const shapes = { node: 'ellipse', reflector: 'doublecircle', outside: 'box' } as const;

/** A text of the language of Graphviz: quotes are escaped, line ends are written as such. */
const quoted = (text: string): string =>
  `"${printableLines(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

/** The graph in the language of Graphviz. */
export function nodeBgpDot({ vertices, edges }: BgpGraph, asked: boolean): string {
  const lines = [
    ...vertices.map(({ name, kind, as }) => {
      const label = as === undefined ? name : `${name}\nAS ${as}`;
      return `  ${quoted(name)} [label=${quoted(label)}, shape=${shapes[kind]}];`;
    }),
    ...edges.map(({ from, to, state, sessions }) => {
      const { colour, dot } = edgeLooks[state];
      const words = [...new Set(sessions.map(({ type }) => typeWords[type]))].join(', ');
      const looks = `color="${colour}", style=${dot}, label=${quoted(`${words}: ${edgeWord(state, asked)}`)}`;
      return `  ${quoted(from)} -- ${quoted(to)} [${looks}, tooltip=${quoted(edgeTitle(sessions, asked))}];`;
    }),
  ];
  return `graph bgp {\n  layout=circo;\n${lines.join('\n')}\n}\n`;
}
