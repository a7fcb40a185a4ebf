import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, unread } from '../../support/clusters/snapshot-builder.ts';

describe('INV-18: overlapping blocks', () => {
  it('INV-18: each overlapping pair is one finding with both CIDRs, apart from the wrong block size', () => {
    const cluster = healthy();
    const wide = cluster.block('10.60.0.0/28', 'node-a');
    wide.spec.unallocated = wide.spec.unallocated.filter((ordinal) => ordinal > 11);
    for (const ordinal of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) wide.spec.unallocated.push(ordinal);
    const judgements = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-18 error IPAMBlock/10-60-0-0-28',
      'INV-18 error IPAMBlock/10-60-0-0-28',
      'INV-20 error IPAMBlock/10-60-0-0-28',
      'INV-39 info IPAMBlock/10-60-0-0-28 R6',
    ]);
    expect(judgements.slice(0, 2).map(({ finding }) => finding.related)).toEqual([
      [{ kind: 'IPAMBlock', name: '10-60-0-0-29' }],
      [{ kind: 'IPAMBlock', name: '10-60-0-8-29' }],
    ]);
    expect(judgements[1]?.finding.evidence[0]).toBe('10.60.0.0/28 contains 10.60.0.8/29');
    expect(new Set(judgements.map(({ key }) => key)).size).toBe(4);
  });
});

describe('INV-19: a block outside all pools', () => {
  it('INV-19: a block with addresses is left to a person', () => {
    const cluster = healthy();
    cluster.pod('far', 'node-a', cluster.block('10.99.0.0/29', 'node-a'), '4');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-19 warning IPAMBlock/10-99-0-0-29 by hand']);
  });

  it('INV-19: an empty block is released through its affinity', () => {
    const cluster = healthy();
    cluster.block('10.99.0.0/29', 'node-a');
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-19 warning IPAMBlock/10-99-0-0-29 R6']);
    expect(judgement?.action).toEqual({
      primitive: 'R6',
      affinity: 'node-a-10-99-0-0-29',
      resourceVersion: cluster.affinityOf('node-a', '10.99.0.0/29').metadata.resourceVersion,
    });
  });

  it('INV-19: an empty block without an affinity is deleted, unless affinities were not read', () => {
    const cluster = healthy();
    cluster.bareBlock('10.99.0.0/29', 'host:node-a');
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-19 warning IPAMBlock/10-99-0-0-29 R9',
      'INV-28 warning IPAMBlock/10-99-0-0-29 R9',
    ]);
    const unreadKinds = unread('BlockAffinity');
    expect(findingsOf(cluster.snapshot({ affinities: [], unread: unreadKinds }))).toEqual([
      'INV-19 warning IPAMBlock/10-99-0-0-29 by hand',
    ]);
  });

  it('INV-19: a block in a disabled pool is inside a pool', () => {
    const cluster = healthy();
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    cluster.pod('old', 'node-a', cluster.block('10.99.0.0/29', 'node-a'), '4');
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });

  it('INV-19: an IPv6 block outside all pools', () => {
    const cluster = healthy();
    cluster.pool('pool-6', 'fd00:60::/112', 125);
    cluster.block('fd00:60::8/125', 'node-a');
    cluster.block('fd00:61::8/125', 'node-a');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-19 warning IPAMBlock/fd00-61--8-125 R6']);
  });
});

it('INV-20: a block without the block size of its pool', () => {
  const cluster = healthy();
  cluster.pod('c-1', 'node-a', cluster.block('10.60.0.32/28', 'node-a'), '4');
  expect(findingsOf(cluster.snapshot())).toEqual(['INV-20 error IPAMBlock/10-60-0-32-28']);
});

it('INV-20: the default block sizes are /26 and /122', () => {
  const cluster = healthy();
  delete cluster.pool('p4', '10.70.0.0/24', 0).spec.blockSize;
  delete cluster.pool('p6', 'fd00:70::/112', 0).spec.blockSize;
  cluster.pod('c-1', 'node-a', cluster.block('10.70.0.64/26', 'node-a'), '4');
  cluster.block('fd00:70::40/122', 'node-a');
  expect(findingsOf(cluster.snapshot())).toEqual([]);
});

it('INV-21: a block that extends beyond its pool is not reported as outside all pools', () => {
  const cluster = healthy();
  cluster.pool('small', '10.80.0.0/29', 29);
  cluster.pod('c-1', 'node-a', cluster.block('10.80.0.0/28', 'node-a'), '4');
  expect(findingsOf(cluster.snapshot())).toEqual(['INV-21 error IPAMBlock/10-80-0-0-28 also INV-19 INV-20']);
});

describe('INV-22: an empty block without an owner', () => {
  it('INV-22: an empty block without an owner is deleted', () => {
    const cluster = healthy();
    cluster.bareBlock('10.60.0.16/29');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-22 warning IPAMBlock/10-60-0-16-29 R9']);
  });

  it('INV-22: an empty block without an owner takes precedence over being outside all pools', () => {
    const cluster = healthy();
    cluster.bareBlock('10.99.0.0/29');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-22 warning IPAMBlock/10-99-0-0-29 R9 also INV-19']);
  });

  it('INV-22: a block without an owner that has an address is not reported', () => {
    const cluster = healthy();
    cluster.pod('c-1', 'node-a', cluster.bareBlock('10.60.0.16/29'), '4');
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });
});

describe('INV-23: a block in a pool that is not for its owner', () => {
  it('INV-23: a block of load-balancer in a pool of workloads', () => {
    const cluster = healthy();
    cluster.affinity('load-balancer', '10.60.0.16/29', 'confirmed', 'virtual');
    const block = cluster.bareBlock('10.60.0.16/29', 'virtual:load-balancer');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-23 warning IPAMBlock/10-60-0-16-29 R6']);
    cluster.allocate(block, {
      handle_id: 'lb-1',
      secondary: { service: 'front', namespace: 'shop', type: 'LoadBalancer' },
    });
    const found = findingsOf(cluster.snapshot({ unread: unread('Service') }));
    expect(found).toEqual(['INV-23 warning IPAMBlock/10-60-0-16-29']);
  });

  it('INV-23: a block of a node in a pool of LoadBalancer addresses', () => {
    const cluster = healthy();
    cluster.pool('services', '10.70.0.0/24', 29).spec.allowedUses = ['LoadBalancer'];
    cluster.block('10.70.0.0/29', 'node-a');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-23 warning IPAMBlock/10-70-0-0-29 R6']);
  });

  it('INV-23: a pool for both uses suits every owner, and a block without an owner suits every pool', () => {
    const cluster = healthy();
    cluster.pool('both', '10.70.0.0/24', 29).spec.allowedUses = ['LoadBalancer', 'Workload'];
    cluster.pod('c-1', 'node-a', cluster.block('10.70.0.0/29', 'node-a'), '4');
    cluster.affinity('load-balancer', '10.70.0.8/29', 'confirmed', 'virtual');
    cluster.bareBlock('10.70.0.8/29', 'virtual:load-balancer');
    cluster.pool('services', '10.71.0.0/24', 29).spec.allowedUses = ['LoadBalancer'];
    cluster.pod('c-2', 'node-a', cluster.bareBlock('10.71.0.0/29'), '5');
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });
});
