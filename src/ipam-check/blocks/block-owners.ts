// Judges what a block says about its owner: the form of spec.affinity (INV-15), and the addresses that are reserved when
// the owner runs Windows (INV-16).
import { isReservedOrdinal, runsWindows } from '../../ipam/block/windows-reserve.ts';
import { listed } from '../../text/wording.ts';
import type { Judgement } from '../finding.ts';
import { aboutBlock, judge, mostListed, nodeObject } from '../judgement.ts';
import type { BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';

/** INV-15 and INV-16 of live blocks. */
export function blockOwnerJudgements(view: CheckView): Judgement[] {
  const judgements: Judgement[] = [];
  for (const block of view.liveBlocks) {
    const affinity: unknown = block.block.spec.affinity;
    if (block.owner === undefined && affinity !== undefined && affinity !== null && affinity !== '') {
      judgements.push(unreadableOwner(block, affinity));
    }
    const onWindows = runsWindows(view.nodesByName.get(block.node ?? '')?.labels ?? {});
    if (!onWindows && !block.allocations.some(({ windowsReserved }) => windowsReserved)) continue;
    const reserve = brokenReserve(block, onWindows);
    if (reserve !== undefined) judgements.push(reserve);
  }
  return judgements;
}

function unreadableOwner(block: BlockView, affinity: unknown): Judgement {
  const stored = typeof affinity === 'string' ? JSON.stringify(affinity) : 'not a string';
  return judge({
    ...aboutBlock(block),
    id: 'INV-15',
    evidence: [`spec.affinity is ${stored}, expected host:<node> or virtual:<name>`],
    fingerprint: stored,
  });
}

function brokenReserve(block: BlockView, onWindows: boolean): Judgement | undefined {
  const { size, node } = block;
  const held = new Map(block.allocations.map((allocation) => [allocation.ordinal, allocation]));
  const free: number[] = [];
  const taken: number[] = [];
  const extra: number[] = [];
  for (let ordinal = 0; ordinal < size; ordinal++) {
    const allocation = held.get(ordinal);
    if (!isReservedOrdinal(ordinal, size)) {
      if (allocation?.windowsReserved) extra.push(ordinal);
    } else if (allocation === undefined) free.push(ordinal);
    else if (!allocation.windowsReserved && !allocation.attributeMissing) taken.push(ordinal);
  }
  const evidence: string[] = [];
  if (free.length > 0) evidence.push(`ordinals that must be reserved but are free: ${listed(free, mostListed)}`);
  if (taken.length > 0) {
    evidence.push(`ordinals that must be reserved but are allocated to others: ${listed(taken, mostListed)}`);
  }
  if (extra.length > 0) evidence.push(`other ordinals that are reserved: ${listed(extra, mostListed)}`);
  if (evidence.length === 0) return undefined;
  return judge({
    ...aboutBlock(block),
    id: 'INV-16',
    severity: free.length > 0 ? 'error' : 'warning',
    dependencies: onWindows && node !== undefined ? [nodeObject(node)] : [],
    evidence: [onWindows ? `node ${node} runs Windows` : 'the block has addresses reserved for Windows', ...evidence],
    fingerprint: evidence.join(' '),
  });
}
