// Judges each block by itself: its name, its CIDR, and a deletion that was not completed. Its bookkeeping is judged in
// bookkeeping.ts, its owner in block-owners.ts, its numbers in sequences.ts.
import { blockName } from '../../resources/names.ts';
import { counted } from '../../text/wording.ts';
import type { Judgement, RepairAction } from '../finding.ts';
import { aboutBlock, automatic, blockObject, judge } from '../judgement.ts';
import { tombstoneGuardMs } from '../times.ts';
import type { AddressUsers } from '../view/address-users.ts';
import type { BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import { bookkeepingJudgements } from './bookkeeping.ts';
import type { UnreadableOwners } from './unreadable-owners.ts';

/** INV-01 to INV-10 and INV-14. A block that cannot be read, or is a tombstone, gets that one finding only. */
export function blockJudgements(view: CheckView, users: AddressUsers, owners: UnreadableOwners): Judgement[] {
  const judgements: Judgement[] = [];
  for (const block of view.blocks) {
    if (block.status === 'tombstone') judgements.push(tombstone(view, block));
    else if (block.cidrProblem !== undefined) judgements.push(unreadable(block, 'INV-02', block.cidrProblem));
    else {
      if (block.name !== blockName(block.cidr)) judgements.push(misnamed(view, block));
      if (block.arrayProblem !== undefined) judgements.push(unreadable(block, 'INV-03', block.arrayProblem));
      else if (block.status === 'live') judgements.push(...bookkeepingJudgements(view, users, block, owners));
    }
  }
  return judgements;
}

function tombstone(view: CheckView, block: BlockView): Judgement {
  const { uid } = block.block.metadata;
  const held = block.allocations.filter((allocation) => !allocation.windowsReserved).length;
  const action: RepairAction = { primitive: 'R7', kind: 'IPAMBlock', name: block.name, uid };
  const evidence = ['spec.deleted is true'];
  if (held > 0) evidence.push(`the block still records ${counted(held, 'allocated address')}`);
  else if (!block.empty) evidence.push('whether addresses are recorded in it cannot be read');
  return judge({
    ...aboutBlock(block),
    id: 'INV-14',
    candidate: view.isYounger(block.writtenAtMs, tombstoneGuardMs),
    ageSeconds: view.ageSeconds(block.writtenAtMs),
    evidence,
    fingerprint: `${uid} ${block.resourceVersion}`,
    ...(block.empty
      ? { action, repair: automatic(action, `complete the deletion of block ${block.cidr}`, 'INV-14') }
      : { repair: { primitive: 'R7', automatic: false, summary: 'not completed while the block records addresses' } }),
  });
}

function unreadable(block: BlockView, id: 'INV-02' | 'INV-03', problem: string): Judgement {
  return judge({
    ...aboutBlock(block),
    id,
    evidence: [problem, 'addresses in this block are not checked'],
    fingerprint: problem,
  });
}

function misnamed(view: CheckView, block: BlockView): Judgement {
  const right = blockName(block.cidr);
  const twin = view.blocksByName.get(right);
  return judge({
    ...aboutBlock(block),
    id: 'INV-01',
    also: twin ? ['INV-18'] : [],
    related: twin ? [blockObject(right)] : [],
    dependencies: twin ? [blockObject(right)] : [],
    evidence: [
      `metadata.name is ${block.name}, but the name for ${block.cidr} is ${right}`,
      twin ? `a block named ${right} exists too, and Calico reads that one` : `no block named ${right} exists`,
    ],
    fingerprint: `${block.cidr} ${twin !== undefined}`,
  });
}
