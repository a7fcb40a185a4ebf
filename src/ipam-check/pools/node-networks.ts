// Judges pools against the addresses of nodes (INV-73): one that contains them gives them to pods some day.

import { assignsAutomatically } from '../../ipam/pool/pools.ts';
import { formatCidr } from '../../net/cidr.ts';
import { parseIp } from '../../net/ip.ts';
import { counted } from '../../text/wording.ts';
import type { Judgement } from '../finding.ts';
import { byHand, judge, mostListed, nodeObject, poolObject } from '../judgement.ts';
import type { NodeRecord } from '../snapshot.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PoolView } from '../view/pool-view.ts';
import type { ReservedAddresses } from '../view/reserved-addresses.ts';

/**
 * INV-73: enabled pools of automatic assignment. Addresses that a reservation keeps back are safe; and where Calico does
 * policy only, a pool over the network of the nodes says which traffic is masqueraded.
 */
export function nodeNetworkJudgements(view: CheckView, reserved: ReservedAddresses): Judgement[] {
  if (view.otherNetworks.assignsAll) return [];
  const found = new Map<PoolView, [node: NodeRecord, address: string][]>();
  for (const node of view.snapshot.nodes) {
    for (const address of node.addresses) {
      const ip = parseIp(address);
      const pool = ip && view.enabledPoolOf(ip);
      if (!ip || !pool || !assignsAutomatically(pool.pool) || reserved.addresses.contains(ip)) continue;
      const known = found.get(pool);
      if (known) known.push([node, address]);
      else found.set(pool, [[node, address]]);
    }
  }
  return [...found].map(([pool, addresses]) => containsNodes(pool, addresses));
}

function containsNodes(pool: PoolView, addresses: readonly [node: NodeRecord, address: string][]): Judgement {
  const nodes = addresses.map(([node]) => nodeObject(node.name)).slice(0, mostListed);
  const cidr = formatCidr(pool.cidr);
  return judge({
    id: 'INV-73',
    object: poolObject(pool.name),
    related: nodes,
    dependencies: nodes,
    cidr,
    evidence: [
      `pool ${pool.name} (${cidr}) contains ${counted(addresses.length, 'address of a node', 'addresses of nodes')}`,
      ...addresses.slice(0, mostListed).map(([node, address]) => `node ${node.name} has ${address}`),
    ],
    fingerprint: `${cidr} ${addresses.length}`,
    repair: byHand(
      'create a pool outside of the network of the nodes, disable this one, and recreate its pods; ' +
        'until then, reserve the addresses of the nodes with an IPReservation',
    ),
  });
}
