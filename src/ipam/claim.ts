// Claiming a block for an owner: affinity pending, block created, affinity confirmed; the block decides who has it.
// Rules: docs/reference/ipam.md#affinity-states. Which block to claim is block-finder.ts.
import type { Cidr } from '../net/cidr.ts';
import { formatCidr, parseCidr } from '../net/cidr.ts';
import { affinityState, type BlockAffinity } from '../resources/block-affinity.ts';
import type { IPAMBlock } from '../resources/ipam-block.ts';
import { affinityName, blockName } from '../resources/names.ts';
import { claimantOf, inState, newAffinity } from './affinities.ts';
import { type HostReservation, isOwnedBy, newBlock, type Owner, touched } from './block.ts';
import { deleteInTwoPhases, getLive } from './deletion.ts';
import type { IpamStore } from './ipam-store.ts';
import { maxRetries, retriesExhausted, type Surroundings } from './retries.ts';

/** Who claims, and what new blocks of theirs keep back. */
export interface Claimant {
  readonly owner: Owner;
  readonly reservation?: HostReservation | undefined;
}

/**
 * `contended`: somebody wrote the same objects meanwhile, a repeat may go another way; nothing has to be undone.
 * `taken`: the block is somebody else's, or can be nobody's for now.
 */
export type Claim = IPAMBlock | 'taken' | 'contended';

/** Claims a block of the pool that is not the owner's yet, or confirms that it is. */
export async function claim(
  store: IpamStore,
  claimant: Claimant,
  cidr: Cidr,
  surroundings: Surroundings,
): Promise<Claim> {
  const found = await pendingAffinity(store, claimant.owner, formatCidr(cidr));
  if (found === 'taken') return 'taken';
  return blockOf(store, claimant, found.affinity, surroundings, found.written);
}

/** The owner's affinity for a block: a new pending one, or the one there is. `written`: pending by us, just now. */
async function pendingAffinity(
  store: IpamStore,
  owner: Owner,
  cidr: string,
): Promise<{ affinity: BlockAffinity; written: boolean } | 'taken'> {
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    const created = await store.affinities.create(newAffinity(owner, cidr, 'pending'));
    if (created.ok) return { affinity: created.value, written: true };
    // What is not found now was a tombstone, and is finished: the name is free.
    const found = await getLive(store.affinities, affinityName(owner.name, cidr));
    if (!found.ok) continue;
    const { type, name } = claimantOf(found.value);
    if (type !== owner.type || name !== owner.name || found.value.spec.cidr !== cidr) return 'taken';
    if (found.value.spec.state === 'confirmed') return { affinity: found.value, written: false };
    const pending = await store.affinities.update(inState(found.value, 'pending'));
    if (pending.ok) return { affinity: pending.value, written: true };
  }
  throw retriesExhausted();
}

/**
 * The block that an affinity claims: created when it is missing, taken over again when the claim was not confirmed.
 * A claim on somebody else's block is deleted. `written`: the affinity was made pending just now.
 */
export async function blockOf(
  store: IpamStore,
  claimant: Claimant,
  affinity: BlockAffinity,
  surroundings: Surroundings,
  written = false,
): Promise<Claim> {
  const found = await getLive(store.blocks, blockName(affinity.spec.cidr));
  if (!found.ok && found.why !== 'not-found') return 'taken';
  if (found.ok && !isOwnedBy(found.value, claimant.owner)) {
    const dropped = await deleteInTwoPhases(store.affinities, affinity);
    return dropped.ok || dropped.why === 'not-found' ? 'taken' : 'contended';
  }
  if (found.ok && affinityState(affinity) === 'confirmed') return found.value;
  const pending = written
    ? ({ ok: true, value: affinity } as const)
    : await store.affinities.update(inState(affinity, 'pending'));
  if (!pending.ok) return 'contended';
  if (!found.ok) return createBlock(store, claimant, pending.value, surroundings);
  // The write of the block makes the one of anybody who is just releasing it fail.
  const block = await store.blocks.update(touched(found.value));
  return block.ok ? confirmed(store, pending.value, block.value) : 'contended';
}

async function createBlock(
  store: IpamStore,
  { owner, reservation }: Claimant,
  pending: BlockAffinity,
  { clock }: Surroundings,
): Promise<Claim> {
  const cidr = parseCidr(pending.spec.cidr);
  if (cidr === undefined) return 'taken';
  const created = await store.blocks.create(newBlock(cidr, owner, clock.nowNs(), reservation));
  if (created.ok) return confirmed(store, pending, created.value);
  if (created.why !== 'already-exists') return 'contended';
  const rival = await getLive(store.blocks, blockName(pending.spec.cidr));
  if (!rival.ok && rival.why === 'not-found') return 'contended';
  if (rival.ok && isOwnedBy(rival.value, owner)) return confirmed(store, pending, rival.value);
  await deleteInTwoPhases(store.affinities, pending);
  return 'taken';
}

async function confirmed(store: IpamStore, pending: BlockAffinity, block: IPAMBlock): Promise<Claim> {
  const written = await store.affinities.update(inState(pending, 'confirmed'));
  if (written.ok) return block;
  const stored = await getLive(store.affinities, pending.metadata.name);
  return stored.ok && affinityState(stored.value) === 'confirmed' ? block : 'contended';
}
