// Judges addresses that were assigned automatically from pools with assignmentMode Manual (INV-67).
import { assignsAutomatically } from '../../ipam/pool/pools.ts';
import { namedService } from '../addresses/service-allocations.ts';
import { namedTunnel } from '../addresses/tunnel-allocations.ts';
import type { FoundObject, Judgement } from '../finding.ts';
import { blockObject, judge, poolObject } from '../judgement.ts';
import type { Allocation } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';

/** Annotations by which a service requests its addresses, or the pools to take them from. */
const requests = [
  'projectcalico.org/loadBalancerIPs',
  'projectcalico.org/ipv4pools',
  'projectcalico.org/ipv6pools',
] as const;

/**
 * INV-67. Pools for another use are judged with the tunnel (INV-63), the block (INV-23) or the service (INV-44);
 * `reported` has the addresses with such a finding.
 */
export function manualPoolJudgements(view: CheckView, reported: ReadonlySet<string>): Judgement[] {
  if (view.pools.every(({ pool }) => assignsAutomatically(pool))) return [];
  const judgements: Judgement[] = [];
  for (const allocation of view.allocations) {
    const owner = automaticOwner(view, allocation);
    const pool = owner && view.poolOf(allocation.ip);
    if (!pool || assignsAutomatically(pool.pool) || reported.has(allocation.address)) continue;
    const { address, block, handle, node, sequence } = allocation;
    judgements.push(
      judge({
        id: 'INV-67',
        object: blockObject(block.name),
        related: [poolObject(pool.name)],
        dependencies: [poolObject(pool.name)],
        cidr: block.cidr,
        address,
        handle,
        node,
        owner,
        evidence: [`pool ${pool.name} assigns addresses only on request (assignmentMode Manual)`],
        fingerprint: `${handle ?? ''} ${sequence}`,
      }),
    );
  }
  return judgements;
}

/** Whose tunnel or LoadBalancer address it is; undefined for any other address, and for one that was requested. */
function automaticOwner(view: CheckView, allocation: Allocation): FoundObject | undefined {
  const tunnel = namedTunnel(allocation);
  if (tunnel !== undefined) return { kind: 'Node', name: tunnel.node };
  const named = namedService(allocation);
  const service = named && view.serviceNamed(named);
  if (service === undefined || requests.some((annotation) => annotation in service.annotations)) return undefined;
  return { kind: 'Service', namespace: service.namespace, name: service.name };
}
