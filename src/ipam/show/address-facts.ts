// All that pools, blocks and reservations say of one address: where it is, what state it is in, who holds it. Pure.
import { cidrContains, parseCidrOrIp } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPReservation } from '../../resources/kinds/ip-reservation.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { parseGoTime } from '../../text/go-time.ts';
import { isEnabled, reservedAddresses } from '../pool/pools.ts';
import { type AddressState, cellOf, isVacant, type MapCell, textOf } from './address-map.ts';
import { type AddressShown, addressIn, type Holder } from './views.ts';

/** Where an address is. More than one block only where blocks overlap, which is a fault. */
export interface Place {
  readonly ip: IpAddress;
  readonly pool: IPPool | undefined;
  readonly blocks: readonly IPAMBlock[];
}

/** Who holds the address, as its allocation says; undefined when it names nobody. */
function holderOf({ attributes, handle, node }: MapCell, state: AddressState): Holder | undefined {
  const text = (key: string): string | undefined => textOf(attributes[key]);
  const [namespace, pod, service] = [text('namespace'), text('pod'), text('service')];
  const on = text('node');
  if (pod !== undefined) {
    return { kind: 'Pod', name: pod, ...(namespace && { namespace }), ...(on && { node: on }) };
  }
  if (service !== undefined) return { kind: 'Service', name: service, ...(namespace && { namespace }) };
  if (state === 'tunnel' && node !== undefined) return { kind: 'Node', name: node };
  return handle === undefined ? undefined : { kind: 'IPAMHandle', name: handle };
}

/** Names of the IPReservations that the address is in; entries that cannot be read are left out. */
function reservationsOf(ip: IpAddress, reservations: readonly IPReservation[]): string[] {
  const covers = (text: string): boolean => {
    const cidr = parseCidrOrIp(text.trim());
    return cidr !== undefined && cidrContains(cidr, ip);
  };
  return reservations
    .filter(({ spec }) => (spec.reservedCIDRs ?? []).some(covers))
    .map(({ metadata }) => metadata.name);
}

/** Where blocks overlap, the one that says that the address is held counts. */
export function addressFacts({ ip, pool, blocks }: Place, reservations: readonly IPReservation[]): AddressShown {
  const reserved = reservedAddresses(reservations);
  const seen = blocks.map((block) => ({ block, cell: cellOf(block, ip, reserved) }));
  const { block, cell } = seen.find((one) => one.cell && !isVacant(one.cell.state)) ?? seen[0] ?? {};
  const others = blocks.filter((other) => other !== block).map(({ spec }) => spec.cidr);
  const reservedBy = reservationsOf(ip, reservations);
  const vacant = pool === undefined ? 'outside' : reservedBy.length > 0 ? 'reserved' : 'free';
  const holder = cell && !isVacant(cell.state) ? holderOf(cell, cell.state) : undefined;
  const since = cell && parseGoTime(textOf(cell.attributes['timestamp']) ?? '');
  return {
    ...(block === undefined
      ? { address: formatIp(ip), allocated: false, ...(pool && { pool: pool.metadata.name }) }
      : addressIn(block, ip, pool)),
    ...(pool && { poolCidr: pool.spec.cidr, poolEnabled: isEnabled(pool) }),
    ...(block?.spec.affinity && { owner: block.spec.affinity }),
    state: cell?.state ?? vacant,
    ...(holder && { heldBy: holder }),
    ...(since !== undefined && { since: new Date(since).toISOString().replace('.000Z', 'Z') }),
    ...(reservedBy.length > 0 && { reservedBy }),
    ...(others.length > 0 && { otherBlocks: others }),
  };
}
