// Judges the blocks of each node together: too many of them (INV-38), or none in use on a node that is down (INV-40).
// Single blocks that a node does not need are judged in unneeded-blocks.ts, full ones in pools/node-exhaustion.ts.
import { blockLimit } from '../../ipam/config.ts';
import type { Judgement } from '../finding.ts';
import { blockObject, judge, nodeObject } from '../judgement.ts';
import type { BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';

/** INV-38 and INV-40. */
export function nodeBlockJudgements(view: CheckView): Judgement[] {
  const judgements: Judgement[] = [];
  const unused: { node: string; blocks: readonly BlockView[] }[] = [];
  for (const [name, blocks] of view.blocksByNode) {
    const node = view.nodesByName.get(name);
    if (node === undefined) continue;
    judgements.push(...overLimit(view, name, blocks));
    if (node.ready === false && blocks.every(({ empty }) => empty)) unused.push({ node: name, blocks });
  }
  if (unused.length === 0) return judgements;
  const holding = new Set<string | undefined>();
  for (const { node, windowsReserved } of view.allocations) if (!windowsReserved) holding.add(node);
  for (const { node, blocks } of unused) if (!holding.has(node)) judgements.push(unusedBlocks(node, blocks));
  return judgements;
}

/** Blocks in disabled pools do not count: their node takes no addresses from them. */
function overLimit(view: CheckView, node: string, owned: readonly BlockView[]): Judgement[] {
  const limit = blockLimit(view.settings);
  if (owned.length <= limit) return [];
  const judgements: Judgement[] = [];
  for (const version of [4, 6] as const) {
    const { length } = view.usableBlocks(owned, version);
    if (length <= limit) continue;
    judgements.push(
      judge({
        id: 'INV-38',
        object: nodeObject(node),
        node,
        part: `IPv${version}`,
        evidence: [`node ${node} owns ${length} IPv${version} blocks, but its limit is ${limit}`],
        fingerprint: String(length),
      }),
    );
  }
  return judgements;
}

function unusedBlocks(node: string, blocks: readonly BlockView[]): Judgement {
  const objects = blocks.map(({ name }) => blockObject(name));
  return judge({
    id: 'INV-40',
    object: nodeObject(node),
    related: objects,
    dependencies: objects,
    node,
    evidence: [
      `node ${node} is not ready`,
      `it owns ${blocks.map(({ cidr }) => cidr).join(', ')}`,
      'no address is allocated to it',
    ],
    fingerprint: blocks.map(({ name }) => name).join(' '),
  });
}
