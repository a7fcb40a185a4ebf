// Judges what is left for each node (INV-27): a node at its block limit whose blocks are all full gets no more addresses.
import { blockLimit } from '../../ipam/config.ts';
import type { Judgement } from '../finding.ts';
import { blockObject, judge, nodeObject } from '../judgement.ts';
import type { BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { ReservedAddresses } from '../view/reserved-addresses.ts';
import { hasFreeAddress } from './pool-exhaustion.ts';

/** INV-27 for nodes, per family. Blocks in disabled pools do not count: their node takes no addresses from them. */
export function nodeExhaustionJudgements(view: CheckView, reserved: ReservedAddresses): Judgement[] {
  const limit = blockLimit(view.settings);
  const judgements: Judgement[] = [];
  for (const [node, owned] of view.blocksByNode) {
    if (owned.length < limit || !view.nodesByName.has(node)) continue;
    for (const version of [4, 6] as const) {
      const blocks = view.usableBlocks(owned, version);
      if (blocks.length < limit || blocks.some((block) => hasFreeAddress(block, reserved.addresses))) continue;
      judgements.push(allFull(node, version, blocks, limit));
    }
  }
  return judgements;
}

function allFull(node: string, version: 4 | 6, blocks: readonly BlockView[], limit: number): Judgement {
  return judge({
    id: 'INV-27',
    object: nodeObject(node),
    dependencies: blocks.map(({ name }) => blockObject(name)),
    node,
    part: `IPv${version}`,
    evidence: [
      `node ${node} owns ${blocks.length} IPv${version} blocks, and its limit is ${limit}`,
      'none of them has a free address that is not reserved',
    ],
    fingerprint: `${blocks.length} ${limit}`,
  });
}
