// The protocols of BIRD for the sessions of a node, in Calico's order: mesh, global peers, peers of the node.
import type { BgpPlan } from '../bgp/desired-sessions.ts';
import { type BgpNode, type DesiredSession, peerKey, type SessionType } from '../bgp/session.ts';
import { formatIp } from '../net/ip.ts';
import type { BGPFilter } from '../resources/kinds/bgp-filter.ts';
import { type Direction, filterCall } from './filter-functions.ts';
import { compareBytes, type Passwords, type Remark, refusal, remark } from './objects.ts';
import { block, quoted } from './syntax.ts';

export interface PeerContext {
  readonly node: BgpNode;
  readonly filters: ReadonlyMap<string, BGPFilter>;
  readonly passwords: Passwords;
}

const order: readonly SessionType[] = ['mesh', 'global', 'node'];

/** The sessions of a node in a family, each protocol name once, in the order of the file. */
export function sessionsInOrder(plan: BgpPlan, node: string, version: 4 | 6): DesiredSession[] {
  const refused = plan.refused.filter((session) => session.node === node && session.version === version);
  const keyOf = (session: DesiredSession): string =>
    session.type === 'mesh' ? (session.peerNode ?? '') : peerKey(session);
  return [...plan.index.sessions(node, version), ...refused].sort(
    (a, b) => order.indexOf(a.type) - order.indexOf(b.type) || compareBytes(keyOf(a), keyOf(b)),
  );
}

function passwordLine({ password, wantedBy }: DesiredSession, { passwords }: PeerContext): string[] {
  const text = password && passwords(password);
  const owner = wantedBy.kind === 'mesh' ? 'BGPConfiguration default' : `BGPPeer ${wantedBy.name}`;
  return text ? [`password ${quoted(text, `the password of ${owner}`)};`] : [];
}

const when = (condition: boolean, ...lines: readonly string[]): readonly string[] => (condition ? lines : []);

function meshProtocol(session: DesiredSession, context: PeerContext): string[] {
  const { maxRestartTime } = session.settings;
  return [
    neighbourLine(session),
    ...sourceLine(session, context),
    'import all;',
    // Also towards another AS: Calico takes all nodes of a mesh for internal.
    ...block('export filter', ['calico_export_to_bgp_peers(true);', 'reject;'], '};'),
    ...when(session.passive, 'passive on;'),
    ...when(maxRestartTime !== undefined, `graceful restart time ${maxRestartTime};`),
    ...passwordLine(session, context),
  ];
}

function neighbourLine({ peer, port, peerAs }: DesiredSession): string {
  return `neighbor ${formatIp(peer)} ${port === undefined ? '' : `port ${port} `}as ${peerAs.value};`;
}

function sourceLine({ version, settings }: DesiredSession, { node }: PeerContext): readonly string[] {
  const own = node.address[version];
  return settings.fromNodeAddress && own !== undefined ? [`source address ${formatIp(own)};`] : [];
}

function peerProtocol(session: DesiredSession, context: PeerContext): string[] {
  const { version, ttlSecurity, ownAs, peerAs, settings } = session;
  const isInternal = ownAs.value === peerAs.value;
  const calls = (direction: Direction): string[] =>
    settings.filters.flatMap((name) => filterCall(context.filters.get(name), direction, version, isInternal) ?? []);
  const { maxRestartTime, keepaliveTime, nextHop, allowedLocalAs } = settings;
  return [
    ...(ttlSecurity === undefined
      ? ['ttl security off;', 'multihop;']
      : ['ttl security on;', `multihop ${ttlSecurity};`]),
    ...when(ownAs.from.kind === 'BGPPeer', `local as ${ownAs.value};`),
    neighbourLine(session),
    ...sourceLine(session, context),
    ...block('import filter', [...calls('import'), 'accept;'], '};'),
    ...block('export filter', [...calls('export'), `calico_export_to_bgp_peers(${isInternal});`, 'reject;'], '};'),
    ...when(session.passive, 'passive on;'),
    ...when(maxRestartTime !== undefined, `graceful restart time ${maxRestartTime};`),
    ...when(keepaliveTime !== undefined, `keepalive time ${keepaliveTime};`),
    ...when(session.reflectorClient, 'rr client;', `rr cluster id ${context.node.clusterId};`),
    ...passwordLine(session, context),
    ...when(nextHop !== undefined, `next hop ${nextHop};`),
    ...when(allowedLocalAs !== 0, `allow local as ${allowedLocalAs};`),
  ];
}

/** The protocols of these sessions. Errors: UnrenderableError. */
export function peerProtocols(sessions: readonly DesiredSession[], context: PeerContext): string[] {
  return sessions.flatMap((session) => [
    '',
    ...block(
      `protocol bgp ${session.protocol} from bgp_template`,
      session.type === 'mesh' ? meshProtocol(session, context) : peerProtocol(session, context),
    ),
  ]);
}

/** What is odd about sessions that BIRD would be given. */
export function sessionRemarks(sessions: readonly DesiredSession[]): Remark[] {
  return sessions.flatMap(({ protocol, peerAs, wantedBy, settings }): Remark[] => {
    const named = wantedBy.kind === 'mesh' ? '' : ` of BGPPeer ${wantedBy.name}`;
    return [
      ...(peerAs.value === 0 ? [refusal(`${protocol}${named} has no AS number: set asNumber`)] : []),
      ...(settings.maxRestartTime === 0
        ? [remark(`the restart time of ${protocol}${named} is less than half a second, and written as 0`)]
        : []),
    ];
  });
}
