// Reads and creates IPAM blocks: the owner, the ordinals, who holds each. Pure; rules: docs/reference/ipam.md#blocks.
// Assigning is block-assign.ts, releasing block-release.ts, bookkeeping block-structure.ts.
import { addressAt, bitsOf, type Cidr, formatCidr, ordinalOf, parseCidr } from '../../net/cidr.ts';
import { formatIp, parseIp } from '../../net/ip.ts';
import type { BlockAttribute, IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import {
  blockName,
  EMPTY_METADATA,
  METADATA_ANNOTATION,
  sanitiseHandle,
  windowsHandle,
} from '../../resources/names.ts';
import { CalictlError } from '../../world/errors.ts';
import type { HostReservation } from './windows-reserve.ts';

/** Who owns a block: a node, or a virtual owner such as `load-balancer`. */
export interface Owner {
  readonly type: 'host' | 'virtual';
  readonly name: string;
}

/** The owner that `host:<node>` or `virtual:<name>` names; undefined for anything else. */
export function parseOwner(affinity: string | null | undefined): Owner | undefined {
  const match = /^(host|virtual):(.+)$/.exec(affinity ?? '');
  if (match === null) return undefined;
  return { type: match[1] as Owner['type'], name: match[2] as string };
}

/** The text by which a block names its owner. */
function ownerText(owner: Owner): string {
  return `${owner.type}:${owner.name}`;
}

/** The owner of the block; undefined when it has none (see isOwnerless) or an invalid one. */
export function ownerOf(block: IPAMBlock): Owner | undefined {
  return parseOwner(block.spec.affinity);
}

/** True when the block names no owner. */
export function isOwnerless(block: IPAMBlock): boolean {
  return block.spec.affinity === undefined || block.spec.affinity === null || block.spec.affinity === '';
}

/** True when exactly this owner owns the block. */
export function isOwnedBy(block: IPAMBlock, owner: Owner): boolean {
  return block.spec.affinity === ownerText(owner);
}

/** The CIDR of the block. Errors: CalictlError when spec.cidr is invalid. */
export function cidrOf(block: IPAMBlock): Cidr {
  const cidr = parseCidr(block.spec.cidr);
  if (cidr === undefined) {
    throw new CalictlError(`IPAM block ${block.metadata.name} has no valid CIDR: ${JSON.stringify(block.spec.cidr)}`, {
      code: 'IPAM_BLOCK_CIDR',
    });
  }
  return cidr;
}

/** The number of addresses of a block with this CIDR. */
export function addressCount(cidr: Cidr): number {
  return 2 ** (bitsOf(cidr.version) - cidr.prefix);
}

/** The address of an ordinal of the block, canonical. */
export function addressOf(block: IPAMBlock, ordinal: number): string {
  return formatIp(addressAt(cidrOf(block), ordinal));
}

/** The ordinal of an address; undefined when it is not in the block. */
export function ordinalInBlock(block: IPAMBlock, address: string): number | undefined {
  const ip = parseIp(address);
  return ip === undefined ? undefined : ordinalOf(cidrOf(block), ip);
}

/** True when the ordinal is allocated. */
export function isAllocated(block: IPAMBlock, ordinal: number): boolean {
  const index = block.spec.allocations[ordinal];
  return index !== null && index !== undefined;
}

/** The allocated ordinals, ascending. */
export function allocatedOrdinals(block: IPAMBlock): number[] {
  const ordinals: number[] = [];
  for (let ordinal = 0; ordinal < block.spec.allocations.length; ordinal++) {
    if (isAllocated(block, ordinal)) ordinals.push(ordinal);
  }
  return ordinals;
}

/** The handle of an allocation as stored; undefined when it has none, or its attribute record is missing. */
export function handleOf(block: IPAMBlock, ordinal: number): string | undefined {
  const index = block.spec.allocations[ordinal];
  if (index === null || index === undefined) return undefined;
  return textHandle(attributesOf(block)[index]);
}

/** The handle of an attribute record; undefined unless it is a string. */
function textHandle(attribute: BlockAttribute | null | undefined): string | undefined {
  const handle: unknown = attribute?.handle_id;
  return typeof handle === 'string' ? handle : undefined;
}

/** The attribute records; empty when the field is null, absent or not a list. */
export function attributesOf(block: IPAMBlock): readonly BlockAttribute[] {
  const stored: unknown = block.spec.attributes;
  return Array.isArray(stored) ? stored : [];
}

/** The free list; empty when the field is null, absent or not a list. */
export function freeListOf(block: IPAMBlock): readonly number[] {
  const stored: unknown = block.spec.unallocated;
  return Array.isArray(stored) ? stored : [];
}

/** The handle that Calico compares: the stored text up to the first carriage return; empty when there is none. */
export function effectiveHandle(block: IPAMBlock, ordinal: number): string {
  return sanitiseHandle(handleOf(block, ordinal) ?? '');
}

/** The sequence number of the allocation of an ordinal; 0 when none is stored. */
export function sequenceOf(block: IPAMBlock, ordinal: number): bigint {
  return block.spec.sequenceNumberForAllocation?.[String(ordinal)] ?? 0n;
}

/** True when nothing is allocated except a Windows reservation. Allocations without a handle count as allocated. */
export function isEmpty(block: IPAMBlock): boolean {
  const attributes = attributesOf(block);
  return block.spec.allocations.every((index) => {
    if (index === null || index === undefined) return true;
    return textHandle(attributes[index])?.toLowerCase() === windowsHandle;
  });
}

/** The block with the next sequence number, as every write of an existing block must leave it. */
export function touched(block: IPAMBlock): IPAMBlock {
  return withSpec(block, { sequenceNumber: (block.spec.sequenceNumber ?? 0n) + 1n });
}

/** The block without an owner; its allocations stay. */
export function withoutOwner(block: IPAMBlock): IPAMBlock {
  const { affinity: _affinity, affinityClaimTime: _claimTime, ...spec } = block.spec;
  return { ...block, spec };
}

/** A copy with some fields of spec replaced; all others, known or not, stay. */
export function withSpec(block: IPAMBlock, changes: Partial<IPAMBlock['spec']>): IPAMBlock {
  return { ...block, spec: { ...block.spec, ...changes } };
}

/**
 * A new block, not written yet. `sequenceNumber` is the time in nanoseconds. The ordinals of a reservation are allocated
 * from the start, without sequence entries.
 */
export function newBlock(
  cidr: Cidr,
  owner: Owner | undefined,
  sequenceNumber: bigint,
  reservation?: HostReservation,
): IPAMBlock {
  const text = formatCidr(cidr);
  const size = addressCount(cidr);
  const start = Math.min(reservation?.startOfBlock ?? 0, size);
  const end = Math.max(size - (reservation?.endOfBlock ?? 0), start);
  const allocations: (number | null)[] = [];
  const unallocated: number[] = [];
  for (let ordinal = 0; ordinal < size; ordinal++) {
    const reserved = ordinal < start || ordinal >= end;
    allocations.push(reserved ? 0 : null);
    if (!reserved) unallocated.push(ordinal);
  }
  return {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPAMBlock',
    metadata: { name: blockName(text), annotations: { [METADATA_ANNOTATION]: EMPTY_METADATA } },
    spec: {
      cidr: text,
      ...(owner === undefined ? {} : { affinity: ownerText(owner) }),
      allocations,
      unallocated,
      attributes:
        reservation === undefined ? [] : [{ handle_id: reservation.handle, secondary: { note: reservation.note } }],
      sequenceNumber,
      sequenceNumberForAllocation: {},
      deleted: false,
      strictAffinity: false,
    },
  };
}

/**
 * The longest prefix of a block with room for a reservation of this many addresses and one more.
 * Errors: CalictlError for an empty reservation.
 */
export function maxPrefixLength(version: 4 | 6, reserved: number): number {
  if (reserved <= 0) {
    throw new CalictlError('HostReservedAttr has wrong parameters', { code: 'IPAM_RESERVATION' });
  }
  return bitsOf(version) - (Math.floor(Math.log2(reserved)) + 1);
}
