// Judges the pools themselves: whether they can be as they are (INV-26), and whether anything is left in them (INV-27).
import { assignsAutomatically, blockSizeLimits } from '../../ipam/pool/pools.ts';
import { type Cidr, cidrsOverlap, compareCidr, formatCidr } from '../../net/cidr.ts';
import { CidrIndex, IntervalSet } from '../../net/interval-set.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import { hasFreeAddress } from '../affinities/node-blocks.ts';
import type { Judgement } from '../finding.ts';
import { judge } from '../judgement.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PoolView } from '../view/pool-view.ts';
import type { Reserved } from './reservations.ts';

/** What INV-27 rests on, that of nodes too: it is judged as a whole or not at all. */
const needed: readonly string[] = ['IPReservation', 'IPAMConfig', 'Node'];

/** INV-26 and INV-27 for pools. */
export function poolExhaustionJudgements(view: CheckView, reserved: Reserved): Judgement[] {
  const judgements: Judgement[] = [];
  const byName = new Map(view.pools.map((pool) => [pool.name, pool]));
  for (const pool of view.snapshot.pools) {
    const judgement = definition(pool, byName.get(pool.metadata.name));
    if (judgement) judgements.push(judgement);
  }
  judgements.push(...overlaps(view.pools));
  if (needed.every((kind) => view.canJudge(kind))) judgements.push(...exhausted(view, reserved));
  return judgements;
}

function poolObject(name: string) {
  return { kind: 'IPPool', name } as const;
}

/** `pool` is the same one read, undefined when its CIDR cannot be. */
function definition({ metadata, spec }: IPPool, pool: PoolView | undefined): Judgement | undefined {
  const stored: unknown = spec?.cidr;
  const evidence: string[] = [];
  if (pool === undefined)
    evidence.push(typeof stored === 'string' ? `spec.cidr "${stored}" is no CIDR` : 'spec.cidr is missing');
  else evidence.push(...sizeProblems(pool, spec.blockSize));
  if (evidence.length === 0) return undefined;
  return judge({
    id: 'INV-26',
    object: poolObject(metadata.name),
    cidr: pool && formatCidr(pool.cidr),
    evidence,
    fingerprint: evidence.join(),
  });
}

function sizeProblems({ cidr, blockSize, enabled }: PoolView, stored: unknown): string[] {
  const [least, most] = blockSizeLimits(cidr.version);
  const given = stored === undefined || stored === null || stored === 0 ? blockSize : stored;
  const size = typeof given === 'number' || typeof given === 'bigint' ? Number(given) : Number.NaN;
  if (!(size >= least && size <= most))
    return [`spec.blockSize ${Number.isNaN(size) ? 'is no number and' : size} is not within ${least} to ${most}`];
  if (enabled && size < cidr.prefix) return [`${formatCidr(cidr)} is smaller than one of its blocks, a /${size}`];
  return [];
}

function overlaps(pools: readonly PoolView[]): Judgement[] {
  const index = new CidrIndex(pools.map((pool) => ({ cidr: pool.cidr, value: pool })));
  return index.overlapping().map(([first, second]) => {
    const inOrder = compareCidr(first.cidr, second.cidr) || (first.value.name < second.value.name ? -1 : 1);
    const [outer, inner] = inOrder <= 0 ? [first.value, second.value] : [second.value, first.value];
    return judge({
      id: 'INV-26',
      object: poolObject(outer.name),
      related: [poolObject(inner.name)],
      dependencies: [poolObject(inner.name)],
      cidr: formatCidr(outer.cidr),
      part: inner.name,
      evidence: [`${formatCidr(outer.cidr)} contains ${formatCidr(inner.cidr)}, the range of pool ${inner.name}`],
      fingerprint: `${formatCidr(outer.cidr)} ${formatCidr(inner.cidr)}`,
    });
  });
}

/**
 * Enabled pools of automatic assignment in which no address is free that is not reserved, and no block is left to be
 * claimed. A pool in which a block cannot be read may have room; one without any block was not meant to be used.
 */
function exhausted(view: CheckView, reserved: Reserved): Judgement[] {
  const full = new Map<PoolView, Cidr[]>();
  for (const pool of view.pools) {
    if (pool.enabled && assignsAutomatically(pool.pool)) full.set(pool, []);
  }
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
    if (!IntervalSet.of([...ranges, ...kept]).covers(pool.cidr)) continue;
    judgements.push(
      judge({
        id: 'INV-27',
        object: poolObject(pool.name),
        cidr: formatCidr(pool.cidr),
        evidence: [
          `the ${ranges.length} blocks of pool ${pool.name} have no free address that is not reserved`,
          `no block of ${formatCidr(pool.cidr)} is left to be claimed`,
        ],
        fingerprint: `${ranges.length}`,
      }),
    );
  }
  return judgements;
}
