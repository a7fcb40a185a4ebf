// Judges what is left in each pool (INV-27). What is left for a node is judged in node-exhaustion.ts.
import { freeListOf } from '../../ipam/block/block.ts';
import { assignsAutomatically } from '../../ipam/pool/pools.ts';
import { addressAt, type Cidr, cidrsOverlap, formatCidr } from '../../net/cidr.ts';
import { IntervalSet } from '../../net/interval-set.ts';
import { counted } from '../../text/wording.ts';
import type { Judgement } from '../finding.ts';
import { judge, poolObject } from '../judgement.ts';
import type { BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PoolView } from '../view/pool-view.ts';
import type { ReservedAddresses } from '../view/reserved-addresses.ts';

/**
 * INV-27 for pools: enabled pools of automatic assignment in which every address is allocated or reserved and no block is
 * left to claim. A pool with a block that cannot be read may have room; one without any block was not meant to be used.
 */
export function poolExhaustionJudgements(view: CheckView, reserved: ReservedAddresses): Judgement[] {
  const full = new Map<PoolView, Cidr[]>();
  for (const pool of view.pools) if (pool.enabled && assignsAutomatically(pool.pool)) full.set(pool, []);
  for (const block of view.blocks) {
    const pool = block.range && view.enabledPoolOf(block.range.base);
    const ranges = pool && full.get(pool);
    if (!block.range || !pool || !ranges) continue;
    if (block.status !== 'live' || hasFreeAddress(block, reserved.addresses)) full.delete(pool);
    else ranges.push(block.range);
  }
  const judgements: Judgement[] = [];
  for (const [pool, ranges] of full) {
    if (ranges.length === 0) continue;
    const kept = reserved.cidrs.filter((cidr) => cidrsOverlap(cidr, pool.cidr));
    if (IntervalSet.of([...ranges, ...kept]).covers(pool.cidr)) judgements.push(exhausted(pool, ranges.length));
  }
  return judgements;
}

function exhausted(pool: PoolView, blocks: number): Judgement {
  return judge({
    id: 'INV-27',
    object: poolObject(pool.name),
    cidr: formatCidr(pool.cidr),
    evidence: [
      `${counted(blocks, 'block of pool', 'blocks of pool')} ${pool.name}, without a free address that is not reserved`,
      `no block of ${formatCidr(pool.cidr)} is left to claim`,
    ],
    fingerprint: String(blocks),
  });
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
