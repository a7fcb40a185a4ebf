// One stored block as the check sees it: parsed, its allocations listed, or set aside with the reason why it cannot be read.
import { attributesOf, type Owner, parseOwner } from '../ipam/block/block.ts';
import { addressAt, type Cidr, cidrSize, formatCidr, isCanonicalCidr, parseCidr } from '../net/cidr.ts';
import { formatIp, type IpAddress } from '../net/ip.ts';
import type { BlockAttribute, IPAMBlock } from '../resources/ipam-block.ts';
import { handleName, sanitiseHandle, windowsHandle } from '../resources/names.ts';
import { lastWriteMs, parseGoTime } from './times.ts';

/**
 * `live`: Calico sees it and it can be read. `tombstone`: deletion began and was not finished.
 * `unreadable`: CIDR or allocation array is broken. `shadowed`: misnamed, beside a rightly named block of the same CIDR.
 */
export type BlockStatus = 'live' | 'tombstone' | 'unreadable' | 'shadowed';

export interface BlockView {
  readonly block: IPAMBlock;
  readonly name: string;
  readonly resourceVersion: string | undefined;
  readonly status: BlockStatus;
  /** Canonical CIDR text; as stored when it cannot be read. */
  readonly cidr: string;
  readonly cidrText: string;
  /** Undefined only when not even the name tells the place of an unreadable block. */
  readonly range: Cidr | undefined;
  /** Number of addresses; 0 for an unreadable block. */
  readonly size: number;
  /** spec.affinity as stored; undefined when the block has no owner. */
  readonly affinity: string | undefined;
  /** The parsed owner; undefined without one, and when the text is no owner. */
  readonly owner: Owner | undefined;
  /** The node that owns it, for `host:` owners. */
  readonly node: string | undefined;
  /** In order of ordinals; empty for an unreadable block. */
  readonly allocations: readonly Allocation[];
  /** Ordinals whose attribute index points nowhere. */
  readonly unreadableOrdinals: readonly number[];
  /** No address is allocated but for the Windows reserve. */
  readonly empty: boolean;
  readonly writtenAtMs: number | undefined;
  /** What INV-02 has to say; empty when the CIDR is sane. */
  readonly cidrProblem: string | undefined;
  /** What INV-03 has to say. */
  readonly arrayProblem: string | undefined;
}

/** One allocated address. */
export interface Allocation {
  readonly block: BlockView;
  readonly ordinal: number;
  readonly ip: IpAddress;
  /** Canonical text. */
  readonly address: string;
  /** True when the attribute index points nowhere (INV-04): handle and attributes are unknown, not absent. */
  readonly attributeMissing: boolean;
  /** handle_id as stored; undefined when there is none. */
  readonly handle: string | undefined;
  /** The handle up to the first carriage return. */
  readonly handleId: string | undefined;
  /** Name of the handle's object: the sanitised id in lower case. */
  readonly handleName: string | undefined;
  readonly windowsReserved: boolean;
  /** sequenceNumberForAllocation of the ordinal; 0 when there is none. */
  readonly sequence: bigint;
  /** The `secondary` map; empty when there is none. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Attributes of the second owner during a KubeVirt live migration. */
  readonly alternateAttributes: Readonly<Record<string, string>> | undefined;
  /** The address was released and cools down: it has no handle and no owner, and that is right. */
  readonly cooling: boolean;
  /** Attribute `node`, else the node that owns the block. */
  readonly node: string | undefined;
  /** The attribute `node` names another node than the block's owner. */
  readonly borrowed: boolean;
  /** When it was allocated, as far as anything tells; undefined counts as long ago. */
  readonly allocatedAtMs: number | undefined;
}

const noAttributes: Readonly<Record<string, string>> = {};

/** Sequence numbers start at the creation time of the block in nanoseconds since blocks are numbered so. */
export const plausibleSequence = 10n ** 18n;

