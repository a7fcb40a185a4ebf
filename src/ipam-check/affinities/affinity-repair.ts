// What mends a claim, once it is known what is wrong with it.

import type { Repair, RepairAction } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { automatic } from '../judgement.ts';
import type { AffinityView } from '../view/affinity-view.ts';
import type { BlockView } from '../view/block-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';
import type { Mismatches } from './affinity-names.ts';

/** A claim with everything that its judgement looks at. */
export interface Claim {
  readonly affinity: AffinityView;
  /** The live block of its CIDR. */
  readonly block: BlockView | undefined;
  /** False when CIDR, node or block cannot be read, so that only names and labels can be judged. */
  readonly judged: boolean;
  /** The block is a tombstone. */
  readonly blockDeleted: boolean;
  readonly ownerLives: boolean;
  /** An enabled pool contains it. */
  readonly poolEnabled: boolean;
  readonly mismatches: Mismatches;
  readonly rivalry: { readonly others: readonly AffinityView[]; readonly lost: boolean } | undefined;
  /** The unclaimed block whose claim has this name but says something else. */
  readonly coversFor: BlockView | undefined;
}

export function isBlockless(claim: Claim): boolean {
  return claim.judged && claim.block === undefined;
}

/** A confirmed claim without a block whose node makes the block on its next allocation. */
export function isLeftAlone(claim: Claim): boolean {
  return isBlockless(claim) && claim.affinity.state === 'confirmed' && claim.ownerLives && claim.poolEnabled;
}

export type Remedy = { readonly repair: Repair; readonly action?: RepairAction };

/** The repair of the finding; empty when there is none that a program should make. */
export function affinityRepair(
  id: InvariantId,
  claim: Claim,
  releases: PlannedReleases,
): Remedy | Record<string, never> {
  const { affinity, block, rivalry } = claim;
  const place = affinity.cidr ?? affinity.cidrText;
  const remedy = (primitive: 'R4' | 'R5' | 'R6' | 'R8', summary: string): Remedy => {
    const action: RepairAction = { primitive, affinity: affinity.name, resourceVersion: affinity.resourceVersion };
    return { action, repair: automatic(action, summary, id) };
  };
  const manual = (primitive: Repair['primitive'], summary: string): Remedy => ({
    repair: { primitive, automatic: false, summary },
  });
  const drop = () => remedy('R5', `drop the claim of ${affinity.owner} for ${place}`);
  const confirmIt = () => remedy('R4', `confirm the claim of ${affinity.owner} for ${place}`);
  const release = (): Remedy =>
    block !== undefined && releases.leaveEmpty(block)
      ? remedy('R6', `release block ${place} from ${affinity.owner}`)
      : manual('R6', `released when no address is allocated in ${place}`);

  switch (id) {
    case 'INV-31':
      return rivalry?.lost ? drop() : manual('R5', 'neither a block nor a missing node decides between the claims');
    case 'INV-30':
      return drop();
    case 'INV-36':
      return block === undefined ? drop() : release();
    case 'INV-33':
      if (block === undefined) return drop();
      return claim.ownerLives && claim.poolEnabled ? confirmIt() : release();
    case 'INV-32':
      return confirmIt();
    case 'INV-29':
      return isLeftAlone(claim) ? {} : drop();
    case 'INV-35':
      if (isBlockless(claim) && !isLeftAlone(claim) && affinity.state !== 'pending') return drop();
      return claim.mismatches.name.length === 0
        ? remedy('R8', `set type and labels of the claim of ${affinity.owner} for ${place}`)
        : manual('R8', 'an object cannot be renamed: let its node claim the block anew, then delete this one');
    default:
      return {};
  }
}

/**
 * The repair of an owned block that its owner has no claim on. An empty one of a node or a pool that is gone, or in a
 * disabled pool, is deleted; one that is worth it is claimed.
 */
export function missingAffinityRepair(block: BlockView, is: { empty: boolean; worthClaiming: boolean }): Remedy {
  const owner = block.affinity ?? '';
  if (is.worthClaiming) {
    const action: RepairAction = { primitive: 'R4', block: block.name, owner };
    return { action, repair: automatic(action, `make and confirm the claim of ${owner} for ${block.cidr}`, 'INV-28') };
  }
  if (is.empty) return deletionWithoutAffinity(block, 'INV-28');
  return {
    repair: { primitive: 'R4', automatic: false, summary: 'no claim is made for a node or a pool that is gone' },
  };
}

/** R9 for an empty block that has an owner, but no claim of it by which it could be released. */
export function deletionWithoutAffinity(block: BlockView, id: InvariantId): Remedy {
  const owner = block.affinity ?? '';
  const action: RepairAction = { primitive: 'R9', block: block.name, owner };
  return { action, repair: automatic(action, `delete block ${block.cidr}, which ${owner} has no claim on`, id) };
}

/** R6 for an empty block, by its owner's claim. */
export function releaseOf(block: BlockView, claim: AffinityView, id: InvariantId): Remedy {
  const action: RepairAction = { primitive: 'R6', affinity: claim.name, resourceVersion: claim.resourceVersion };
  return { action, repair: automatic(action, `release block ${block.cidr} from ${block.affinity}`, id) };
}
