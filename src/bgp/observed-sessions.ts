// The sessions of a node as its BIRD shows them, joined with those that it should have. diagnosis.ts judges them.
import type { IpAddress } from '../net/ip.ts';
import type { BirdProtocol, RouteCounts } from '../node-state/bird/bird.ts';
import type { BirdState, NodeState } from '../node-state/node-state.ts';
import type { BgpPlan } from './desired-sessions.ts';
import { ipKey, type PlanIndex } from './plan-index.ts';
import { type DesiredSession, desiredEnd, peerOfProtocol, type SessionType } from './session.ts';

/** The part of a node's state that BGP is about. */
export type BgpState = Pick<NodeState, 'node' | 'bird' | 'felix' | 'addresses'>;

/** The state of a session: BIRD's word, `Down` when it is disabled there, `Missing` when BIRD does not have it. */
export type SessionState =
  | 'Established'
  | 'Passive'
  | 'Active'
  | 'Connect'
  | 'OpenSent'
  | 'OpenConfirm'
  | 'Idle'
  | 'Close'
  | 'Down'
  | 'Missing'
  | 'Unknown';

/** A session as one of its two ends shows it. */
export interface ObservedSession {
  readonly node: string;
  readonly version: 4 | 6;
  readonly protocol: string;
  /** `other` for a BGP protocol that Calico did not make. */
  readonly type: SessionType | 'other';
  readonly address: IpAddress | undefined;
  readonly port: number | undefined;
  readonly peerNode: string | undefined;
  /** The AS number that BIRD's configuration expects of the peer, else the one in the resources. */
  readonly as: number | undefined;
  readonly state: SessionState;
  readonly since: string | undefined;
  /** What BIRD prints after the state: the last error. */
  readonly info: string;
  readonly prefixes: RouteCounts | undefined;
  /** The session that the resources ask for; undefined for one that they do not. */
  readonly desired: DesiredSession | undefined;
  /** BIRD has it, but no resource configures it, although resources decide on sessions of its type. */
  readonly extra: boolean;
}

const birdStates: ReadonlySet<string> = new Set<SessionState>([
  'Established',
  'Passive',
  'Active',
  'Connect',
  'OpenSent',
  'OpenConfirm',
  'Idle',
  'Close',
]);

/** The BGP state in a row of `show protocols`, and what follows it. */
function stateOf({ state, info, bgp }: BirdProtocol): { state: SessionState; info: string } {
  const [, first = '', rest = ''] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(info) ?? [];
  if (state === 'down') return { state: 'Down', info: info.trim() };
  if (birdStates.has(first)) return { state: first as SessionState, info: rest };
  const detail = bgp?.state ?? '';
  return { state: birdStates.has(detail) ? (detail as SessionState) : 'Unknown', info: info.trim() };
}

/** True when BIRD is known to be absent: no socket, or no listener behind it. Denied access to a socket proves nothing. */
export function isBirdAbsent({ protocols }: BirdState): boolean {
  return (
    !protocols.seen &&
    /unable to connect to server control socket/i.test(protocols.why) &&
    /no such file or directory|connection refused/i.test(protocols.why)
  );
}

/** True when BIRD is there and does not read its control socket any more. */
export function isBirdBusy({ protocols }: BirdState): boolean {
  return !protocols.seen && /resource temporarily unavailable|\bEAGAIN\b/i.test(protocols.why);
}

function seenSession(
  row: BirdProtocol,
  desired: DesiredSession | undefined,
  where: { node: string; version: 4 | 6; index: PlanIndex },
): ObservedSession {
  const { node, version, index } = where;
  const named = peerOfProtocol(row.name, version);
  const address = row.bgp?.neighborAddress ?? named?.peer ?? desired?.peer;
  const type = named?.type ?? 'other';
  return {
    node,
    version,
    protocol: row.name,
    type,
    address,
    port: named?.port ?? desired?.port,
    peerNode: desired?.peerNode ?? index.owner(address)?.name,
    as: row.bgp?.neighborAs ?? desired?.peerAs.value,
    ...stateOf(row),
    since: row.since,
    prefixes: row.routes,
    desired,
    extra: desired === undefined && type !== 'other' && type !== 'local-workload',
  };
}

function missingSession(desired: DesiredSession): ObservedSession {
  return {
    ...desiredEnd(desired),
    state: 'Missing',
    since: undefined,
    info: '',
    prefixes: undefined,
    extra: false,
  };
}

/**
 * The sessions of a node in both families, as wanted and as seen: first in the order of the plan, then what only BIRD
 * has. A family whose BIRD was not seen has none.
 */
export function observedSessions(state: BgpState, plan: BgpPlan): ObservedSession[] {
  return ([4, 6] as const).flatMap((version) => {
    const { protocols } = state.bird[version];
    if (!protocols.seen) return [];
    const rows = protocols.value.filter(({ proto }) => proto === 'BGP');
    const byName = new Map(rows.map((row) => [row.name, row]));
    // Some releases put the port into the names of mesh protocols.
    const meshRows = new Map(
      rows.flatMap((row) => {
        const named = peerOfProtocol(row.name, version);
        return named?.type === 'mesh' ? [[ipKey(named.peer), row] as const] : [];
      }),
    );
    const taken = new Set<BirdProtocol>();
    const where = { node: state.node, version, index: plan.index };
    const joined = plan.index.sessions(state.node, version).map((session) => {
      const meshRow = session.type === 'mesh' ? meshRows.get(ipKey(session.peer)) : undefined;
      const row = byName.get(session.protocol) ?? meshRow;
      if (row === undefined) return missingSession(session);
      taken.add(row);
      return seenSession(row, session, where);
    });
    return [...joined, ...rows.filter((row) => !taken.has(row)).map((row) => seenSession(row, undefined, where))];
  });
}
