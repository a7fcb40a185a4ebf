// Judges blocks against each other and against the pools: overlaps, orphans, wrong sizes and uses, blocks that should be
// gone. Empty blocks that their node does not need are spare-blocks.ts.

import { loadBalancerName } from '../../ipam/assign/assignment-owner.ts';
import { type Cidr, cidrsOverlap, compareCidr, formatCidr } from '../../net/cidr.ts';
import { CidrIndex } from '../../net/interval-set.ts';
import { affinityName } from '../../resources/names.ts';
import { counted } from '../../text/wording.ts';
import { deletionWithoutAffinity, type Remedy, releaseOf } from '../affinities/affinity-repair.ts';
import type { Judgement, RepairAction } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { affinityObject, automatic, blockObject, judge } from '../judgement.ts';
import type { AffinityView } from '../view/affinity-view.ts';
import type { BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';
import type { PoolView } from '../view/pool-view.ts';

type Placed = BlockView & { readonly range: Cidr };

/** INV-18 to INV-23. */
export function poolJudgements(view: CheckView, releases: PlannedReleases): Judgement[] {
  const blocks = view.liveBlocks.filter((block): block is Placed => block.range !== undefined);
  const judgements = overlaps(blocks);
  for (const block of blocks) {
    const pools = view.poolsCovering(block.range);
    if (pools.length === 0) judgements.push(outsidePools(view, block, releases));
    else {
      const wrongSize = otherSize(block, pools);
      if (wrongSize) judgements.push(wrongSize);
      const [pool] = pools;
      if (pool && isForOthers(block, pool)) judgements.push(wrongUse(view, block, pool, releases));
      if (isLeftOver(block)) judgements.push(leftOver(view, block, []));
    }
  }
  return judgements;
}

function holding(block: BlockView): string {
  const count = block.allocations.length;
  return `${block.cidr} (${block.affinity ?? 'no owner'}) has ${counted(count, 'allocated address', 'allocated addresses')}`;
}

function overlaps(blocks: readonly Placed[]): Judgement[] {
  const index = new CidrIndex(blocks.map((block) => ({ cidr: block.range, value: block })));
  return index.overlapping().map(([first, second]) => {
    const inOrder = compareCidr(first.cidr, second.cidr) || (first.value.name < second.value.name ? -1 : 1);
    const [outer, inner] = inOrder <= 0 ? [first.value, second.value] : [second.value, first.value];
    return judge({
      id: 'INV-18',
      object: blockObject(outer.name),
      related: [blockObject(inner.name)],
      dependencies: [blockObject(inner.name)],
      cidr: outer.cidr,
      node: outer.node,
      part: inner.name,
      evidence: [`${outer.cidr} contains ${inner.cidr}`, holding(outer), holding(inner)],
      fingerprint: `${outer.cidr} ${inner.cidr}`,
    });
  });
}

/** Ownerless and empty: the last release should have deleted it. */
function isLeftOver(block: BlockView): boolean {
  return block.affinity === undefined && block.empty;
}

function leftOver(view: CheckView, block: BlockView, also: readonly InvariantId[]): Judgement {
  const action: RepairAction = { primitive: 'R9', block: block.name };
  return judge({
    id: 'INV-22',
    also,
    object: blockObject(block.name),
    cidr: block.cidr,
    ageSeconds: view.ageSeconds(block.writtenAtMs),
    evidence: ['spec.affinity is absent', 'no address is allocated'],
    fingerprint: `${block.block.metadata.uid} ${block.resourceVersion}`,
    action,
    repair: automatic(action, `delete block ${block.cidr} guarded by uid and revision`, 'INV-22'),
  });
}

function otherSize(block: Placed, pools: readonly PoolView[]): Judgement | undefined {
  const { prefix } = block.range;
  const nearest = pools[0];
  if (!nearest || pools.some((pool) => pool.blockSize === prefix)) return undefined;
  return judge({
    id: 'INV-20',
    object: blockObject(block.name),
    related: [{ kind: 'IPPool', name: nearest.name }],
    dependencies: [{ kind: 'IPPool', name: nearest.name }],
    cidr: block.cidr,
    node: block.node,
    evidence: [
      `the block is a /${prefix}, pool ${nearest.name} (${formatCidr(nearest.cidr)}) has blockSize ${nearest.blockSize}`,
      holding(block),
    ],
    fingerprint: `${prefix} ${nearest.blockSize}`,
  });
}

/** True for a block of LoadBalancer addresses in a pool of another use, and for one of a node in a pool for those only. */
export function isForOthers({ owner }: BlockView, { uses }: PoolView): boolean {
  if (owner === undefined) return false;
  return owner.type === 'virtual'
    ? owner.name === loadBalancerName && !uses.includes('LoadBalancer')
    : uses.every((use) => use === 'LoadBalancer');
}

function wrongUse(view: CheckView, block: Placed, pool: PoolView, releases: PlannedReleases): Judgement {
  const claim = view.affinityOfOwner(block);
  const empty = releases.leaveEmpty(block);
  return judge({
    id: 'INV-23',
    object: blockObject(block.name),
    related: [{ kind: 'IPPool', name: pool.name }],
    dependencies: [{ kind: 'IPPool', name: pool.name }, ...(claim ? [affinityObject(claim.name)] : [])],
    cidr: block.cidr,
    node: block.node,
    evidence: [`pool ${pool.name} is for ${pool.uses.join(' and ')} only`, holding(block)],
    fingerprint: `${block.affinity} ${empty} ${claim?.resourceVersion} ${pool.uses.join()}`,
    ...(empty && claim && releaseOf(block, claim, 'INV-23')),
  });
}

function outsidePools(view: CheckView, block: Placed, releases: PlannedReleases): Judgement {
  const near = view.pools.filter((pool) => cidrsOverlap(pool.cidr, block.range));
  const [pool] = near;
  if (pool) return beyondPool(block, pool);
  return isLeftOver(block) ? leftOver(view, block, ['INV-19']) : orphan(view, block, releases);
}

function beyondPool(block: Placed, pool: PoolView): Judgement {
  return judge({
    id: 'INV-21',
    also: pool.blockSize === block.range.prefix ? ['INV-19'] : ['INV-19', 'INV-20'],
    object: blockObject(block.name),
    related: [{ kind: 'IPPool', name: pool.name }],
    dependencies: [{ kind: 'IPPool', name: pool.name }],
    cidr: block.cidr,
    node: block.node,
    evidence: [`${block.cidr} reaches beyond pool ${pool.name} (${formatCidr(pool.cidr)})`, holding(block)],
    fingerprint: formatCidr(pool.cidr),
  });
}

function orphan(view: CheckView, block: Placed, releases: PlannedReleases): Judgement {
  const claim = view.affinityOfOwner(block);
  const empty = releases.leaveEmpty(block);
  return judge({
    id: 'INV-19',
    object: blockObject(block.name),
    related: claim ? [affinityObject(claim.name)] : [],
    dependencies: claim ? [affinityObject(claim.name)] : [],
    cidr: block.cidr,
    node: block.node,
    evidence: ['no pool contains the block', holding(block)],
    fingerprint: `${block.affinity} ${empty} ${claim?.resourceVersion}`,
    ...orphanRepair(view, block, claim, empty),
  });
}

function orphanRepair(view: CheckView, block: Placed, claim: AffinityView | undefined, empty: boolean): Remedy {
  const byHand = (summary: string): Remedy => ({ repair: { primitive: 'R6', automatic: false, summary } });
  if (!empty) return byHand('released when no address is allocated');
  if (claim !== undefined) return releaseOf(block, claim, 'INV-19');
  return isUnclaimed(view, block)
    ? deletionWithoutAffinity(block, 'INV-19')
    : byHand('no claim of its owner is left to release it by');
}

/** True when the owner surely has no claim: all could be read, and none has the name that it would have. */
function isUnclaimed(view: CheckView, { owner, cidr }: BlockView): boolean {
  if (owner === undefined || !view.canJudge('BlockAffinity')) return false;
  const holder = view.affinitiesByName.get(affinityName(owner.name, cidr));
  return holder === undefined || holder.tombstone;
}
