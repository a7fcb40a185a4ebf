// The repair primitives, one function each: read again, check that the repair is still right, write by compare-and-swap.
// Rules: docs/reference/ipam.md#repair-primitives. R1 is releaseInBlock in release/release.ts, R3 is handle-repair.ts.
import type { BlockAffinity } from '../../resources/kinds/block-affinity.ts';
import { affinityName } from '../../resources/names.ts';
import { changedMeanwhile, claimMissingAffinity, confirmAffinity } from '../affinity/affinities.ts';
import { relabelled } from '../affinity/affinity-labels.ts';
import { dropAffinity, releaseBlockAffinity } from '../affinity/affinity-release.ts';
import { isEmpty, isOwnerless, ownerOf, touched } from '../block/block.ts';
import { rebuilt, structureProblems } from '../block/block-structure.ts';
import { deleteInTwoPhases, finishDeletion, getLive, isTombstone, type Marked } from '../deletion.ts';
import type { IpamObjects, IpamStore } from '../ipam-store.ts';
import { maxRetries, retriesExhausted } from '../retries.ts';
import { applied, conflict, type PreconditionCheck, type RepairOutcome, skipped } from './repair-outcome.ts';

export interface RebuildBlock {
  readonly block: string;
  /** Ordinals whose attribute record is missing and that nothing uses, as the caller has proved: they become free. */
  readonly unused?: readonly number[];
  /** Ordinals that are neither allocated nor free and that nothing uses, as the caller has proved; absent for all of them. */
  readonly lost?: readonly number[];
}

const beingDeleted = 'the object is being deleted';

/** R2: rebuilds the bookkeeping of a block. Starts over from the stored block after a conflict. */
export async function rebuildBlock(
  store: IpamStore,
  action: RebuildBlock,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    const found = await store.blocks.get(action.block);
    if (!found.ok) return skipped('the block no longer exists');
    const block = found.value;
    if (isTombstone(block)) return conflict(beingDeleted);
    const unused = new Set(action.unused);
    const problems = structureProblems(block);
    // Equal records are harmless; they are merged when the block is written for another reason.
    if (problems.every(({ id }) => id === 'INV-10')) return skipped('the bookkeeping of the block is in order');
    if (problems.some(({ id, at }) => id === 'INV-04' && at.some((ordinal) => !unused.has(ordinal)))) {
      return conflict('an allocation has no attribute record and is not proved to be unused');
    }
    const { lost } = action;
    if (lost && problems.some(({ id, at }) => id === 'INV-08' && at.some((ordinal) => !lost.includes(ordinal)))) {
      return conflict('another address was lost in the meantime and is not proved to be unused');
    }
    const right = rebuilt(block, unused);
    if (structureProblems(right).length > 0) return conflict('the block does not show which addresses are free');
    const refusal = await checkPrecondition();
    if (refusal !== undefined) return skipped(refusal);
    const written = await store.blocks.update(touched(right));
    if (written.ok) return applied;
  }
  throw retriesExhausted();
}

export interface NamedAffinity {
  /** Object name. */
  readonly affinity: string;
  /** The revision that the decision is based on. */
  readonly resourceVersion: string | undefined;
}

/** Calls `then` with the affinity if it is still at the revision of the action. */
async function withAffinity(
  store: IpamStore,
  action: NamedAffinity,
  then: (affinity: BlockAffinity) => Promise<RepairOutcome>,
): Promise<RepairOutcome> {
  const found = await store.affinities.get(action.affinity);
  if (!found.ok) return skipped('the affinity no longer exists');
  if (isTombstone(found.value)) return conflict(beingDeleted);
  if (found.value.metadata.resourceVersion !== action.resourceVersion) return conflict(changedMeanwhile);
  return then(found.value);
}

/** R4 for an affinity that was not confirmed: pending, block touched, confirmed. */
export function confirmNamedAffinity(
  store: IpamStore,
  action: NamedAffinity,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  return withAffinity(store, action, (affinity) => confirmAffinity(store, affinity, checkPrecondition));
}

export interface MissingAffinity {
  readonly block: string;
  /** `host:<node>` or `virtual:<name>`, as the block names it. */
  readonly owner: string;
}

