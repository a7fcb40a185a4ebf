// One stored block as the check sees it: parsed with its allocations, or set aside with the reason why it cannot be read.
import { attributesOf, type Owner, parseOwner } from '../../ipam/block/block.ts';
import { blockSizeLimits } from '../../ipam/pool/pools.ts';
import { addressAt, type Cidr, cidrSize, formatCidr, isCanonicalCidr, ordinalOf, parseCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import type { BlockAttribute, IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { handleName, sanitiseHandle, windowsHandle } from '../../resources/names.ts';
import { parseGoTime } from '../../text/go-time.ts';
import { counted } from '../../text/wording.ts';
import { lastWriteMs, sequenceTimeMs } from '../times.ts';

/**
 * `live`: Calico sees it and it can be read. `tombstone`: its deletion was not completed. `unreadable`: CIDR or allocation
 * array is broken. `shadowed`: misnamed, while a correctly named block of the same CIDR exists.
 */
export type BlockStatus = 'live' | 'tombstone' | 'unreadable' | 'shadowed';

export interface BlockView {
  readonly block: IPAMBlock;
  readonly name: string;
  readonly resourceVersion: string | undefined;
  readonly status: BlockStatus;
  /** CIDR text as stored: canonical, unless the CIDR is invalid. */
  readonly cidr: string;
  /** Undefined only when not even the name says which range an unreadable block has. */
  readonly range: Cidr | undefined;
  /** Slot of its first address (CheckView.slotOf); -1 for a block that is not live. */
  readonly firstSlot: number;
  /** True for a live block that overlaps no other live block. */
  readonly alone: boolean;
  /** Number of addresses; 0 for an unreadable block. */
  readonly size: number;
  /** spec.affinity as stored; undefined when the block has no owner. */
  readonly affinity: string | undefined;
  /** The parsed owner; undefined when there is none or it cannot be parsed. */
  readonly owner: Owner | undefined;
  /** The node that owns it, for `host:` owners. */
  readonly node: string | undefined;
  /** In order of ordinals; empty for an unreadable block. */
  readonly allocations: readonly Allocation[];
  /** Ordinals whose attribute record is missing. */
  readonly unreadableOrdinals: readonly number[];
  /** True when no address is allocated except the Windows reserve. */
  readonly empty: boolean;
  readonly writtenAtMs: number | undefined;
  /** What INV-02 has to say; undefined when the CIDR is valid. */
  readonly cidrProblem: string | undefined;
  /** What INV-03 has to say; undefined when the array is valid. */
  readonly arrayProblem: string | undefined;
}

const noAttributes: Readonly<Record<string, string>> = {};
const noRecord: BlockAttribute = {};

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
    cidr: cidrText,
    range: range ?? rangeOfName(block.metadata.name),
    firstSlot: -1,
    alone: false,
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
  listAllocations(view, allocations, unreadableOrdinals);
  return Object.assign(view, { empty: allocations.every((allocation) => allocation.windowsReserved) });
}

function problemOfCidr(text: string, range: Cidr | undefined): string | undefined {
  if (!range) return text === '' ? 'spec.cidr is missing' : `invalid spec.cidr "${text}"`;
  if (!isCanonicalCidr(text)) return `spec.cidr is "${text}", not the canonical ${formatCidr(range)}`;
  const [least, most] = blockSizeLimits(range.version);
  if (range.prefix >= least && range.prefix <= most) return undefined;
  return `prefix length ${range.prefix} of ${text} is not between ${least} and ${most}`;
}

function problemOfArray(allocations: unknown, size: number): string | undefined {
  if (!Array.isArray(allocations)) return 'spec.allocations is missing';
  if (allocations.length === size) return undefined;
  return `spec.allocations has ${counted(allocations.length, 'entry')}, but the CIDR has ${counted(size, 'address')}`;
}

/** The range that a block's name stands for. It is used to pass over addresses, never to judge them. */
function rangeOfName(name: string): Cidr | undefined {
  const dash = name.lastIndexOf('-');
  const [base, prefix] = [name.slice(0, Math.max(0, dash)), name.slice(dash + 1)];
  return parseCidr(`${base.replaceAll('-', '.')}/${prefix}`) ?? parseCidr(`${base.replaceAll('-', ':')}/${prefix}`);
}

function isTexts(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const key in value) if (typeof (value as Record<string, unknown>)[key] !== 'string') return false;
  return true;
}

function listAllocations(view: BlockView, into: Allocation[], unreadable: number[]): void {
  const attributes: readonly (BlockAttribute | null)[] = attributesOf(view.block);
  const indexes = view.block.spec.allocations;
  for (let ordinal = 0; ordinal < indexes.length; ordinal++) {
    const index = indexes[ordinal];
    if (index === null || index === undefined) continue;
    const inRange = Number.isInteger(index) && index >= 0 && index < attributes.length;
    if (!inRange) unreadable.push(ordinal);
    into.push(new Allocation(view, ordinal, inRange ? (attributes[index] ?? null) : undefined));
  }
}