/** Parses a block; never throws, whatever the object holds. */
export function readBlock(block: IPAMBlock): BlockView {
  const spec: Partial<Record<keyof IPAMBlock['spec'], unknown>> = block.spec ?? {};
  const cidrText = typeof spec.cidr === 'string' ? spec.cidr : '';
  const range = parseCidr(cidrText);
  const cidrProblem = problemOfCidr(cidrText, range);
  const size = cidrProblem || !range ? 0 : Number(cidrSize(range));
  const arrayProblem = cidrProblem ? undefined : problemOfArray(spec.allocations, size);
  const affinity = typeof spec.affinity === 'string' && spec.affinity !== '' ? spec.affinity : undefined;
  const owner = parseOwner(affinity);
  const unreadable = cidrProblem !== undefined || arrayProblem !== undefined;
  const allocations: Allocation[] = [];
  const unreadableOrdinals: number[] = [];
  const view: BlockView = {
    block,
    name: block.metadata.name,
    resourceVersion: block.metadata.resourceVersion,
    status: spec.deleted === true ? 'tombstone' : unreadable ? 'unreadable' : 'live',
    cidr: range && !cidrProblem ? formatCidr(range) : cidrText,
    cidrText,
    range: range ?? rangeOfName(block.metadata.name),
    size: unreadable ? 0 : size,
    affinity,
    owner,
    node: owner?.type === 'host' ? owner.name : undefined,
    allocations,
    unreadableOrdinals,
    empty: false,
    writtenAtMs: lastWriteMs(block.metadata),
    cidrProblem,
    arrayProblem,
  };
  if (unreadable || !range) return view;
  listAllocations(view, range, allocations, unreadableOrdinals);
  return Object.assign(view, { empty: allocations.every((allocation) => allocation.windowsReserved) });
}

function problemOfCidr(text: string, range: Cidr | undefined): string | undefined {
  if (!range) return text === '' ? 'spec.cidr is missing' : `spec.cidr "${text}" is no CIDR`;
  if (!isCanonicalCidr(text)) return `spec.cidr "${text}" is not the canonical text ${formatCidr(range)}`;
  const [least, most] = range.version === 4 ? [20, 32] : [116, 128];
  if (range.prefix >= least && range.prefix <= most) return undefined;
  return `prefix length ${range.prefix} of ${text} is not within ${least} to ${most}`;
}

function problemOfArray(allocations: unknown, size: number): string | undefined {
  if (!Array.isArray(allocations)) return 'spec.allocations is missing';
  if (allocations.length === size) return undefined;
  return `spec.allocations has ${allocations.length} entries, the CIDR has ${size} addresses`;
}

/** The place that a block's name stands for: only used to stay silent about addresses, never to judge them. */
function rangeOfName(name: string): Cidr | undefined {
  const dash = name.lastIndexOf('-');
  const [base, prefix] = [name.slice(0, Math.max(0, dash)), name.slice(dash + 1)];
  return parseCidr(`${base.replaceAll('-', '.')}/${prefix}`) ?? parseCidr(`${base.replaceAll('-', ':')}/${prefix}`);
}

interface ReadAttribute {
  readonly handle: string | undefined;
  readonly handleId: string | undefined;
  readonly handleName: string | undefined;
  readonly windowsReserved: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly alternateAttributes: Readonly<Record<string, string>> | undefined;
  readonly cooling: boolean;
}

const unknownAttribute: ReadAttribute = {
  handle: undefined,
  handleId: undefined,
  handleName: undefined,
  windowsReserved: false,
  attributes: noAttributes,
  alternateAttributes: undefined,
  cooling: false,
};

