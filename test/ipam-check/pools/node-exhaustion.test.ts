import { describe, expect, it } from 'vitest';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { ipamConfig, reservation } from '../../support/clusters/ipam-state.ts';
import { healthy, type SnapshotBuilder, unread } from '../../support/clusters/snapshot-builder.ts';

const strict = (maxBlocksPerHost: number) => ipamConfig({ strictAffinity: true, maxBlocksPerHost });

/** Gives every free address of the block to a pod. */
function fill(cluster: SnapshotBuilder, node: string, block: IPAMBlock): void {
  for (const ordinal of [...block.spec.unallocated]) {
    const digit = `${block.metadata.name.replaceAll('-', '')}${ordinal}`.padEnd(64, '0');
    const name = `p-${block.metadata.name}-${ordinal}`;
    const timestamp = '2026-01-01 00:00:00 +0000 UTC';
    const address = cluster.allocate(block, {
      handle_id: `k8s-pod-network.${digit}`,
      secondary: { namespace: 'shop', pod: name, node, timestamp },
    });
    const [like] = cluster.pods;
    if (like) cluster.pods.push({ ...like, name, node, addresses: [address], containerId: digit });
  }
}

describe('INV-27: a node at its limit without a free address', () => {
  function full(): SnapshotBuilder {
    const cluster = healthy();
    fill(cluster, 'node-a', cluster.blockOf('10.60.0.0/29'));
    return cluster;
  }

  it('INV-27: an exhausted node is reported once', () => {
    expect(findingsOf(full().snapshot({ config: strict(1) }))).toEqual(['INV-27 warning Node/node-a']);
  });

  it('INV-27: a node that may claim another block, or has a free address, is not exhausted', () => {
    expect(findingsOf(full().snapshot({ config: strict(2) }))).toEqual([]);
    expect(findingsOf(healthy().snapshot({ config: strict(1) }))).toEqual([]);
  });

  it('INV-27: a reserved address of a node does not count as free', () => {
    const reservations = [reservation('kept', '10.60.0.3', ' 10.60.0.4/30 ')];
    const found = findingsOf(healthy().snapshot({ config: strict(1), reservations }));
    expect(found).toEqual(['INV-27 warning Node/node-a']);
    expect(
      findingsOf(healthy().snapshot({ config: strict(1), reservations: [reservation('kept', '10.60.0.4/30')] })),
    ).toEqual([]);
  });

  it.each(['IPAMConfig', 'IPReservation'] as const)(
    'INV-27: an exhausted node is not reported when %s was not read',
    (kind) => {
      expect(findingsOf(full().snapshot({ config: strict(1), unread: unread(kind) }))).toEqual([]);
    },
  );
});
