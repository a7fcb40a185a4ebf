// Pairs of session ends: both ends of one session as each of them shows it, the dialing end first.
import { formatIp } from '../net/ip.ts';
import { groupBy } from '../text/group-by.ts';
import type { BgpPlan } from './desired-sessions.ts';
import { type BgpState, isBirdAbsent, type ObservedSession } from './observed-sessions.ts';
import { ipKey } from './plan-index.ts';
import type { BgpNode, DesiredSession } from './session.ts';

/** What is known of a node: its place in the plan, and what it answered. */
export interface NodeKnowledge {
  readonly name: string;
  readonly node: BgpNode | undefined;
  readonly state: BgpState | undefined;
  /** Why it was not queried; undefined when it was. */
  readonly notQueried: string | undefined;
}

export interface SessionPair {
  readonly version: 4 | 6;
  /** The end that dials, when both are seen. */
  readonly near: ObservedSession;
  readonly far: ObservedSession | undefined;
  readonly nearNode: NodeKnowledge;
  /** Undefined for a peer that is not a node. */
  readonly farNode: NodeKnowledge | undefined;
  /** Another session of the dialing end with the same peer that is up: a pair of addresses can have only one. */
  readonly rival: ObservedSession | undefined;
  /** What the resources ask of the other end, whether or not it was queried; undefined when they ask for nothing. */
  readonly farDesired: DesiredSession | undefined;
}

/** Of several candidates the one of the same kind: a mesh session does not pair with one of a BGPPeer. */
function alike<T extends { readonly type: ObservedSession['type'] }>(
  candidates: readonly T[],
  { type }: ObservedSession,
): T | undefined {
  return candidates.find((candidate) => (candidate.type === 'mesh') === (type === 'mesh')) ?? candidates[0];
}

const isDialing = ({ state, desired }: ObservedSession): boolean => state !== 'Passive' && desired?.passive !== true;

/** The peer for people: the node's name, else the address. */
export function peerText({ peerNode, address, protocol }: ObservedSession): string {
  return peerNode ?? (address === undefined ? protocol : formatIp(address));
}

/** True when this end shows the session as Established. */
export const isUp = ({ state }: ObservedSession): boolean => state === 'Established';

/** All sessions that at least one queried end shows, each once. */
export function sessionPairs(
  sessions: readonly ObservedSession[],
  { index }: BgpPlan,
  known: (name: string) => NodeKnowledge,
): SessionPair[] {
  const paired = new Set<ObservedSession>();
  const pairs: SessionPair[] = [];
  const byEnds = groupBy(sessions, ({ node, address }) => (address === undefined ? '' : `${ipKey(address)} ${node}`));
  for (const session of sessions) {
    if (paired.has(session)) continue;
    paired.add(session);
    const own = index.node(session.node)?.address[session.version];
    const there =
      own === undefined || session.peerNode === undefined
        ? []
        : (byEnds.get(`${ipKey(own)} ${session.peerNode}`) ?? []);
    const other = alike(
      there.filter((candidate) => !paired.has(candidate)),
      session,
    );
    if (other !== undefined) paired.add(other);
    const otherDials = other !== undefined && !isDialing(session) && isDialing(other);
    const [near, far] = otherDials ? [other, session] : [session, other];
    const ownOfNear = index.node(near.node)?.address[near.version];
    const wantedThere =
      ownOfNear === undefined || near.peerNode === undefined ? [] : index.towards(near.peerNode, ownOfNear);
    pairs.push({
      version: session.version,
      near,
      far,
      nearNode: known(near.node),
      farNode: near.peerNode === undefined ? undefined : known(near.peerNode),
      farDesired: far?.desired ?? alike(wantedThere, near),
      rival:
        near.address && byEnds.get(`${ipKey(near.address)} ${near.node}`)?.find((one) => one !== near && isUp(one)),
    });
  }
  return pairs;
}

/** True when the node was queried and has no BIRD of the family. */
export function hasNoBird(known: NodeKnowledge | undefined, version: 4 | 6): boolean {
  const bird = known?.state?.bird[version];
  return bird !== undefined && isBirdAbsent(bird);
}
