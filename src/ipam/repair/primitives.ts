// The repair primitives, one function each: read again, check that the repair is still right, write by compare-and-swap.
// Rules: docs/reference/ipam.md#repair-primitives. R1 is release.ts (releaseInBlock), R3 is handle-repair.ts.
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
  /** Ordinals whose attribute record is missing and which, as the caller proves, nothing uses: they become free. */
  readonly unused?: readonly number[];
  /** Ordinals that are neither allocated nor free and which, as the caller proves, nothing uses; absent: all of them. */
  readonly lost?: readonly number[];
}

const underWay = 'a delete of the object is under way';

/** R2: puts the books of a block right. Starts over from the stored block after a conflict. */
export async function rebuildBlock(
  store: IpamStore,
  action: RebuildBlock,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    const found = await store.blocks.get(action.block);
    if (!found.ok) return skipped('the block does not exist any more');
    const block = found.value;
    if (isTombstone(block)) return conflict(underWay);
    const unused = new Set(action.unused);
    const problems = structureProblems(block);
    // Equal records do no harm; they are merged when the block is written anyway.
    if (problems.every(({ id }) => id === 'INV-10')) return skipped('the books of the block are in order');
    if (problems.some(({ id, at }) => id === 'INV-04' && at.some((ordinal) => !unused.has(ordinal)))) {
      return conflict('an allocation has lost its record, and whether it is in use is not proved');
    }
    const { lost } = action;
    if (lost && problems.some(({ id, at }) => id === 'INV-08' && at.some((ordinal) => !lost.includes(ordinal)))) {
      return conflict('another address got lost meanwhile, and whether it is in use is not proved');
    }
    const right = rebuilt(block, unused);
    if (structureProblems(right).length > 0) return conflict('which addresses are free cannot be told from the block');
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
  /** The revision the decision rests on. */
  readonly resourceVersion: string | undefined;
}

/** Does something with an affinity that still is at the revision of the action. */
async function withAffinity(
  store: IpamStore,
  action: NamedAffinity,
  then: (affinity: BlockAffinity) => Promise<RepairOutcome>,
): Promise<RepairOutcome> {
  const found = await store.affinities.get(action.affinity);
  if (!found.ok) return skipped('the affinity does not exist any more');
  if (isTombstone(found.value)) return conflict(underWay);
  if (found.value.metadata.resourceVersion !== action.resourceVersion) return conflict(changedMeanwhile);
  return then(found.value);
}

/** R4 for an affinity that is stuck on its way: pending, block touched, confirmed. */
export function confirmNamedAffinity(
  store: IpamStore,
  action: NamedAffinity,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  return withAffinity(store, action, (affinity) => confirmAffinity(store, affinity, checkPrecondition));
}

export interface MissingAffinity {
  readonly block: string;
  /** `host:<node>` or `virtual:<name>`, as the block said. */
  readonly owner: string;
}

/** R4 for a block whose affinity is missing: it is made first. */
export async function createMissingAffinity(
  store: IpamStore,
  action: MissingAffinity,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  const found = await store.blocks.get(action.block);
  if (!found.ok) return skipped('the block does not exist any more');
  if (isTombstone(found.value)) return conflict(underWay);
  if (found.value.spec.affinity !== action.owner) return conflict('the block has another owner now');
  return claimMissingAffinity(store, found.value, checkPrecondition);
}

/** R5: deletes a claim that its block does not bear out. */
export function dropNamedAffinity(
  store: IpamStore,
  action: NamedAffinity,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  return withAffinity(store, action, (affinity) => dropAffinity(store, affinity, checkPrecondition));
}

/** R6: takes an empty block from its owner and deletes both. */
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
  /** The incarnation that was marked. */
  readonly uid: string | undefined;
}

/** R7: removes a tombstone, if it still is the same one. A marked block with addresses in it is left to a person. */
export function finishTombstone(
  store: IpamStore,
  action: FinishTombstone,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  const finish = async <T extends Marked>(objects: IpamObjects<T>): Promise<RepairOutcome> => {
    const found = await objects.get(action.name);
    if (!found.ok) return skipped('it is gone already');
    if (found.value.metadata.uid !== action.uid) return skipped('it is gone, and another object has its name');
    if (!isTombstone(found.value)) return conflict('it is not marked as deleted any more');
    const refusal = await checkPrecondition();
    if (refusal !== undefined) return skipped(refusal);
    const finished = await finishDeletion(objects, found.value);
    return finished.ok ? applied : conflict('it is no tombstone any more, or a block that still holds addresses');
  };
  if (action.kind === 'IPAMBlock') return finish(store.blocks);
  return action.kind === 'BlockAffinity' ? finish(store.affinities) : finish(store.handles);
}

/** R8: gives a claim the type and the labels by which its owner finds it. Its state and its block stay. */
export function relabelNamedAffinity(
  store: IpamStore,
  action: NamedAffinity,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  return withAffinity(store, action, async (affinity) => {
    const { node, cidr } = affinity.spec;
    if (affinity.metadata.name !== affinityName(node, cidr)) return conflict('its name is not that of the claim');
    const right = relabelled(affinity);
    if (right === undefined) return skipped('type and labels are right');
    const refusal = await checkPrecondition();
    if (refusal !== undefined) return skipped(refusal);
    const written = await store.affinities.update(right);
    return written.ok ? applied : conflict(changedMeanwhile);
  });
}

export interface DeleteBlock {
  readonly block: string;
  /** As the block says it; absent: the block is nobody's. */
  readonly owner?: string;
}

/**
 * R9: deletes an empty block that is nobody's, or whose owner has no claim on it.
 * The claim is looked for after the block was read: whoever claims it later has to write the block, or cannot.
 */
export async function deleteEmptyBlock(
  store: IpamStore,
  action: DeleteBlock,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  const found = await store.blocks.get(action.block);
  if (!found.ok) return skipped('the block does not exist any more');
  const block = found.value;
  if (isTombstone(block)) return conflict(underWay);
  if ((block.spec.affinity || undefined) !== action.owner) {
    return conflict(`the block belongs to ${block.spec.affinity || 'nobody'}`);
  }
  if (!isEmpty(block)) return conflict('the block is not empty');
  const owner = ownerOf(block);
  if (owner !== undefined) {
    const claim = await getLive(store.affinities, affinityName(owner.name, block.spec.cidr));
    if (claim.ok) return conflict('its owner has a claim on the block');
  } else if (!isOwnerless(block)) return conflict(`${block.spec.affinity} is no owner`);
  const refusal = await checkPrecondition();
  if (refusal !== undefined) return skipped(refusal);
  const deleted = await deleteInTwoPhases(store.blocks, block);
  if (deleted.ok) return applied;
  return deleted.why === 'not-found'
    ? skipped('the block does not exist any more')
    : conflict('the block was changed meanwhile');
}