/** R4 for a block whose affinity is missing: it is created first. */
export async function createMissingAffinity(
  store: IpamStore,
  action: MissingAffinity,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  const found = await store.blocks.get(action.block);
  if (!found.ok) return skipped('the block no longer exists');
  if (isTombstone(found.value)) return conflict(beingDeleted);
  if (found.value.spec.affinity !== action.owner) return conflict('the block has another owner now');
  return claimMissingAffinity(store, found.value, checkPrecondition);
}

/** R5: deletes an affinity whose owner the block does not name. */
export function dropNamedAffinity(
  store: IpamStore,
  action: NamedAffinity,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  return withAffinity(store, action, (affinity) => dropAffinity(store, affinity, checkPrecondition));
}

/** R6: deletes an empty block and its affinity. */
export function releaseNamedAffinity(
  store: IpamStore,
  action: NamedAffinity,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  return withAffinity(store, action, (affinity) =>
    releaseBlockAffinity(store, affinity, { mustBeEmpty: true }, checkPrecondition),
  );
}

export interface FinishTombstone {
  readonly kind: 'IPAMBlock' | 'BlockAffinity' | 'IPAMHandle';
  readonly name: string;
  /** The uid of the object that was marked. */
  readonly uid: string | undefined;
}

/** R7: removes a tombstone if it is still the same one. A marked block with allocated addresses is left to a person. */
export function finishTombstone(
  store: IpamStore,
  action: FinishTombstone,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  const finish = async <T extends Marked>(objects: IpamObjects<T>): Promise<RepairOutcome> => {
    const found = await objects.get(action.name);
    if (!found.ok) return skipped('it is already gone');
    if (found.value.metadata.uid !== action.uid) return skipped('it is gone, and another object has its name');
    if (!isTombstone(found.value)) return conflict('it is no longer marked as deleted');
    const refusal = await checkPrecondition();
    if (refusal !== undefined) return skipped(refusal);
    const finished = await finishDeletion(objects, found.value);
    return finished.ok ? applied : conflict('it is no longer a tombstone, or it is a block with allocated addresses');
  };
  if (action.kind === 'IPAMBlock') return finish(store.blocks);
  return action.kind === 'BlockAffinity' ? finish(store.affinities) : finish(store.handles);
}

/** R8: sets the type and labels of an affinity, by which its owner finds it. Its state and its block stay. */
export function relabelNamedAffinity(
  store: IpamStore,
  action: NamedAffinity,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  return withAffinity(store, action, async (affinity) => {
    const { node, cidr } = affinity.spec;
    if (affinity.metadata.name !== affinityName(node, cidr))
      return conflict('its name does not match its node and CIDR');
    const right = relabelled(affinity);
    if (right === undefined) return skipped('type and labels are already right');
    const refusal = await checkPrecondition();
    if (refusal !== undefined) return skipped(refusal);
    const written = await store.affinities.update(right);
    return written.ok ? applied : conflict(changedMeanwhile);
  });
}

export interface DeleteBlock {
  readonly block: string;
  /** As the block names it; absent when the block has no owner. */
  readonly owner?: string;
}

/**
 * R9: deletes an empty block that has no owner, or whose owner has no affinity for it. The affinity is looked up after the
 * block was read: a later claim has to write the block, so that one of the two writes fails.
 */
export async function deleteEmptyBlock(
  store: IpamStore,
  action: DeleteBlock,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  const found = await store.blocks.get(action.block);
  if (!found.ok) return skipped('the block no longer exists');
  const block = found.value;
  if (isTombstone(block)) return conflict(beingDeleted);
  if ((block.spec.affinity || undefined) !== action.owner) {
    return conflict(block.spec.affinity ? `the block belongs to ${block.spec.affinity}` : 'the block has no owner');
  }
  if (!isEmpty(block)) return conflict('the block is not empty');
  const owner = ownerOf(block);
  if (owner !== undefined) {
    const affinity = await getLive(store.affinities, affinityName(owner.name, block.spec.cidr));
    if (affinity.ok) return conflict('its owner has an affinity for the block');
  } else if (!isOwnerless(block)) return conflict(`invalid owner ${block.spec.affinity}`);
  const refusal = await checkPrecondition();
  if (refusal !== undefined) return skipped(refusal);
  const deleted = await deleteInTwoPhases(store.blocks, block);
  if (deleted.ok) return applied;
  return deleted.why === 'not-found'
    ? skipped('the block no longer exists')
    : conflict('the block was changed in the meantime');
}
