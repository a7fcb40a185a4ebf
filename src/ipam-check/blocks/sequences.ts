// Judges the sequence numbers of each block: its own (INV-13), and those kept for its allocations (INV-12).
import { listed } from '../../text/wording.ts';
import type { Judgement } from '../finding.ts';
import { aboutBlock, type Draft, judge, mostListed } from '../judgement.ts';
import { sequenceTimeMs } from '../times.ts';
import { type BlockView, toBigint } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';

/** INV-12 and INV-13 of live blocks. What releases by handle leave behind is one note per block. */
export function sequenceJudgements(view: CheckView): Judgement[] {
  const judgements: Judgement[] = [];
  for (const block of view.liveBlocks) {
    const last = toBigint(block.block.spec.sequenceNumber);
    if (!isPlainlyInOrder(block, last)) judgements.push(...entries(block, last));
    if (sequenceTimeMs(last) === undefined) judgements.push(withoutTime(block, last));
  }
  return judgements;
}

function storedEntries({ block }: BlockView): Readonly<Record<string, unknown>> {
  const stored: unknown = block.spec.sequenceNumberForAllocation;
  return typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
}

/** True when nothing can be wrong: every allocation has a number below that of the block, and there are no others. */
function isPlainlyInOrder(block: BlockView, last: bigint): boolean {
  let held = 0;
  for (const { sequence, windowsReserved } of block.allocations) {
    if (sequence >= last) return false;
    if (sequence !== 0n) held += 1;
    else if (!windowsReserved) return false;
  }
  return Object.keys(storedEntries(block)).length === held;
}

/** What is wrong with the entries: impossible ones, missing ones, and those of free addresses. */
function entries(block: BlockView, last: bigint): Judgement[] {
  const unknown: string[] = [];
  const high: string[] = [];
  const stale: number[] = [];
  const stored = storedEntries(block);
  const indexes = block.block.spec.allocations;
  for (const [key, value] of Object.entries(stored)) {
    const ordinal = Number(key);
    const named = Number.isInteger(ordinal) && ordinal >= 0 && ordinal < block.size && String(ordinal) === key;
    if (!named) unknown.push(`"${key}"`);
    else if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) high.push(`${key} (not a number)`);
    else if (toBigint(value) >= last) high.push(`${key} (${value})`);
    else if (indexes[ordinal] === null) stale.push(ordinal);
  }
  const missing: number[] = [];
  for (const { ordinal, windowsReserved, attributeMissing } of block.allocations) {
    // Without its record (INV-04) it may be part of the Windows reserve, which has no numbers.
    if (!windowsReserved && !attributeMissing && stored[ordinal] === undefined) missing.push(ordinal);
  }
  const judgements: Judgement[] = [];
  const wrong: string[] = [];
  if (unknown.length > 0)
    wrong.push(`entries for ordinals that the block does not have: ${listed(unknown, mostListed)}`);
  if (high.length > 0) {
    wrong.push(`entries that are not below the number of the block, ${last}: ${listed(high, mostListed)}`);
  }
  if (wrong.length > 0) judgements.push(aboutEntries(block, { part: 'values', severity: 'error', evidence: wrong }));
  if (missing.length > 0) {
    const evidence = [`allocated ordinals without a sequence number: ${listed(missing, mostListed)}`];
    judgements.push(aboutEntries(block, { part: 'missing', severity: 'warning', evidence }));
  }
  if (stale.length > 0) {
    const evidence = [
      `sequence numbers of free ordinals: ${listed(stale, mostListed)}`,
      'releases by handle leave them behind; they are harmless',
    ];
    judgements.push(aboutEntries(block, { part: 'stale', severity: 'info', evidence, settled: true }));
  }
  return judgements;
}

function aboutEntries(block: BlockView, draft: Pick<Draft, 'part' | 'severity' | 'evidence' | 'settled'>): Judgement {
  return judge({ ...aboutBlock(block), ...draft, id: 'INV-12', fingerprint: draft.evidence.join(' ') });
}

function withoutTime(block: BlockView, last: bigint): Judgement {
  const evidence = [`spec.sequenceNumber is ${last}: the block was created before numbers started at a time`];
  return judge({ ...aboutBlock(block), id: 'INV-13', settled: true, evidence, fingerprint: '' });
}
