// How pods and services name the pools that they request: by name or CIDR.
import { formatCidr, parseCidr } from '../../net/cidr.ts';
import type { PoolView } from '../view/pool-view.ts';

/** The pool of that name or CIDR. */
export function namedPool(pools: readonly PoolView[], text: string): PoolView | undefined {
  const named = pools.find(({ name }) => name === text);
  const cidr = named === undefined ? parseCidr(text) : undefined;
  return named ?? (cidr && pools.find((pool) => formatCidr(pool.cidr) === formatCidr(cidr)));
}
