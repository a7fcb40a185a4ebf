import { describe, expect, it } from 'vitest';
import type { IPReservation } from '../../../src/resources/kinds/ip-reservation.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, type SnapshotBuilder, unread } from '../../support/clusters/snapshot-builder.ts';

describe('INV-27: a pool without a free address', () => {
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

  it('INV-27: an exhausted pool is reported once', () => {
    expect(findingsOf(nearlyFull().snapshot())).toEqual([]);
    expect(findingsOf(full().snapshot())).toEqual(['INV-27 warning IPPool/tiny']);
  });

  it('INV-27: a reserved address of a pool does not count as free', () => {
    expect(findingsOf(nearlyFull().snapshot({ reservations: reserved('10.80.0.3') }))).toEqual([
      'INV-27 warning IPPool/tiny',
    ]);
  });

  it('INV-27: a block that does not exist yet counts as free unless it is reserved', () => {
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

  it.each([
    ['disabled', { disabled: true }],
    ['for manual assignment only', { assignmentMode: 'Manual' }],
  ])('INV-27: a pool that is %s is not reported as exhausted', (_, spec) => {
    const cluster = full();
    for (const pool of cluster.pools) if (pool.metadata.name === 'tiny') Object.assign(pool.spec, spec);
    expect(findingsOf(cluster.snapshot()).filter((line) => line.startsWith('INV-27'))).toEqual([]);
  });

  it('INV-27: a completely reserved pool without blocks is not reported as exhausted', () => {
    const cluster = healthy();
    cluster.pool('kept', '10.80.0.0/30', 31);
    expect(findingsOf(cluster.snapshot({ reservations: reserved('10.80.0.0/30') }))).toEqual([]);
  });

  it('INV-27: a pool is not judged with an unreadable block or when reservations were not read', () => {
    const cluster = full();
    cluster.blockOf('10.80.0.2/31').spec.allocations = [];
    expect(findingsOf(cluster.snapshot()).filter((line) => line.startsWith('INV-27'))).toEqual([]);
    const unreadKinds = unread('IPReservation');
    expect(findingsOf(full().snapshot({ unread: unreadKinds }))).toEqual([]);
  });
});
