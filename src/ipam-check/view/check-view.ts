// A snapshot prepared for judging: parsed objects, and the indexes that the rules look things up in.
// Broken data never throws: a block that cannot be read is set aside with the reason, and judged by that alone.
import { type IpamSettings, settingsOf } from '../../ipam/config.ts';
import { type Cidr, formatCidr, ordinalOf } from '../../net/cidr.ts';
import { CidrIndex, IntervalSet } from '../../net/interval-set.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { IPAMConfig } from '../../resources/kinds/ipam-config.ts';
import { blockName } from '../../resources/names.ts';
import { qualifiedName } from '../../resources/object.ts';
import type { OptionalKind } from '../invariant.ts';
import { type InvariantId, invariants } from '../invariants.ts';
import type { HandleRecord, IpamSnapshot, NodeRecord, PodRecord, ServiceRecord } from '../snapshot.ts';
import { type AffinityView, affinitiesByCidr, affinityView } from './affinity-view.ts';
import { AllocatedHandles } from './allocated-handles.ts';
import { type Allocation, allocationIn, type BlockView, readBlock } from './block-view.ts';
import { MultiMap } from './multi-map.ts';
import { type NodeAlias, nodeAliases } from './node-aliases.ts';
import { OtherNetworks } from './other-networks.ts';
import { type PoolView, poolViews } from './pool-view.ts';

const noAffinities: readonly AffinityView[] = [];

/** Everything that the rules look up. Each index is built once per snapshot, the large ones only when needed. */
export class CheckView {
  readonly snapshot: IpamSnapshot;
  readonly nowMs: number;
  /** The defaults when there is no configuration, or none that can be read. */
  readonly settings: IpamSettings;
  /** Pools whose CIDR can be parsed, in name order. */
  readonly pools: readonly PoolView[];
  /** Every block, in name order, whatever its status. */
  readonly blocks: readonly BlockView[];
  /** Blocks that Calico sees and that can be read. */
  readonly liveBlocks: readonly BlockView[];
  readonly blocksByName: ReadonlyMap<string, BlockView>;
  /** Live blocks by canonical CIDR text. */
  readonly blocksByCidr: ReadonlyMap<string, BlockView>;
  /** The number of slots: each address of a live block has one, numbered block by block. */
  readonly slots: number;
  /** Allocations of live blocks, in order of block name and ordinal. */
  readonly allocations: readonly Allocation[];
  readonly affinities: readonly AffinityView[];
  /** Affinities that are not tombstones, by canonical CIDR text. */
  readonly affinitiesByCidr: ReadonlyMap<string, readonly AffinityView[]>;
  readonly affinitiesByName: ReadonlyMap<string, AffinityView>;
  readonly nodesByName: ReadonlyMap<string, NodeRecord>;
  /** Kinds that were not read, or not for all namespaces. */
  readonly #incomplete: ReadonlySet<OptionalKind>;
  /** Kinds of which nothing was read. */
  readonly #unread: ReadonlySet<OptionalKind>;
  readonly #missingNamespaces: ReadonlySet<string>;
  /** Indexes into the list of live blocks. */
  readonly #blockIndex: CidrIndex<number>;
  readonly #poolIndex: CidrIndex<PoolView>;
  readonly #enabledPools: CidrIndex<PoolView>;
  readonly #unjudged: IntervalSet;
  /** True when the range of a block is unknown: then no address outside the live blocks can be judged. */
  readonly #placeUnknown: boolean;
  #handlesByName: ReadonlyMap<string, HandleRecord> | undefined;
  #allocatedHandles: AllocatedHandles | undefined;
  #allocationsByHandle: MultiMap<string, Allocation> | undefined;
  #podsByKey: ReadonlyMap<string, PodRecord> | undefined;
  #servicesByKey: ReadonlyMap<string, ServiceRecord> | undefined;
  #blocksByNode: ReadonlyMap<string, readonly BlockView[]> | undefined;
  #podsByContainer: ReadonlyMap<string, PodRecord> | undefined;
  #nodeAliases: ReadonlyMap<string, NodeAlias> | undefined;
  #otherNetworks: OtherNetworks | undefined;

