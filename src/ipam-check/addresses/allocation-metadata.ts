// Judges what is recorded with each allocation: the format of the handle, times, second owner and node attribute (INV-17,
// 64, 65, 66, 68). Whether anything uses the address is judged in addresses.ts.
import { attributesOf } from '../../ipam/block/block.ts';
import { goTimeText, parseGoTime } from '../../text/go-time.ts';
import { listed } from '../../text/wording.ts';
import type { Judgement } from '../finding.ts';
import { aboutBlock, type Draft, judge, mostListed } from '../judgement.ts';
import { clockSkewMs, isPlainGoTime, operationGuardMs } from '../times.ts';
import type { AddressUsers } from '../view/address-users.ts';
import type { Allocation, BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';
import { namesMachine } from './allocation-fault.ts';

/**
 * INV-17, 64, 65, 66 and 68. Addresses that --fix releases are passed over; INV-68, the least that can be said, also
 * passes over those in `reported`, which have a finding already.
 */
export function metadataJudgements(
  view: CheckView,
  addressUsers: AddressUsers,
  releases: PlannedReleases,
  reported: ReadonlySet<string>,
): Judgement[] {
  const latest = goTimeText(new Date(view.nowMs + clockSkewMs));
  const judgements: Judgement[] = [];
  for (const block of view.liveBlocks) {
    const cooling: Allocation[] = [];
    for (const allocation of block.allocations) {
      if (allocation.windowsReserved || isPlain(allocation, latest)) continue;
      if (allocation.cooling) cooling.push(allocation);
      else if (!allocation.attributeMissing && releases.of(allocation) === undefined) {
        const found = oddities(view, addressUsers, allocation);
        const least = found.length === 0 && !reported.has(allocation.address) ? oddNode(allocation) : [];
        for (const draft of [...found, ...least]) judgements.push(about(view, allocation, draft));
      }
    }
    if (cooling.length > 0) judgements.push(...wrongCooldown(view, block, cooling));
  }
  return judgements;
}

/** What a rule adds to what every finding about an allocation says. */
type Oddity = Pick<Draft, 'id' | 'evidence' | 'candidate' | 'settled' | 'repair'>;

function about(view: CheckView, allocation: Allocation, oddity: Oddity): Judgement {
  const { block, address, handle, node, attributes, sequence } = allocation;
  const { pod, namespace } = attributes;
  return judge({
    ...aboutBlock(block),
    ...oddity,
    address,
    handle,
    node,
    ...(pod && namespace ? { owner: { kind: 'Pod', namespace, name: pod } } : {}),
    ageSeconds: view.ageSeconds(allocation.allocatedAtMs),
    fingerprint: `${handle ?? ''} ${sequence}`,
  });
}

/** The usual case, decided without creating any object. */
function isPlain(allocation: Allocation, latest: string): boolean {
  const { handle, handleId, attributes, block } = allocation;
  if (
    handle === undefined ||
    handle !== handleId ||
    allocation.cooling ||
    allocation.alternateAttributes !== undefined
  ) {
    return false;
  }
  const { node, namespace, pod, timestamp } = attributes;
  if (block.owner !== undefined && (node === undefined || node === '') !== (block.owner.type === 'virtual'))
    return false;
  if (timestamp !== undefined && !isPlainGoTime(timestamp, latest)) return false;
  return pod === undefined || namespace === undefined || handle.length !== namespace.length + pod.length + 1;
}

function oddities(view: CheckView, addressUsers: AddressUsers, allocation: Allocation): Oddity[] {
  const found: Oddity[] = [];
  const { handle, handleId } = allocation;
  if (handle !== undefined && handle !== handleId) {
    found.push({
      id: 'INV-17',
      settled: true,
      evidence: [`the handle is stored as ${JSON.stringify(handle)}, but only ${handleId} counts`],
    });
  }
  if (isLegacy(addressUsers, allocation)) {
    found.push({
      id: 'INV-64',
      settled: true,
      evidence: [`the handle ${handleId} consists of namespace and pod name`],
    });
  }
  const time = implausibleTime(view, allocation.attributes['timestamp']);
  if (time !== undefined) found.push({ id: 'INV-65', evidence: [time] });
  return [...found, ...secondOwner(view, allocation)];
}

/** True for a handle in the format of Calico 2; such allocations often name no pod in their attributes. */
function isLegacy(addressUsers: AddressUsers, { handleId, attributes, ip }: Allocation): boolean {
  const { namespace, pod } = attributes;
  if (handleId === undefined) return false;
  if (namespace && pod) return handleId === `${namespace}.${pod}`;
  return addressUsers
    .of(ip)
    .some((user) => user.kind === 'Pod' && handleId === `${user.pod.namespace}.${user.pod.name}`);
}

function implausibleTime(view: CheckView, timestamp: string | undefined): string | undefined {
  if (timestamp === undefined) return undefined;
  const time = parseGoTime(timestamp);
  if (time === undefined) return `invalid timestamp ${JSON.stringify(timestamp)}`;
  return time > view.nowMs + clockSkewMs ? `timestamp ${timestamp} is in the future` : undefined;
}

/** INV-66. Only virtual machines have two owners, and only while they are migrated. */
function secondOwner(view: CheckView, allocation: Allocation): Oddity[] {
  const { alternateAttributes, block } = allocation;
  if (alternateAttributes === undefined || Object.keys(alternateAttributes).length === 0) return [];
  const { pod, namespace } = alternateAttributes;
  const evidence: string[] = [];
  if (!namesMachine(allocation)) evidence.push('its handle is not that of a virtual machine');
  if (!pod || !namespace) evidence.push('the second owner is not a pod');
  else {
    const record = view.podNamed({ namespace, name: pod });
    if (record === undefined && view.wasRead('Pod'))
      evidence.push(`the second owner, pod ${namespace}/${pod}, does not exist`);
    else if (record?.finished) evidence.push(`the second owner, pod ${namespace}/${pod}, has terminated`);
  }
  const candidate = view.isYounger(block.writtenAtMs, operationGuardMs);
  return evidence.length === 0 ? [] : [{ id: 'INV-66', candidate, evidence }];
}

/** INV-68. Other rules say more about an allocation without any attributes. */
function oddNode({ block, attributes, handle }: Allocation): Oddity[] {
  const { owner } = block;
  const { node } = attributes;
  if (owner === undefined || handle === undefined) return [];
  if (owner.type === 'virtual') {
    const evidence = [`the block belongs to ${block.affinity}, but the address is allocated on node ${node}`];
    return node ? [{ id: 'INV-68', settled: true, evidence }] : [];
  }
  if (node || Object.keys(attributes).length === 0) return [];
  return [
    {
      id: 'INV-68',
      settled: true,
      evidence: [`the block belongs to ${block.affinity}, but its attributes name no node`],
    },
  ];
}

/** INV-65 of addresses in cooldown: one release writes one record for all that it frees. */
function wrongCooldown(view: CheckView, block: BlockView, cooling: readonly Allocation[]): Judgement[] {
  const records = attributesOf(block.block);
  const wrong = new Map<string, number[]>();
  for (const { ordinal } of cooling) {
    const releasedAt = records[block.block.spec.allocations[ordinal] ?? -1]?.releasedAt ?? '';
    const time = Date.parse(releasedAt);
    if (time <= view.nowMs + clockSkewMs) continue;
    const ordinals = wrong.get(releasedAt);
    if (ordinals) ordinals.push(ordinal);
    else wrong.set(releasedAt, [ordinal]);
  }
  if (wrong.size === 0) return [];
  const evidence = [...wrong].map(([releasedAt, ordinals]) => {
    const what = Number.isNaN(Date.parse(releasedAt)) ? 'invalid' : 'future';
    return `${what} releasedAt ${JSON.stringify(releasedAt)} at ordinals ${listed(ordinals, mostListed)}`;
  });
  return [judge({ ...aboutBlock(block), id: 'INV-65', evidence, fingerprint: evidence.join(' ') })];
}
