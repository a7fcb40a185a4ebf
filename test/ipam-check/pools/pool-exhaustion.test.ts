import { describe, expect, test } from 'vitest';
import type { IPReservation } from '../../../src/resources/kinds/ip-reservation.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, type SnapshotBuilder, unread } from '../../support/clusters/snapshot-builder.ts';

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
    const unreadKinds = unread('IPReservation');
    expect(findingsOf(full().snapshot({ unread: unreadKinds }))).toEqual([]);
  });
});
