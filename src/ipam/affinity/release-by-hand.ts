// Giving up claims on blocks at the wish of a person: by range, by owner, by pool. Addresses stay where they are.
// The steps for one claim are affinity-release.ts. Rules: docs/reference/ipam.md#ownership-by-hand.
import { type Cidr, cidrContains, cidrCovers, parseCidr } from '../../net/cidr.ts';
import { affinityName, blockName } from '../../resources/names.ts';
import { CalictlError } from '../../world/errors.ts';
import { isEmpty, isOwnedBy, type Owner, ownerOf } from '../block/block.ts';
import { getLive, heldTombstone } from '../deletion.ts';
import type { IpamStore } from '../ipam-store.ts';
import { noProof } from '../repair/repair-outcome.ts';
import { maxRetries, retriesExhausted } from '../retries.ts';
import { claimantOf, newAffinity } from './affinities.ts';
import { type NotDone, readRange, requireBlocksIn, requireName } from './affinity-range.ts';
import { giveUpClaim, type ReleaseAffinity } from './affinity-release.ts';

export interface GivenUpClaims {
  /** Blocks that are not the owner's any more. */
  readonly released: readonly string[];
  /** Blocks that were left to their owner. */
  readonly kept: readonly NotDone[];
}

/** One owner's claim on one block, as its affinity or, where there is none, the block says. */
export interface BlockClaim {
  readonly owner: Owner;
  /** As stored. */
  readonly cidr: string;
  /** Name of the affinity. */
  readonly affinity: string;
}

/**
 * Every claim there is, in order of family and affinity name: affinities (half-deleted ones too, to finish them), and
 * blocks that name an owner whose affinity is missing. Not found by labels, which old affinities lack.
 */
export async function allClaims(store: IpamStore): Promise<BlockClaim[]> {
  const [affinities, blocks] = await Promise.all([store.affinities.list(), store.blocks.list()]);
  const claims = affinities.map(
    (affinity): BlockClaim => ({
      owner: claimantOf(affinity),
      cidr: affinity.spec.cidr,
      affinity: affinity.metadata.name,
    }),
  );
  const known = new Set(claims.map(({ owner, cidr }) => `${owner.type}:${owner.name} ${cidr}`));
  for (const block of blocks) {
    const owner = ownerOf(block);
    const { cidr } = block.spec;
    if (owner === undefined || known.has(`${owner.type}:${owner.name} ${cidr}`)) continue;
    claims.push({ owner, cidr, affinity: affinityName(owner.name, cidr) });
  }
  const family = ({ cidr }: BlockClaim): number => (cidr.includes(':') ? 6 : 4);
  return claims.sort((a, b) => family(a) - family(b) || (a.affinity < b.affinity ? -1 : 1));
}

/** True for a claim of exactly this owner. */
export function isClaimOf(claim: BlockClaim, owner: Owner): boolean {
  return claim.owner.type === owner.type && claim.owner.name === owner.name;
}

/** True for a claim on a block that lies inside the range. */
export function isInside({ cidr }: BlockClaim, range: Cidr): boolean {
  const block = parseCidr(cidr);
  return block !== undefined && cidrCovers(range, block);
}

/** Gives up one claim, again after each change by somebody else; answers why it stays, undefined when it is gone. */
export async function giveUpBlock(
  store: IpamStore,
  { owner, cidr, affinity: name }: BlockClaim,
  options: ReleaseAffinity,
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
    const stored = claimantOf(found.value);
    if (stored.type !== owner.type || stored.name !== owner.name || found.value.spec.cidr !== cidr) {
      return 'another owner has the name of its affinity';
    }
    const given = await giveUpClaim(store, found.value, options, noProof);
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
  options: ReleaseAffinity,
): Promise<GivenUpClaims> {
  requireName(owner);
  const range = readRange(text);
  const claims = (await allClaims(store)).filter((claim) => isClaimOf(claim, owner) && isInside(claim, range));
  if (claims.length === 0) requireBlocksIn(range, await store.pools());
  return giveUpAll(store, claims, options);
}

/** Gives up everything that an owner claims; what cannot be given up does not keep the rest. */
export async function releaseHostAffinities(
  store: IpamStore,
  owner: Owner,
  options: ReleaseAffinity,
): Promise<GivenUpClaims> {
  requireName(owner);
  const claims = await allClaims(store);
  return giveUpAll(
    store,
    claims.filter((claim) => isClaimOf(claim, owner)),
    options,
  );
}

/** What a node leaves behind is nobody's: its blocks with addresses lose their owner, the others go. */
export function removeHost(store: IpamStore, owner: Owner): Promise<GivenUpClaims> {
  return releaseHostAffinities(store, owner, { mustBeEmpty: false });
}

/**
 * Gives up all claims in a pool's range, whoever has them: blocks with addresses stay without an owner.
 * Looks again until none is left but what was kept, for owners may claim as long as the pool is enabled.
 */
export async function releasePoolAffinities(store: IpamStore, text: string): Promise<GivenUpClaims> {
  const range = readRange(text);
  const released = new Set<string>();
  const kept = new Map<string, NotDone>();
  for (let round = 0; round < maxRetries; round++) {
    const left = (await allClaims(store)).filter(({ cidr, affinity }) => {
      const block = parseCidr(cidr);
      return block !== undefined && cidrContains(range, block.base) && !kept.has(affinity);
    });
    if (left.length === 0) return { released: [...released], kept: [...kept.values()] };
    for (const claim of left) {
      const why = await giveUpOrTell(store, claim, { mustBeEmpty: false });
      if (why === undefined) released.add(claim.cidr);
      else kept.set(claim.affinity, { cidr: claim.cidr, why });
    }
  }
  throw retriesExhausted();
}

async function giveUpAll(
  store: IpamStore,
  claims: readonly BlockClaim[],
  options: ReleaseAffinity,
): Promise<GivenUpClaims> {
  const released: string[] = [];
  const kept: NotDone[] = [];
  for (const claim of claims) {
    const why = await giveUpOrTell(store, claim, options);
    if (why === undefined) released.push(claim.cidr);
    else kept.push({ cidr: claim.cidr, why });
  }
  return { released, kept };
}

/** As `giveUpBlock`; what goes wrong with one block is why it stays, and no reason to leave the others. */
async function giveUpOrTell(
  store: IpamStore,
  claim: BlockClaim,
  options: ReleaseAffinity,
): Promise<string | undefined> {
  try {
    return await giveUpBlock(store, claim, options);
  } catch (error) {
    if (error instanceof CalictlError) return error.message;
    throw error;
  }
}
