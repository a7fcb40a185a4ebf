// The addresses that IPReservations keep from automatic assignment, and the entries that cannot be read.
import { type Cidr, parseCidrOrIp } from '../../net/cidr.ts';
import { type CidrEntry, CidrIndex, IntervalSet } from '../../net/interval-set.ts';
import type { IPReservation } from '../../resources/kinds/ip-reservation.ts';

export interface ReservedAddresses {
  readonly cidrs: readonly Cidr[];
  readonly addresses: IntervalSet;
  readonly index: CidrIndex<IPReservation>;
  /** Entries that are neither a CIDR nor an address, with the name of their reservation. */
  readonly unreadable: readonly { readonly reservation: string; readonly text: string }[];
}

/** What the reservations keep back; never throws, whatever they hold. */
export function reservedAddressesOf(reservations: readonly IPReservation[]): ReservedAddresses {
  const entries: CidrEntry<IPReservation>[] = [];
  const unreadable: { reservation: string; text: string }[] = [];
  for (const reservation of reservations) {
    const texts: unknown = reservation.spec?.reservedCIDRs;
    for (const text of Array.isArray(texts) ? texts : []) {
      const cidr = typeof text === 'string' ? parseCidrOrIp(text.trim()) : undefined;
      if (cidr) entries.push({ cidr, value: reservation });
      else {
        const stored = typeof text === 'string' ? text : typeof text;
        unreadable.push({ reservation: reservation.metadata.name, text: stored });
      }
    }
  }
  const cidrs = entries.map(({ cidr }) => cidr);
  return { cidrs, addresses: IntervalSet.of(cidrs), index: new CidrIndex(entries), unreadable };
}
