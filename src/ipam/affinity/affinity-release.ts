// Releases an affinity with its block, and drops affinities that are stale because the block does not name their owner.
// Order of writes: docs/reference/ipam.md#releasing-an-affinity.
import { parseCidr } from '../../net/cidr.ts';
import type { BlockAffinity } from '../../resources/kinds/block-affinity.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { affinityName, blockName } from '../../resources/names.ts';
import { parseOrSelectAll } from '../../resources/selector.ts';
import { isEmpty, isOwnedBy, isOwnerless, ownerOf, touched, withoutOwner } from '../block/block.ts';
import { deleteInTwoPhases, getLive, heldTombstone } from '../deletion.ts';
import type { IpamStore } from '../ipam-store.ts';
import { isEnabled, poolOf } from '../pool/pools.ts';
import {
  applied,
  conflict,
  noPrecondition,
  type PreconditionCheck,
  type RepairOutcome,
  skipped,
} from '../repair/repair-outcome.ts';
import { maxRetries, retriesExhausted } from '../retries.ts';
import { changedMeanwhile, claimAgain, inState, ownerOfAffinity } from './affinities.ts';

export interface ReleaseAffinityOptions {
  /** True: a block with allocated addresses is left alone. False: it loses its owner and keeps the addresses. */
  readonly mustBeEmpty: boolean;
}

/**
 * How an attempt ended. `released`: the affinity is gone. `changed`: another client wrote it or its block in the meantime;
 * a repeat decides again. `kept`: nothing changed, and a repeat would change nothing. `refused`: the precondition failed.
 */
export type ReleaseAttempt =
  | { readonly end: 'released' }
  | { readonly end: 'changed' | 'kept' | 'refused'; readonly why: string };

const released: ReleaseAttempt = { end: 'released' };
const changed = (why: string): ReleaseAttempt => ({ end: 'changed', why });
const kept = (why: string): ReleaseAttempt => ({ end: 'kept', why });

/**
 * Takes a block from its owner: affinity pendingDeletion, block deleted (or, if not empty, left without owner), affinity
 * deleted. An affinity is deleted alone when its block is missing, has another owner, or has addresses but no owner.
 */
export async function attemptRelease(
  store: IpamStore,
  affinity: BlockAffinity,
  options: ReleaseAffinityOptions,
  checkPrecondition: PreconditionCheck,
): Promise<ReleaseAttempt> {
  const block = await readBlock(store, affinity);
  if (block === 'held') return kept(halfDeleted);
  if (block === undefined || !isConcerned(block, affinity)) return attemptDrop(store, affinity, checkPrecondition);
  if (options.mustBeEmpty && !isEmpty(block)) return kept(notEmpty(block));
  const refusal = await checkPrecondition();
  if (refusal !== undefined) return { end: 'refused', why: refusal };
  const marked = await store.affinities.update(inState(affinity, 'pendingDeletion'));
  if (!marked.ok) return changed(changedMeanwhile);
  return releaseMarked(store, marked.value, block, options);
}

/** Deletes a stale affinity. The block is read again after the mark, so that a concurrent claim either fails or is seen. */
async function attemptDrop(
  store: IpamStore,
  affinity: BlockAffinity,
  checkPrecondition: PreconditionCheck,
): Promise<ReleaseAttempt> {
  const before = await readBlock(store, affinity);
  if (before === 'held') return kept(halfDeleted);
  if (before !== undefined && isOwnedBy(before, ownerOfAffinity(affinity))) return changed(notStale);
  const refusal = await checkPrecondition();
  if (refusal !== undefined) return { end: 'refused', why: refusal };
  const marked = await store.affinities.update(inState(affinity, 'pendingDeletion'));
  if (!marked.ok) return changed(changedMeanwhile);
  const block = await readBlock(store, marked.value);
  if (block === 'held') return kept(halfDeleted);
  if (block !== undefined && isOwnedBy(block, ownerOfAffinity(affinity))) {
    await claimAgain(store, marked.value, block);
    return changed(notStale);
  }
  return deleteMarked(store, marked.value);
}

/** The same as a repair, which tries once: a change in the meantime is a conflict. */
export async function releaseBlockAffinity(
  store: IpamStore,
  affinity: BlockAffinity,
  options: ReleaseAffinityOptions,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  return asRepair(await attemptRelease(store, affinity, options, checkPrecondition));
}

/** Deletes a stale affinity: its block is missing, or does not name its owner. */
export async function dropAffinity(
  store: IpamStore,
  affinity: BlockAffinity,
  checkPrecondition: PreconditionCheck,
): Promise<RepairOutcome> {
  return asRepair(await attemptDrop(store, affinity, checkPrecondition));
}

function asRepair(given: ReleaseAttempt): RepairOutcome {
  if (given.end === 'released') return applied;
  return given.end === 'refused' ? skipped(given.why) : conflict(given.why);
}

