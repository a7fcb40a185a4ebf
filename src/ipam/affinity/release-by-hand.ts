// Releases block affinities that a person names: by range, by owner, by pool. Addresses stay allocated.
// The steps for one affinity are affinity-release.ts. Rules: docs/reference/ipam.md#ownership-by-hand.
import { type Cidr, cidrContains, cidrCovers, parseCidr } from '../../net/cidr.ts';
import { affinityName, blockName } from '../../resources/names.ts';
import { CalictlError } from '../../world/errors.ts';
import { isEmpty, isOwnedBy, type Owner, ownerOf } from '../block/block.ts';
import { getLive, heldTombstone } from '../deletion.ts';
import type { IpamStore } from '../ipam-store.ts';
import { noPrecondition } from '../repair/repair-outcome.ts';
import { maxRetries, retriesExhausted } from '../retries.ts';
import { newAffinity, ownerOfAffinity } from './affinities.ts';
import { type NotDone, readRange, requireBlocksIn, requireName } from './affinity-range.ts';
import { attemptRelease, type ReleaseAffinityOptions } from './affinity-release.ts';

export interface ReleasedAffinities {
  /** Blocks that the owner no longer has. */
  readonly released: readonly string[];
  /** Blocks that their owner keeps. */
  readonly kept: readonly NotDone[];
}

/** The affinity of one owner for one block, from the affinity object or, where that is missing, from the block. */
export interface AffinityRef {
  readonly owner: Owner;
  /** As stored. */
  readonly cidr: string;
  /** Object name. */
  readonly name: string;
}

/**
 * All affinities, in order of family and name: the objects (tombstones too, to complete their deletion), and those of
 * blocks whose owner has none. They are not looked up by label, because old ones have no labels.
 */
export async function allAffinities(store: IpamStore): Promise<AffinityRef[]> {
  const [affinities, blocks] = await Promise.all([store.affinities.list(), store.blocks.list()]);
  const found = affinities.map(
    (affinity): AffinityRef => ({
      owner: ownerOfAffinity(affinity),
      cidr: affinity.spec.cidr,
      name: affinity.metadata.name,
    }),
  );
  const known = new Set(found.map(({ owner, cidr }) => `${owner.type}:${owner.name} ${cidr}`));
  for (const block of blocks) {
    const owner = ownerOf(block);
    const { cidr } = block.spec;
    if (owner === undefined || known.has(`${owner.type}:${owner.name} ${cidr}`)) continue;
    found.push({ owner, cidr, name: affinityName(owner.name, cidr) });
  }
  const family = ({ cidr }: AffinityRef): number => (cidr.includes(':') ? 6 : 4);
  return found.sort((a, b) => family(a) - family(b) || (a.name < b.name ? -1 : 1));
}

/** True for an affinity of exactly this owner. */
export function isAffinityOf(affinity: AffinityRef, owner: Owner): boolean {
  return affinity.owner.type === owner.type && affinity.owner.name === owner.name;
}

/** True for an affinity for a block inside the range. */
export function isInside({ cidr }: AffinityRef, range: Cidr): boolean {
  const block = parseCidr(cidr);
  return block !== undefined && cidrCovers(range, block);
}

/** Releases one affinity, again after each change by another client. Returns why it stays; undefined when it is gone. */
export async function releaseUntilSettled(
  store: IpamStore,
  { owner, cidr, name }: AffinityRef,
  options: ReleaseAffinityOptions,
): Promise<string | undefined> {
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    const found = await getLive(store.affinities, name);
    if (!found.ok) {
      const block = await getLive(store.blocks, blockName(cidr));
      if (!block.ok && block.why !== 'not-found') return `the block ${heldTombstone}`;
      if (!block.ok || !isOwnedBy(block.value, owner)) return undefined;
      if (options.mustBeEmpty && !isEmpty(block.value)) return `block '${cidr}' is not empty`;
      // The mark comes first, as always: an owner that claims the block at this moment sees the mark, or its claim is seen.
      await store.affinities.create(newAffinity(owner, cidr, 'pendingDeletion'));
      continue;
    }
    const stored = ownerOfAffinity(found.value);
    if (stored.type !== owner.type || stored.name !== owner.name || found.value.spec.cidr !== cidr) {
      return 'an affinity of another owner has its name';
    }
    const given = await attemptRelease(store, found.value, options, noPrecondition);
    if (given.end === 'released') return undefined;
    if (given.end !== 'changed') return given.why;
  }
  throw retriesExhausted();
}

