// Sessions as both ends see them: the two rows of one session side by side, the side that dials first.
import { formatIp } from '../net/ip.ts';
import { groupBy } from '../node-state/group-by.ts';
import type { BgpPlan } from './desired-sessions.ts';
import { type BgpState, isBirdAbsent, type ObservedSession } from './observed-sessions.ts';
import { ipKey } from './plan-index.ts';
import type { BgpNode, DesiredSession } from './session.ts';

/** What is known of a node: whether it was asked, whether its BIRD runs. */
export interface NodeKnown {
  readonly name: string;
  readonly node: BgpNode | undefined;
  readonly state: BgpState | undefined;
  /** Why it was not asked; undefined when it was. */
  readonly notAsked: string | undefined;
}

export interface SessionPair {
  readonly version: 4 | 6;
  /** The end that dials, when both are seen. */
  readonly near: ObservedSession;
  readonly far: ObservedSession | undefined;
  readonly nearNode: NodeKnown;
  /** Undefined for a peer that is no node. */
  readonly farNode: NodeKnown | undefined;
  /** Another session of the dialing end with the same peer, which is up: a pair of addresses can have one only. */
  readonly rival: ObservedSession | undefined;
  /** What the resources ask of the other end, also when that was not asked; undefined when they ask for nothing. */
  readonly farDesired: DesiredSession | undefined;
}

/** Of several that one of the same kind: a mesh session does not meet one of a BGPPeer. */
function alike<T extends { readonly type: ObservedSession['type'] }>(
  candidates: readonly T[],
  { type }: ObservedSession,
): T | undefined {
  return candidates.find((candidate) => (candidate.type === 'mesh') === (type === 'mesh')) ?? candidates[0];
}

const isDialing = ({ state, desired }: ObservedSession): boolean => state !== 'Passive' && desired?.passive !== true;

/** For people: the node's name, else the address. */
export function peerText({ peerNode, address, protocol }: ObservedSession): string {
  return peerNode ?? (address === undefined ? protocol : formatIp(address));
}

/** True when the session is Established as seen on this end. */
export const isUp = ({ state }: ObservedSession): boolean => state === 'Established';

/** All sessions that at least one asked end shows, each once. */
export function sessionPairs(
  rows: readonly ObservedSession[],
  { index }: BgpPlan,
  known: (name: string) => NodeKnown,
): SessionPair[] {
  const done = new Set<ObservedSession>();
  const pairs: SessionPair[] = [];
  const byEnds = groupBy(rows, ({ node, address }) => (address === undefined ? '' : `${ipKey(address)} ${node}`));
  for (const row of rows) {
    if (done.has(row)) continue;
    done.add(row);
    const own = index.node(row.node)?.address[row.version];
    const there =
      own === undefined || row.peerNode === undefined ? [] : (byEnds.get(`${ipKey(own)} ${row.peerNode}`) ?? []);
    const other = alike(
      there.filter((candidate) => !done.has(candidate)),
      row,
    );
    if (other !== undefined) done.add(other);
    const [near, far] = other !== undefined && !isDialing(row) && isDialing(other) ? [other, row] : [row, other];
    const ownOfNear = index.node(near.node)?.address[near.version];
    const wantedThere =
      ownOfNear === undefined || near.peerNode === undefined ? [] : index.towards(near.peerNode, ownOfNear);
    pairs.push({
      ...{ version: row.version, near, far, nearNode: known(near.node) },
      farNode: near.peerNode === undefined ? undefined : known(near.peerNode),
      farDesired: far?.desired ?? alike(wantedThere, near),
      rival:
        near.address && byEnds.get(`${ipKey(near.address)} ${near.node}`)?.find((one) => one !== near && isUp(one)),
    });
  }
  return pairs;
}

/** True when the node was asked and has no BIRD of the family. */
export function hasNoBird(known: NodeKnown | undefined, version: 4 | 6): boolean {
  const bird = known?.state?.bird[version];
  return bird !== undefined && isBirdAbsent(bird);
}
