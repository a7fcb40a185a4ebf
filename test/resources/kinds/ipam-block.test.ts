// The wide table of blocks: every cell computed by hand for blocks of eight addresses.
import { describe, expect, it } from 'vitest';
import type { Kind, RelatedObjects } from '../../../src/resources/kind.ts';
import { ipPool } from '../../../src/resources/kinds/ip-pool.ts';
import { ipReservation } from '../../../src/resources/kinds/ip-reservation.ts';
import { blockState, type IPAMBlock, type IPAMBlockSpec, ipamBlock } from '../../../src/resources/kinds/ipam-block.ts';

const healthy: IPAMBlockSpec = {
  cidr: '10.0.0.8/29',
  affinity: 'host:node-a',
  allocations: [0, 1, 2, null, null, null, null, null],
  unallocated: [3, 4, 5, 6, 7],
  attributes: [
    { handle_id: 'a', secondary: { node: 'node-a' } },
    { handle_id: 'b', secondary: { node: 'node-b' } },
    { handle_id: 'c' },
  ],
  strictAffinity: false,
};

const block = (spec: Partial<IPAMBlockSpec> = {}): IPAMBlock => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPAMBlock',
  metadata: { name: '10-0-0-8-29' },
  spec: { ...healthy, ...spec },
});

const object = (name: string, spec: object) => ({ apiVersion: 'v1', kind: '', metadata: { name }, spec });

function related(pools: Readonly<Record<string, string>>, ...reservations: readonly string[][]): RelatedObjects {
  const all = {
    [ipPool.kind]: Object.entries(pools).map(([name, cidr]) => object(name, { cidr })),
    [ipReservation.kind]: reservations.map((reservedCIDRs, index) => object(`r${index}`, { reservedCIDRs })),
  };
  return { all: ({ kind }: Kind) => all[kind] as never, one: () => undefined };
}

const context = related(
  { big: '10.0.0.0/8', other: '192.168.0.0/16', small: '10.0.0.0/24' },
  ['10.0.0.8/31', ' 10.0.0.12'],
  ['10.0.0.14/31', 'nonsense', '172.16.0.0/12'],
);

const wide = (one: IPAMBlock, given = context) => ipamBlock.columns.wide.map((column) => column.cell(one, given));

describe('wide row of a block', () => {
  it('counts addresses of other nodes as borrowed, and only free ordinals as reserved', () => {
    // Reserved and free: ordinals 4 (10.0.0.12), 6 and 7 (10.0.0.14/31); 10.0.0.8/31 is allocated.
    expect(wide(block())).toEqual(['10.0.0.8/29', 'small', 'host:node-a', '8', '3', '5', '1', '3', 'ok']);
  });

  it('counts every address of a node as borrowed when the block is not owned by a host', () => {
    expect(wide(block({ affinity: null }))[6]).toBe('2');
    expect(wide(block({ affinity: 'virtual:load-balancer' }))[6]).toBe('2');
  });

  it('leaves the pool of a block empty when the block is outside of all pools', () => {
    const row = wide(block(), related({ other: '192.168.0.0/16' }));
    expect([row[1], row[7]]).toEqual(['', '0']);
  });
});

describe('blockState', () => {
  it.each<[string, Partial<IPAMBlockSpec>]>([
    ['ok', {}],
    ['ok', { affinity: 'virtual:load-balancer' }],
    ['ok', { affinity: null, hostAffinity: 'node-a' }],
    ['deleted', { deleted: true }],
    ['lost 3', { unallocated: [3, 4] }],
    ['bad length', { allocations: healthy.allocations.slice(0, 6), unallocated: [3, 4, 5] }],
    ['free and allocated 1', { unallocated: [1, 3, 4, 5, 6, 7] }],
    ['repeated 1', { unallocated: [3, 4, 5, 6, 7, 7] }],
    ['out of range 1', { unallocated: [3, 4, 5, 6, 7, 8] }],
    ['no attributes 1', { attributes: healthy.attributes.slice(0, 2) }],
    ['ownerless', { affinity: null }],
    [
      'ownerless, empty',
      { affinity: '', allocations: Array(8).fill(null), unallocated: [0, 1, 2, 3, 4, 5, 6, 7], attributes: [] },
    ],
    ['bad affinity', { affinity: 'node-a' }],
    ['bad cidr', { cidr: '10.0.0.8' }],
    ['deleted, lost 5, ownerless', { deleted: true, unallocated: [], affinity: null }],
  ])('finds the state of a block to be %s', (state, spec) => expect(blockState(block(spec))).toBe(state));
});