  constructor(snapshot: IpamSnapshot) {
    this.snapshot = snapshot;
    this.nowMs = snapshot.now.getTime();
    this.settings = readSettings(snapshot.config);
    this.#incomplete = new Set(snapshot.unread.map(({ kind }) => kind));
    this.#unread = new Set(snapshot.unread.flatMap(({ kind, namespaces }) => (namespaces === undefined ? [kind] : [])));
    this.#missingNamespaces = new Set(snapshot.unread.flatMap(({ namespaces = [] }) => [...namespaces]));
    this.pools = poolViews(snapshot.pools);
    this.#poolIndex = new CidrIndex(this.pools.map((pool) => ({ cidr: pool.cidr, value: pool })));
    this.#enabledPools = new CidrIndex(
      this.pools.filter((pool) => pool.enabled).map((pool) => ({ cidr: pool.cidr, value: pool })),
    );
    this.blocks = withShadowed(snapshot.blocks.map(readBlock));
    this.liveBlocks = this.blocks.filter((block) => block.status === 'live');
    this.blocksByName = indexBy(this.blocks, (block) => block.name);
    this.blocksByCidr = indexBy(this.liveBlocks, (block) => block.cidr);
    this.#blockIndex = new CidrIndex(
      this.liveBlocks.flatMap(({ range }, place) => (range ? [{ cidr: range, value: place }] : [])),
    );
    this.slots = numberSlots(this.liveBlocks, this.#blockIndex);
    const setAside = this.blocks.filter((block) => block.status === 'unreadable' || block.status === 'tombstone');
    this.#unjudged = IntervalSet.of(setAside.flatMap((block) => (block.range ? [block.range] : [])));
    this.#placeUnknown = setAside.some((block) => block.range === undefined);
    this.allocations = this.liveBlocks.flatMap((block) => block.allocations);
    this.affinities = snapshot.affinities.map(affinityView);
    this.affinitiesByCidr = affinitiesByCidr(this.affinities);
    this.affinitiesByName = indexBy(this.affinities, (affinity) => affinity.name);
    this.nodesByName = indexBy(snapshot.nodes, (node) => node.name);
  }

  /** By object name, tombstones included. */
  get handlesByName(): ReadonlyMap<string, HandleRecord> {
    this.#handlesByName ??= indexBy(this.snapshot.handles, (handle) => handle.name);
    return this.#handlesByName;
  }

  /** The live blocks that each node owns, in name order. */
  get blocksByNode(): ReadonlyMap<string, readonly BlockView[]> {
    this.#blocksByNode ??= byNode(this.liveBlocks);
    return this.#blocksByNode;
  }

  /** The handles of all allocations. */
  get allocatedHandles(): AllocatedHandles {
    this.#allocatedHandles ??= new AllocatedHandles(this.blocks);
    return this.#allocatedHandles;
  }

  /** Allocations of live, deleted and shadowed blocks by the name of their handle object, without the Windows reserve. */
  get allocationsByHandle(): MultiMap<string, Allocation> {
    this.#allocationsByHandle ??= byHandle(this.blocks);
    return this.#allocationsByHandle;
  }

  /** Pods that are not finished, by the container ID that the CNI plugin noted on them. */
  get podsByContainer(): ReadonlyMap<string, PodRecord> {
    this.#podsByContainer ??= indexBy(
      this.snapshot.pods.filter(({ containerId, finished }) => containerId && !finished),
      ({ containerId = '' }) => containerId,
    );
    return this.#podsByContainer;
  }

  /** Names that IPAM records for nodes that are called otherwise, each with the node that is meant. */
  get nodeAliases(): ReadonlyMap<string, NodeAlias> {
    this.#nodeAliases ??= nodeAliases(this);
    return this.#nodeAliases;
  }

  /** Which pods have addresses that Calico's IPAM does not assign. */
  get otherNetworks(): OtherNetworks {
    this.#otherNetworks ??= new OtherNetworks(this);
    return this.#otherNetworks;
  }

  /** False when not all of the kind could be read: what looks missing may exist, so no repair may depend on it. */
  wasRead(kind: OptionalKind): boolean {
    return !this.#incomplete.has(kind);
  }

  /** True for an allocation of a namespace whose objects were not read: who uses it is not known. */
  isOfMissingNamespace({ attributes: { namespace } }: Allocation): boolean {
    return namespace !== undefined && this.#missingNamespaces.has(namespace);
  }

  /** True when everything that the invariant needs was read. */
  canJudge(id: InvariantId): boolean {
    return this.#unread.size === 0 || invariants[id].needs.every((kind) => !this.#unread.has(kind));
  }

  /** The pod of that name, finished or not. */
  podNamed(pod: NamedObject): PodRecord | undefined {
    this.#podsByKey ??= indexBy(this.snapshot.pods, qualifiedName);
    return this.#podsByKey.get(qualifiedName(pod));
  }

  serviceNamed(service: NamedObject): ServiceRecord | undefined {
    this.#servicesByKey ??= indexBy(this.snapshot.services, qualifiedName);
    return this.#servicesByKey.get(qualifiedName(service));
  }

  /** The live block that contains the address; the smallest when blocks overlap. */
  blockOf(ip: IpAddress): BlockView | undefined {
    const place = this.#blockIndex.find(ip);
    return place === undefined ? undefined : this.liveBlocks[place];
  }

  /** The slot of the address; -1 when no live block contains it. */
  slotOf(ip: IpAddress): number {
    const block = this.blockOf(ip);
    const ordinal = block?.range && ordinalOf(block.range, ip);
    return block === undefined || ordinal === undefined ? -1 : block.firstSlot + ordinal;
  }

  /** The slot of an allocated address, which rarely has to be looked up. */
  slotOfAllocation(allocation: Allocation): number {
    const { block, ordinal } = allocation;
    return block.alone ? block.firstSlot + ordinal : this.slotOf(allocation.ip);
  }

  /** The pool that contains the address, enabled or not; the smallest when pools overlap. */
  poolOf(ip: IpAddress): PoolView | undefined {
    return this.#poolIndex.find(ip);
  }

  enabledPoolOf(ip: IpAddress): PoolView | undefined {
    return this.#enabledPools.find(ip);
  }

  /** Those of the blocks that belong to the family and lie in an enabled pool. */
  usableBlocks(blocks: readonly BlockView[], version: 4 | 6): BlockView[] {
    return blocks.filter(({ range }) => range?.version === version && this.enabledPoolOf(range.base) !== undefined);
  }

  /** Pools that contain the whole CIDR, enabled or not. */
  poolsCovering(range: Cidr): readonly PoolView[] {
    return this.#poolIndex.findCovering(range);
  }

  /** The allocations of the address in live blocks: at most one, unless blocks overlap. */
  allocationsAt(ip: IpAddress | undefined): readonly Allocation[] {
    const places = ip === undefined ? [] : this.#blockIndex.findAll(ip);
    return places
      .sort((a, b) => a - b)
      .map((place) => this.liveBlocks[place])
      .flatMap((block) => (ip && block && allocationIn(block, ip)) ?? []);
  }

  /** True when the address is allocated in a live block. */
  isAllocated(ip: IpAddress): boolean {
    const block = this.blockOf(ip);
    return block !== undefined && (allocationIn(block, ip) !== undefined || this.allocationsAt(ip).length > 0);
  }

  /** True when the address is in a block that is set aside (unreadable or a tombstone), so that it cannot be judged. */
  isUnjudged(ip: IpAddress): boolean {
    return this.#unjudged.contains(ip) || (this.#placeUnknown && this.blockOf(ip) === undefined);
  }

  /** True when a block that is set aside may be the one with this CIDR. */
  isUnjudgedRange(range: Cidr): boolean {
    return this.#unjudged.overlaps(range) || (this.#placeUnknown && !this.blocksByCidr.has(formatCidr(range)));
  }

  affinitiesOf(cidr: string): readonly AffinityView[] {
    return this.affinitiesByCidr.get(cidr) ?? noAffinities;
  }

  /** The affinity that the owner of the block has for it. */
  affinityOfOwner(block: BlockView): AffinityView | undefined {
    return this.affinitiesOf(block.cidr).find((affinity) => affinity.owner === block.affinity);
  }

  /** True when the owner can use addresses: its node exists, be it under another name, or it is a virtual owner. */
  ownerLives(type: 'host' | 'virtual', name: string): boolean {
    return type === 'virtual' || !this.wasRead('Node') || this.nodeExists(name);
  }

  /** True when there is a node of that name, or one that is meant by it. */
  nodeExists(name: string): boolean {
    return this.nodesByName.has(name) || this.nodeAliases.has(name);
  }

  /** Whole seconds since the time, for findings; undefined when the time is not known. */
  ageSeconds(timeMs: number | undefined): number | undefined {
    return timeMs === undefined ? undefined : Math.max(0, Math.floor((this.nowMs - timeMs) / 1000));
  }

  /**
   * True when something written at that time may still be part of an operation in progress. Nothing is in progress in a
   * locked datastore, and what has no time counts as old.
   */
  isYounger(timeMs: number | undefined, limitMs: number): boolean {
    if (this.snapshot.locked || timeMs === undefined) return false;
    return this.nowMs - timeMs < limitMs;
  }

  /** True when the allocation is younger than the grace period: findings about it are candidates. */
  isYoungAllocation(allocation: Allocation): boolean {
    return this.isYounger(allocation.allocatedAtMs, this.snapshot.graceMs);
  }
}

