// The repair of an affinity, once it is known what is wrong with it.
import type { Primitive, Repair, RepairAction } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { automatic } from '../judgement.ts';
import type { AffinityView } from '../view/affinity-view.ts';
import type { BlockView } from '../view/block-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';
import type { Mismatches } from './affinity-names.ts';

/** An affinity with everything that it is judged by. */
export interface JudgedAffinity {
  readonly affinity: AffinityView;
  /** The live block of its CIDR. */
  readonly block: BlockView | undefined;
  /** False when CIDR, node or block cannot be read, so that only name and labels can be judged. */
  readonly readable: boolean;
  /** The block is a tombstone. */
  readonly blockDeleted: boolean;
  readonly ownerLives: boolean;
  /** An enabled pool contains the CIDR. */
  readonly poolEnabled: boolean;
  readonly mismatches: Mismatches;
  /** Set when several affinities are confirmed for the block. `lost`: the block, or a missing node, decides against this one. */
  readonly rivalry: { readonly others: readonly AffinityView[]; readonly lost: boolean } | undefined;
  /** The block without an affinity of its owner for which the affinity would have this name. */
  readonly nameFor: BlockView | undefined;
}

export function isBlockless(judged: JudgedAffinity): boolean {
  return judged.readable && judged.block === undefined;
}

/** True for a confirmed affinity without a block whose node creates the block on its next allocation. */
export function isLeftAlone(judged: JudgedAffinity): boolean {
  return isBlockless(judged) && judged.affinity.state === 'confirmed' && judged.ownerLives && judged.poolEnabled;
}

export type Remedy = { readonly repair: Repair; readonly action?: RepairAction };

/** The repair of the finding; empty when there is none that a program should make. */
export function affinityRepair(
  id: InvariantId,
  judged: JudgedAffinity,
  releases: PlannedReleases,
): Remedy | Record<string, never> {
  const { affinity, block, rivalry } = judged;
  const cidr = affinity.cidr ?? affinity.cidrText;
  const remedy = (primitive: 'R4' | 'R5' | 'R6' | 'R8', summary: string): Remedy => {
    const action: RepairAction = { primitive, affinity: affinity.name, resourceVersion: affinity.resourceVersion };
    return { action, repair: automatic(action, summary, id) };
  };
  const manual = (primitive: Primitive, summary: string): Remedy => ({
    repair: { primitive, automatic: false, summary },
  });
  const drop = () => remedy('R5', `delete the affinity of ${affinity.owner} for ${cidr}`);
  const confirmIt = () => remedy('R4', `confirm the affinity of ${affinity.owner} for ${cidr}`);
  const release = (): Remedy =>
    block !== undefined && releases.leaveEmpty(block)
      ? remedy('R6', `release block ${cidr} from ${affinity.owner}`)
      : manual('R6', `released once no address is allocated in ${cidr}`);

  switch (id) {
    case 'INV-31':
      return rivalry?.lost ? drop() : manual('R5', 'neither a block nor a missing node decides between the affinities');
    case 'INV-30':
      return drop();
    case 'INV-36':
      return block === undefined ? drop() : release();
    case 'INV-33':
      if (block === undefined) return drop();
      return judged.ownerLives && judged.poolEnabled ? confirmIt() : release();
    case 'INV-32':
      return confirmIt();
    case 'INV-29':
      return isLeftAlone(judged) ? {} : drop();
    case 'INV-35':
      if (isBlockless(judged) && !isLeftAlone(judged) && affinity.state !== 'pending') return drop();
      return judged.mismatches.name.length === 0
        ? remedy('R8', `set type and labels of the affinity of ${affinity.owner} for ${cidr}`)
        : manual('R8', 'objects cannot be renamed: let the node claim the block again, then delete this affinity');
    default:
      return {};
  }
}

/**
 * The repair of an owned block whose owner has no affinity for it. An empty block is deleted when its node or pool is
 * gone or the pool is disabled; for one that is worth claiming the affinity is created.
 */
export function missingAffinityRepair(block: BlockView, is: { empty: boolean; worthClaiming: boolean }): Remedy {
  const owner = block.affinity ?? '';
  if (is.worthClaiming) {
    const action: RepairAction = { primitive: 'R4', block: block.name, owner };
    const summary = `create and confirm the affinity of ${owner} for ${block.cidr}`;
    return { action, repair: automatic(action, summary, 'INV-28') };
  }
  if (is.empty) return deletionWithoutAffinity(block, 'INV-28');
  return {
    repair: { primitive: 'R4', automatic: false, summary: 'no affinity is created for a node or pool that is gone' },
  };
}

/** R9 for an empty block that has an owner but no affinity of that owner by which it could be released. */
export function deletionWithoutAffinity(block: BlockView, id: InvariantId): Remedy {
  const owner = block.affinity ?? '';
  const action: RepairAction = { primitive: 'R9', block: block.name, owner };
  const summary = `delete block ${block.cidr}, for which ${owner} has no affinity`;
  return { action, repair: automatic(action, summary, id) };
}

/** R6 for an empty block, by the affinity of its owner. */
export function releaseByAffinity(block: BlockView, affinity: AffinityView, id: InvariantId): Remedy {
  const action: RepairAction = { primitive: 'R6', affinity: affinity.name, resourceVersion: affinity.resourceVersion };
  return { action, repair: automatic(action, `release block ${block.cidr} from ${block.affinity}`, id) };
}