function readAttribute(attribute: BlockAttribute | null | undefined): ReadAttribute {
  if (attribute === null || typeof attribute !== 'object') return unknownAttribute;
  const stored = attribute.handle_id;
  const handle = typeof stored === 'string' && stored !== '' ? stored : undefined;
  const handleId = handle === undefined ? undefined : sanitiseHandle(handle);
  const attributes = isTexts(attribute.secondary) ? attribute.secondary : noAttributes;
  const alternate: unknown = attribute['alternateOwnerAttrs'];
  return {
    handle,
    handleId,
    handleName: handleId === undefined ? undefined : handleName(handleId),
    windowsReserved: handleId !== undefined && handleId.toLowerCase() === windowsHandle,
    attributes,
    alternateAttributes: isTexts(alternate) ? alternate : undefined,
    cooling: typeof attribute['releasedAt'] === 'string' && attribute['releasedAt'] !== '',
  };
}

function isTexts(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((text) => typeof text === 'string');
}

function listAllocations(view: BlockView, range: Cidr, into: Allocation[], unreadable: number[]): void {
  const { spec } = view.block;
  const attributes: readonly (BlockAttribute | null)[] = attributesOf(view.block);
  const sequences: Readonly<Record<string, unknown>> = spec.sequenceNumberForAllocation ?? {};
  const read = attributes.map(readAttribute);
  const indexes = spec.allocations;
  for (let ordinal = 0; ordinal < indexes.length; ordinal++) {
    const index = indexes[ordinal];
    if (index === null || index === undefined) continue;
    const inRange = Number.isInteger(index) && index >= 0 && index < attributes.length;
    if (!inRange) unreadable.push(ordinal);
    const attribute = inRange ? (read[index] ?? unknownAttribute) : unknownAttribute;
    const sequence = toBigint(sequences[ordinal]);
    into.push(new ReadAllocation(view, ordinal, addressAt(range, ordinal), attribute, sequence, !inRange));
  }
}

/** Most allocations are never asked for their time, and reading it is slow: it is read when asked for. */
class ReadAllocation implements Allocation {
  readonly block: BlockView;
  readonly ordinal: number;
  readonly ip: IpAddress;
  readonly address: string;
  readonly attributeMissing: boolean;
  readonly handle: string | undefined;
  readonly handleId: string | undefined;
  readonly handleName: string | undefined;
  readonly windowsReserved: boolean;
  readonly sequence: bigint;
  readonly attributes: Readonly<Record<string, string>>;
  readonly alternateAttributes: Readonly<Record<string, string>> | undefined;
  readonly cooling: boolean;
  readonly node: string | undefined;
  readonly borrowed: boolean;

  constructor(
    block: BlockView,
    ordinal: number,
    ip: IpAddress,
    attribute: ReadAttribute,
    sequence: bigint,
    attributeMissing: boolean,
  ) {
    const named = attribute.attributes['node'];
    this.block = block;
    this.ordinal = ordinal;
    this.ip = ip;
    this.address = formatIp(ip);
    this.attributeMissing = attributeMissing;
    this.handle = attribute.handle;
    this.handleId = attribute.handleId;
    this.handleName = attribute.handleName;
    this.windowsReserved = attribute.windowsReserved;
    this.sequence = sequence;
    this.attributes = attribute.attributes;
    this.alternateAttributes = attribute.alternateAttributes;
    this.cooling = attribute.cooling;
    this.node = named || block.node;
    this.borrowed = Boolean(named) && block.owner?.type !== 'virtual' && named !== block.node;
  }

  get allocatedAtMs(): number | undefined {
    const timestamp = this.attributes['timestamp'];
    return (timestamp === undefined ? undefined : parseGoTime(timestamp)) ?? estimatedTime(this.block, this.sequence);
  }
}

/** A sequence number as stored; 0 for what is none. */
export function toBigint(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : 0n;
}

/**
 * The time of an allocation without a timestamp. If it was the block's last write, the block's own write time says it;
 * else its sequence number is a lower bound: creation time of the block plus a small count.
 */
function estimatedTime(view: BlockView, sequence: bigint): number | undefined {
  if (sequence === 0n) return undefined;
  if (sequence + 1n === toBigint(view.block.spec.sequenceNumber) && view.writtenAtMs !== undefined) {
    return view.writtenAtMs;
  }
  return sequence >= plausibleSequence ? Number(sequence / 1_000_000n) : undefined;
}
