// Claims a block for an owner: affinity pending, block created, affinity confirmed. The block decides who has it.
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

/** An owner of blocks, with the addresses that its new blocks reserve. */
export interface BlockOwner extends Owner {
  readonly reservation?: HostReservation | undefined;
}

/**
 * `contended`: another client wrote the same objects; a repeat may end differently, and nothing has to be undone.
 * `taken`: the block has another owner, or nobody can claim it for now.
 */
export type ClaimedBlock = IPAMBlock | 'taken' | 'contended';

/**
 * Claims a block that the owner does not have yet, or confirms that it has it.
 * `missing`: the block did not exist a moment ago, so it is created without reading it.
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

/** The affinity of the owner for a block, created as pending if there is none. `written`: it was made pending just now. */
async function pendingAffinity(
  store: IpamStore,
  owner: Owner,
  cidr: string,
): Promise<{ affinity: BlockAffinity; written: boolean } | 'taken'> {
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    const created = await store.affinities.create(newAffinity(owner, cidr, 'pending'));
    if (created.ok) return { affinity: created.value, written: true };
    // If it is not found now, it was a tombstone whose deletion is completed: the name is free.
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

/** What the caller already knows. */
interface Known {
  /** The affinity was made pending just now. */
  readonly written?: boolean;
  /** The block did not exist a moment ago. */
  readonly missing?: boolean;
}

/**
 * The block of an affinity: created when it is missing, and confirmed when the affinity is not. An affinity for a block of
 * another owner is deleted.
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
  let current = affinity;
  let pending = written;
  let found: Outcome<IPAMBlock> = missing ? { ok: false, why: 'not-found' } : await getLive(store.blocks, name);
  for (const isLast of [false, true]) {
    if (!found.ok && found.why !== 'not-found') return 'taken';
    if (found.ok && !isOwnedBy(found.value, owner)) {
      const dropped = await deleteInTwoPhases(store.affinities, current);
      return dropped.ok || dropped.why === 'not-found' ? 'taken' : 'contended';
    }
    if (found.ok && affinityState(current) === 'confirmed') return found.value;
    if (!pending) {
      const marked = await store.affinities.update(inState(current, 'pending'));
      if (!marked.ok) return 'contended';
      current = marked.value;
      pending = true;
    }
    // Writing a block that exists makes the write of any concurrent release fail.
    const block = found.ok
      ? await store.blocks.update(touched(found.value))
      : await store.blocks.create(newBlock(cidr, owner, world.clock.nowNs(), owner.reservation));
    if (block.ok) return confirmed(store, current, block.value);
    if (found.ok || block.why !== 'already-exists' || isLast) return 'contended';
    // Another client created it first: for another owner, which has it then, or for this one.
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
