// Judges what people have set against what is there: owners by name (INV-37), borrowing (INV-41), the configuration
// (INV-43), and pools that assign by hand only (INV-67). LoadBalancer addresses themselves are service-allocations.ts.
import { loadBalancerName } from '../../ipam/assign/assignment-owner.ts';
import { runsWindows } from '../../ipam/block/windows-reserve.ts';
import { assignsAutomatically } from '../../ipam/pool/pools.ts';
import { namedPod } from '../addresses/pod-allocations.ts';
import { namedService } from '../addresses/service-allocations.ts';
import { namedTunnel } from '../addresses/tunnel-allocations.ts';
import type { FoundObject, Judgement } from '../finding.ts';
import { affinityObject, blockObject, judge, nodeObject } from '../judgement.ts';
import type { Reserved } from '../pools/reservations.ts';
import type { AffinityView } from '../view/affinity-view.ts';
import type { Allocation } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';

/** INV-37: virtual owners have a name that Calico knows, nodes do not have it. */
export function ownerNameJudgements(view: CheckView): Judgement[] {
  if (!view.canJudge('BlockAffinity') || !view.canJudge('Node')) return [];
  const judgements: Judgement[] = [];
  if (view.nodesByName.has(loadBalancerName)) judgements.push(namesake(view));
  for (const affinity of view.affinities) {
    const evidence = affinity.tombstone ? undefined : typeProblem(affinity);
    if (evidence === undefined) continue;
    judgements.push(
      judge({
        id: 'INV-37',
        severity: 'warning',
        object: affinityObject(affinity.name),
        cidr: affinity.cidr ?? affinity.cidrText,
        evidence: [evidence],
        fingerprint: String(affinity.resourceVersion),
      }),
    );
  }
  for (const block of view.liveBlocks) {
    if (block.owner?.type !== 'virtual' || block.owner.name === loadBalancerName || view.affinityOfOwner(block))
      continue;
    judgements.push(
      judge({
        id: 'INV-37',
        severity: 'warning',
        object: blockObject(block.name),
        cidr: block.cidr,
        evidence: [unknownOwner(block.owner.name)],
        fingerprint: String(block.affinity),
      }),
    );
  }
  return judgements;
}

function typeProblem({ affinity, type, node }: AffinityView): string | undefined {
  const stored: unknown = affinity.spec?.type;
  if (typeof stored === 'string' && stored !== '' && stored !== type)
    return `spec.type "${stored}" is no type of owner`;
  return type === 'virtual' && node !== loadBalancerName ? unknownOwner(node) : undefined;
}

function unknownOwner(name: string): string {
  return `"${name}" is no virtual owner, the only one is ${loadBalancerName}`;
}

function namesake(view: CheckView): Judgement {
  const claims = view.affinities.filter(({ node, tombstone }) => node === loadBalancerName && !tombstone);
  return judge({
    id: 'INV-37',
    object: nodeObject(loadBalancerName),
    related: claims.map(({ name }) => affinityObject(name)),
    node: loadBalancerName,
    evidence: [
      `a node has the name ${loadBalancerName}, under which the blocks of LoadBalancer services are claimed`,
      ...claims.map(({ owner, cidrText }) => `${owner} claims ${cidrText}`),
    ],
    fingerprint: claims.map(({ name }) => name).join(' '),
  });
}

/** INV-41: addresses that a node has from a block of another one, though nodes are to use their own blocks only. */
export function borrowingJudgements(view: CheckView, releases: PlannedReleases): Judgement[] {
  if (!view.canJudge('IPAMConfig') || !view.canJudge('Node') || !view.settings.strictAffinity) return [];
  return view.allocations
    .filter((allocation) => allocation.borrowed && allocation.block.node !== undefined)
    .filter((allocation) => releases.of(allocation) === undefined)
    .map((allocation) => borrowedAddress(view, allocation));
}

function borrowedAddress(view: CheckView, allocation: Allocation): Judgement {
  const { address, block, handle, node, sequence } = allocation;
  const pod = namedPod(allocation);
  const owner: FoundObject | undefined = pod && { kind: 'Pod', namespace: pod.namespace, name: pod.name };
  const windows = runsWindows(view.nodesByName.get(block.node ?? '')?.labels ?? {});
  const evidence = [
    `${block.cidr} belongs to ${block.affinity}, the address is used on node ${node}`,
    'strict affinity is on: nodes are to use their own blocks only',
  ];
  if (windows) evidence.push(`${block.node} runs Windows, which has no route to single addresses on other nodes`);
  return judge({
    id: 'INV-41',
    severity: windows ? 'error' : 'warning',
    object: blockObject(block.name),
    cidr: block.cidr,
    address,
    handle,
    node,
    owner,
    ageSeconds: view.ageSeconds(allocation.allocatedAtMs),
    evidence,
    fingerprint: `${handle ?? ''} ${sequence}`,
  });
}