function readSettings(config: IPAMConfig | undefined): IpamSettings {
  if (typeof config?.spec !== 'object' || config.spec === null) return settingsOf(undefined);
  const { strictAffinity, autoAllocateBlocks, maxBlocksPerHost }: Record<string, unknown> = { ...settingsOf(config) };
  return {
    strictAffinity: strictAffinity === true,
    autoAllocateBlocks: autoAllocateBlocks === true,
    maxBlocksPerHost: typeof maxBlocksPerHost === 'number' ? maxBlocksPerHost : 0,
  };
}

/** What names a pod or a service. */
interface NamedObject {
  readonly namespace: string;
  readonly name: string;
}

function indexBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T> {
  const map = new Map<string, T>();
  for (const item of items) map.set(key(item), item);
  return map;
}

function byNode(blocks: readonly BlockView[]): Map<string, BlockView[]> {
  const owned = new Map<string, BlockView[]>();
  for (const block of blocks) {
    if (block.node === undefined || block.range === undefined) continue;
    const known = owned.get(block.node);
    if (known) known.push(block);
    else owned.set(block.node, [block]);
  }
  return owned;
}

/** Marks as shadowed the misnamed blocks whose CIDR has a correctly named block too: Calico reads that one. */
function withShadowed(blocks: BlockView[]): BlockView[] {
  const named = new Set<string>();
  for (const block of blocks)
    if (block.status === 'live' && block.name === blockName(block.cidr)) named.add(block.cidr);
  return blocks.map((block) =>
    block.status === 'live' && named.has(block.cidr) && block.name !== blockName(block.cidr)
      ? Object.assign(block, { status: 'shadowed' as const })
      : block,
  );
}

/** Sets the slots of each live block, and whether it overlaps another. Returns the number of slots. */
function numberSlots(blocks: readonly BlockView[], index: CidrIndex<number>): number {
  const overlapping = new Set(index.overlapping().flatMap(([outer, inner]) => [outer.value, inner.value]));
  let slots = 0;
  blocks.forEach((block, place) => {
    Object.assign(block, { firstSlot: slots, alone: !overlapping.has(place) });
    slots += block.size;
  });
  return slots;
}

/** Allocations by the name of their handle object, without the Windows reserve. */
function byHandle(blocks: readonly BlockView[]): MultiMap<string, Allocation> {
  const grouped = new MultiMap<string, Allocation>();
  for (const block of blocks) {
    for (const allocation of block.allocations) {
      const { handleName } = allocation;
      if (handleName !== undefined && !allocation.windowsReserved) grouped.add(handleName, allocation);
    }
  }
  return grouped;
}
