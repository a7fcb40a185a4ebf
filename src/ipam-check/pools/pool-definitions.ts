// Judges the definition of each pool (INV-26): its CIDR, its block size, and overlaps with other pools.

import { blockSizeLimits } from '../../ipam/pool/pools.ts';
import { compareCidr, formatCidr } from '../../net/cidr.ts';
import { CidrIndex } from '../../net/interval-set.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import { isNumber } from '../../text/scalars.ts';
import type { Judgement } from '../finding.ts';
import { judge, poolObject } from '../judgement.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PoolView } from '../view/pool-view.ts';

/** INV-26. */
export function poolDefinitionJudgements(view: CheckView): Judgement[] {
  const judgements: Judgement[] = [];
  const byName = new Map(view.pools.map((pool) => [pool.name, pool]));
  for (const pool of view.snapshot.pools) {
    const judgement = invalidPool(pool, byName.get(pool.metadata.name));
    if (judgement) judgements.push(judgement);
  }
  return [...judgements, ...overlaps(view.pools)];
}

/** `pool` is the parsed form of the same pool; undefined when its CIDR cannot be parsed. */
function invalidPool({ metadata, spec }: IPPool, pool: PoolView | undefined): Judgement | undefined {
  const stored: unknown = spec?.cidr;
  const evidence: string[] = [];
  if (pool === undefined)
    evidence.push(typeof stored === 'string' ? `invalid spec.cidr "${stored}"` : 'spec.cidr is missing');
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
  const size = isNumber(given) ? Number(given) : Number.NaN;
  if (!Number.isInteger(size)) return [`spec.blockSize is not a whole number from ${least} to ${most}`];
  if (size < least || size > most) return [`spec.blockSize ${size} is not between ${least} and ${most}`];
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
      evidence: [`${formatCidr(outer.cidr)} contains ${formatCidr(inner.cidr)}, the CIDR of pool ${inner.name}`],
      fingerprint: `${formatCidr(outer.cidr)} ${formatCidr(inner.cidr)}`,
    });
  });
}
