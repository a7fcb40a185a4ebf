// IPAM objects for tests of single operations, an independent consistency check, and stores with other writers.
import type { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { newAffinity } from '../../../src/ipam/affinity/affinities.ts';
import { newBlock, parseOwner, touched } from '../../../src/ipam/block/block.ts';
import { assigned } from '../../../src/ipam/block/block-assign.ts';
import type { IpamLists } from '../../../src/ipam/capacity/ipam-lists.ts';
import { newHandle } from '../../../src/ipam/handles.ts';
import type { IpamObjects, IpamStore } from '../../../src/ipam/ipam-store.ts';
import { type Cidr, parseCidr } from '../../../src/net/cidr.ts';
import { IntervalSet } from '../../../src/net/interval-set.ts';
import type { BlockAffinity } from '../../../src/resources/kinds/block-affinity.ts';
import type { IPReservation } from '../../../src/resources/kinds/ip-reservation.ts';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import type { IPAMConfig } from '../../../src/resources/kinds/ipam-config.ts';
import type { IPAMHandle } from '../../../src/resources/kinds/ipam-handle.ts';
import type { KubeObject } from '../../../src/resources/object.ts';

/** The sequence number of every new block. */
export const firstSequence = 1764412800000000000n;

/** A block with addresses allocated from its first one: `['a', 2]` is two addresses of handle a. */
export function blockWith(
  cidr: string,
  owner: string | undefined,
  ...held: readonly (readonly [handle: string, count: number])[]
): IPAMBlock {
  const empty = newBlock(parseCidr(cidr) as Cidr, parseOwner(owner), firstSequence);
  return held.reduce(
    (block, [handle, count]) => touched(assigned(block, count, { handle }, IntervalSet.of([])).block),
    empty,
  );
}

export function affinityTo(
  node: string,
  cidr: string,
  state: 'pending' | 'confirmed' | 'pendingDeletion',
): BlockAffinity {
  return newAffinity({ type: 'host', name: node }, cidr, state);
}

export const handleWith = (id: string, block: Record<string, number>): IPAMHandle => newHandle(id, block);

export function pool(name: string, cidr: string, blockSize: number, nodeSelector = 'all()'): KubeObject {
  return {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPPool',
    metadata: { name },
    spec: { cidr, blockSize, nodeSelector },
  };
}

export function node(name: string, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {} };
}

/** The IPAM configuration of a cluster, with the defaults of Calico. */
export const ipamConfig = (spec: Partial<IPAMConfig['spec']> = {}): IPAMConfig => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPAMConfig',
  metadata: { name: 'default' },
  spec: { strictAffinity: false, autoAllocateBlocks: true, ...spec },
});

export const reservation = (name: string, ...reservedCIDRs: readonly string[]): IPReservation => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPReservation',
  metadata: { name },
  spec: { reservedCIDRs: [...reservedCIDRs] },
});

/** The same object with some fields of its spec changed. */
export function withSpec<T extends KubeObject>(object: T, spec: object): T {
  return { ...object, spec: { ...(object.spec as object), ...spec } };
}

/** The objects as the lists that capacity and simulations read. */
export function ipamListsOf(objects: readonly KubeObject[]): IpamLists {
  const of = <T>(kind: string) => objects.filter((object) => object.kind === kind) as unknown as T[];
  return {
    pools: of('IPPool'),
    blocks: of('IPAMBlock'),
    affinities: of('BlockAffinity'),
    reservations: of('IPReservation'),
    config: of<IPAMConfig>('IPAMConfig')[0],
    nodes: of<KubeObject>('Node').map(({ metadata }) => ({ name: metadata.name, labels: metadata.labels ?? {} })),
  };
}

/** The same object with its delete mark. */
export function marked<T extends KubeObject>(object: T): T {
  const deleted = object.kind === 'BlockAffinity' ? 'true' : true;
  return { ...object, spec: { ...(object.spec as object), deleted } };
}

/** The stored objects of a kind, in order of their names. */
function stored<T extends KubeObject>(store: MemoryDatastore, kind: T['kind']): T[] {
  return store.dump().filter((object) => object.kind === kind) as T[];
}

export const blocksIn = (store: MemoryDatastore) => stored<IPAMBlock>(store, 'IPAMBlock');
export const affinitiesIn = (store: MemoryDatastore) => stored<BlockAffinity>(store, 'BlockAffinity');
export const handlesIn = (store: MemoryDatastore) => stored<IPAMHandle>(store, 'IPAMHandle');

