// Giving up claims on blocks at the wish of a person: by range, by owner, by pool. Addresses stay where they are.
// The steps for one claim are affinity-release.ts. Rules: docs/reference/ipam.md#ownership-by-hand.
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
  /** Blocks that are not the owner's any more. */
  readonly released: readonly string[];
  /** Blocks that were left to their owner. */
  readonly kept: readonly NotDone[];
}

/** One owner's claim on one block, as its affinity or, where there is none, the block says. */
export interface AffinityRef {
  readonly owner: Owner;
  /** As stored. */
  readonly cidr: string;
  /** Object name. */
  readonly name: string;
}

/**
 * Every claim there is, in order of family and affinity name: affinities (half-deleted ones too, to finish them), and
 * blocks that name an owner whose affinity is missing. Not found by labels, which old affinities lack.
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

/** True for a claim of exactly this owner. */
export function isAffinityOf(affinity: AffinityRef, owner: Owner): boolean {
  return affinity.owner.type === owner.type && affinity.owner.name === owner.name;
}

/** True for a claim on a block that lies inside the range. */
export function isInside({ cidr }: AffinityRef, range: Cidr): boolean {
  const block = parseCidr(cidr);
  return block !== undefined && cidrCovers(range, block);
}

/** Gives up one affinity, again after each change by somebody else; answers why it stays, undefined when it is gone. */
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
      // The mark comes first, as always: an owner that claims the block at this moment sees it, or is seen.
      await store.affinities.create(newAffinity(owner, cidr, 'pendingDeletion'));
      continue;
    }
    const stored = ownerOfAffinity(found.value);
    if (stored.type !== owner.type || stored.name !== owner.name || found.value.spec.cidr !== cidr) {
      return 'another owner has the name of its affinity';
    }
    const given = await attemptRelease(store, found.value, options, noPrecondition);
    if (given.end === 'released') return undefined;
    if (given.end !== 'changed') return given.why;
  }
  throw retriesExhausted();
}

/**
 * Gives up what an owner claims inside a range. The pool may be disabled, deleted or of another block size by now.
 * Errors: UsageError when the range is no CIDR; with nothing claimed there, also as of `blocksToClaim` for any pool.
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

/** Gives up everything that an owner claims; what cannot be given up does not keep the rest. */
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

/** What a node leaves behind is nobody's: its blocks with addresses lose their owner, the others go. */
export function removeHost(store: IpamStore, owner: Owner): Promise<ReleasedAffinities> {
  return releaseHostAffinities(store, owner, { mustBeEmpty: false });
}

/**
 * Gives up all claims in a pool's range, whoever has them: blocks with addresses stay without an owner.
 * Looks again until none is left but what was kept, for owners may claim as long as the pool is enabled.
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

/** As `releaseUntilSettled`; what goes wrong with one block is why it stays, and no reason to leave the others. */
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
