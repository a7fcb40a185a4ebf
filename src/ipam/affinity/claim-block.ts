// Claiming a block for an owner: affinity pending, block created, affinity confirmed; the block decides who has it.
// Rules: docs/reference/ipam.md#affinity-states. Which block to claim is block-finder.ts.
import type { Cidr } from '../../net/cidr.ts';
import { formatCidr, parseCidr } from '../../net/cidr.ts';
import { affinityState, type BlockAffinity } from '../../resources/kinds/block-affinity.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { affinityName, blockName } from '../../resources/names.ts';
import { isOwnedBy, newBlock, type Owner, touched } from '../block/block.ts';
import type { HostReservation } from '../block/windows-reserve.ts';
import { deleteInTwoPhases, getLive } from '../deletion.ts';
import type { IpamStore, Outcome } from '../ipam-store.ts';
import { type AllocatorWorld, maxRetries, retriesExhausted } from '../retries.ts';
import { inState, newAffinity, ownerOfAffinity } from './affinities.ts';

/** An owner of blocks, with the addresses that its new blocks keep back. */
export interface BlockOwner extends Owner {
  readonly reservation?: HostReservation | undefined;
}

/**
 * `contended`: somebody wrote the same objects meanwhile, a repeat may go another way; nothing has to be undone.
 * `taken`: the block is somebody else's, or can be nobody's for now.
 */
export type ClaimedBlock = IPAMBlock | 'taken' | 'contended';

/**
 * Claims a block of the pool that is not the owner's yet, or confirms that it is.
 * `missing`: it did not exist a moment ago, so it is created without another look.
 */
export async function claimBlock(
  store: IpamStore,
  owner: BlockOwner,
  cidr: Cidr,
  world: AllocatorWorld,
  missing = false,
): Promise<ClaimedBlock> {
  const found = await pendingAffinity(store, owner, formatCidr(cidr));
  if (found === 'taken') return 'taken';
  return blockOfAffinity(store, owner, found.affinity, world, { written: found.written, missing });
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
    const { type, name } = ownerOfAffinity(found.value);
    if (type !== owner.type || name !== owner.name || found.value.spec.cidr !== cidr) return 'taken';
    if (found.value.spec.state === 'confirmed') return { affinity: found.value, written: false };
    const pending = await store.affinities.update(inState(found.value, 'pending'));
    if (pending.ok) return { affinity: pending.value, written: true };
  }
  throw retriesExhausted();
}

/** What the caller of blockOfAffinity knows already. */
interface Known {
  /** The affinity was made pending just now. */
  readonly written?: boolean;
  /** The block did not exist a moment ago. */
  readonly missing?: boolean;
}

/**
 * The block that an affinity claims: created when it is missing, taken over again when the claim was not confirmed.
 * A claim on somebody else's block is deleted.
 */
export async function blockOfAffinity(
  store: IpamStore,
  owner: BlockOwner,
  affinity: BlockAffinity,
  world: AllocatorWorld,
  { written = false, missing = false }: Known = {},
): Promise<ClaimedBlock> {
  const cidr = parseCidr(affinity.spec.cidr);
  if (cidr === undefined) return 'taken';
  const name = blockName(affinity.spec.cidr);
  let claimed = affinity;
  let pending = written;
  let found: Outcome<IPAMBlock> = missing ? { ok: false, why: 'not-found' } : await getLive(store.blocks, name);
  for (const isLast of [false, true]) {
    if (!found.ok && found.why !== 'not-found') return 'taken';
    if (found.ok && !isOwnedBy(found.value, owner)) {
      const dropped = await deleteInTwoPhases(store.affinities, claimed);
      return dropped.ok || dropped.why === 'not-found' ? 'taken' : 'contended';
    }
    if (found.ok && affinityState(claimed) === 'confirmed') return found.value;
    if (!pending) {
      const marked = await store.affinities.update(inState(claimed, 'pending'));
      if (!marked.ok) return 'contended';
      claimed = marked.value;
      pending = true;
    }
    // The write of a block that is there makes the one of anybody who is just releasing it fail.
    const block = found.ok
      ? await store.blocks.update(touched(found.value))
      : await store.blocks.create(newBlock(cidr, owner, world.clock.nowNs(), owner.reservation));
    if (block.ok) return confirmed(store, claimed, block.value);
    if (found.ok || block.why !== 'already-exists' || isLast) return 'contended';
    // Somebody was first: another owner, who has it then, or another process of this one.
    found = await getLive(store.blocks, name);
  }
  return 'contended';
}

async function confirmed(store: IpamStore, pending: BlockAffinity, block: IPAMBlock): Promise<ClaimedBlock> {
  const written = await store.affinities.update(inState(pending, 'confirmed'));
  if (written.ok) return block;
  const stored = await getLive(store.affinities, pending.metadata.name);
  return stored.ok && affinityState(stored.value) === 'confirmed' ? block : 'contended';
}