/** Each allocated address as `block-name/ordinal`, with its handle. */
export function holders(store: MemoryDatastore): Map<string, string> {
  const held = new Map<string, string>();
  for (const { metadata, spec } of blocksIn(store)) {
    spec.allocations.forEach((index, ordinal) => {
      if (index !== null) held.set(`${metadata.name}/${ordinal}`, spec.attributes[index]?.handle_id ?? '');
    });
  }
  return held;
}

/** All inconsistencies, one sentence each. Written from the rules, without the code under test. */
export function inconsistencies(store: MemoryDatastore): string[] {
  const found: string[] = [];
  const blocks = blocksIn(store);
  const counts = new Map<string, Record<string, number>>();
  const owners = new Map<string, string>();
  for (const { metadata, spec } of blocks) {
    const { name } = metadata;
    if (spec.deleted) found.push(`block ${name} is half-deleted`);
    const free = spec.allocations.flatMap((index, ordinal) => (index === null ? [ordinal] : []));
    if ([...spec.unallocated].sort((a, b) => a - b).join() !== free.join())
      found.push(`block ${name}: wrong free list`);
    const used = new Set(spec.allocations.filter((index) => index !== null));
    if (used.size !== spec.attributes.length) found.push(`block ${name}: attributes and references differ`);
    for (const index of spec.allocations) {
      const handle = index === null ? undefined : spec.attributes[index]?.handle_id?.toLowerCase();
      if (!handle) continue;
      const ofHandle = counts.get(handle) ?? {};
      counts.set(handle, { ...ofHandle, [spec.cidr]: (ofHandle[spec.cidr] ?? 0) + 1 });
    }
    if (spec.affinity) owners.set(spec.cidr, spec.affinity);
    else if (used.size === 0) found.push(`block ${name} is empty and has no owner`);
  }
  for (const { metadata, spec } of affinitiesIn(store)) {
    const { name } = metadata;
    if (spec.deleted === 'true') found.push(`affinity ${name} is half-deleted`);
    if (owners.get(spec.cidr) !== `${spec.type}:${spec.node}`)
      found.push(`affinity ${name}: its block has another owner or is missing`);
    if (spec.state !== 'confirmed') found.push(`affinity ${name} is ${spec.state}`);
    if (owners.get(spec.cidr) === `${spec.type}:${spec.node}`) owners.delete(spec.cidr);
  }
  for (const cidr of owners.keys()) found.push(`block ${cidr} has no affinity`);
  for (const { metadata, spec } of handlesIn(store)) {
    if (spec.deleted) found.push(`handle ${metadata.name} is half-deleted`);
    const held = counts.get(metadata.name) ?? {};
    counts.delete(metadata.name);
    const text = (map: Record<string, number>) => JSON.stringify(Object.entries(map).sort());
    if (text(held) !== text(spec.block) || Object.keys(held).length === 0) {
      found.push(`handle ${metadata.name}: ${text(spec.block)} for ${text(held)}`);
    }
  }
  for (const handle of counts.keys()) found.push(`handle ${handle} is missing`);
  return found;
}

/** The store, with another client that acts once: just before the given call (1 is the first). */
export function interrupted(
  store: IpamStore,
  at: number,
  intrude: () => Promise<void>,
): IpamStore & { calls(): number } {
  let calls = 0;
  const turn = async (): Promise<void> => {
    calls += 1;
    if (calls === at) await intrude();
  };
  const wrap = <T>(objects: IpamObjects<T>): IpamObjects<T> => ({
    get: async (name) => turn().then(() => objects.get(name)),
    list: async () => turn().then(() => objects.list()),
    create: async (object) => turn().then(() => objects.create(object)),
    update: async (object) => turn().then(() => objects.update(object)),
    remove: async (object) => turn().then(() => objects.remove(object)),
  });
  return {
    calls: () => calls,
    blocks: wrap(store.blocks),
    affinities: wrap(store.affinities),
    handles: wrap(store.handles),
    affinitiesOf: async (owner, version) => turn().then(() => store.affinitiesOf(owner, version)),
    config: () => store.config(),
    pools: () => store.pools(),
    reservations: () => store.reservations(),
    nodeLabels: (name) => store.nodeLabels(name),
  };
}
