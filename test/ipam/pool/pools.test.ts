import { expect, it } from 'vitest';
import { poolNamed, unknownPool } from '../../../src/ipam/pool/pools.ts';
import type { IPPool } from '../../../src/resources/kinds/ip-pool.ts';

const pool = (name: string, cidr: string): IPPool => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPPool',
  metadata: { name },
  spec: { cidr },
});

const pools = [pool('pool-a', '10.60.0.0/16'), pool('pool-b', '2001:db8::/64'), pool('broken', 'none')];

it.each([
  ['pool-b', 'pool-b'],
  ['10.60.0.0/16', 'pool-a'],
  ['10.60.7.0/16', 'pool-a'],
  ['2001:DB8:0::/64', 'pool-b'],
  ['10.60.0.0/17', undefined],
  ['none', undefined],
  ['', undefined],
])('"%s" names the pool %s', (text, name) => {
  expect(poolNamed(pools, text)?.metadata.name).toBe(name);
});

it('the error about an unknown pool has a hint how to name one', () => {
  expect(unknownPool('x')).toMatchObject({ message: 'pool x does not exist', code: 'NO_POOL' });
  expect(unknownPool('x').hint).toContain('calictl get ippools');
});
