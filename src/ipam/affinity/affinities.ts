// Block affinities: the objects by which owners hold blocks. The block itself decides who owns it.
// States and order of writes: docs/reference/ipam.md#affinity-states. Releasing is affinity-release.ts.
import { affinityState, affinityType, type BlockAffinity } from '../../resources/kinds/block-affinity.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import {
  affinityLabels,
  affinityMetadata,
  affinityName,
  blockName,
  METADATA_ANNOTATION,
} from '../../resources/names.ts';
import { isOwnedBy, type Owner, ownerOf, touched } from '../block/block.ts';
import { getLive } from '../deletion.ts';
import type { IpamStore } from '../ipam-store.ts';
import { applied, conflict, type PreconditionCheck, type RepairOutcome, skipped } from '../repair/repair-outcome.ts';
import { maxRetries, retriesExhausted } from '../retries.ts';

export type AffinityState = 'pending' | 'confirmed' | 'pendingDeletion';

/** A new affinity, not written yet. */
export function newAffinity(owner: Owner, cidr: string, state: AffinityState): BlockAffinity {
  const labels = affinityLabels(owner.name, owner.type, cidr);
  return {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'BlockAffinity',
    metadata: {
      name: affinityName(owner.name, cidr),
      labels,
      annotations: { [METADATA_ANNOTATION]: affinityMetadata(labels) },
    },
    spec: { state, node: owner.name, type: owner.type, cidr, deleted: 'false' },
  };
}

/** The affinity in another state; everything else stays. */
export function inState(affinity: BlockAffinity, state: AffinityState): BlockAffinity {
  return { ...affinity, spec: { ...affinity.spec, state } };
}

/** The owner that the affinity names. */
export function ownerOfAffinity(affinity: BlockAffinity): Owner {
  return { type: affinityType(affinity) === 'virtual' ? 'virtual' : 'host', name: affinity.spec.node };
}

/**
 * Confirms the affinity for a block that names this owner: affinity pending, block touched, affinity confirmed. Touching
 * the block makes the write of any concurrent release fail.
 */
export async function confirmAffinity(
  store: IpamStore,
  affinity: BlockAffinity,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  if (affinityState(affinity) === 'confirmed') return skipped('the affinity is confirmed already');
  const block = await getLive(store.blocks, blockName(affinity.spec.cidr));
  if (!block.ok) return conflict('the block of the affinity does not exist');
  if (!isOwnedBy(block.value, ownerOfAffinity(affinity))) return conflict(notOurs(block.value));
  const refusal = await checkPrecondition();
  if (refusal !== undefined) return skipped(refusal);
  return claimAgain(store, affinity, block.value);
}

/** Creates the missing affinity of a block that has an owner, and confirms it. */
export async function claimMissingAffinity(
  store: IpamStore,
  block: IPAMBlock,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  const owner = ownerOf(block);
  if (owner === undefined) return conflict('the block has no valid owner');
  const { cidr } = block.spec;
  const existing = await getLive(store.affinities, affinityName(owner.name, cidr));
  if (existing.ok) {
    const { name, type } = ownerOfAffinity(existing.value);
    const same = name === owner.name && type === owner.type && existing.value.spec.cidr === cidr;
    return same ? confirmAffinity(store, existing.value, checkPrecondition) : conflict('another affinity has its name');
  }
  const refusal = await checkPrecondition();
  if (refusal !== undefined) return skipped(refusal);
  const pending = await store.affinities.create(newAffinity(owner, cidr, 'pending'));
  if (!pending.ok) return conflict('another client claimed the block at the same time');
  return settle(store, pending.value, block);
}

/** The three writes that confirm an affinity for a block that is known to have this owner. */
export async function claimAgain(store: IpamStore, affinity: BlockAffinity, block: IPAMBlock): Promise<RepairOutcome> {
  const pending = await store.affinities.update(inState(affinity, 'pending'));
  return pending.ok ? settle(store, pending.value, block) : conflict(changedMeanwhile);
}

/** Touches the block, reading it again after each conflict, then confirms the pending affinity. */
async function settle(store: IpamStore, pending: BlockAffinity, known: IPAMBlock): Promise<RepairOutcome> {
  const owner = ownerOfAffinity(pending);
  let block = known;
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    if (!isOwnedBy(block, owner)) return conflict(notOurs(block));
    const written = await store.blocks.update(touched(block));
    if (written.ok) return confirm(store, pending);
    const again = await getLive(store.blocks, block.metadata.name);
    if (!again.ok) return conflict('the block of the affinity was deleted in the meantime');
    block = again.value;
  }
  throw retriesExhausted();
}

async function confirm(store: IpamStore, pending: BlockAffinity): Promise<RepairOutcome> {
  const confirmed = await store.affinities.update(inState(pending, 'confirmed'));
  if (confirmed.ok) return applied;
  const stored = await getLive(store.affinities, pending.metadata.name);
  return stored.ok && affinityState(stored.value) === 'confirmed' ? applied : conflict(changedMeanwhile);
}

/** The conflict when another client wrote the affinity between reading and writing it. */
export const changedMeanwhile = 'the affinity was changed by another client in the meantime';

function notOurs(block: IPAMBlock): string {
  return block.spec.affinity ? `the block belongs to ${block.spec.affinity}` : 'the block has no owner';
}
