// A pool as the check sees it: parsed, with defaults filled in. Pools whose CIDR cannot be parsed are left out.
import { blockSizeOf, isEnabled, usesOf } from '../../ipam/pool/pools.ts';
import { type Cidr, parseCidr } from '../../net/cidr.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';

export interface PoolView {
  readonly pool: IPPool;
  readonly name: string;
  readonly cidr: Cidr;
  /** Neither disabled nor being deleted. */
  readonly enabled: boolean;
  /** Prefix length of its blocks. */
  readonly blockSize: number;
  /** What its addresses are for. */
  readonly uses: readonly string[];
}

/** The pools whose CIDR can be parsed, in the given order. */
export function poolViews(pools: readonly IPPool[]): PoolView[] {
  const views: PoolView[] = [];
  for (const pool of pools) {
    const spec: Partial<IPPool['spec']> = pool.spec ?? {};
    const cidr = typeof spec.cidr === 'string' ? parseCidr(spec.cidr) : undefined;
    if (!cidr) continue;
    views.push({
      pool,
      name: pool.metadata.name,
      cidr,
      enabled: isEnabled(pool),
      blockSize: blockSizeOf(pool),
      uses: usesOf(pool),
    });
  }
  return views;
}
