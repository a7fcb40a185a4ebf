// The map of `ipam show --map`: the state and holder of each address of each block, by pool. Pure.
// How it is drawn is commands/ipam/show/; what is wrong in a block is judged by ipam-check/.
import {
  addressAt,
  type Cidr,
  cidrSize,
  cidrsOverlap,
  compareCidr,
  formatCidr,
  ordinalOf,
  parseCidr,
} from '../../net/cidr.ts';
import type { IntervalSet } from '../../net/interval-set.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPReservation } from '../../resources/kinds/ip-reservation.ts';
import { type BlockAttribute, blockState, type IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { sanitiseHandle, windowsHandle } from '../../resources/names.ts';
import { attributesOf, freeListOf, type Owner, parseOwner } from '../block/block.ts';
import { blockSizeLimits, isEnabled, reservedAddresses } from '../pool/pools.ts';

/**
 * The states of an address, in the order of the legend. The glyph is used in the map, the word for a single address.
 */
export const addressStates = {
  held: { glyph: '#', word: 'held', about: 'assigned to a pod or manually' },
  borrowed: { glyph: 'b', word: 'borrowed', about: 'borrowed: held by a node other than the owner of the block' },
  tunnel: { glyph: 't', word: 'tunnel', about: 'tunnel address of a node' },
  loadBalancer: { glyph: 'L', word: 'LoadBalancer', about: 'address of a LoadBalancer service' },
  windows: { glyph: 'w', word: 'Windows', about: 'reserved for Windows' },
  cooling: { glyph: '~', word: 'cooling down', about: 'released, not assigned again for a while' },
  unowned: { glyph: '?', word: 'unowned', about: 'held without a handle or an owner' },
  free: { glyph: '.', word: 'free', about: 'free' },
  reserved: { glyph: 'r', word: 'reserved', about: 'free, excluded from automatic assignment by an IPReservation' },
  broken: { glyph: '!', word: 'broken', about: 'broken: its record is missing, or it is both held and free' },
  lost: { glyph: 'x', word: 'lost', about: 'lost: neither held nor free' },
} as const satisfies Record<string, { glyph: string; word: string; about: string }>;

export type AddressState = keyof typeof addressStates;

const stateNames = Object.keys(addressStates) as AddressState[];

/** True for the states of addresses that are not held. */
export const isVacant = (state: AddressState): boolean => state === 'free' || state === 'reserved' || state === 'lost';

export interface MapCell {
  readonly ordinal: number;
  readonly state: AddressState;
  /** The node that holds the address, else the one that owns the block. */
  readonly node: string | undefined;
  /** Up to the first carriage return, as Calico reads it. */
  readonly handle: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A parsed block, before any filter. */
export interface ReadBlock {
  readonly block: IPAMBlock;
  /** Canonical, or as stored if it is invalid. */
  readonly cidr: string;
  /** Undefined when a block cannot have this range: then nothing of it can be drawn. */
  readonly range: Cidr | undefined;
  /** Number of addresses; 0 without a range. */
  readonly size: number;
  /** The owner as stored, `host:<node>` or `virtual:<name>`; empty if there is none. */
  readonly affinity: string;
  /** The node that owns it. */
  readonly node: string | undefined;
  /** What is visibly wrong with the block; empty if nothing is. */
  readonly trouble: string;
  /** The reserved addresses; undefined if none of them are in the block. */
  readonly reserved: IntervalSet | undefined;
}

export interface MapBlock extends ReadBlock {
  /** Addresses that are not free, reserved or lost. */
  readonly held: number;
  /** Nodes with addresses in the block that do not own it, by name, with the number of addresses. */
  readonly borrowers: readonly (readonly [node: string, count: number])[];
  /** Ordinals that match the filter by address or pod, ascending. */
  readonly marked: readonly number[];
}

export interface MapPool {
  readonly name: string;
  readonly cidr: string;
  readonly enabled: boolean;
  readonly size: bigint;
  /** Addresses and blocks of the whole pool, whatever the filter. */
  readonly held: number;
  readonly blockCount: number;
  /** Those that match the filter, in order of addresses. */
  readonly blocks: readonly MapBlock[];
}

export interface AddressMap {
  readonly kind: 'IPAMAddressMap';
  readonly pools: readonly MapPool[];
  /** Blocks that no pool overlaps. */
  readonly orphanBlocks: readonly MapBlock[];
  /** The states that occur, with the number of addresses. */
  readonly legend: readonly { readonly state: AddressState; readonly count: number }[];
  /** The nodes that occur, by name. */
  readonly nodes: readonly string[];
  /** A number for each node of the cluster, by which it is coloured: the same whatever the filter. */
  readonly nodeNumbers: ReadonlyMap<string, number>;
}

/** Which blocks to show; a block has to match everything that is given. */
export interface MapFilter {
  /** Names of pools. */
  readonly pools?: readonly string[];
  /** Blocks that the node owns or has an address in. */
  readonly node?: string;
  /** Blocks that one of the addresses is in. */
  readonly addresses?: readonly IpAddress[];
  /** Blocks that the pod has an address in. */
  readonly pod?: { readonly namespace: string; readonly name: string };
}

const noAttributes: Readonly<Record<string, unknown>> = {};
const tunnelHandle = /^(ipip|vxlan|vxlan-v6|wireguard|wireguard-v6)-tunnel-addr-/;

/** The value if it is a string that is not empty: the fields of a stored block can hold anything. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function rangeOf(block: IPAMBlock): Cidr | undefined {
  const range = parseCidr(block.spec.cidr);
  return range !== undefined && range.prefix >= blockSizeLimits(range.version)[0] ? range : undefined;
}

/** The state of an address whose attribute record exists (docs/reference/ipam.md#well-known-handles). */
function stateOf(
  record: BlockAttribute,
  handle: string | undefined,
  node: string | undefined,
  owner: Owner | undefined,
) {
  const { type, service } = record.secondary ?? noAttributes;
  if (handle?.toLowerCase() === windowsHandle) return 'windows';
  if (textOf(record.releasedAt) !== undefined) return 'cooling';
  if (textOf(type)?.endsWith('TunnelAddress') || tunnelHandle.test(handle ?? '')) return 'tunnel';
  if (type === 'LoadBalancer' || textOf(service) !== undefined) return 'loadBalancer';
  if (handle === undefined && Object.keys(record.secondary ?? noAttributes).length === 0) return 'unowned';
  const isOwners = node === undefined || owner?.type === 'virtual' || node === owner?.name;
  return isOwners ? 'held' : 'borrowed';
}

/** Returns the reader of one ordinal of the block, which lies within its range. */
function cellReader({ block, node: ownNode, reserved }: ReadBlock, range: Cidr): (ordinal: number) => MapCell {
  const free = new Set(freeListOf(block));
  const records = attributesOf(block);
  const owner = parseOwner(block.spec.affinity);
  return (ordinal) => {
    const index = block.spec.allocations[ordinal] ?? null;
    if (index === null) {
      const isReserved = reserved?.contains(addressAt(range, ordinal)) === true;
      const state = !free.has(ordinal) ? 'lost' : isReserved ? 'reserved' : 'free';
      return { ordinal, state, node: ownNode, handle: undefined, attributes: noAttributes };
    }
    const record: BlockAttribute | null | undefined = records[index];
    const handle = textOf(sanitiseHandle(textOf(record?.handle_id) ?? ''));
    const attributes = record?.secondary ?? noAttributes;
    const node = textOf(attributes['node']);
    const state = !record || free.has(ordinal) ? 'broken' : stateOf(record, handle, node, owner);
    return { ordinal, state, node: node ?? ownNode, handle, attributes };
  };
}

/** The cells of the block, by ordinal. They are created at each call, because all of them at once would be too many. */
export function cellsOf(read: ReadBlock): MapCell[] {
  if (read.range === undefined) return [];
  const cellAt = cellReader(read, read.range);
  return Array.from({ length: read.size }, (_, ordinal) => cellAt(ordinal));
}

/** What one address of a block is; undefined for an address outside of it, or a block whose range cannot be read. */
export function cellOf(block: IPAMBlock, ip: IpAddress, reserved: IntervalSet): MapCell | undefined {
  const read = readBlock(block, reserved);
  const ordinal = read.range && ordinalOf(read.range, ip);
  return read.range === undefined || ordinal === undefined ? undefined : cellReader(read, read.range)(ordinal);
}

/** The address of a cell, canonical. */
export function addressOfCell(range: Cidr, ordinal: number): string {
  return formatIp(addressAt(range, ordinal));
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The ordinals that match the filter by address or pod; undefined when the block does not match. */
function markedIn(block: ReadBlock, cells: readonly MapCell[], filter: MapFilter): number[] | undefined {
  const { node, addresses, pod } = filter;
  const { range } = block;
  if (node !== undefined && block.node !== node && !cells.some((cell) => cell.node === node)) return undefined;
  const marked = new Set<number>();
  if (addresses !== undefined) {
    const ordinals = addresses.map((ip) => range && ordinalOf(range, ip)).filter((ordinal) => ordinal !== undefined);
    if (ordinals.length === 0) return undefined;
    for (const ordinal of ordinals) marked.add(ordinal);
  }
  if (pod !== undefined) {
    const held = cells.filter(
      ({ attributes }) => attributes['namespace'] === pod.namespace && attributes['pod'] === pod.name,
    );
    if (held.length === 0) return undefined;
    for (const { ordinal } of held) marked.add(ordinal);
  }
  return [...marked].sort((a, b) => a - b);
}

/**
 * The map of these blocks. A block belongs to the first pool that it overlaps, as in the usage of `ipam show`. With a filter
 * that selects blocks, pools without a matching block are left out.
 */
export function addressMap(
  pools: readonly IPPool[],
  blocks: readonly IPAMBlock[],
  reservations: readonly IPReservation[],
  filter: MapFilter = {},
): AddressMap {
  const reserved = reservedAddresses(reservations);
  const rows = pools.map(poolRow);
  const orphanBlocks: MapBlock[] = [];
  const everyNode = new Set<string>();
  const shownNodes = new Set<string>();
  const counts = new Map<AddressState, number>();
  for (const block of blocks) {
    const read = readBlock(block, reserved);
    const cells = cellsOf(read);
    const nodes = new Set(cells.map(({ node }) => node).filter((node) => node !== undefined));
    if (read.node !== undefined) nodes.add(read.node);
    for (const node of nodes) everyNode.add(node);
    const place = parseCidr(block.spec.cidr);
    const row = place && rows.find(({ cidr }) => cidr !== undefined && cidrsOverlap(cidr, place));
    const held = cells.filter(({ state }) => !isVacant(state)).length;
    if (row) {
      row.held += held;
      row.blockCount += 1;
    }
    if (filter.pools !== undefined && !filter.pools.includes(row?.pool.metadata.name ?? '')) continue;
    const marked = markedIn(read, cells, filter);
    if (marked === undefined) continue;
    for (const node of nodes) shownNodes.add(node);
    for (const { state } of cells) count(counts, state);
    (row?.blocks ?? orphanBlocks).push({ ...read, held, borrowers: borrowersOf(read, cells), marked });
  }
  return {
    kind: 'IPAMAddressMap',
    pools: shownPools(rows, filter),
    orphanBlocks: orphanBlocks.sort(byAddress),
    legend: stateNames.map((state) => ({ state, count: counts.get(state) ?? 0 })).filter((entry) => entry.count > 0),
    nodes: [...shownNodes].sort(),
    nodeNumbers: new Map([...everyNode].sort().map((node, number) => [node, number])),
  };
}

interface PoolRow {
  readonly pool: IPPool;
  readonly cidr: Cidr | undefined;
  held: number;
  blockCount: number;
  readonly blocks: MapBlock[];
}

const poolRow = (pool: IPPool): PoolRow => ({
  pool,
  cidr: parseCidr(pool.spec.cidr),
  held: 0,
  blockCount: 0,
  blocks: [],
});

/** The pools with a valid CIDR that the filter selects: by name, or by their blocks. */
function shownPools(rows: readonly PoolRow[], filter: MapFilter): MapPool[] {
  const selectsBlocks = filter.node !== undefined || filter.addresses !== undefined || filter.pod !== undefined;
  return rows.flatMap(({ pool, cidr, held, blockCount, blocks }) => {
    const { name } = pool.metadata;
    const isShown = selectsBlocks ? blocks.length > 0 : filter.pools?.includes(name) !== false;
    if (cidr === undefined || !isShown) return [];
    const [enabled, size] = [isEnabled(pool), cidrSize(cidr)];
    return { name, cidr: formatCidr(cidr), enabled, size, held, blockCount, blocks: blocks.sort(byAddress) };
  });
}

/** The nodes other than the owner that have addresses of the block, by name, with the number of their addresses. */
function borrowersOf({ affinity, node: owner }: ReadBlock, cells: readonly MapCell[]): [string, number][] {
  const borrowers = new Map<string, number>();
  if (parseOwner(affinity)?.type === 'virtual') return [];
  for (const { node } of cells) if (node !== undefined && node !== owner) count(borrowers, node);
  return [...borrowers].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** States of blockState that the map shows in another way: by the owner and the usage. */
const noTrouble: ReadonlySet<string> = new Set(['ok', 'ownerless', 'empty']);

function readBlock(block: IPAMBlock, reserved: IntervalSet): ReadBlock {
  const range = rangeOf(block);
  const troubles = blockState(block).split(', ');
  const owner = parseOwner(block.spec.affinity);
  return {
    block,
    cidr: range === undefined ? block.spec.cidr : formatCidr(range),
    range,
    size: range === undefined ? 0 : Number(cidrSize(range)),
    affinity: textOf(block.spec.affinity) ?? '',
    node: owner?.type === 'host' ? owner.name : undefined,
    trouble: troubles.filter((trouble) => !noTrouble.has(trouble)).join(', '),
    reserved: range !== undefined && reserved.overlaps(range) ? reserved : undefined,
  };
}

/** In order of addresses; blocks with an invalid range come last. */
function byAddress(a: MapBlock, b: MapBlock): number {
  if (a.range !== undefined && b.range !== undefined) return compareCidr(a.range, b.range);
  return Number(a.range === undefined) - Number(b.range === undefined);
}
