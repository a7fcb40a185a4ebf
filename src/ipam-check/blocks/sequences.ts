// Judges the sequence numbers of each block: its own, and those kept of its allocations (INV-12, INV-13).

import { listed } from '../../text/wording.ts';
import type { Judgement } from '../finding.ts';
import { aboutBlock, type Draft, judge, mostListed } from '../judgement.ts';
import { sequenceTimeMs } from '../times.ts';
import { type BlockView, toBigint } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';

/** INV-12 and INV-13 of live blocks. What releases by handle leave behind is one note a block. */
export function sequenceJudgements(view: CheckView): Judgement[] {
  const judgements: Judgement[] = [];
  for (const block of view.liveBlocks) {
    const last = toBigint(block.block.spec.sequenceNumber);
    if (!isPlainlyInOrder(block, last)) judgements.push(...entries(block, last));
    if (sequenceTimeMs(last) === undefined) judgements.push(implausible(block, last));
  }
  return judgements;
}

function storedEntries({ block }: BlockView): Readonly<Record<string, unknown>> {
  const stored: unknown = block.spec.sequenceNumberForAllocation;
  return typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
}

/** True when nothing can be wrong: every allocation has its number, below that of the block, and there is no other. */
function isPlainlyInOrder(block: BlockView, last: bigint): boolean {
  let held = 0;
  for (const { sequence, windowsReserved } of block.allocations) {
    if (sequence >= last) return false;
    if (sequence !== 0n) held += 1;
    else if (!windowsReserved) return false;
  }
  return Object.keys(storedEntries(block)).length === held;
}

/** What is wrong with the entries, by what it means. */
function entries(block: BlockView, last: bigint): Judgement[] {
  const senseless: string[] = [];
  const high: string[] = [];
  const stale: number[] = [];
  const stored = storedEntries(block);
  const indexes = block.block.spec.allocations;
  for (const [key, value] of Object.entries(stored)) {
    const ordinal = Number(key);
    const named = Number.isInteger(ordinal) && ordinal >= 0 && ordinal < block.size && String(ordinal) === key;
    if (!named) senseless.push(`"${key}"`);
    else if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) high.push(`${key} (no number)`);
    else if (toBigint(value) >= last) high.push(`${key} (${value})`);
    else if (indexes[ordinal] === null) stale.push(ordinal);
  }
  const missing: number[] = [];
  for (const { ordinal, windowsReserved, attributeMissing } of block.allocations) {
    // Without its record (INV-04) there is no telling what it is: the reserve of Windows has no number.
    if (!windowsReserved && !attributeMissing && stored[ordinal] === undefined) missing.push(ordinal);
  }
  const judgements: Judgement[] = [];
  const wrong: string[] = [];
  if (senseless.length > 0) wrong.push(`entries that name no address of the block: ${listed(senseless, mostListed)}`);
  if (high.length > 0)
    wrong.push(`entries that are not below the number of the block, ${last}: ${listed(high, mostListed)}`);
  if (wrong.length > 0) judgements.push(aboutEntries(block, { part: 'values', severity: 'error', evidence: wrong }));
  if (missing.length > 0) {
    const evidence = [`allocated ordinals without a sequence number: ${listed(missing, mostListed)}`];
    judgements.push(aboutEntries(block, { part: 'missing', severity: 'warning', evidence }));
  }
  if (stale.length > 0) {
    const evidence = [
      `sequence numbers of free ordinals: ${listed(stale, mostListed)}`,
      'a release by handle leaves them behind; they do no harm',
    ];
    judgements.push(aboutEntries(block, { part: 'stale', severity: 'info', evidence, settled: true }));
  }
  return judgements;
}

function aboutEntries(block: BlockView, draft: Pick<Draft, 'part' | 'severity' | 'evidence' | 'settled'>): Judgement {
  return judge({ ...aboutBlock(block), ...draft, id: 'INV-12', fingerprint: draft.evidence.join(' ') });
}

function implausible(block: BlockView, last: bigint): Judgement {
  const evidence = [`spec.sequenceNumber is ${last}: the block is older than numbering by time`];
  return judge({ ...aboutBlock(block), id: 'INV-13', settled: true, evidence, fingerprint: '' });
}
