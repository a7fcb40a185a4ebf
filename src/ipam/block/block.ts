// An IPAM block read and made: its owner, its ordinals, who holds each. Pure; the rules are docs/reference/ipam.md#blocks.
// Assigning is block-assign.ts, releasing block-release.ts, broken books are block-structure.ts.
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

/** Who a block is affine to: a node, or a virtual owner such as `load-balancer`. */
export interface Owner {
  readonly type: 'host' | 'virtual';
  readonly name: string;
}

/** The owner that `host:<node>` or `virtual:<name>` names; undefined for nobody and for any other text. */
export function parseOwner(affinity: string | null | undefined): Owner | undefined {
  const match = /^(host|virtual):(.+)$/.exec(affinity ?? '');
  if (match === null) return undefined;
  return { type: match[1] as Owner['type'], name: match[2] as string };
}

/** The form in which a block names its owner. */
function ownerText(owner: Owner): string {
  return `${owner.type}:${owner.name}`;
}

/** The block's owner; undefined when it has none, or one that cannot be read (isOwnerless tells which). */
export function ownerOf(block: IPAMBlock): Owner | undefined {
  return parseOwner(block.spec.affinity);
}

/** True when nobody owns the block. */
export function isOwnerless(block: IPAMBlock): boolean {
  return block.spec.affinity === undefined || block.spec.affinity === null || block.spec.affinity === '';
}

/** True when the block is affine to exactly this owner. */
export function isOwnedBy(block: IPAMBlock, owner: Owner): boolean {
  return block.spec.affinity === ownerText(owner);
}

/** The block's network. Errors: CalictlError when spec.cidr is not a CIDR. */
export function cidrOf(block: IPAMBlock): Cidr {
  const cidr = parseCidr(block.spec.cidr);
  if (cidr === undefined) {
    throw new CalictlError(`IPAM block ${block.metadata.name} has no valid CIDR: ${JSON.stringify(block.spec.cidr)}`, {
      code: 'IPAM_BLOCK_CIDR',
    });
  }
  return cidr;
}

/** How many addresses a block of this network has. */
export function addressCount(cidr: Cidr): number {
  return 2 ** (bitsOf(cidr.version) - cidr.prefix);
}

/** The address of an ordinal of the block, canonical. */
export function addressOf(block: IPAMBlock, ordinal: number): string {
  return formatIp(addressAt(cidrOf(block), ordinal));
}

/** The ordinal of an address, or undefined when the block does not have it. */
export function ordinalInBlock(block: IPAMBlock, address: string): number | undefined {
  const ip = parseIp(address);
  return ip === undefined ? undefined : ordinalOf(cidrOf(block), ip);
}

/** True when the ordinal is held, by anybody. */
export function isAllocated(block: IPAMBlock, ordinal: number): boolean {
  const index = block.spec.allocations[ordinal];
  return index !== null && index !== undefined;
}

/** The ordinals that are held, ascending. */
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

/** The handle of an attribute record; what is no text is none. */
function textHandle(attribute: BlockAttribute | null | undefined): string | undefined {
  const handle: unknown = attribute?.handle_id;
  return typeof handle === 'string' ? handle : undefined;
}

/** The attribute records; none when the field is null, absent or no list, as Go writes and hands edit it. */
export function attributesOf(block: IPAMBlock): readonly BlockAttribute[] {
  const stored: unknown = block.spec.attributes;
  return Array.isArray(stored) ? stored : [];
}

/** The free list; empty when the field is null, absent or no list. */
export function freeListOf(block: IPAMBlock): readonly number[] {
  const stored: unknown = block.spec.unallocated;
  return Array.isArray(stored) ? stored : [];
}

/** The handle that Calico compares: the stored text up to the first carriage return; empty when there is none. */
export function effectiveHandle(block: IPAMBlock, ordinal: number): string {
  return sanitiseHandle(handleOf(block, ordinal) ?? '');
}

/** The sequence number that the allocation of an ordinal was made at; 0 when none is stored. */
export function sequenceOf(block: IPAMBlock, ordinal: number): bigint {
  return block.spec.sequenceNumberForAllocation?.[String(ordinal)] ?? 0n;
}

/** True when nothing but a Windows reservation is allocated. An allocation without a handle counts as one. */
export function isEmpty(block: IPAMBlock): boolean {
  const attributes = attributesOf(block);
  return block.spec.allocations.every((index) => {
    if (index === null || index === undefined) return true;
    return textHandle(attributes[index])?.toLowerCase() === windowsHandle;
  });
}

/** The same block one sequence number on, as every write of an existing block must leave it. */
export function touched(block: IPAMBlock): IPAMBlock {
  return withSpec(block, { sequenceNumber: (block.spec.sequenceNumber ?? 0n) + 1n });
}

/** The same block without an owner; its allocations stay. */
export function withoutOwner(block: IPAMBlock): IPAMBlock {
  const { affinity: _affinity, affinityClaimTime: _claimTime, ...spec } = block.spec;
  return { ...block, spec };
}

/** A copy with some fields of spec replaced; all others, known or not, stay. */
export function withSpec(block: IPAMBlock, changes: Partial<IPAMBlock['spec']>): IPAMBlock {
  return { ...block, spec: { ...block.spec, ...changes } };
}

/**
 * A block nobody has written yet. `sequenceNumber` is the time in nanoseconds.
 * With a reservation, its ordinals are allocated from the start, without sequence entries.
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
 * The longest prefix of a block that has room for a reservation of this many addresses and one more.
 * Errors: CalictlError for a reservation of nothing.
 */
export function maxPrefixLength(version: 4 | 6, reserved: number): number {
  if (reserved <= 0) {
    throw new CalictlError('HostReservedAttr has wrong parameters', { code: 'IPAM_RESERVATION' });
  }
  return bitsOf(version) - (Math.floor(Math.log2(reserved)) + 1);
}