/**
 * Releases the affinities of an owner inside a range. The pool may be disabled, deleted or have another block size by now.
 * Errors: UsageError for an invalid CIDR, and for a range without affinities that is not made of blocks of a pool.
 */
export async function releaseAffinity(
  store: IpamStore,
  text: string,
  owner: Owner,
  options: ReleaseAffinityOptions,
): Promise<ReleasedAffinities> {
  requireName(owner);
  const range = readRange(text);
  const affinities = (await allAffinities(store)).filter(
    (affinity) => isAffinityOf(affinity, owner) && isInside(affinity, range),
  );
  if (affinities.length === 0) requireBlocksIn(range, await store.pools());
  return releaseAll(store, affinities, options);
}

/** Releases all affinities of an owner; one that cannot be released does not prevent the others. */
export async function releaseHostAffinities(
  store: IpamStore,
  owner: Owner,
  options: ReleaseAffinityOptions,
): Promise<ReleasedAffinities> {
  requireName(owner);
  const affinities = await allAffinities(store);
  return releaseAll(
    store,
    affinities.filter((affinity) => isAffinityOf(affinity, owner)),
    options,
  );
}

/** Releases the affinities of a node that was removed: blocks with addresses lose their owner, the others are deleted. */
export function removeHost(store: IpamStore, owner: Owner): Promise<ReleasedAffinities> {
  return releaseHostAffinities(store, owner, { mustBeEmpty: false });
}

/**
 * Releases all affinities in the range of a pool: blocks with addresses stay, without an owner. Repeats until only those
 * that cannot be released are left, because nodes may claim blocks as long as the pool is enabled.
 */
export async function releasePoolAffinities(store: IpamStore, text: string): Promise<ReleasedAffinities> {
  const range = readRange(text);
  const released = new Set<string>();
  const kept = new Map<string, NotDone>();
  for (let round = 0; round < maxRetries; round++) {
    const left = (await allAffinities(store)).filter(({ cidr, name }) => {
      const block = parseCidr(cidr);
      return block !== undefined && cidrContains(range, block.base) && !kept.has(name);
    });
    if (left.length === 0) return { released: [...released], kept: [...kept.values()] };
    for (const affinity of left) {
      const why = await releaseOrExplain(store, affinity, { mustBeEmpty: false });
      if (why === undefined) released.add(affinity.cidr);
      else kept.set(affinity.name, { cidr: affinity.cidr, why });
    }
  }
  throw retriesExhausted();
}

async function releaseAll(
  store: IpamStore,
  affinities: readonly AffinityRef[],
  options: ReleaseAffinityOptions,
): Promise<ReleasedAffinities> {
  const released: string[] = [];
  const kept: NotDone[] = [];
  for (const affinity of affinities) {
    const why = await releaseOrExplain(store, affinity, options);
    if (why === undefined) released.push(affinity.cidr);
    else kept.push({ cidr: affinity.cidr, why });
  }
  return { released, kept };
}

/** The same as `releaseUntilSettled`, but an error with one block is the reason why it stays and not thrown. */
async function releaseOrExplain(
  store: IpamStore,
  affinity: AffinityRef,
  options: ReleaseAffinityOptions,
): Promise<string | undefined> {
  try {
    return await releaseUntilSettled(store, affinity, options);
  } catch (error) {
    if (error instanceof CalictlError) return error.message;
    throw error;
  }
}
