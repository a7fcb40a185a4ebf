// Judges borrowed addresses where nodes are to use only their own blocks (INV-41).
import { runsWindows } from '../../ipam/block/windows-reserve.ts';
import { namedPod } from '../addresses/pod-allocations.ts';
import type { Judgement } from '../finding.ts';
import { blockObject, judge } from '../judgement.ts';
import type { Allocation } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';

/** INV-41. Addresses that --fix releases are passed over. */
export function borrowingJudgements(view: CheckView, releases: PlannedReleases): Judgement[] {
  if (!view.settings.strictAffinity) return [];
  return view.allocations
    .filter((allocation) => allocation.borrowed && allocation.block.node !== undefined)
    .filter((allocation) => releases.of(allocation) === undefined)
    .map((allocation) => borrowedAddress(view, allocation));
}

function borrowedAddress(view: CheckView, allocation: Allocation): Judgement {
  const { address, block, handle, node, sequence } = allocation;
  const pod = namedPod(allocation);
  const windows = runsWindows(view.nodesByName.get(block.node ?? '')?.labels ?? {});
  const evidence = [
    `${block.cidr} belongs to ${block.affinity}, but the address is used on node ${node}`,
    'strict affinity is on: nodes may only use their own blocks',
  ];
  if (windows) evidence.push(`${block.node} runs Windows, which has no routes to single addresses on other nodes`);
  return judge({
    id: 'INV-41',
    severity: windows ? 'error' : 'warning',
    object: blockObject(block.name),
    cidr: block.cidr,
    address,
    handle,
    node,
    owner: pod && { kind: 'Pod', namespace: pod.namespace, name: pod.name },
    ageSeconds: view.ageSeconds(allocation.allocatedAtMs),
    evidence,
    fingerprint: `${handle ?? ''} ${sequence}`,
  });
}
