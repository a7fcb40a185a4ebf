import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import type { IPReservation } from '../../../src/resources/kinds/ip-reservation.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, type SnapshotBuilder } from '../../support/clusters/snapshot-builder.ts';

describe('INV-26: a pool that cannot be right', () => {
  test('overlaps another one: once a pair', () => {
    const cluster = healthy();
    cluster.pool('wide', '10.60.0.0/16', 29);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-26 error IPPool/wide']);
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(judgement?.finding.related).toEqual([{ kind: 'IPPool', name: 'pool-1' }]);
    expect(judgement?.finding.evidence).toEqual(['10.60.0.0/16 contains 10.60.0.0/24, the range of pool pool-1']);
  });

  test('the same range twice, and a disabled one inside', () => {
    const cluster = healthy();
    cluster.pool('twin', '10.60.0.0/24', 29);
    cluster.pool('old', '10.60.0.64/26', 29).spec.disabled = true;
    const judgements = evaluate(cluster.snapshot()).judgements.filter(({ finding }) => finding.id === 'INV-26');
    expect(judgements.map(({ key }) => key)).toEqual([
      'INV-26 IPPool/pool-1 old',
      'INV-26 IPPool/pool-1 twin',
      'INV-26 IPPool/twin old',
    ]);
  });

  test.each([
    ['10.70.0.0', 29, 'spec.cidr "10.70.0.0" is no CIDR'],
    ['nonsense', 29, 'spec.cidr "nonsense" is no CIDR'],
    ['10.70.0.0/24', 19, 'spec.blockSize 19 is not within 20 to 32'],
    ['10.70.0.0/24', 33, 'spec.blockSize 33 is not within 20 to 32'],
    ['fd00:70::/64', 64, 'spec.blockSize 64 is not within 116 to 128'],
    ['10.70.0.0/27', 26, '10.70.0.0/27 is smaller than one of its blocks, a /26'],
    ['10.70.0.0/27', 0, '10.70.0.0/27 is smaller than one of its blocks, a /26'],
  ])('%s with blocks of /%s', (cidr, blockSize, evidence) => {
    const cluster = healthy();
    cluster.pool('odd', cidr, blockSize);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-26 error IPPool/odd']);
    expect(evaluate(cluster.snapshot()).judgements[0]?.finding.evidence).toEqual([evidence]);
  });

  test('a disabled pool may be smaller than a block, a pool as large as one block is fine', () => {
    const cluster = healthy();
    cluster.pool('small', '10.70.0.0/27', 26).spec.disabled = true;
    cluster.pool('one', '10.71.0.0/29', 29);
    cluster.pool('single', 'fd00:71::5/128', 128);
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });
});

describe('INV-27: a pool without an address', () => {
  const reserved = (...reservedCIDRs: string[]): IPReservation[] => [
    {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPReservation',
      metadata: { name: 'kept' },
      spec: { reservedCIDRs },
    },
  ];

  /** A pool of two blocks of two addresses; node-a has both, three of the four addresses are held. */
  function nearlyFull(): SnapshotBuilder {
    const cluster = healthy();
    cluster.pool('tiny', '10.80.0.0/30', 31);
    const first = cluster.block('10.80.0.0/31', 'node-a');
    const second = cluster.block('10.80.0.2/31', 'node-a');
    cluster.pod('t-1', 'node-a', first, '5');
    cluster.pod('t-2', 'node-a', first, '6');
    cluster.pod('t-3', 'node-a', second, '7');
    return cluster;
  }

  function full(): SnapshotBuilder {
    const cluster = nearlyFull();
    cluster.pod('t-4', 'node-a', cluster.blockOf('10.80.0.2/31'), '8');
    return cluster;
  }

  test('is said once', () => {
    expect(findingsOf(nearlyFull().snapshot())).toEqual([]);
    expect(findingsOf(full().snapshot())).toEqual(['INV-27 warning IPPool/tiny']);
  });

  test('a free address that is reserved is none', () => {
    expect(findingsOf(nearlyFull().snapshot({ reservations: reserved('10.80.0.3') }))).toEqual([
      'INV-27 warning IPPool/tiny',
    ]);
  });

  test('a block that nobody has claimed is room, unless it is reserved', () => {
    const cluster = healthy();
    cluster.pool('tiny', '10.80.0.0/30', 31);
    const block = cluster.block('10.80.0.0/31', 'node-a');
    cluster.pod('t-1', 'node-a', block, '5');
    cluster.pod('t-2', 'node-a', block, '6');
    expect(findingsOf(cluster.snapshot())).toEqual([]);
    expect(findingsOf(cluster.snapshot({ reservations: reserved('10.80.0.2/31') }))).toEqual([
      'INV-27 warning IPPool/tiny',
    ]);
  });

  test.each([
    ['disabled', { disabled: true }],
    ['assigned from by hand', { assignmentMode: 'Manual' }],
  ])('a pool that is %s is not judged', (_, spec) => {
    const cluster = full();
    for (const pool of cluster.pools) if (pool.metadata.name === 'tiny') Object.assign(pool.spec, spec);
    expect(findingsOf(cluster.snapshot()).filter((line) => line.startsWith('INV-27'))).toEqual([]);
  });

  test('a pool without blocks, all reserved, was meant so', () => {
    const cluster = healthy();
    cluster.pool('kept', '10.80.0.0/30', 31);
    expect(findingsOf(cluster.snapshot({ reservations: reserved('10.80.0.0/30') }))).toEqual([]);
  });

  test('a block that cannot be read may have room; nothing is said without reservations', () => {
    const cluster = full();
    cluster.blockOf('10.80.0.2/31').spec.allocations = [];
    expect(findingsOf(cluster.snapshot()).filter((line) => line.startsWith('INV-27'))).toEqual([]);
    const unread = [{ kind: 'IPReservation', reason: 'forbidden', invariants: ['INV-27'] }];
    expect(findingsOf(full().snapshot({ unread }))).toEqual([]);
  });
});
