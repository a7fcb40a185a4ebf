// Sessions as both ends see them: the two rows of one session side by side, the side that dials first.
import { formatIp } from '../../net/ip.ts';
import type { BgpPlan } from './desired.ts';
import { type BgpState, isBirdAbsent, type PeerSeen } from './seen.ts';
import { type BgpNode, type DesiredSession, sameIp } from './session.ts';

/** What is known of a node: whether it was asked, whether its BIRD runs. */
export interface NodeKnown {
  readonly name: string;
  readonly node: BgpNode | undefined;
  readonly state: BgpState | undefined;
  /** Why it was not asked; undefined when it was. */
  readonly notAsked: string | undefined;
}

export interface Link {
  readonly version: 4 | 6;
  /** The end that dials, when both are seen. */
  readonly near: PeerSeen;
  readonly far: PeerSeen | undefined;
  readonly nearNode: NodeKnown;
  /** Undefined for a peer that is no node. */
  readonly farNode: NodeKnown | undefined;
  /** What the resources ask of the other end, also when that was not asked; undefined when they ask for nothing. */
  readonly farDesired: DesiredSession | undefined;
}

/** The session that the other node should have with this one; of several that of the same type. */
function wayBack(plan: BgpPlan, row: PeerSeen): DesiredSession | undefined {
  const own = plan.nodes.find(({ name }) => name === row.node)?.address[row.version];
  const back = plan.sessions.filter(({ node, peer }) => node === row.peerNode && sameIp(peer, own));
  return back.find(({ type }) => (type === 'mesh') === (row.type === 'mesh')) ?? back[0];
}

const isDialing = ({ state, desired }: PeerSeen): boolean => state !== 'Passive' && desired?.passive !== true;

/** For people: the node's name, else the address. */
export function peerText({ peerNode, address, protocol }: PeerSeen): string {
  return peerNode ?? (address === undefined ? protocol : formatIp(address));
}

export const isUp = ({ state }: PeerSeen): boolean => state === 'Established';

/** All sessions that at least one asked end shows, each once. */
export function linksOf(rows: readonly PeerSeen[], plan: BgpPlan, known: (name: string) => NodeKnown): Link[] {
  const done = new Set<PeerSeen>();
  const links: Link[] = [];
  for (const row of rows) {
    if (done.has(row)) continue;
    done.add(row);
    const own = plan.nodes.find(({ name }) => name === row.node)?.address[row.version];
    const others = rows.filter(
      (other) =>
        !done.has(other) && other.node === row.peerNode && other.version === row.version && sameIp(other.address, own),
    );
    const other = others.find(({ type }) => (type === 'mesh') === (row.type === 'mesh')) ?? others[0];
    if (other !== undefined) done.add(other);
    const [near, far] = other !== undefined && !isDialing(row) && isDialing(other) ? [other, row] : [row, other];
    links.push({
      ...{ version: row.version, near, far, nearNode: known(near.node) },
      farNode: near.peerNode === undefined ? undefined : known(near.peerNode),
      farDesired: far?.desired ?? wayBack(plan, near),
    });
  }
  return links;
}

/** True when the node was asked and has no BIRD of the family. */
export function hasNoBird(known: NodeKnown | undefined, version: 4 | 6): boolean {
  const bird = known?.state?.bird[version];
  return bird !== undefined && isBirdAbsent(bird);
}
