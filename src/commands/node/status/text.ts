// What `node status` prints: one row per node or per peer, the findings below, and the whole as a document.

import type { BgpFinding } from '../../../bgp/finding.ts';
import {
  addressText,
  type BirdOfNode,
  type NodeStatus,
  type NodeStatusList,
  type PeerStatus,
} from '../../../bgp/node-status.ts';
import type { Wanted } from '../../../bgp/session.ts';
import { isUp } from '../../../bgp/session-pairs.ts';
import { faults } from '../../../faults/faults.ts';
import { formatIp, type IpAddress } from '../../../net/ip.ts';
import { findingLines, nodeReport, type Surroundings } from '../../../output/findings.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { type Style, styleOf, type TextView } from '../../../output/style.ts';
import { textTable } from '../../../output/table.ts';
import { groupBy } from '../../../text/group-by.ts';
import { counted } from '../../../text/wording.ts';
import { printYaml } from '../../../text/yaml.ts';

export const typeWords: Readonly<Record<PeerStatus['type'], string>> = {
  mesh: 'mesh',
  node: 'node',
  global: 'global',
  'local-workload': 'workload',
  other: 'other',
};

const birdWord = ({ state, status }: BirdOfNode): string =>
  state === 'running' ? (status?.version ?? 'running') : state === 'unknown' ? '?' : state;

/** One word when both families say the same. */
function birdText(bird: readonly BirdOfNode[]): string {
  const all = bird.map(birdWord);
  if (new Set(all).size === 1) return all[0] ?? '';
  return bird.map((one) => `v${one.version} ${birdWord(one)}`).join(', ');
}

/** Peers that are up, of how many; nothing is up where BIRD does not run, and not known where it was not seen. */
function peersOf(
  { peers, wanted }: NodeStatus,
  { version, state }: BirdOfNode,
): { up: number | undefined; all: number } {
  if (state === 'unknown') return { up: undefined, all: wanted[version] };
  if (state === 'not used') return { up: 0, all: 0 };
  if (state === 'not running') return { up: 0, all: wanted[version] };
  const own = peers.filter((peer) => peer.version === version);
  return { up: own.filter(isUp).length, all: own.length };
}

function peersText(item: NodeStatus, version: 4 | 6): string {
  const one = item.bird.find((candidate) => candidate.version === version);
  if (one === undefined || one.state === 'not used') return '-';
  const { up, all } = peersOf(item, one);
  return `${up ?? '?'}/${all}`;
}

const sum = (peers: readonly PeerStatus[], of: 'imported' | 'preferred' | 'exported'): number =>
  peers.reduce((all, { prefixes }) => all + (prefixes?.[of] ?? 0), 0);

const ids = (findings: readonly BgpFinding[]): string => [...new Set(findings.map(({ id }) => id))].join(', ');

function nodeRow(item: NodeStatus): string[] {
  const { name, reached, bird, felix, peers, findings } = item;
  if (!reached) return [name, '?', '?', '?', '?', '?', '?', 'unreachable'];
  const routerIds = [...new Set(bird.flatMap(({ status }) => status?.routerId ?? []))];
  return [
    name,
    birdText(bird),
    routerIds.join(', ') || '-',
    peersText(item, 4),
    peersText(item, 6),
    felix ?? '?',
    bird.some(({ state }) => state === 'running') ? `${sum(peers, 'preferred')}/${sum(peers, 'imported')}` : '-',
    ids(findings) || '-',
  ];
}

const nodeHeadings = ['NODE', 'BIRD', 'ROUTER ID', 'PEERS V4', 'PEERS V6', 'FELIX', 'ROUTES', 'PROBLEM'];

/** `10.90.0.2 (node-b)`, or the address alone. */
export function peerName(peer: Pick<PeerStatus, 'peerNode' | 'address' | 'port' | 'protocol'>): string {
  return peer.peerNode === undefined ? addressText(peer) : `${addressText(peer)} (${peer.peerNode})`;
}

function peerRows({ name, reached, bird, peers, findings }: NodeStatus): string[][] {
  const nothing = (state: string, problem = '-'): string[] => [name, '-', '-', '-', state, '-', '-', problem];
  if (!reached) return [nothing('unreachable')];
  const rows = peers.map((peer) => [
    name,
    peerName(peer),
    typeWords[peer.type],
    String(peer.as ?? '-'),
    peer.info === '' ? peer.state : `${peer.state}: ${peer.info}`,
    peer.since ?? '-',
    peer.prefixes === undefined ? '-' : `${peer.prefixes.imported}/${peer.prefixes.exported}`,
    peer.finding?.id ?? (peer.extra ? 'unexpected' : '-'),
  ]);
  const silent = bird.filter(({ state }) => state !== 'running' && state !== 'not used');
  const dead = ids(findings.filter(({ id, node }) => id === faults.birdDown.id && node === name));
  return [...rows, ...silent.map((one) => nothing(`BIRD v${one.version} ${one.state}`, dead || '-'))];
}

