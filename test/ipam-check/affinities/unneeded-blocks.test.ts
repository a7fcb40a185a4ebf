import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { before, healthy, judgedAt, type SnapshotBuilder, unread } from '../../support/clusters/snapshot-builder.ts';

const spare = '10.60.0.16/29';
const spareBlock = 'IPAMBlock/10-60-0-16-29';
const quarterHour = 15 * 60_000;

/** Sets the last write of the block to `ms` milliseconds before the check. */
function writtenAgo(cluster: SnapshotBuilder, cidr: string, ms: number): void {
  cluster.blockOf(cidr).metadata.managedFields = [{ manager: 'calico', operation: 'Update', time: before(ms) }];
}

describe('INV-25: a block in a disabled pool', () => {
  it('INV-25: an empty block is released through its affinity', () => {
    const cluster = healthy();
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    const block = cluster.block('10.99.0.0/29', 'node-a');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-25 info IPAMBlock/10-99-0-0-29 R6']);
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    const { resourceVersion } = cluster.affinityOf('node-a', '10.99.0.0/29').metadata;
    expect(judgement?.action).toEqual({ primitive: 'R6', affinity: 'node-a-10-99-0-0-29', resourceVersion });
    cluster.pod('c-1', 'node-a', block, '4');
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });

  it('INV-25: a block that its node claimed two seconds ago is a candidate', () => {
    const cluster = healthy();
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    cluster.block('10.99.0.0/29', 'node-a');
    cluster.affinityOf('node-a', '10.99.0.0/29').metadata.creationTimestamp = before(2000);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-25 info (candidate) IPAMBlock/10-99-0-0-29 R6']);
  });

  it('INV-25: a block is released after its last leaked address', () => {
    const cluster = healthy();
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    cluster.pod('c-1', 'node-a', cluster.block('10.99.0.0/29', 'node-a'), '4');
    cluster.pods.pop();
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-53 warning IPAMBlock/10-99-0-0-29 R1',
      'INV-25 info IPAMBlock/10-99-0-0-29 R6',
    ]);
  });

  it('INV-25: a block whose affinity has a finding of its own is not reported again', () => {
    const cluster = healthy();
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    cluster.block('10.99.0.0/29', 'node-x');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-36 warning BlockAffinity/node-x-10-99-0-0-29 R6']);
  });

  it('INV-25: a block that an enabled pool also covers is not reported', () => {
    const cluster = healthy();
    cluster.pool('old', '10.60.0.0/25', 29).spec.disabled = true;
    expect(findingsOf(cluster.snapshot()).filter((line) => line.includes('INV-25'))).toEqual([]);
  });
});

describe('INV-24: a pool that does not select the node', () => {
  function unselected(): SnapshotBuilder {
    const cluster = healthy();
    cluster.pool('zone-y', '10.99.0.0/24', 29).spec.nodeSelector = "zone == 'y'";
    cluster.block('10.99.0.0/29', 'node-a');
    return cluster;
  }

  it('INV-24: an empty block is released, one with addresses is a note', () => {
    const cluster = unselected();
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-24 warning IPAMBlock/10-99-0-0-29 R6']);
    cluster.pod('c-1', 'node-a', cluster.blockOf('10.99.0.0/29'), '4');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-24 info IPAMBlock/10-99-0-0-29 by hand']);
  });

  it('INV-24: a block written within the grace period is a candidate', () => {
    const cluster = unselected();
    writtenAgo(cluster, '10.99.0.0/29', quarterHour - 1);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-24 warning (candidate) IPAMBlock/10-99-0-0-29 R6']);
    writtenAgo(cluster, '10.99.0.0/29', quarterHour);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-24 warning IPAMBlock/10-99-0-0-29 R6']);
  });

  it('INV-24: the labels of the node decide, and an unreadable selector selects every node', () => {
    const cluster = unselected();
    for (const node of cluster.nodes) node.labels = { ...node.labels, zone: 'y' };
    // The node may keep only one empty block.
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-39 info IPAMBlock/10-99-0-0-29 R6']);
    for (const node of cluster.nodes) node.labels = {};
    const [, zoned] = cluster.pools;
    if (zoned) zoned.spec.nodeSelector = 'zone = y';
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-39 info IPAMBlock/10-99-0-0-29 R6']);
  });

  it('INV-24: a block is not judged when affinities or nodes were not read', () => {
    for (const kind of ['BlockAffinity', 'Node'] as const) {
      const found = findingsOf(unselected().snapshot({ unread: unread(kind) }));
      expect(found.filter((line) => line.startsWith('INV-24'))).toEqual([]);
    }
  });
});

