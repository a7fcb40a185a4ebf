// Judges addresses that are allocated although a reservation keeps them from automatic assignment (INV-42).
import { listed } from '../../text/wording.ts';
import type { Judgement } from '../finding.ts';
import { blockObject, judge } from '../judgement.ts';
import type { Allocation, BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';
import type { ReservedAddresses } from '../view/reserved-addresses.ts';

/** INV-42, one finding per block and reservation: whether an address was requested explicitly is not recorded. */
export function reservedAddressJudgements(
  view: CheckView,
  reserved: ReservedAddresses,
  releases: PlannedReleases,
): Judgement[] {
  if (reserved.cidrs.length === 0) return [];
  const judgements: Judgement[] = [];
  for (const block of view.liveBlocks) {
    if (block.range === undefined || !reserved.addresses.overlaps(block.range)) continue;
    const held = new Map<string, Allocation[]>();
    for (const allocation of block.allocations) {
      if (allocation.windowsReserved || releases.of(allocation) !== undefined) continue;
      const names = reserved.index.findAll(allocation.ip).map(({ metadata }) => metadata.name);
      for (const name of new Set(names)) held.set(name, [...(held.get(name) ?? []), allocation]);
    }
    for (const [name, allocations] of held) judgements.push(inReservation(block, name, allocations));
  }
  return judgements;
}

function inReservation(block: BlockView, reservation: string, allocations: readonly Allocation[]): Judgement {
  const addresses = allocations.map(({ address }) => address);
  return judge({
    id: 'INV-42',
    object: blockObject(block.name),
    related: [{ kind: 'IPReservation', name: reservation }],
    cidr: block.cidr,
    address: addresses.length === 1 ? addresses[0] : undefined,
    node: block.node,
    part: reservation,
    evidence: [`allocated in ${block.cidr} and reserved by ${reservation}: ${listed(addresses)}`],
    fingerprint: addresses.join(),
  });
}
