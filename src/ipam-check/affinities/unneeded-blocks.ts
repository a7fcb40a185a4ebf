// Judges blocks that their node keeps and does not need, or should not have any more: INV-24, INV-25 and INV-39.
// Blocks whose claim is not in order are left to affinities.ts; those of nodes that are gone, too.
import { parseOrSelectAll, type Selector } from '../../resources/selector.ts';
import type { Judgement } from '../finding.ts';
import { affinityObject, blockObject, type Draft, judge, nodeObject } from '../judgement.ts';
import { isForOthers } from '../pools/pools.ts';
import type { NodeRecord } from '../snapshot.ts';
import { sequenceTimeMs } from '../times.ts';
import type { AffinityView } from '../view/affinity-view.ts';
import { type BlockView, toBigint } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';
import type { PoolView } from '../view/pool-view.ts';
import { releaseOf } from './affinity-repair.ts';

/** Set on nodes while a cluster moves from flannel to Calico; their blocks are left alone until it says calico. */
const migrationLabel = 'projectcalico.org/node-network-during-migration';

/** A node's block in a pool, with the claim that is in order. */
interface Held {
  readonly block: BlockView;
  readonly claim: AffinityView;
  readonly node: NodeRecord;
  readonly pool: PoolView;
}

/** INV-24, INV-25 and INV-39; `faulty` has the names of the claims that there is a finding about. */
export function unneededBlockJudgements(
  view: CheckView,
  releases: PlannedReleases,
  faulty: ReadonlySet<string>,
): Judgement[] {
  if (!view.canJudge('BlockAffinity') || !view.canJudge('Node')) return [];
  const judgements: Judgement[] = [];
  const selects = nodeSelection();
  /** The blocks that a node may keep, by node and family. */
  const kept = new Map<string, Held[]>();
  for (const block of view.liveBlocks) {
    const held = heldBlock(view, block, faulty);
    if (held === undefined || isForOthers(block, held.pool)) continue;
    if (!held.pool.enabled) {
      if (releases.leaveEmpty(block)) judgements.push(inDisabledPool(view, held));
    } else if (!selects(held.pool, held.node)) judgements.push(unselected(view, held));
    else {
      const key = `${block.range?.version} ${held.node.name}`;
      const others = kept.get(key);
      if (others) others.push(held);
      else kept.set(key, [held]);
    }
  }
  for (const blocks of kept.values()) if (blocks.length > 1) judgements.push(...surplus(view, blocks));
  return judgements;
}

function heldBlock(view: CheckView, block: BlockView, faulty: ReadonlySet<string>): Held | undefined {
  if (block.node === undefined || block.range === undefined) return undefined;
  const node = view.nodesByName.get(block.node);
  const claim = view.affinityOfOwner(block);
  if (node === undefined || claim === undefined || faulty.has(claim.name)) return undefined;
  const pool = view.enabledPoolOf(block.range.base) ?? view.poolsCovering(block.range)[0];
  return pool && { block, claim, node, pool };
}

/** Whether a pool selects a node; each selector is read once. */
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

function about(view: CheckView, { block, claim, node, pool }: Held): Omit<Draft, 'id' | 'evidence'> {
  const poolObject = { kind: 'IPPool', name: pool.name } as const;
  return {
    object: blockObject(block.name),
    related: [affinityObject(claim.name), poolObject],
    dependencies: [affinityObject(claim.name), nodeObject(node.name), poolObject],
    cidr: block.cidr,
    node: node.name,
    ageSeconds: view.ageSeconds(changedAtMs(block)),
    fingerprint: `${claim.resourceVersion} ${block.resourceVersion}`,
  };
}

function inDisabledPool(view: CheckView, held: Held): Judgement {
  const { block, claim, pool } = held;
  return judge({
    ...about(view, held),
    id: 'INV-25',
    evidence: [`pool ${pool.name} is disabled`, contents(block)],
    ...releaseOf(block, claim, 'INV-25'),
  });
}

function unselected(view: CheckView, held: Held): Judgement {
  const { block, claim, node, pool } = held;
  const { empty } = block;
  const byHand = 'released with its last address';
  return judge({
    ...about(view, held),
    id: 'INV-24',
    severity: empty ? 'warning' : 'info',
    candidate: empty && view.isYounger(changedAtMs(block), view.snapshot.graceMs),
    evidence: [`pool ${pool.name} selects ${pool.pool.spec.nodeSelector}, not node ${node.name}`, contents(block)],
    ...(empty
      ? releaseOf(block, claim, 'INV-24')
      : { repair: { primitive: 'R6' as const, automatic: false, summary: byHand } }),
  });
}

/**
 * What a node has over and above, of one family: empty blocks that nothing was done to for the grace period, but for
 * one when there is no other. Blocks with a Windows reserve are none, and what is just being moved to Calico stays.
 */
function surplus(view: CheckView, blocks: readonly Held[]): Judgement[] {
  const spare = blocks.filter(({ block, node }) => {
    const migrating = Object.hasOwn(node.labels, migrationLabel) && node.labels[migrationLabel] !== 'calico';
    return block.allocations.length === 0 && !migrating && !view.isYounger(changedAtMs(block), view.snapshot.graceMs);
  });
  const fitting = spare.find(({ block, pool }) => block.range?.prefix === pool.blockSize);
  const staying = spare.length === blocks.length ? (fitting ?? spare[0]) : undefined;
  return spare
    .filter((held) => held !== staying)
    .map((held) => {
      const { block, claim, node } = held;
      return judge({
        ...about(view, held),
        id: 'INV-39',
        evidence: [`node ${node.name} has ${blocks.length} blocks of this family`, contents(block)],
        ...releaseOf(block, claim, 'INV-39'),
      });
    });
}

function contents({ empty, allocations }: BlockView): string {
  return empty ? 'no address is allocated' : `${allocations.length} allocated addresses`;
}

/** The block's last write; where nothing recorded it, its sequence number says when it was made. */
function changedAtMs({ block, writtenAtMs }: BlockView): number | undefined {
  return writtenAtMs ?? sequenceTimeMs(toBigint(block.spec.sequenceNumber));
}
