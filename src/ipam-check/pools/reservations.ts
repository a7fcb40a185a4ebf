// Reservations as the check sees them: what can be read of them, what cannot; and who has an address in one (INV-42).

import { type Cidr, parseCidrOrIp } from '../../net/cidr.ts';
import type { CidrEntry } from '../../net/interval-set.ts';
import { CidrIndex, IntervalSet } from '../../net/interval-set.ts';
import type { IPReservation } from '../../resources/kinds/ip-reservation.ts';
import type { Judgement } from '../finding.ts';
import { blockObject, judge } from '../judgement.ts';
import type { Allocation, BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';

/** Addresses named in a finding; beyond that they are counted only. */
const namedAddresses = 5;

export interface Reserved {
  readonly cidrs: readonly Cidr[];
  readonly addresses: IntervalSet;
  readonly index: CidrIndex<IPReservation>;
  /** Entries that are no network and no address. */
  readonly unreadable: readonly { readonly reservation: string; readonly text: string }[];
}

/** What the reservations of the snapshot keep back; never throws, whatever they hold. */
export function reservedOf(reservations: readonly IPReservation[]): Reserved {
  const entries: CidrEntry<IPReservation>[] = [];
  const unreadable: { reservation: string; text: string }[] = [];
  for (const reservation of reservations) {
    const texts: unknown = reservation.spec?.reservedCIDRs;
    for (const text of Array.isArray(texts) ? texts : []) {
      const cidr = typeof text === 'string' ? parseCidrOrIp(text.trim()) : undefined;
      if (cidr) entries.push({ cidr, value: reservation });
      else
        unreadable.push({
          reservation: reservation.metadata.name,
          text: typeof text === 'string' ? text : typeof text,
        });
    }
  }
  const cidrs = entries.map(({ cidr }) => cidr);
  return { cidrs, addresses: IntervalSet.of(cidrs), index: new CidrIndex(entries), unreadable };
}

/** INV-42, one finding a block and reservation: whether an address was asked for by name is not recorded. */
export function reservationJudgements(view: CheckView, reserved: Reserved, releases: PlannedReleases): Judgement[] {
  if (!view.canJudge('IPReservation') || reserved.cidrs.length === 0) return [];
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
  const named = addresses.slice(0, namedAddresses).join(', ');
  const more = addresses.length - namedAddresses;
  return judge({
    id: 'INV-42',
    object: blockObject(block.name),
    related: [{ kind: 'IPReservation', name: reservation }],
    cidr: block.cidr,
    address: addresses.length === 1 ? addresses[0] : undefined,
    node: block.node,
    part: reservation,
    evidence: [
      `allocated in ${block.cidr} and kept back by reservation ${reservation}: ${named}${more > 0 ? ` and ${more} more` : ''}`,
    ],
    fingerprint: addresses.join(),
  });
}
