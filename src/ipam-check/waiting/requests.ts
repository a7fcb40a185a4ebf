// How pods and services name the pools that they request: by name or CIDR, as people do.
import { poolNamed } from '../../ipam/pool/pools.ts';
import type { PoolView } from '../view/pool-view.ts';

/** The pool of that name or CIDR. */
export function namedPool(pools: readonly PoolView[], text: string): PoolView | undefined {
  const all = pools.map(({ pool }) => pool);
  const named = poolNamed(all, text);
  return pools.find(({ pool }) => pool === named);
}