const peerHeadings = ['NODE', 'PEER', 'TYPE', 'AS', 'STATE', 'SINCE', 'IN/OUT', 'PROBLEM'];

/** Findings that differ by the family alone, together: they are shown once. */
function alike(findings: readonly BgpFinding[]): BgpFinding[][] {
  return [...groupBy(findings, ({ id, message }) => `${id} ${message}`).values()];
}

/** One of each of those. */
export const distinct = (findings: readonly BgpFinding[]): BgpFinding[] =>
  alike(findings).flatMap((group) => group.slice(0, 1));

/** Findings of BGP as lines, those alike once with their families. */
export function bgpFindingLines(findings: readonly BgpFinding[], style: Style): string {
  return alike(findings)
    .map((group) => {
      const families = group.flatMap(({ version }) => (version === undefined ? [] : `IPv${version}`));
      return findingLines(group[0] as BgpFinding, families.join(', '), style);
    })
    .join('');
}

function summary({ items }: NodeStatusList): string {
  const reached = items.filter((item) => item.reached);
  const seen = reached
    .flatMap((item) => item.bird.map((one) => peersOf(item, one)))
    .filter(({ up }) => up !== undefined);
  const [up, all] = [seen.reduce((sum, one) => sum + (one.up ?? 0), 0), seen.reduce((sum, one) => sum + one.all, 0)];
  return `${up} of ${counted(all, 'peer')} on ${counted(reached.length, 'node')} are up`;
}

/** One row per node, with `wide` one per peer; findings and unreachable nodes are listed below. */
export function nodeStatusText(list: NodeStatusList & Surroundings, wide: boolean, view: TextView): string {
  const rows = wide ? list.items.flatMap(peerRows) : list.items.map(nodeRow);
  const report = {
    table: textTable(wide ? peerHeadings : nodeHeadings, rows, view.columns),
    lines: bgpFindingLines(list.findings, styleOf(view.colour)),
    summary: summary(list),
    findings: distinct(list.findings),
    unreached: list.unreached,
    unread: list.unread,
    notAsked: list.notAsked,
    installation: list.installation,
  };
  return nodeReport(report, view);
}

/** Why a session is wanted, as documents have it. */
export const wantedDocument = (wanted: Wanted): object =>
  wanted.kind === 'mesh' ? { kind: 'mesh' } : { kind: wanted.kind, name: wanted.name, reverse: wanted.reversePeering };

export const ipText = (address: IpAddress | undefined): string | undefined => address && formatIp(address);

/** An unreachable node as documents have it. */
export function unreachedDocument({ version, ...rest }: NodeStatusList['unreached'][number]): object {
  return { ...rest, ipVersion: version };
}

/** A peer as documents have it: docs/commands/node-status.md. */
function peerDocument(peer: PeerStatus): object {
  const { version, protocol, type, address, port, peerNode, as, state, since, info, prefixes, desired, extra } = peer;
  return {
    ipVersion: version,
    protocol,
    type,
    address: ipText(address),
    port,
    node: peerNode,
    asNumber: as,
    state,
    since,
    info,
    prefixes,
    wanted: desired !== undefined,
    extra,
    wantedBy: desired === undefined ? undefined : wantedDocument(desired.wantedBy),
    problem: peer.finding?.id,
  };
}

/** A finding as documents have it, with the ends of sessions that it explains. */
export function findingDocument({
  id,
  severity,
  node,
  nodes,
  version,
  peer,
  message,
  object,
  hint,
  sessions,
}: BgpFinding): object {
  return {
    id,
    severity,
    node,
    nodes,
    peer,
    ipVersion: version,
    message,
    object,
    hint,
    sessions: sessions.map(({ node: of, version: ipVersion, protocol }) => ({ node: of, ipVersion, protocol })),
  };
}

function itemDocument({ name, node, reached, bird, felix, peers, findings }: NodeStatus): object {
  return {
    node: name,
    reached,
    ipv4: ipText(node?.address[4]),
    ipv6: ipText(node?.address[6]),
    asNumber: node?.as.value,
    routeReflectorClusterID: node?.clusterId,
    bird: bird.map(({ version, state, why, status }) => ({ ipVersion: version, state, why, ...status })),
    felix,
    routes: { imported: sum(peers, 'imported'), preferred: sum(peers, 'preferred'), exported: sum(peers, 'exported') },
    peers: peers.map(peerDocument),
    problems: [...new Set(findings.map(({ id }) => id))],
  };
}

function document({ items, findings, unreached, ...rest }: NodeStatusList & Surroundings): object {
  return {
    kind: 'NodeStatusList',
    installation: rest.installation,
    items: items.map(itemDocument),
    problems: findings.map(findingDocument),
    unreached: unreached.map(unreachedDocument),
    unread: rest.unread,
    notAsked: rest.notAsked,
  };
}

export const nodeStatusJson = (list: NodeStatusList & Surroundings): string => jsonDocument(document(list));
export const nodeStatusYaml = (list: NodeStatusList & Surroundings): string => printYaml(document(list));