/** INV-43: settings that do not go together, and reservations that stop Calico. */
export function configurationJudgements(view: CheckView, reserved: Reserved): Judgement[] {
  if (!view.canJudge('IPAMConfig') || !view.canJudge('Node') || !view.canJudge('IPReservation')) return [];
  const judgements: Judgement[] = [];
  const evidence = contradictions(view);
  if (evidence.length > 0) judgements.push(incoherent({ kind: 'IPAMConfig', name: 'default' }, evidence));
  const broken = new Map<string, string[]>();
  for (const { reservation, text } of reserved.unreadable) {
    const line = `"${text}" is neither a network nor an address: Calico up to 3.32 stops assigning on it`;
    broken.set(reservation, [...(broken.get(reservation) ?? []), line]);
  }
  for (const [name, lines] of broken) judgements.push(incoherent({ kind: 'IPReservation', name }, lines));
  return judgements;
}

function contradictions({ settings, snapshot }: CheckView): string[] {
  const { strictAffinity, autoAllocateBlocks, maxBlocksPerHost } = settings;
  if (strictAffinity) return [];
  const evidence: string[] = [];
  if (!autoAllocateBlocks) evidence.push('strictAffinity and autoAllocateBlocks are both off');
  if (maxBlocksPerHost > 0) evidence.push(`maxBlocksPerHost is ${maxBlocksPerHost} without strictAffinity`);
  const windows = snapshot.nodes.filter(({ labels }) => runsWindows(labels)).map(({ name }) => name);
  if (windows.length > 0) {
    const more = windows.length > 1 ? ` and ${windows.length - 1} more` : '';
    evidence.push(`strictAffinity is off, and node ${windows[0]}${more} runs Windows`);
  }
  return evidence;
}

function incoherent(object: FoundObject, evidence: readonly string[]): Judgement {
  return judge({ id: 'INV-43', object, evidence, fingerprint: evidence.join() });
}

/** Annotations by which a service asks for its addresses, or for the pools to take them from. */
const requests = [
  'projectcalico.org/loadBalancerIPs',
  'projectcalico.org/ipv4pools',
  'projectcalico.org/ipv6pools',
] as const;

/**
 * INV-67: addresses that were assigned automatically in pools that assign by hand only. Pools of another use are judged
 * with the tunnel (INV-63), the block (INV-23) or the service (INV-44); `judged` has the addresses with such a finding.
 */
export function manualPoolJudgements(view: CheckView, judged: ReadonlySet<string>): Judgement[] {
  if (!view.canJudge('Service') || !view.pools.some(({ pool }) => !assignsAutomatically(pool))) return [];
  const judgements: Judgement[] = [];
  for (const allocation of view.allocations) {
    const owner = automaticOwner(view, allocation);
    const pool = owner && view.poolOf(allocation.ip);
    if (!pool || assignsAutomatically(pool.pool) || judged.has(allocation.address)) continue;
    const { address, block, handle, node, sequence } = allocation;
    judgements.push(
      judge({
        id: 'INV-67',
        object: blockObject(block.name),
        related: [{ kind: 'IPPool', name: pool.name }],
        dependencies: [{ kind: 'IPPool', name: pool.name }],
        cidr: block.cidr,
        address,
        handle,
        node,
        owner,
        evidence: [`pool ${pool.name} assigns addresses by hand only`],
        fingerprint: `${handle ?? ''} ${sequence}`,
      }),
    );
  }
  return judgements;
}

/** Whose tunnel or LoadBalancer address it is; undefined for any other, and for one that was asked for. */
function automaticOwner(view: CheckView, allocation: Allocation): FoundObject | undefined {
  const tunnel = namedTunnel(allocation);
  if (tunnel !== undefined) return { kind: 'Node', name: tunnel.node };
  const named = namedService(allocation);
  const service = named && view.servicesByKey.get(`${named.namespace}/${named.name}`);
  if (service === undefined || requests.some((annotation) => annotation in service.annotations)) return undefined;
  return { kind: 'Service', namespace: service.namespace, name: service.name };
}
