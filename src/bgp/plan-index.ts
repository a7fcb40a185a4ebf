// Looks up nodes and sessions of a plan without scanning all of them: a mesh has a session for every pair of nodes.
import type { IpAddress } from '../net/ip.ts';
import { groupBy } from '../text/group-by.ts';
import type { BgpNode, DesiredSession } from './session.ts';

export interface PlanIndex {
  node(name: string): BgpNode | undefined;
  /** The node that has this address; of several the first by name. */
  owner(ip: IpAddress | undefined): BgpNode | undefined;
  /** The sessions that the node should have, in that family or in both. */
  sessions(node: string, version?: 4 | 6): readonly DesiredSession[];
  /** The sessions that the node should have with the peer of this address. */
  towards(node: string, peer: IpAddress): readonly DesiredSession[];
}

const families = [4, 6] as const;

/** The same text for the same address. */
export const ipKey = ({ version, value }: IpAddress): string => `${version} ${value}`;

/** Builds the index; the lists stay in the order of the sessions. */
export function planIndex(nodes: readonly BgpNode[], sessions: readonly DesiredSession[]): PlanIndex {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const owners = new Map<string, BgpNode>();
  for (const node of nodes) {
    for (const version of families) {
      const own = node.address[version];
      if (own !== undefined && !owners.has(ipKey(own))) owners.set(ipKey(own), node);
    }
  }
  const ofNode = groupBy(sessions, ({ node }) => node);
  const ofFamily = groupBy(sessions, ({ node, version }) => `${version} ${node}`);
  const ofPeer = groupBy(sessions, ({ node, peer }) => `${ipKey(peer)} ${node}`);
  return {
    node: (name) => byName.get(name),
    owner: (ip) => (ip === undefined ? undefined : owners.get(ipKey(ip))),
    sessions: (node, version) => (version === undefined ? ofNode.get(node) : ofFamily.get(`${version} ${node}`)) ?? [],
    towards: (node, peer) => ofPeer.get(`${ipKey(peer)} ${node}`) ?? [],
  };
}
