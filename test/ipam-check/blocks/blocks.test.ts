import { describe, expect, test } from 'vitest';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { before, healthy } from '../../support/clusters/snapshot-builder.ts';

const blockA = '10.60.0.0/29';

test('nothing is found in a healthy cluster', () => {
  expect(findingsOf(healthy().snapshot())).toEqual([]);
});

test('the Windows reserve is no fault of a block', () => {
  const cluster = healthy();
  cluster.node('win-1');
  cluster.block('10.60.0.16/29', 'win-1', true);
  expect(findingsOf(cluster.snapshot())).toEqual([]);
});

describe('a block that cannot be read gets that one finding, and nothing in it is judged', () => {
  test('INV-03: allocations of the wrong length', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.allocations.pop();
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-03 error IPAMBlock/10-60-0-0-29']);
  });

  test.each(['10.60.0.1/29', '10.60.0.0/33', 'nonsense', ''])('INV-02: the CIDR "%s"', (cidr) => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.cidr = cidr;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-02 error IPAMBlock/10-60-0-0-29']);
  });

  test('INV-02: a size that no block has', () => {
    const cluster = healthy();
    cluster.pool('wide', '10.64.0.0/16', 26);
    cluster.bareBlock('10.64.0.0/19', 'host:node-a');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-02 error IPAMBlock/10-64-0-0-19']);
  });

  test.each<[string, Partial<Record<keyof IPAMBlock['spec'], unknown>>]>([
    ['no allocations', { allocations: undefined }],
    ['no spec at all', { cidr: undefined, allocations: undefined, attributes: undefined, unallocated: undefined }],
  ])('%s', (_, broken) => {
    const cluster = healthy();
    Object.assign(cluster.blockOf(blockA).spec, broken);
    expect(findingsOf(cluster.snapshot())).toHaveLength(1);
  });

  test('missing attributes and a missing free list are read as empty', () => {
    const cluster = healthy();
    const block = cluster.block('10.60.0.16/29', 'node-a');
    Object.assign(block.spec, { attributes: null, unallocated: undefined, sequenceNumberForAllocation: null });
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-08 warning IPAMBlock/10-60-0-16-29 R2',
      'INV-39 info IPAMBlock/10-60-0-16-29 R6',
    ]);
  });
});

describe('INV-01', () => {
  test('a misnamed block is one finding', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).metadata.name = 'block-of-node-a';
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-01 error IPAMBlock/block-of-node-a']);
  });

  test('beside the rightly named block it stands for their overlap too', () => {
    const cluster = healthy();
    const twin = cluster.bareBlock(blockA, 'host:node-b');
    twin.metadata.name = 'twin';
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-01 error IPAMBlock/twin also INV-18']);
  });
});

describe('INV-14: a tombstone', () => {
  test('of an empty block is finished', () => {
    const cluster = healthy();
    cluster.bareBlock('10.60.0.16/29').spec.deleted = true;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-14 warning IPAMBlock/10-60-0-16-29 R7']);
  });

  test('younger than a minute is a candidate, unless the datastore is locked', () => {
    const cluster = healthy();
    const block = cluster.bareBlock('10.60.0.16/29');
    block.spec.deleted = true;
    block.metadata.managedFields = [{ manager: 'calico', operation: 'Update', time: before(59_000) }];
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-14 warning (candidate) IPAMBlock/10-60-0-16-29 R7']);
    expect(findingsOf(cluster.snapshot({ locked: true }))).toEqual(['INV-14 warning IPAMBlock/10-60-0-16-29 R7']);
  });

  test('that still records addresses is left alone, and so are they', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.deleted = true;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-14 warning IPAMBlock/10-60-0-0-29 by hand']);
  });
});