/**
 * After a release of addresses: releases the affinity of an empty block whose pool no longer selects the node, as Calico
 * does. Returns whether it did. A concurrent change is not an error, because the next release tries again.
 */
export async function ensureConsistentAffinity(store: IpamStore, block: IPAMBlock): Promise<boolean> {
  const owner = ownerOf(block);
  const cidr = parseCidr(block.spec.cidr);
  if (owner?.type !== 'host' || cidr === undefined || !isEmpty(block)) return false;
  const labels = await store.nodeLabels(owner.name);
  if (labels === undefined) return false;
  const pool = poolOf((await store.pools()).filter(isEnabled), cidr.base);
  if (pool === undefined || parseOrSelectAll(pool.spec.nodeSelector)(labels)) return false;
  const affinity = await getLive(store.affinities, affinityName(owner.name, block.spec.cidr));
  if (!affinity.ok) return false;
  const released = await releaseBlockAffinity(store, affinity.value, { mustBeEmpty: true }, noPrecondition);
  return released.outcome === 'applied';
}

/**
 * Releases the empty blocks of a node in pools that no longer select it. `affinities` are those of the node outside the
 * pools that it assigns from. Blocks in use stay.
 */
export async function releaseUnselected(
  store: IpamStore,
  affinities: readonly BlockAffinity[],
  pools: readonly IPPool[],
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  for (const affinity of affinities) {
    const cidr = parseCidr(affinity.spec.cidr);
    const pool = cidr && poolOf(pools.filter(isEnabled), cidr.base);
    if (pool === undefined || parseOrSelectAll(pool.spec.nodeSelector)(labels)) continue;
    await releaseEmptyUntilSettled(store, affinity);
  }
}

/** Releases an empty block, again after each change by another client. */
async function releaseEmptyUntilSettled(store: IpamStore, affinity: BlockAffinity): Promise<void> {
  let current = affinity;
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    const { end } = await attemptRelease(store, current, { mustBeEmpty: true }, noPrecondition);
    if (end !== 'changed') return;
    const again = await getLive(store.affinities, affinity.metadata.name);
    if (!again.ok) return;
    current = again.value;
  }
  throw retriesExhausted();
}

const halfDeleted = `the block ${heldTombstone}`;
const notStale = 'the block belongs to the owner that the affinity names';

function notEmpty(block: IPAMBlock): string {
  return `block '${block.spec.cidr}' is not empty`;
}

/** True for a block that is released with the affinity: that of its owner, or an empty one without owner. */
function isConcerned(block: IPAMBlock, affinity: BlockAffinity): boolean {
  return isOwnedBy(block, ownerOfAffinity(affinity)) || (isOwnerless(block) && isEmpty(block));
}

/** The block of an affinity; undefined when there is none; `held`: a tombstone with addresses in it. */
async function readBlock(store: IpamStore, affinity: BlockAffinity): Promise<IPAMBlock | undefined | 'held'> {
  const block = await getLive(store.blocks, blockName(affinity.spec.cidr));
  if (block.ok) return block.value;
  return block.why === 'not-found' ? undefined : 'held';
}

/** The rest of a release, from the marked affinity on; block and affinity are read again after each conflict. */
async function releaseMarked(
  store: IpamStore,
  marked: BlockAffinity,
  known: IPAMBlock,
  options: ReleaseAffinityOptions,
): Promise<ReleaseAttempt> {
  let block: IPAMBlock | undefined | 'held' = known;
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    if (block === 'held') return kept(halfDeleted);
    if (block === undefined || !isConcerned(block, marked)) return deleteMarked(store, marked);
    if (options.mustBeEmpty && !isEmpty(block)) {
      // Its owner assigned an address from it in between: the affinity is confirmed again.
      await claimAgain(store, marked, block);
      return kept(notEmpty(block));
    }
    const written = isEmpty(block)
      ? await deleteInTwoPhases(store.blocks, block)
      : await store.blocks.update(touched(withoutOwner(block)));
    if (written.ok || written.why === 'not-found') return deleteMarked(store, marked);
    block = await readBlock(store, marked);
    // An owner that claims the block again writes the affinity before it touches the block: then the block must stay. The
    // affinity is read after the block, so that a later touch makes the next write fail.
    const affinity = await getLive(store.affinities, marked.metadata.name);
    const unchanged = affinity.ok && affinity.value.metadata.resourceVersion === marked.metadata.resourceVersion;
    if (!unchanged) return changed(changedMeanwhile);
  }
  throw retriesExhausted();
}

async function deleteMarked(store: IpamStore, marked: BlockAffinity): Promise<ReleaseAttempt> {
  const deleted = await deleteInTwoPhases(store.affinities, marked);
  return deleted.ok || deleted.why === 'not-found' ? released : changed(changedMeanwhile);
}
