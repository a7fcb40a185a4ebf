// Judges blocks that a node keeps but does not need, or should no longer have: INV-24, INV-25 and INV-39.
// Blocks whose affinity is faulty are left to affinities.ts, and so are those of nodes that are gone.
import { parseOrSelectAll, type Selector } from '../../resources/selector.ts';
import { counted } from '../../text/wording.ts';
import type { Judgement } from '../finding.ts';
import { affinityObject, blockObject, type Draft, judge, nodeObject, poolObject } from '../judgement.ts';
import { isForOthers } from '../pools/block-placement.ts';
import type { NodeRecord } from '../snapshot.ts';
import { operationGuardMs, sequenceTimeMs } from '../times.ts';
import type { AffinityView } from '../view/affinity-view.ts';
import { type BlockView, toBigint } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';
import type { PoolView } from '../view/pool-view.ts';
import { releaseByAffinity } from './affinity-repair.ts';

/** Set on nodes while a cluster moves from flannel to Calico; their blocks are left alone until it says calico. */
const migrationLabel = 'projectcalico.org/node-network-during-migration';

/** A block with the node that owns it, the affinity for it, and its pool. */
interface OwnedBlock {
  readonly block: BlockView;
  readonly affinity: AffinityView;
  readonly node: NodeRecord;
  readonly pool: PoolView;
}

/** INV-24, INV-25 and INV-39; `faulty` has the names of the affinities that have a finding of their own. */
export function unneededBlockJudgements(
  view: CheckView,
  releases: PlannedReleases,
  faulty: ReadonlySet<string>,
): Judgement[] {
  const judgements: Judgement[] = [];
  const selects = nodeSelection();
  /** The blocks that a node may keep, by node and family. */
  const kept = new Map<string, OwnedBlock[]>();
  for (const block of view.liveBlocks) {
    const owned = ownedBlock(view, block, faulty);
    if (owned === undefined || isForOthers(block, owned.pool)) continue;
    if (!owned.pool.enabled) {
      if (releases.leaveEmpty(block)) judgements.push(inDisabledPool(view, owned));
    } else if (!selects(owned.pool, owned.node)) judgements.push(unselected(view, owned));
    else {
      const key = `${block.range?.version} ${owned.node.name}`;
      const others = kept.get(key);
      if (others) others.push(owned);
      else kept.set(key, [owned]);
    }
  }
  for (const blocks of kept.values()) if (blocks.length > 1) judgements.push(...surplus(view, blocks));
  return judgements;
}

function ownedBlock(view: CheckView, block: BlockView, faulty: ReadonlySet<string>): OwnedBlock | undefined {
  if (block.node === undefined || block.range === undefined) return undefined;
  const node = view.nodesByName.get(block.node);
  const affinity = view.affinityOfOwner(block);
  if (node === undefined || affinity === undefined || faulty.has(affinity.name)) return undefined;
  const pool = view.enabledPoolOf(block.range.base) ?? view.poolsCovering(block.range)[0];
  return pool && { block, affinity, node, pool };
}

/** Whether a pool selects a node; each selector is parsed once. */
function nodeSelection(): (pool: PoolView, node: NodeRecord) => boolean {
  const selectors = new Map<string, Selector>();
  return (pool, node) => {
    let selector = selectors.get(pool.name);
    if (selector === undefined) {
      selector = parseOrSelectAll(pool.pool.spec.nodeSelector);
      selectors.set(pool.name, selector);
    }
    return selector(node.labels);
  };
}

function about(view: CheckView, { block, affinity, node, pool }: OwnedBlock): Omit<Draft, 'id' | 'evidence'> {
  return {
    object: blockObject(block.name),
    related: [affinityObject(affinity.name), poolObject(pool.name)],
    dependencies: [affinityObject(affinity.name), nodeObject(node.name), poolObject(pool.name)],
    cidr: block.cidr,
    node: node.name,
    ageSeconds: view.ageSeconds(changedAtMs(block)),
    fingerprint: `${affinity.resourceVersion} ${block.resourceVersion}`,
  };
}

function inDisabledPool(view: CheckView, owned: OwnedBlock): Judgement {
  const { block, affinity, pool } = owned;
  return judge({
    ...about(view, owned),
    id: 'INV-25',
    candidate: isNewlyClaimed(view, owned),
    evidence: [`pool ${pool.name} is disabled`, contents(block)],
    ...releaseByAffinity(block, affinity, 'INV-25'),
  });
}

function unselected(view: CheckView, owned: OwnedBlock): Judgement {
  const { block, affinity, node, pool } = owned;
  const { empty } = block;
  const byHand = 'released with its last address';
  return judge({
    ...about(view, owned),
    id: 'INV-24',
    severity: empty ? 'warning' : 'info',
    candidate: empty && (isNewlyClaimed(view, owned) || view.isYounger(changedAtMs(block), view.snapshot.graceMs)),
    evidence: [`pool ${pool.name} selects ${pool.pool.spec.nodeSelector}, not node ${node.name}`, contents(block)],
    ...(empty
      ? releaseByAffinity(block, affinity, 'INV-24')
      : { repair: { primitive: 'R6' as const, automatic: false, summary: byHand } }),
  });
}

/**
 * Blocks of one family that the node has beyond its need: empty blocks that nothing was written to during the grace
 * period, except for one if it has no other. Blocks with a Windows reserve are not among them, nor are those of a node
 * that is being moved to Calico.
 */
function surplus(view: CheckView, blocks: readonly OwnedBlock[]): Judgement[] {
  const spare = blocks.filter(({ block, node }) => {
    const migrating = Object.hasOwn(node.labels, migrationLabel) && node.labels[migrationLabel] !== 'calico';
    return block.allocations.length === 0 && !migrating && !view.isYounger(changedAtMs(block), view.snapshot.graceMs);
  });
  const fitting = spare.find(({ block, pool }) => block.range?.prefix === pool.blockSize);
  const staying = spare.length === blocks.length ? (fitting ?? spare[0]) : undefined;
  return spare
    .filter((owned) => owned !== staying)
    .map((owned) => {
      const { block, affinity, node } = owned;
      return judge({
        ...about(view, owned),
        id: 'INV-39',
        candidate: isNewlyClaimed(view, owned),
        evidence: [`node ${node.name} has ${blocks.length} blocks of this family`, contents(block)],
        ...releaseByAffinity(block, affinity, 'INV-39'),
      });
    });
}

function contents({ empty, allocations }: BlockView): string {
  if (empty) return 'no address is allocated in it';
  return `${counted(allocations.length, 'address is', 'addresses are')} allocated in it`;
}

/** True when the node claimed the block just now: it may be about to assign from it. */
function isNewlyClaimed(view: CheckView, { affinity }: OwnedBlock): boolean {
  return view.isYounger(affinity.writtenAtMs, operationGuardMs);
}

/** When the block was last written; where that is not recorded, the creation time that its sequence number stands for. */
function changedAtMs({ block, writtenAtMs }: BlockView): number | undefined {
  return writtenAtMs ?? sequenceTimeMs(toBigint(block.spec.sequenceNumber));
}
