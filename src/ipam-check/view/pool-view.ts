// A pool as the check sees it: parsed, the defaults put in. Pools whose CIDR cannot be read are left out.
import { type Cidr, parseCidr } from '../../net/cidr.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';

export interface PoolView {
  readonly pool: IPPool;
  readonly name: string;
  readonly cidr: Cidr;
  /** Neither disabled nor being deleted. */
  readonly enabled: boolean;
  /** Prefix length of its blocks, the default put in. */
  readonly blockSize: number;
  /** spec.allowedUses, the default put in. */
  readonly uses: readonly string[];
}

/** The pools whose CIDR can be read, in the order given. */
export function poolViews(pools: readonly IPPool[]): PoolView[] {
  const views: PoolView[] = [];
  for (const pool of pools) {
    const spec: Partial<IPPool['spec']> = pool.spec ?? {};
    const cidr = typeof spec.cidr === 'string' ? parseCidr(spec.cidr) : undefined;
    if (!cidr) continue;
    const stored: unknown = spec.blockSize;
    const blockSize = typeof stored === 'number' || typeof stored === 'bigint' ? Number(stored) : 0;
    views.push({
      pool,
      name: pool.metadata.name,
      cidr,
      enabled: spec.disabled !== true && !pool.metadata.deletionTimestamp,
      blockSize: blockSize > 0 ? blockSize : cidr.version === 4 ? 26 : 122,
      uses: usesOf(spec.allowedUses),
    });
  }
  return views;
}

function usesOf(stored: unknown): readonly string[] {
  const uses = Array.isArray(stored) ? stored.filter((use) => typeof use === 'string') : [];
  return uses.length > 0 ? uses : ['Workload', 'Tunnel'];
}
