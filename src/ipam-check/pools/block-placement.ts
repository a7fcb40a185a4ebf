// Judges where blocks lie: against each other and against the pools (INV-18 to INV-23). Blocks that their node does not
// need are judged in affinities/unneeded-blocks.ts.
import { loadBalancerName } from '../../ipam/assign/assignment-owner.ts';
import { type Cidr, cidrsOverlap, compareCidr, formatCidr } from '../../net/cidr.ts';
import { CidrIndex } from '../../net/interval-set.ts';
import { affinityName } from '../../resources/names.ts';
import { counted } from '../../text/wording.ts';
import { deletionWithoutAffinity, type Remedy, releaseByAffinity } from '../affinities/affinity-repair.ts';
import type { Judgement, RepairAction } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { aboutBlock, affinityObject, automatic, blockObject, judge, poolObject } from '../judgement.ts';
import type { AffinityView } from '../view/affinity-view.ts';
import type { BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';
import type { PoolView } from '../view/pool-view.ts';

type Placed = BlockView & { readonly range: Cidr };

/** INV-18 to INV-23. */
export function blockPlacementJudgements(view: CheckView, releases: PlannedReleases): Judgement[] {
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

function contents(block: BlockView): string {
  const count = counted(block.allocations.length, 'allocated address');
  return `${block.cidr} (${block.affinity ?? 'no owner'}) has ${count}`;
}

function overlaps(blocks: readonly Placed[]): Judgement[] {
  const index = new CidrIndex(blocks.map((block) => ({ cidr: block.range, value: block })));
  return index.overlapping().map(([first, second]) => {
    const inOrder = compareCidr(first.cidr, second.cidr) || (first.value.name < second.value.name ? -1 : 1);
    const [outer, inner] = inOrder <= 0 ? [first.value, second.value] : [second.value, first.value];
    return judge({
      ...aboutBlock(outer),
      id: 'INV-18',
      related: [blockObject(inner.name)],
      dependencies: [blockObject(inner.name)],
      part: inner.name,
      evidence: [`${outer.cidr} contains ${inner.cidr}`, contents(outer), contents(inner)],
      fingerprint: `${outer.cidr} ${inner.cidr}`,
    });
  });
}

/** Without owner and empty: the last release should have deleted it. */
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
    evidence: ['spec.affinity is missing', 'no address is allocated in it'],
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
    ...aboutBlock(block),
    id: 'INV-20',
    related: [poolObject(nearest.name)],
    dependencies: [poolObject(nearest.name)],
    evidence: [
      `the block is a /${prefix}, but pool ${nearest.name} (${formatCidr(nearest.cidr)}) has blockSize ${nearest.blockSize}`,
      contents(block),
    ],
    fingerprint: `${prefix} ${nearest.blockSize}`,
  });
}

/** True for a block of LoadBalancer addresses in a pool that does not allow them, and for one of a node in a pool for those only. */
export function isForOthers({ owner }: BlockView, { uses }: PoolView): boolean {
  if (owner === undefined) return false;
  return owner.type === 'virtual'
    ? owner.name === loadBalancerName && !uses.includes('LoadBalancer')
    : uses.every((use) => use === 'LoadBalancer');
}

function wrongUse(view: CheckView, block: Placed, pool: PoolView, releases: PlannedReleases): Judgement {
  const affinity = view.affinityOfOwner(block);
  const empty = releases.leaveEmpty(block);
  return judge({
    ...aboutBlock(block),
    id: 'INV-23',
    related: [poolObject(pool.name)],
    dependencies: [poolObject(pool.name), ...(affinity ? [affinityObject(affinity.name)] : [])],
    evidence: [`pool ${pool.name} is for ${pool.uses.join(' and ')} only`, contents(block)],
    fingerprint: `${block.affinity} ${empty} ${affinity?.resourceVersion} ${pool.uses.join()}`,
    ...(empty && affinity && releaseByAffinity(block, affinity, 'INV-23')),
  });
}

function outsidePools(view: CheckView, block: Placed, releases: PlannedReleases): Judgement {
  const pool = view.pools.find(({ cidr }) => cidrsOverlap(cidr, block.range));
  if (pool) return beyondPool(block, pool);
  return isLeftOver(block) ? leftOver(view, block, ['INV-19']) : orphan(view, block, releases);
}

function beyondPool(block: Placed, pool: PoolView): Judgement {
  return judge({
    ...aboutBlock(block),
    id: 'INV-21',
    also: pool.blockSize === block.range.prefix ? ['INV-19'] : ['INV-19', 'INV-20'],
    related: [poolObject(pool.name)],
    dependencies: [poolObject(pool.name)],
    evidence: [`${block.cidr} extends beyond pool ${pool.name} (${formatCidr(pool.cidr)})`, contents(block)],
    fingerprint: formatCidr(pool.cidr),
  });
}

function orphan(view: CheckView, block: Placed, releases: PlannedReleases): Judgement {
  const affinity = view.affinityOfOwner(block);
  const empty = releases.leaveEmpty(block);
  const affinities = affinity ? [affinityObject(affinity.name)] : [];
  return judge({
    ...aboutBlock(block),
    id: 'INV-19',
    related: affinities,
    dependencies: affinities,
    evidence: ['no pool contains the block', contents(block)],
    fingerprint: `${block.affinity} ${empty} ${affinity?.resourceVersion}`,
    ...orphanRepair(view, block, affinity, empty),
  });
}

function orphanRepair(view: CheckView, block: Placed, affinity: AffinityView | undefined, empty: boolean): Remedy {
  const byHand = (summary: string): Remedy => ({ repair: { primitive: 'R6', automatic: false, summary } });
  if (!empty) return byHand('released once no address is allocated in it');
  if (affinity !== undefined) return releaseByAffinity(block, affinity, 'INV-19');
  return isWithoutAffinity(view, block)
    ? deletionWithoutAffinity(block, 'INV-19')
    : byHand('its owner has no affinity by which it could be released');
}

/** True when the owner certainly has no affinity: all could be read, and none has the name that it would have. */
function isWithoutAffinity(view: CheckView, { owner, cidr }: BlockView): boolean {
  if (owner === undefined || !view.wasRead('BlockAffinity')) return false;
  const holder = view.affinitiesByName.get(affinityName(owner.name, cidr));
  return holder === undefined || holder.tombstone;
}
