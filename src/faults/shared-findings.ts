// What both BGP and the data path report, so that it is judged and worded once. Neither module imports the other.
import { formatIp, type IpAddress } from '../net/ip.ts';
import { groupBy } from '../text/group-by.ts';
import { listed } from '../text/wording.ts';
import { endingAdvice } from './ending-advice.ts';
import { faults } from './faults.ts';
import { type NodeFinding, nodeFinding } from './finding.ts';

/** Hints for faults that both modules report, each on its own evidence. */
export const sharedHints = {
  nodeAddressAbsent: endingAdvice.restartForAddress.hint,
  nextHopUnreachable:
    'check whether ignoredInterfaces hides the uplink, whether the node has a route to the next hop, and nextHopMode of the peer',
  routeNotInstalled:
    'look for another route to the same destination (ip route show), and for "Netlink:" in the log of BIRD',
  /** The next hop is on no network of the node; `pool` is empty or names the pool. */
  nextHopElsewhere: (hop: string, pool: string): string =>
    `the next hop ${hop} is in no subnet of this node, so pods need encapsulation to get there: set ipipMode or vxlanMode${pool} to CrossSubnet or Always; or peer with routers that know the blocks`,
} as const;

/** A node with its address of one family. */
export interface AddressedNode {
  readonly name: string;
  readonly address: IpAddress;
}

/** The nodes that share an address, for each address that more than one of them has. */
export interface SharedAddress {
  readonly names: readonly string[];
  readonly finding: NodeFinding;
}

/** F51: nodes recorded with the same address. `nodes`: those of one family, in the order in which they are named. */
export function sharedNodeAddresses(nodes: Iterable<AddressedNode>): SharedAddress[] {
  return [...groupBy(nodes, ({ address }) => formatIp(address))].flatMap(([address, group]) => {
    const names = group.map(({ name }) => name);
    const [node, peer] = names;
    if (node === undefined || peer === undefined) return [];
    const finding = nodeFinding(faults.duplicateNodeAddress, {
      node,
      peer,
      message: `${listed(names)} have the same address, ${address}`,
      object: { kind: 'Node', name: peer },
      hint: 'find out which of them detected the wrong address, and set IP_AUTODETECTION_METHOD of calico-node',
    });
    return [{ names, finding }];
  });
}
