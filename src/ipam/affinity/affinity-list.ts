// All block affinities, one entry each, with the problems that are visible from affinities, blocks, pools and nodes.
// ipam check judges them fully, with ages and repairs.
import { type Cidr, compareCidr, parseCidr } from '../../net/cidr.ts';
import { CidrIndex } from '../../net/interval-set.ts';
import { affinityState, type BlockAffinity } from '../../resources/kinds/block-affinity.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { affinityName, hostnameHash } from '../../resources/names.ts';
import { allocatedOrdinals, isOwnedBy, isOwnerless, type Owner, ownerOf } from '../block/block.ts';
import { isTombstone } from '../deletion.ts';
import { blockSizeOf, isEnabled } from '../pool/pools.ts';
import { ownerOfAffinity } from './affinities.ts';
import { relabelled } from './affinity-labels.ts';
import { canonicalCidr } from './affinity-range.ts';

export interface AffinityShown {
  /** Object name; absent when only the block names the owner. */
  readonly name?: string;
  readonly node: string;
  readonly type: Owner['type'];
  readonly cidr: string;
  /** The pool that contains the block. */
  readonly pool?: string;
  /** As stored, `confirmed` for an empty state; absent when there is no affinity object. */
  readonly state?: string;
  /** The numbers of allocated and of other addresses in the block; absent without a block. */
  readonly inUse?: number;
  readonly free?: number;
  /** Allocated addresses that are used on another node. */
  readonly borrowed?: number;
  /** One phrase per problem; empty when there is none. */
  readonly problems: readonly string[];
}

export interface AffinityList {
  readonly kind: 'IPAMAffinityList';
  readonly items: readonly AffinityShown[];
}

export interface AffinitySources {
  readonly affinities: readonly BlockAffinity[];
  readonly blocks: readonly IPAMBlock[];
  readonly pools: readonly IPPool[];
  /** Names of the nodes that exist. */
  readonly nodes: ReadonlySet<string>;
}

/** The affinities of one node (or virtual owner), or of all, in order of owner and address. */
export function affinityList(sources: AffinitySources, node?: string): AffinityList {
  const lookup = lookupOf(sources);
  const wanted = ({ name }: Owner): boolean => node === undefined || name === node;
  const entries = sources.affinities
    .filter((affinity) => wanted(ownerOfAffinity(affinity)))
    .map((affinity) => affinityEntry(affinity, lookup));
  const known = new Set(
    sources.affinities.map(
      (affinity) => `${ownerText(ownerOfAffinity(affinity))} ${canonicalCidr(affinity.spec.cidr)}`,
    ),
  );
  for (const block of sources.blocks) {
    const owner = ownerOf(block);
    if (owner === undefined || isTombstone(block) || !wanted(owner)) continue;
    if (known.has(`${ownerText(owner)} ${canonicalCidr(block.spec.cidr)}`)) continue;
    entries.push(entry(owner, block.spec.cidr, block, ['its affinity is missing'], lookup));
  }
  const items = entries
    .map((item) => ({ item, owner: `${item.type} ${item.node}`, cidr: parseCidr(item.cidr) }))
    .sort((a, b) => byText(a.owner, b.owner) || byCidr(a.cidr, b.cidr))
    .map(({ item }) => item);
  return { kind: 'IPAMAffinityList', items };
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Invalid CIDRs come last. */
function byCidr(a: Cidr | undefined, b: Cidr | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return compareCidr(a, b);
}

interface Lookup {
  readonly blocks: ReadonlyMap<string, IPAMBlock>;
  readonly pools: CidrIndex<IPPool>;
  readonly nodes: ReadonlySet<string>;
  hashOf(node: string): string;
}

function lookupOf({ blocks, pools, nodes }: AffinitySources): Lookup {
  const hashes = new Map<string, string>();
  return {
    blocks: new Map(blocks.map((block) => [canonicalCidr(block.spec.cidr), block])),
    pools: new CidrIndex(
      pools.flatMap((pool) => {
        const cidr = parseCidr(pool.spec.cidr);
        return cidr === undefined ? [] : [{ cidr, value: pool }];
      }),
    ),
    nodes,
    hashOf: (node) => {
      const hash = hashes.get(node) ?? hostnameHash(node);
      hashes.set(node, hash);
      return hash;
    },
  };
}

const ownerText = ({ type, name }: Owner): string => `${type}:${name}`;

function affinityEntry(affinity: BlockAffinity, lookup: Lookup): AffinityShown {
  const { name } = affinity.metadata;
  const owner = ownerOfAffinity(affinity);
  const state = affinityState(affinity);
  const block = lookup.blocks.get(canonicalCidr(affinity.spec.cidr));
  const problems: string[] = [];
  if (isTombstone(affinity)) problems.push('its deletion was not completed');
  if (block === undefined) problems.push('its block is missing');
  else if (isTombstone(block)) problems.push('the deletion of its block was not completed');
  else if (isOwnerless(block)) problems.push('its block has no owner');
  else if (!isOwnedBy(block, owner)) problems.push(`its block belongs to ${block.spec.affinity}`);
  if (state !== 'confirmed') problems.push(state === 'pending' ? 'not confirmed' : 'its release was not completed');
  if (name !== affinityName(owner.name, affinity.spec.cidr)) problems.push('its name is wrong');
  if (relabelled(affinity, lookup.hashOf(owner.name)) !== undefined) problems.push('its type or labels are wrong');
  return { name, ...entry(owner, affinity.spec.cidr, block, problems, lookup), state };
}

function entry(
  owner: Owner,
  text: string,
  block: IPAMBlock | undefined,
  problems: readonly string[],
  { pools, nodes }: Lookup,
): AffinityShown {
  const cidr = parseCidr(text);
  const pool = cidr && pools.find(cidr.base);
  const more: string[] = [];
  if (cidr === undefined) more.push('its CIDR is invalid');
  else if (pool === undefined) more.push('no pool contains it');
  else if (blockSizeOf(pool) !== cidr.prefix) more.push(`not the block size of pool ${pool.metadata.name}`);
  else if (pool.metadata.deletionTimestamp) more.push(`pool ${pool.metadata.name} is being deleted`);
  else if (!isEnabled(pool)) more.push(`pool ${pool.metadata.name} is disabled`);
  if (owner.type === 'host' && !nodes.has(owner.name)) more.push('its node does not exist');
  return {
    node: owner.name,
    type: owner.type,
    cidr: text,
    ...(pool === undefined ? {} : { pool: pool.metadata.name }),
    ...(block === undefined ? {} : countsOf(block, owner)),
    problems: [...problems, ...more],
  };
}

function countsOf(block: IPAMBlock, owner: Owner): Pick<AffinityShown, 'inUse' | 'free' | 'borrowed'> {
  const held = allocatedOrdinals(block);
  const borrowed = held.filter((ordinal) => {
    const node = block.spec.attributes?.[block.spec.allocations[ordinal] ?? -1]?.secondary?.['node'];
    return node !== undefined && (owner.type !== 'host' || node !== owner.name);
  });
  return { inUse: held.length, free: block.spec.allocations.length - held.length, borrowed: borrowed.length };
}
