// The results of `ipam show` as data: usage, single addresses, borrowed addresses, configuration. Pure.
import { addressAt, formatCidr, ordinalOf, parseCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import { type CalicoApi, v3ApiVersion } from '../../resources/kind.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import type { IPAMConfig } from '../../resources/kinds/ipam-config.ts';
import { sanitiseHandle } from '../../resources/names.ts';
import { type IpamSettings, settingsOf } from '../config.ts';
import type { AddressState } from './address-map.ts';
import { affinityHost, allocationsOf, borrowedFrom, type Utilization } from './utilization.ts';

export interface UsageShown {
  readonly kind: 'IPAMUsage';
  readonly usage: Utilization;
  readonly withBlocks: boolean;
}

/** Who holds an address. */
export interface Holder {
  /** IPAMHandle when nothing but the handle is known. */
  readonly kind: 'Pod' | 'Service' | 'Node' | 'IPAMHandle';
  readonly namespace?: string;
  readonly name: string;
  /** The node of the pod. */
  readonly node?: string;
}

export interface AddressShown {
  readonly address: string;
  readonly allocated: boolean;
  readonly block?: string;
  readonly pool?: string;
  readonly handle?: string;
  readonly node?: string;
  readonly borrowed?: boolean;
  readonly attributes?: Readonly<Record<string, string>>;
  /** The attributes of the second owner that an address has while a virtual machine moves; absent when it has none. */
  readonly alternateAttributes?: Readonly<Record<string, string>>;
  // The remaining fields are present only for a single requested address.
  readonly poolCidr?: string;
  /** False for a pool that is disabled or being deleted. */
  readonly poolEnabled?: boolean;
  /** The owner of the block as stored, `host:<node>` or `virtual:<name>`; absent when it has none. */
  readonly owner?: string;
  /** `outside`: in no block and outside of every pool. */
  readonly state?: AddressState | 'outside';
  readonly heldBy?: Holder;
  /** When it was assigned, RFC 3339; absent when that is not recorded. */
  readonly since?: string;
  /** IPReservations that the address is in. */
  readonly reservedBy?: readonly string[];
  /** Further blocks that the address is in: blocks overlap. */
  readonly otherBlocks?: readonly string[];
}

export interface AddressList {
  readonly kind: 'IPAMAddressList';
  readonly items: readonly AddressShown[];
}

export interface BorrowedShown {
  readonly address: string;
  readonly node: string;
  readonly block: string;
  readonly owner: string;
  readonly type: string;
  readonly allocatedTo: string;
}

export interface BorrowedList {
  readonly kind: 'IPAMBorrowedList';
  readonly items: readonly BorrowedShown[];
  /** Allocations that name no node, so that it is not known whether they are borrowed. */
  readonly withoutNode: number;
}

export interface ConfigurationShown extends IpamSettings {
  readonly kind: 'IPAMConfiguration';
}

export type IpamShown = UsageShown | AddressList | BorrowedList | ConfigurationShown;

/** What a block records about one of its addresses. */
export function addressIn(block: IPAMBlock, ip: IpAddress, pool: IPPool | undefined): AddressShown {
  const address = formatIp(ip);
  const place = { block: block.spec.cidr, ...(pool === undefined ? {} : { pool: pool.metadata.name }) };
  const cidr = parseCidr(block.spec.cidr);
  const ordinal = cidr === undefined ? undefined : ordinalOf(cidr, ip);
  const index = ordinal === undefined ? undefined : block.spec.allocations[ordinal];
  if (index === undefined || index === null) return { address, allocated: false, ...place };
  const record = block.spec.attributes?.[index];
  const attributes = record?.secondary ?? {};
  const node = attributes['node'];
  return {
    address,
    allocated: true,
    ...place,
    ...(record?.handle_id ? { handle: sanitiseHandle(record.handle_id) } : {}),
    ...(node === undefined ? {} : { node }),
    borrowed: node !== undefined && node !== affinityHost(block.spec.affinity),
    attributes,
    ...(record?.alternateOwnerAttrs && { alternateAttributes: record.alternateOwnerAttrs }),
  };
}

/** All allocated addresses whose attributes match the predicate, in block order. */
export function addressesWhere(
  blocks: readonly IPAMBlock[],
  poolOf: (block: IPAMBlock) => IPPool | undefined,
  wanted: (attributes: Readonly<Record<string, string>>) => boolean,
): AddressList {
  const items = blocks.flatMap((block) => {
    const cidr = parseCidr(block.spec.cidr);
    if (cidr === undefined) return [];
    return [...allocationsOf(block)]
      .filter(({ attributes }) => wanted(attributes))
      .map(({ ordinal }) => addressIn(block, addressAt(cidr, ordinal), poolOf(block)));
  });
  return { kind: 'IPAMAddressList', items };
}

/** The addresses held by nodes that do not own the block, in block order. */
export function borrowedList(blocks: readonly IPAMBlock[]): BorrowedList {
  let withoutNode = 0;
  const items: BorrowedShown[] = [];
  for (const block of blocks) {
    const found = borrowedFrom(block);
    withoutNode += found.withoutNode;
    const cidr = parseCidr(block.spec.cidr);
    if (cidr === undefined) continue;
    for (const { ordinal, node, attributes } of found.borrowed) {
      const { pod, namespace, type } = attributes;
      items.push({
        address: formatIp(addressAt(cidr, ordinal)),
        node,
        block: formatCidr(cidr),
        owner: affinityHost(block.spec.affinity),
        type: pod === undefined ? (type ?? '') : 'pod',
        allocatedTo: pod === undefined ? '' : `${namespace ?? ''}/${pod}`,
      });
    }
  }
  return { kind: 'IPAMBorrowedList', items, withoutNode };
}

/** The effective configuration: the defaults when there is no object. */
export function configurationShown(config: IPAMConfig | undefined, calicoApi: CalicoApi): ConfigurationShown {
  const { kubeVirtVMAddressPersistence: stored, ...settings } = settingsOf(config);
  // Custom resources of v3 exist since 3.32, for which an absent setting is Enabled; in v1 the release is not known.
  const persistence = stored ?? (calicoApi === v3ApiVersion ? 'Enabled' : undefined);
  return {
    kind: 'IPAMConfiguration',
    ...settings,
    ...(persistence !== undefined && { kubeVirtVMAddressPersistence: persistence }),
  };
}