describe('INV-39: more than one empty block', () => {
  it('INV-39: an empty block is released when the node also has a block in use', () => {
    const cluster = healthy();
    cluster.block(spare, 'node-a');
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-39 info ${spareBlock} R6`]);
  });

  it('INV-39: an empty block is kept for the grace period after its last write, unless the datastore is locked', () => {
    const cluster = healthy();
    cluster.block(spare, 'node-a');
    writtenAgo(cluster, spare, quarterHour - 1);
    expect(findingsOf(cluster.snapshot())).toEqual([]);
    expect(findingsOf(cluster.snapshot({ locked: true }))).toEqual([`INV-39 info ${spareBlock} R6`]);
    expect(findingsOf(cluster.snapshot({ graceMs: 60_000 }))).toEqual([`INV-39 info ${spareBlock} R6`]);
    writtenAgo(cluster, spare, quarterHour);
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-39 info ${spareBlock} R6`]);
  });

  it('INV-39: the sequence number dates a block without recorded times', () => {
    const cluster = healthy();
    const block = cluster.block(spare, 'node-a');
    block.metadata.creationTimestamp = null;
    block.spec.sequenceNumber = BigInt(judgedAt.getTime() - quarterHour + 1) * 1_000_000n;
    expect(findingsOf(cluster.snapshot())).toEqual([]);
    block.spec.sequenceNumber = BigInt(judgedAt.getTime() - quarterHour) * 1_000_000n;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-39 info ${spareBlock} R6`]);
    block.spec.sequenceNumber = 7n;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-13 info ${spareBlock}`, `INV-39 info ${spareBlock} R6`]);
  });

  it('INV-39: one of several empty blocks of each family is kept', () => {
    const cluster = healthy();
    cluster.pool('pool-6', 'fd00:60::/112', 125);
    cluster.node('node-c');
    for (const cidr of ['10.60.0.16/29', '10.60.0.24/29', '10.60.0.32/29', 'fd00:60::8/125', 'fd00:60::10/125']) {
      cluster.block(cidr, 'node-c');
    }
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-39 info IPAMBlock/10-60-0-24-29 R6',
      'INV-39 info IPAMBlock/10-60-0-32-29 R6',
      'INV-39 info IPAMBlock/fd00-60--8-125 R6',
    ]);
  });

  it('INV-39: the empty block that is kept is one that its pool can use', () => {
    const cluster = healthy();
    cluster.node('node-c');
    cluster.block('10.60.0.16/28', 'node-c');
    cluster.block('10.60.0.32/29', 'node-c');
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-20 error IPAMBlock/10-60-0-16-28',
      'INV-39 info IPAMBlock/10-60-0-16-28 R6',
    ]);
  });

  it('INV-39: a node does not keep an empty block in a disabled pool instead of one it can use', () => {
    const cluster = healthy();
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    cluster.node('node-c');
    cluster.pod('c-1', 'node-c', cluster.block('10.99.0.0/29', 'node-c'), '4');
    cluster.block(spare, 'node-c');
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });

  it('INV-39: Windows blocks and blocks of a node that is migrating from flannel are kept', () => {
    const cluster = healthy();
    cluster.block(spare, 'node-a', true);
    expect(findingsOf(cluster.snapshot())).toEqual([]);
    const moving = healthy();
    moving.block(spare, 'node-a');
    const [node] = moving.nodes;
    const label = 'projectcalico.org/node-network-during-migration';
    if (node) node.labels = { ...node.labels, [label]: 'flannel' };
    expect(findingsOf(moving.snapshot())).toEqual([]);
    if (node) node.labels = { ...node.labels, [label]: 'calico' };
    expect(findingsOf(moving.snapshot())).toEqual([`INV-39 info ${spareBlock} R6`]);
  });
});