/**
 * One allocated address. A large cluster has hundreds of thousands, and little of most of them is needed: the rest is
 * read on demand.
 */
export class Allocation {
  readonly block: BlockView;
  readonly ordinal: number;
  /** handle_id as stored; undefined when there is none. */
  readonly handle: string | undefined;
  /** The `secondary` map; empty when there is none. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Empty when what is stored is not an object; undefined when the attribute record is missing. */
  readonly #record: BlockAttribute | undefined;

  /** `record`: as stored; undefined when the attribute record is missing. */
  constructor(block: BlockView, ordinal: number, record: BlockAttribute | null | undefined) {
    const read = typeof record === 'object' && record !== null ? record : undefined;
    const handle = read?.handle_id;
    this.block = block;
    this.ordinal = ordinal;
    this.handle = typeof handle === 'string' && handle !== '' ? handle : undefined;
    this.attributes = isTexts(read?.secondary) ? read.secondary : noAttributes;
    this.#record = record === undefined ? undefined : (read ?? noRecord);
  }

  /** True when the attribute record is missing (INV-04): handle and attributes are unknown, not absent. */
  get attributeMissing(): boolean {
    return this.#record === undefined;
  }

  /** The handle up to the first carriage return. */
  get handleId(): string | undefined {
    return this.handle === undefined ? undefined : sanitiseHandle(this.handle);
  }

  /** Name of the handle's object: the sanitised id in lower case. */
  get handleName(): string | undefined {
    const { handleId } = this;
    return handleId === undefined ? undefined : handleName(handleId);
  }

  get ip(): IpAddress {
    return addressAt(this.block.range as Cidr, this.ordinal);
  }

  /** Canonical text. */
  get address(): string {
    return formatIp(this.ip);
  }

  get windowsReserved(): boolean {
    // Only a text of the same length can equal it in lower case.
    return this.handleId?.length === windowsHandle.length && this.handleName === windowsHandle;
  }

  /** sequenceNumberForAllocation of the ordinal; 0 when there is none. */
  get sequence(): bigint {
    const sequences: Readonly<Record<string, unknown>> = this.block.block.spec.sequenceNumberForAllocation ?? {};
    return toBigint(sequences[this.ordinal]);
  }

  /** Attributes of the second owner during a KubeVirt live migration. */
  get alternateAttributes(): Readonly<Record<string, string>> | undefined {
    const alternate: unknown = this.#record?.alternateOwnerAttrs;
    return isTexts(alternate) ? alternate : undefined;
  }

  /** True for a released address in cooldown, which rightly has neither handle nor owner. */
  get cooling(): boolean {
    const releasedAt: unknown = this.#record?.releasedAt;
    return typeof releasedAt === 'string' && releasedAt !== '';
  }

  /** The attribute `node`, else the node that owns the block. */
  get node(): string | undefined {
    return this.attributes['node'] || this.block.node;
  }

  /** True when the attribute `node` names a node that does not own the block. */
  get borrowed(): boolean {
    const named = this.attributes['node'];
    return Boolean(named) && this.block.owner?.type !== 'virtual' && named !== this.block.node;
  }

  /** When it was allocated, as far as that is recorded; undefined counts as long ago. */
  get allocatedAtMs(): number | undefined {
    const timestamp = this.attributes['timestamp'];
    return (timestamp === undefined ? undefined : parseGoTime(timestamp)) ?? estimatedTime(this.block, this.sequence);
  }
}

/** The allocation of the address in the block; undefined when it is free or outside. */
export function allocationIn({ range, allocations }: BlockView, ip: IpAddress): Allocation | undefined {
  const ordinal = range && ordinalOf(range, ip);
  if (ordinal === undefined) return undefined;
  // In order of ordinals: no more than `ordinal` of them come before it.
  let low = 0;
  let high = Math.min(ordinal, allocations.length - 1);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((allocations[middle] as Allocation).ordinal <= ordinal) low = middle;
    else high = middle - 1;
  }
  const found = allocations[low];
  return found?.ordinal === ordinal ? found : undefined;
}

/** A sequence number as stored; 0 for anything that is not an integer. */
export function toBigint(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : 0n;
}

/**
 * The time of an allocation without a timestamp. If it was the last write of the block, that is the write time of the
 * block; otherwise its sequence number is a lower bound: the creation time of the block plus a small count.
 */
function estimatedTime(view: BlockView, sequence: bigint): number | undefined {
  if (sequence === 0n) return undefined;
  if (sequence + 1n === toBigint(view.block.spec.sequenceNumber) && view.writtenAtMs !== undefined) {
    return view.writtenAtMs;
  }
  return sequenceTimeMs(sequence);
}
