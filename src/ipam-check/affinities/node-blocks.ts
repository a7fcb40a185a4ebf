// Judges the blocks of each node together: too many (INV-38), all full (INV-27), or none in use on a node that is down
// (INV-40). Single empty blocks are spare-blocks.ts.
import { freeListOf } from '../../ipam/block/block.ts';
import { blockLimit } from '../../ipam/config.ts';
import { addressAt } from '../../net/cidr.ts';
import type { IntervalSet } from '../../net/interval-set.ts';
import type { Judgement } from '../finding.ts';
import { blockObject, judge, nodeObject } from '../judgement.ts';
import type { Reserved } from '../pools/reservations.ts';
import type { NodeRecord } from '../snapshot.ts';
import type { BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';

/** INV-27 for nodes, INV-38 and INV-40. */
export function nodeBlockJudgements(view: CheckView, reserved: Reserved): Judgement[] {
  if (!view.canJudge('Node')) return [];
  const judgements: Judgement[] = [];
  const owned = blocksByNode(view);
  const unused: { node: NodeRecord; blocks: readonly BlockView[] }[] = [];
  for (const [name, blocks] of owned) {
    const node = view.nodesByName.get(name);
    if (node === undefined) continue;
    judgements.push(...againstLimit(view, node, blocks, reserved));
    if (node.ready === false && blocks.every(({ empty }) => empty)) unused.push({ node, blocks });
  }
  if (unused.length === 0) return judgements;
  const holding = new Set<string | undefined>();
  for (const { node, windowsReserved } of view.allocations) if (!windowsReserved) holding.add(node);
  for (const { node, blocks } of unused) if (!holding.has(node.name)) judgements.push(unusedNode(node, blocks));
  return judgements;
}

function blocksByNode(view: CheckView): Map<string, BlockView[]> {
  const owned = new Map<string, BlockView[]>();
  for (const block of view.liveBlocks) {
    if (block.node === undefined || block.range === undefined) continue;
    const blocks = owned.get(block.node);
    if (blocks) blocks.push(block);
    else owned.set(block.node, [block]);
  }
  return owned;
}

/** Blocks in disabled pools do not count: their node takes no address from them. */
function againstLimit(view: CheckView, node: NodeRecord, owned: readonly BlockView[], reserved: Reserved): Judgement[] {
  if (!view.canJudge('IPAMConfig')) return [];
  const limit = blockLimit(view.settings);
  if (owned.length < limit) return [];
  const judgements: Judgement[] = [];
  for (const version of [4, 6] as const) {
    const blocks = owned.filter(({ range }) => range?.version === version && view.enabledPoolOf(range.base));
    if (blocks.length > limit) judgements.push(tooMany(node, version, blocks, limit));
    if (blocks.length < limit || !view.canJudge('IPReservation')) continue;
    if (!blocks.some((block) => hasFreeAddress(block, reserved.addresses))) {
      judgements.push(allFull(node, version, blocks, limit));
    }
  }
  return judgements;
}

/** True when an address of the block can be assigned automatically. */
export function hasFreeAddress({ block, range, size }: BlockView, reserved: IntervalSet): boolean {
  if (range === undefined) return false;
  const { allocations } = block.spec;
  const partly = reserved.overlaps(range);
  return freeListOf(block).some(
    (ordinal) =>
      Number.isInteger(ordinal) &&
      ordinal >= 0 &&
      ordinal < size &&
      (allocations[ordinal] ?? null) === null &&
      !(partly && reserved.contains(addressAt(range, ordinal))),
  );
}

function tooMany(node: NodeRecord, version: 4 | 6, blocks: readonly BlockView[], limit: number): Judgement {
  return judge({
    id: 'INV-38',
    object: nodeObject(node.name),
    node: node.name,
    part: `IPv${version}`,
    evidence: [`node ${node.name} owns ${blocks.length} IPv${version} blocks, the limit is ${limit}`],
    fingerprint: String(blocks.length),
  });
}

function allFull(node: NodeRecord, version: 4 | 6, blocks: readonly BlockView[], limit: number): Judgement {
  return judge({
    id: 'INV-27',
    object: nodeObject(node.name),
    dependencies: blocks.map(({ name }) => blockObject(name)),
    node: node.name,
    part: `IPv${version}`,
    evidence: [
      `node ${node.name} owns ${blocks.length} IPv${version} blocks, as many as it may (${limit})`,
      'none of them has a free address that is not reserved',
    ],
    fingerprint: `${blocks.length} ${limit}`,
  });
}

function unusedNode(node: NodeRecord, blocks: readonly BlockView[]): Judgement {
  return judge({
    id: 'INV-40',
    object: nodeObject(node.name),
    related: blocks.map(({ name }) => blockObject(name)),
    dependencies: blocks.map(({ name }) => blockObject(name)),
    node: node.name,
    evidence: [
      `node ${node.name} is not ready`,
      `it owns ${blocks.map(({ cidr }) => cidr).join(', ')}`,
      'no address is allocated to it',
    ],
    fingerprint: blocks.map(({ name }) => name).join(' '),
  });
}
